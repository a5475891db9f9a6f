//! A program that answers one line with one line.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

/// A running program and the two ends of its pipes. It is ended by the end of its input, when this value is dropped.
pub struct Conversation {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Conversation {
    /// Starts a program.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(program: &OsStr, arguments: &[&str]) -> io::Result<Conversation> {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let requests = child.stdin.take();
        match child.stdout.take() {
            Some(answers) => Ok(Conversation {
                child,
                requests,
                answers: BufReader::new(answers),
            }),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Returns the answer to a line, which has no line break.
    ///
    /// # Errors
    /// When the program has ended, or ends without an answer.
    pub fn ask(&mut self, line: &str) -> io::Result<String> {
        let requests = self.requests.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(requests, "{line}")?;
        let mut answer = String::new();
        match self.answers.read_line(&mut answer)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(answer),
        }
    }

    /// Returns the answers to lines, which are sent without waiting for the answers. On a busy machine this is many
    /// times as fast as one line after the other.
    ///
    /// # Errors
    /// When the program has ended, or ends without an answer.
    pub fn ask_each(&mut self, lines: &[String]) -> io::Result<Vec<String>> {
        let requests = self.requests.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let answers = &mut self.answers;
        thread::scope(|scope| {
            let sent = scope.spawn(move || -> io::Result<()> {
                let mut requests = BufWriter::new(requests);
                for line in lines {
                    writeln!(requests, "{line}")?;
                }
                requests.flush()
            });
            let read = lines.iter().map(|_| {
                let mut answer = String::new();
                match answers.read_line(&mut answer)? {
                    0 => Err(io::ErrorKind::UnexpectedEof.into()),
                    _ => Ok(answer),
                }
            });
            let read: io::Result<Vec<String>> = read.collect();
            let sent = sent.join();
            sent.unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()))?;
            read
        })
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        drop(self.requests.take());
        // A program that has ended already cannot be waited for, which does no harm.
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_an_answer_and_an_end_is_an_error() {
        let mut echo = Conversation::start("cat".as_ref(), &[]).unwrap();
        for line in ["a", "", "b c"] {
            assert_eq!(echo.ask(line).unwrap(), format!("{line}\n"));
        }
        // More than both pipes hold.
        let many: Vec<String> = (0..50_000).map(|n| format!("line {n}")).collect();
        let answers = echo.ask_each(&many).unwrap();
        assert!(
            many.iter()
                .zip(&answers)
                .all(|(line, answer)| answer.trim_end() == line)
        );
        assert_eq!(answers.len(), many.len());
        let mut silent = Conversation::start("true".as_ref(), &[]).unwrap();
        assert!(silent.ask("a").is_err());
        assert!(silent.ask_each(&many).is_err());
    }
}
