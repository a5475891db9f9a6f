//! What a command answers: text, JSON and an exit status; and what it says when its input could not be used.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use lozenge_vocabulary::Verdict;
use serde_json::Value;

use crate::args::Format;

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
    /// For programs.
    pub json: Value,
    /// For shells.
    pub status: Status,
}

impl Report {
    /// The answer in a format.
    pub fn shown(&self, format: Format) -> String {
        match format {
            Format::Text => self.text.clone(),
            Format::Json => format!("{:#}\n", self.json),
        }
    }
}

/// Input that could not be used: a message that is ready to be shown.
#[derive(Debug)]
pub struct Problem(pub String);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.0.trim_end())
    }
}

/// Writes to standard output. A reader that has gone away is no error; any other failure ends the program.
pub fn to_stdout(text: &str) {
    write_all(&mut io::stdout().lock(), text.as_bytes());
}

/// Writes to standard error.
pub fn to_stderr(text: &str) {
    write_all(&mut io::stderr().lock(), text.as_bytes());
}

fn write_all(stream: &mut impl Write, bytes: &[u8]) {
    if stream
        .write_all(bytes)
        .and_then(|()| stream.flush())
        .is_err()
    {
        std::process::exit(Status::BadInput as i32);
    }
}
