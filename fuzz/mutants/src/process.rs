//! Running a program for a limited time.

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

/// The end of a program, with what it wrote.
#[derive(Clone, Debug)]
pub struct Ended {
    /// True if it ended successfully; `None` if it was ended because its time was over.
    pub well: Option<bool>,
    /// The exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// The text on its standard output.
    pub output: String,
    /// The text on its standard error.
    pub errors: String,
    /// The time that it ran.
    pub took: Duration,
}

fn reading(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // On an error the program has ended; the output that was read before is kept.
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Runs a program, and ends it when it takes longer than the limit.
///
/// # Errors
/// When it cannot be started.
pub fn run(command: &mut Command, limit: Duration) -> std::io::Result<Ended> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (output, errors) = (reading(child.stdout.take()), reading(child.stderr.take()));
    let ended = child.wait_timeout(limit)?;
    if ended.is_none() {
        child.kill()?;
        child.wait()?;
    }
    let text = |thread: thread::JoinHandle<String>| thread.join().unwrap_or_default();
    Ok(Ended {
        well: ended.map(|status| status.success()),
        status: ended.and_then(|status| status.code()),
        output: text(output),
        errors: text(errors),
        took: start.elapsed(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Ended {
        run(Command::new("sh").args(["-c", script]), limit).unwrap()
    }

    #[test]
    fn a_program_is_ended_when_its_time_is_over() {
        let ended = shell("echo before; exec sleep 600", Duration::from_millis(200));
        assert_eq!((ended.well, ended.output.as_str()), (None, "before\n"));
    }

    #[test]
    fn a_program_that_fails_says_so() {
        let ended = shell("echo no >&2; exit 3", Duration::from_secs(60));
        assert_eq!(
            (ended.well, ended.status, ended.errors.as_str()),
            (Some(false), Some(3), "no\n")
        );
    }
}
