//! What is wrong with a text, where, and how to mend it.

mod rendering;

use std::fmt;
use std::sync::Arc;

use lozenge_vocabulary::program::Span;
use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The text is refused.
    Error,
    /// The text is accepted, and probably does not mean what was intended.
    Warning,
}

/// A message about a text, with the places that take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Whether the text is refused.
    pub severity: Severity,
    /// The name under which the message can be allowed, such as `R1`; most have none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
    /// What is wrong, in one line.
    pub message: String,
    /// The places that take part. The first is the place of the error, and there is always one.
    pub labels: Vec<Label>,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub help: Option<Help>,
    /// The same places where they are of a file that the program uses; [`labels`](Self::labels) then say where the program uses it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub elsewhere: Option<Box<Elsewhere>>,
    /// The rule that failed and how the failure was derived, a line each. It is shown only on request.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub why: Vec<String>,
}

/// A place of a text, and what stands there in a few words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The bytes of the place.
    pub span: Span,
    /// What stands there.
    pub text: String,
}

/// Places of a file that a program uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// The file.
    pub file: String,
    /// The line of the first place, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// The places, in bytes of the file. There is at least one.
    pub labels: Vec<Label>,
    /// The text of the file.
    #[serde(skip)]
    pub text: Arc<str>,
}

impl Elsewhere {
    /// Places of a text that a file holds.
    pub(crate) fn new(file: String, text: Arc<str>, labels: Vec<Label>) -> Elsewhere {
        let first = labels.first().map_or(0, |label| label.span.start);
        let (line, column) = place(&text, first);
        Elsewhere {
            file,
            line,
            column,
            labels,
            text,
        }
    }
}

/// How to mend a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Help {
    /// The advice.
    pub text: String,
    /// The advice as changes of the text, in ascending order of their places and without overlap. A help that has
    /// changes was tried: the changed text no longer has this error.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub edits: Vec<Edit>,
}

/// A change of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The bytes that are replaced; an empty range inserts.
    pub span: Span,
    /// What stands there afterwards.
    pub text: String,
}

impl Edit {
    /// The text after the edits, which are in ascending order of their places and do not overlap.
    pub fn apply(edits: &[Edit], source: &str) -> String {
        let mut changed = String::with_capacity(source.len());
        let mut from = 0;
        for edit in edits {
            changed.push_str(&source[from..edit.span.start]);
            changed.push_str(&edit.text);
            from = edit.span.end;
        }
        changed.push_str(&source[from..]);
        changed
    }
}

impl Diagnostic {
    /// An error at a place.
    pub fn new(span: Span, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code: None,
            message: message.into(),
            labels: vec![Label {
                span,
                text: label.into(),
            }],
            help: None,
            elsewhere: None,
            why: Vec::new(),
        }
    }

    /// The same with advice how to mend it.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(Help {
            text: help.into(),
            edits: Vec::new(),
        });
        self
    }

    /// The same with advice how to mend it, and the advice as one change of the text.
    pub fn edit(
        mut self,
        help: impl Into<String>,
        span: Span,
        text: impl Into<String>,
    ) -> Diagnostic {
        self.help = Some(Help {
            text: help.into(),
            edits: vec![Edit {
                span,
                text: text.into(),
            }],
        });
        self
    }

    /// The same with another place that takes part.
    pub fn other(mut self, span: Span, label: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            text: label.into(),
        });
        self
    }

    /// The place of the error.
    pub fn span(&self) -> Span {
        self.labels.first().map_or(0..0, |label| label.span.clone())
    }

    /// The line and the column of the place in `source`, both from 1, the column in characters.
    pub fn place(&self, source: &str) -> (usize, usize) {
        place(source, self.span().start)
    }

    /// The error with its source lines and carets, as text for a terminal; `path` is the name that is shown.
    ///
    /// `source` must be the text that was read.
    pub fn render(&self, source: &str, path: &str, color: bool) -> String {
        rendering::render(self, source, path, color)
    }

    /// The same, followed by the rule that failed and how the failure was derived.
    pub fn render_why(&self, source: &str, path: &str, color: bool) -> String {
        let mut shown = self.render(source, path, color);
        for line in &self.why {
            shown.push_str("\n  = why: ");
            shown.push_str(line);
        }
        shown
    }
}

/// The line and the column of a byte of `source`, both from 1, the column in characters.
pub fn place(source: &str, byte: usize) -> (usize, usize) {
    let before = &source[..byte];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before[line_start..].chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// The message, with the help after it; the places are only in [`Diagnostic::render`].
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {}", help.text),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Diagnostic {}
