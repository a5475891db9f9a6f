//! Messages about a text, as data.

use std::ops::Range;

use lozenge_lang::{Diagnostic, Place as Meant, Severity};
use schemars::JsonSchema;
use serde::Serialize;

use crate::source::Source;

/// One thing that is wrong with the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Message {
    /// The severity, which says whether the input is refused.
    pub severity: SeverityWord,
    /// The name under which the message can be allowed; most have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The error, in one line.
    pub message: String,
    /// The file, as it was given; `<stdin>` for standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The places that take part. The first is the place of the error. None: the message is about no place of a text
    /// and about no node of a model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    /// The place in a file that the program uses; `places` then say where the program uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Elsewhere>,
    /// A way to remove the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The help as changes of the text: the text of each replaces the text at its place. All of them were
    /// tried: the changed text no longer has this error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Bytes>,
    /// The derivation of the failure, a line for each step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

/// Places of a file that a program uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Elsewhere {
    /// The file.
    pub file: String,
    /// The places that take part. The first is the place of the error.
    pub places: Vec<Bytes>,
}

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SeverityWord {
    /// The input is refused.
    Error,
    /// The input is accepted, and probably does not mean what was intended.
    Warning,
}

/// A place of a text or a node of a model, and what is said of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Place {
    /// A place of a text.
    Text(Bytes),
    /// A node of a model, which has no line.
    Node(Node),
}

/// A node of a model, and what is said of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "NodePlace", deny_unknown_fields)]
pub struct Node {
    /// Its name.
    pub node: String,
    /// The words about it.
    pub text: String,
}

/// A place of a text, and what stands there. Lines and columns count from 1, columns in characters; the end is just
/// behind the last character.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "TextPlace", deny_unknown_fields)]
pub struct Bytes {
    /// The line where the place begins.
    pub line: usize,
    /// The column where it begins.
    pub column: usize,
    /// The line where it ends.
    pub end_line: usize,
    /// The column just behind it.
    pub end_column: usize,
    /// The text that stands there, or was expected there.
    pub text: String,
}

impl Message {
    /// Returns an error without a place.
    pub fn plain(message: impl Into<String>) -> Message {
        Message {
            severity: SeverityWord::Error,
            code: None,
            message: message.into(),
            file: None,
            places: Vec::new(),
            elsewhere: None,
            help: None,
            edits: Vec::new(),
            why: Vec::new(),
        }
    }

    /// Returns a message about a text or a model that was read.
    pub fn of(source: &Source, diagnostic: &Diagnostic) -> Message {
        let bytes = |span: &Range<usize>, text: &str| Bytes::new(&source.text, span, text);
        let labels = diagnostic.labels.iter();
        let edits = diagnostic.help.iter().flat_map(|help| &help.edits);
        Message {
            severity: match diagnostic.severity {
                Severity::Error => SeverityWord::Error,
                Severity::Warning => SeverityWord::Warning,
            },
            code: diagnostic.code.clone(),
            message: diagnostic.message.clone(),
            file: Some(source.name.clone()),
            places: labels
                .map(|label| match &label.place {
                    Meant::Text(span) => Place::Text(bytes(span, &label.text)),
                    Meant::Node(node) => Place::node(node, &label.text),
                })
                .collect(),
            elsewhere: diagnostic.elsewhere.as_ref().map(|other| Elsewhere {
                file: other.file.clone(),
                places: other
                    .labels
                    .iter()
                    .map(|label| Bytes::new(&other.text, &label.span(), &label.text))
                    .collect(),
            }),
            help: diagnostic.help.as_ref().map(|help| help.text.clone()),
            edits: edits.map(|edit| bytes(&edit.span, &edit.text)).collect(),
            why: diagnostic.why.clone(),
        }
    }
}

impl Place {
    /// Returns a node of a model with words about it.
    pub fn node(node: &str, text: &str) -> Place {
        Place::Node(Node {
            node: node.to_owned(),
            text: text.to_owned(),
        })
    }
}

impl Bytes {
    fn new(source: &str, span: &Range<usize>, text: &str) -> Bytes {
        let [(line, column), (end_line, end_column)] =
            [span.start, span.end].map(|at| line_and_column(source, at));
        Bytes {
            line,
            column,
            end_line,
            end_column,
            text: text.to_string(),
        }
    }
}

/// Returns the line and the column of a byte, both from 1, the column in characters.
fn line_and_column(source: &str, at: usize) -> (usize, usize) {
    let before = &source[..at];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[line_start..].chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}
