//! Messages about a text or a graph: a mistake, its place, and a repair. Every language of the project reports its
//! errors in them.
//!
//! ```
//! use lozenge_diagnostic::{Diagnostic, Edit};
//! let source = "let y = rleu(x)";
//! let error = Diagnostic::new(8..12, "there is no function `rleu`", "this name");
//! let error = error.edit("did you mean `relu`?", 8..12, "relu");
//! let help = error.help.expect("it was given one");
//! assert_eq!(Edit::apply(&help.edits, source), "let y = relu(x)");
//! ```
//!
//! A node of a graph has no line, so a message about one names it:
//!
//! ```
//! use lozenge_diagnostic::{Diagnostic, Place};
//! let node = Place::Node("conv1".into());
//! let error = Diagnostic::new(node, "no kernel fits", "the kernel has 3 rows");
//! let shown = "error: no kernel fits\n  node `conv1`: the kernel has 3 rows";
//! assert_eq!(error.render("", "model.onnx", false), shown);
//! ```

pub mod nearest_name;
mod rendering;

use std::fmt;
use std::sync::Arc;

pub use lozenge_vocabulary::program::Place;
use lozenge_vocabulary::program::Span;
use serde::{Deserialize, Serialize};

/// The largest number of errors that are reported for a program.
pub const MAX_ERRORS: usize = 50;

/// The result of a parsing function.
pub type Parsed<T> = Result<T, Diagnostic>;

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The text is refused.
    Error,
    /// The text is accepted, but probably does not mean what was intended.
    Warning,
}

/// A message about a text or a graph, with the places involved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The severity, which determines if the text is refused.
    pub severity: Severity,
    /// The name by which the message can be allowed, such as `R1`; most messages have none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
    /// The mistake, in one line.
    pub message: String,
    /// The places involved. There is at least one, and the first is the place of the error.
    pub labels: Vec<Label>,
    /// The advice for a repair.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub help: Option<Help>,
    /// The places of the error if they lie in a file that the program uses; [`labels`](Self::labels) then contains the
    /// place of the use.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub elsewhere: Option<Box<Elsewhere>>,
    /// The rule that failed and the derivation of the failure, as lines. They are shown only on request.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub why: Vec<String>,
}

/// A place, with a few words about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The place.
    #[serde(flatten)]
    pub place: Place,
    /// The words about it.
    pub text: String,
}

impl Label {
    /// Makes the label of a place.
    pub fn new(place: impl Into<Place>, text: impl Into<String>) -> Label {
        Label {
            place: place.into(),
            text: text.into(),
        }
    }

    /// Returns the bytes of its place in a text; none, at its beginning, for a node of a graph.
    pub fn span(&self) -> Span {
        self.place.span().cloned().unwrap_or_default()
    }
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
    /// Places in the text of a file.
    pub fn new(file: String, text: Arc<str>, labels: Vec<Label>) -> Elsewhere {
        let first = labels.first().map_or(0, |label| label.span().start);
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

/// Advice for the repair of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Help {
    /// The advice.
    pub text: String,
    /// The advice as changes of the text, in ascending order of their places and without overlap. The changes of a help
    /// were tested: the changed text no longer has this error.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub edits: Vec<Edit>,
}

/// A change of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The bytes that are replaced; an empty range inserts.
    pub span: Span,
    /// The text that replaces them.
    pub text: String,
}

impl Edit {
    /// Applies the edits, which must be in ascending order of their places and must not overlap, and returns the new
    /// text. An edit that comes before the one in front of it, or whose place the text does not have, is left out.
    pub fn apply(edits: &[Edit], source: &str) -> String {
        let mut changed = String::with_capacity(source.len());
        let mut from = 0;
        for edit in edits {
            let place = source.get(edit.span.clone());
            if let (Some(kept), Some(_)) = (source.get(from..edit.span.start), place) {
                changed.push_str(kept);
                changed.push_str(&edit.text);
                from = edit.span.end;
            }
        }
        changed.push_str(&source[from..]);
        changed
    }
}

impl Diagnostic {
    /// Makes an error at a place.
    pub fn new(
        place: impl Into<Place>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code: None,
            message: message.into(),
            labels: vec![Label::new(place, label)],
            help: None,
            elsewhere: None,
            why: Vec::new(),
        }
    }

    /// Adds advice how to repair the text.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(Help {
            text: help.into(),
            edits: Vec::new(),
        });
        self
    }

    /// Adds advice how to repair the text, both in words and as one change.
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

    /// Adds another place that is involved.
    pub fn other(mut self, place: impl Into<Place>, label: impl Into<String>) -> Diagnostic {
        self.labels.push(Label::new(place, label));
        self
    }

    /// Returns the bytes of the place of the error; none, at the beginning of the text, for a node of a graph.
    pub fn span(&self) -> Span {
        self.labels.first().map_or(0..0, Label::span)
    }

    /// Returns the line and the column of the place in `source`, both from 1, the column in characters.
    pub fn place(&self, source: &str) -> (usize, usize) {
        place(source, self.span().start)
    }

    /// Renders the error with its source lines and carets, as text for a terminal; `path` is the name that is shown.
    ///
    /// `source` is the text that was read; in another text the carets may stand anywhere.
    pub fn render(&self, source: &str, path: &str, color: bool) -> String {
        rendering::render(self, source, path, color)
    }

    /// Renders the message as [`Diagnostic::render`] shows it, followed by the rule that failed and the derivation of
    /// the failure.
    pub fn render_why(&self, source: &str, path: &str, color: bool) -> String {
        let mut shown = self.render(source, path, color);
        for line in &self.why {
            shown.push_str("\n  = why: ");
            shown.push_str(line);
        }
        shown
    }
}

/// Returns the line and the column of a byte of `source`, both from 1, the column in characters. A byte inside a
/// character stands for the character, one behind the text for its end.
pub fn place(source: &str, byte: usize) -> (usize, usize) {
    let before = &source[..source.floor_char_boundary(byte)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before[line_start..].chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// The message, followed by the help; the places are shown only by [`Diagnostic::render`].
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

/// Returns the start of a text that may be long.
pub fn brief(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
