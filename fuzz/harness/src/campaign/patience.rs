//! The patience with the threads of a campaign: for how long each has been at its present input. Time in which the
//! machine gave a thread no core is not counted where the system tells it (Linux, `schedstat`), so a machine with more
//! work than cores ends no campaign. Time in which a thread waits for another program, or for its own threads, is.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Stands for the number of an input while a thread is between two rounds.
pub const IDLE: u64 = u64::MAX;

/// The present work of a thread, which the thread writes and the campaign reads.
#[derive(Debug)]
pub struct Post {
    input: AtomicU64,
    /// The folder in which the system tells of the thread.
    folder: Mutex<Option<PathBuf>>,
}

impl Default for Post {
    fn default() -> Post {
        Post {
            input: AtomicU64::new(IDLE),
            folder: Mutex::default(),
        }
    }
}

impl Post {
    /// Begins a round on the thread that calls.
    pub fn begin(&self) {
        let folder = fs::read_link("/proc/thread-self");
        let folder = folder
            .ok()
            .map(|thread| PathBuf::from("/proc").join(thread));
        *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = folder;
    }

    /// Records the input at which the thread is now.
    pub fn enter(&self, input: u64) {
        self.input.store(input, Ordering::Relaxed);
    }

    fn input(&self) -> u64 {
        self.input.load(Ordering::Relaxed)
    }

    /// Returns the time in which the thread was ready and had no core, since it began; zero where the system does not
    /// tell it.
    fn delay(&self) -> Duration {
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        let text = folder
            .as_ref()
            .map(|folder| fs::read_to_string(folder.join("schedstat")));
        let delay = text.and_then(|text| delay_in(&text.ok()?));
        delay.unwrap_or_default()
    }
}

/// Returns the second number of a `schedstat`: the nanoseconds in a queue for a core.
fn delay_in(text: &str) -> Option<Duration> {
    let nanoseconds = text.split_whitespace().nth(1)?;
    Some(Duration::from_nanos(nanoseconds.parse().ok()?))
}

/// The state of a thread when its present input was first seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    input: u64,
    at: Instant,
    delay: Duration,
}

impl Seen {
    fn now(post: &Post) -> Seen {
        Seen {
            input: post.input(),
            at: Instant::now(),
            delay: post.delay(),
        }
    }

    /// Returns the time that the thread has had for its input, as it is seen now.
    fn had(&self, now: &Seen) -> Duration {
        let starved = now.delay.saturating_sub(self.delay);
        now.at.duration_since(self.at).saturating_sub(starved)
    }
}

/// The watch over all threads of a round.
#[derive(Debug)]
pub struct Watch<'a> {
    posts: &'a [Post],
    seen: Vec<Seen>,
}

impl<'a> Watch<'a> {
    /// Begins to watch.
    pub fn over(posts: &'a [Post]) -> Watch<'a> {
        Watch {
            posts,
            seen: posts.iter().map(Seen::now).collect(),
        }
    }

    /// Looks at all threads, and returns the input for which one of them has had longer than `patience`.
    pub fn overdue(&mut self, patience: Duration) -> Option<u64> {
        for (post, seen) in self.posts.iter().zip(&mut self.seen) {
            let now = Seen::now(post);
            if now.input != seen.input {
                *seen = now;
            } else if now.input != IDLE && seen.had(&now) >= patience {
                return Some(now.input);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_without_a_core_does_not_count() {
        let at = Instant::now();
        let seen = |seconds, delay| Seen {
            input: 3,
            at: at + Duration::from_secs(seconds),
            delay: Duration::from_secs(delay),
        };
        let first = seen(0, 5);
        assert_eq!(first.had(&seen(60, 5)), Duration::from_secs(60));
        assert_eq!(first.had(&seen(60, 55)), Duration::from_secs(10));
        assert_eq!(
            delay_in("539583 13268036 2\n"),
            Some(Duration::from_nanos(13_268_036))
        );
        assert_eq!(delay_in(""), None);
    }

    #[test]
    fn a_thread_that_stays_is_overdue_and_one_that_goes_on_is_not() {
        let posts = [Post::default(), Post::default()];
        posts.iter().for_each(Post::begin);
        let mut watch = Watch::over(&posts);
        assert_eq!(watch.overdue(Duration::ZERO), None);
        posts[1].enter(7);
        assert_eq!(watch.overdue(Duration::ZERO), None);
        assert_eq!(watch.overdue(Duration::from_secs(3600)), None);
        assert_eq!(watch.overdue(Duration::ZERO), Some(7));
        posts[1].enter(8);
        assert_eq!(watch.overdue(Duration::ZERO), None);
    }
}
