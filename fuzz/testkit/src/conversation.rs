//! A program that answers one line with one line.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

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

    /// The answer to a line, which has no line break.
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
        let mut silent = Conversation::start("true".as_ref(), &[]).unwrap();
        assert!(silent.ask("a").is_err());
    }
}
