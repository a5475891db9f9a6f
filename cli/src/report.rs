//! What a command answers: text, JSON and an exit status; and what it says when its input could not be used.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use lozenge_vocabulary::Verdict;
use serde_json::Value;

use crate::json::Message;

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 0: `sat`, or everything that was asked is consistent.
    Good,
    /// 1: `unsat` or `rejected`, or a disagreement.
    Refused,
    /// 2: bad input or usage.
    BadInput,
    /// 3: `unknown`.
    Unknown,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
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
    /// For people. Ends with a line break.
    pub text: String,
    /// For programs: the fields of the command, an object. The envelope of `json.rs` is put around it when it is written;
    /// it takes `verdict` and `errors` from here where they are.
    pub json: Value,
    /// For shells.
    pub status: Status,
}

/// Input that could not be used.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The message as people read it.
    text: String,
    /// The same for programs.
    errors: Vec<Message>,
}

impl Problem {
    /// A problem without a place in a text. The message is in one line and ends with the mend, without a full stop.
    pub fn new(message: impl fmt::Display) -> Problem {
        let message = message.to_string();
        Problem {
            text: format!("error: {message}"),
            errors: vec![Message::plain(message)],
        }
    }

    /// Problems at places of a text, and how they are shown with the lines of the text.
    pub fn at(shown: String, errors: Vec<Message>) -> Problem {
        Problem {
            text: shown,
            errors,
        }
    }

    /// Several problems as one; nothing where there is none.
    pub fn all(problems: Vec<Problem>) -> Option<Problem> {
        let texts: Vec<String> = problems.iter().map(Problem::to_string).collect();
        let errors: Vec<Message> = problems.into_iter().flat_map(|p| p.errors).collect();
        (!texts.is_empty()).then(|| Problem::at(texts.join("\n"), errors))
    }

    /// What is wrong, for programs.
    pub fn errors(&self) -> &[Message] {
        &self.errors
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text.trim_end())
    }
}

/// Writes to standard output. A reader that has gone away wants no more, which is no error and leaves the status as it is;
/// any other failure is one.
///
/// # Errors
/// When standard output cannot be written, as on a full disk.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Problem> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written
            .map_err(|error| Problem::new(format!("standard output cannot be written: {error}"))),
    }
}

/// Writes to standard error. When that fails there is nowhere left to say so.
pub fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
