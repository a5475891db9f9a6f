//! The answer of a command: text, JSON and an exit status; and the report of input that could not be used.

use std::fmt;
use std::io::{self, ErrorKind, Write};

use lozenge_vocabulary::Verdict;
use serde_json::Value;

use crate::json::Message;

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 0: `sat`, or all answers are consistent.
    Good,
    /// 1: `unsat` or `rejected`, or a disagreement.
    Refused,
    /// 2: bad input or usage.
    BadInput,
    /// 3: `unknown`.
    Unknown,
}

impl From<Verdict> for Status {
    fn from(verdict: Verdict) -> Status {
        match verdict {
            Verdict::Sat => Status::Good,
            Verdict::Unsat | Verdict::Rejected => Status::Refused,
            Verdict::Unknown => Status::Unknown,
        }
    }
}

/// The answer of a command.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer for people. Ends with a line break.
    pub text: String,
    /// The answer for programs: an object with the fields of the command. The envelope of `json.rs` is added when it is
    /// written; it takes `verdict` and `errors` from here if they are present.
    pub json: Value,
    /// The exit status, for shells.
    pub status: Status,
}

/// Input that could not be used.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The message for people.
    text: String,
    /// The messages for programs.
    errors: Vec<Message>,
}

impl Problem {
    /// Returns a problem without a place in a text. The message is one line that ends with the remedy, without a full
    /// stop.
    pub fn new(message: impl fmt::Display) -> Problem {
        let message = message.to_string();
        Problem {
            text: format!("error: {message}"),
            errors: vec![Message::plain(message)],
        }
    }

    /// Returns the refusal of a command that asks Z3, in a build without it.
    #[cfg(not(feature = "oracle"))]
    pub fn without_z3(command: &str) -> Problem {
        Problem::new(format!(
            "`lozenge {command}` asks Z3, and this lozenge was built without it: run .ci/setup, which brings Z3, \
             and build with the feature `oracle`, which is on by default: cargo install --path app/cli"
        ))
    }

    /// Problems at places of a text, and how they are shown with the lines of the text.
    pub fn at(shown: String, errors: Vec<Message>) -> Problem {
        Problem {
            text: shown,
            errors,
        }
    }

    /// Joins several problems into one; `None` if there is none.
    pub fn all(problems: Vec<Problem>) -> Option<Problem> {
        let texts: Vec<String> = problems.iter().map(Problem::to_string).collect();
        let errors: Vec<Message> = problems.into_iter().flat_map(|p| p.errors).collect();
        (!texts.is_empty()).then(|| Problem::at(texts.join("\n"), errors))
    }

    /// Returns the message without the word that begins it.
    #[cfg(feature = "opencl")]
    pub fn message(&self) -> String {
        self.text.trim_start_matches("error: ").to_owned()
    }

    /// Returns the messages for programs.
    pub fn errors(&self) -> &[Message] {
        &self.errors
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text.trim_end())
    }
}

/// Writes to standard output. That a reader has gone away is not an error and does not change the status; any other
/// failure is an error.
///
/// # Errors
/// When standard output cannot be written, for instance on a full disk.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Problem> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written
            .map_err(|error| Problem::new(format!("standard output cannot be written: {error}"))),
    }
}

/// Writes to standard error. A failure is ignored, since it cannot be reported anywhere.
pub fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
