//! A notice about work that takes long: somebody waits, and does not know for what.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The function that is called when work has taken long. It is called on another thread than that of the work.
pub type Notice = Arc<dyn Fn() + Send + Sync>;

/// The time after which somebody is told.
const LONG: Duration = Duration::from_millis(450);

/// The patience with some pieces of work: when all together have taken long, somebody is told, once.
pub(super) struct Patience {
    /// `None` once it was called.
    notice: Option<Notice>,
    left: Duration,
}

impl Patience {
    pub fn new(notice: Notice) -> Patience {
        Patience {
            notice: Some(notice),
            left: LONG,
        }
    }

    /// Does a piece of work.
    pub fn during<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let Some(notice) = self.notice.take() else {
            return work();
        };
        let (ended, end) = mpsc::channel::<()>();
        let (left, told) = (self.left, Arc::clone(&notice));
        let begin = Instant::now();
        let thread = std::thread::Builder::new().spawn(move || {
            let is_long = end.recv_timeout(left) == Err(RecvTimeoutError::Timeout);
            if is_long {
                told();
            }
            is_long
        });
        let result = work();
        drop(ended);
        // A notice that cannot be given is no reason to stop.
        let is_told = thread.is_ok_and(|thread| thread.join().unwrap_or(true));
        self.left = self.left.saturating_sub(begin.elapsed());
        self.notice = (!is_told).then_some(notice);
        result
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Does pieces of work of these milliseconds, and counts the notices.
    fn told(pieces: &[u64]) -> usize {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let notice = move || {
            counted.fetch_add(1, Ordering::SeqCst);
        };
        let mut patience = Patience::new(Arc::new(notice));
        for piece in pieces {
            patience.during(|| std::thread::sleep(Duration::from_millis(*piece)));
        }
        count.load(Ordering::SeqCst)
    }

    #[test]
    fn one_is_told_once_when_all_pieces_together_took_long() {
        assert_eq!(told(&[1]), 0);
        assert_eq!(told(&[600, 600]), 1);
        assert_eq!(told(&[200, 200, 200, 200]), 1);
    }
}
