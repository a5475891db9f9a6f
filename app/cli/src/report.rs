//! The answer of a command: text, data and an exit status; and the report of input that could not be used.

use std::fmt;
use std::io::{self, ErrorKind, Write};

use lozenge_vocabulary::Verdict;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::json::{Envelope, Message, SCHEMA};

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

/// Returns the status of a command that may refuse: of one that finds layouts to change, or statements that fail.
pub fn refused_if(refuses: bool) -> Status {
    match refuses {
        true => Status::Refused,
        false => Status::Good,
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
    /// The answer for people. Ends with a line break.
    pub text: String,
    /// The verdict, of a command that gives one.
    pub verdict: Option<Verdict>,
    /// The messages about the input, with their places.
    pub errors: Vec<Message>,
    /// The answer for programs: an object with the fields of the command, or null where it is not asked for.
    pub body: Value,
    /// The exit status, for shells.
    pub status: Status,
}

impl Report {
    /// Returns the answer of a command that gives no verdict.
    pub fn new(text: impl Into<String>, body: impl Serialize) -> Report {
        Report {
            text: text.into(),
            verdict: None,
            errors: Vec::new(),
            body: json!(body),
            status: Status::Good,
        }
    }

    /// Returns an answer with its verdict, which decides the status.
    pub fn judged(verdict: Verdict, text: impl Into<String>, body: impl Serialize) -> Report {
        Report {
            verdict: Some(verdict),
            status: verdict.into(),
            ..Report::new(text, body)
        }
    }

    /// Returns the answer with another status.
    pub fn with_status(self, status: Status) -> Report {
        Report { status, ..self }
    }

    /// Returns the answer with messages about the input.
    pub fn with_errors(self, errors: Vec<Message>) -> Report {
        Report { errors, ..self }
    }

    /// Returns the answer for programs inside its envelope.
    pub fn enveloped(&self, command: &str) -> Value {
        let body = match &self.body {
            Value::Object(body) => body.clone(),
            other => Map::from_iter([("answer".to_string(), other.clone())]),
        };
        json!(Envelope {
            schema: SCHEMA,
            command: command.into(),
            verdict: self.verdict,
            errors: self.errors.clone(),
            body,
        })
    }

    /// Returns the answer with another text before its own.
    pub fn after(self, text: String) -> Report {
        let text = text + &self.text;
        Report { text, ..self }
    }
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
