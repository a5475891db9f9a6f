//! What is wrong with a program, where, and how to mend it.

use std::fmt;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use lozenge_vocabulary::program::Span;
use serde::Serialize;

/// One error of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The bytes at fault.
    pub span: Span,
    /// What is wrong, in one line.
    pub message: String,
    /// What stands at the place, in a few words.
    pub label: String,
    /// Another place that takes part, with its label.
    pub other: Option<Box<(Span, String)>>,
    /// How to mend it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn new(span: Span, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic {
            span,
            message: message.into(),
            label: label.into(),
            other: None,
            help: None,
        }
    }

    /// The same with the mend.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The same with a second place.
    pub fn other(mut self, span: Span, label: impl Into<String>) -> Diagnostic {
        self.other = Some(Box::new((span, label.into())));
        self
    }

    /// The line and the column of the place in `source`, both from 1, the column in characters.
    pub fn place(&self, source: &str) -> (usize, usize) {
        let before = &source[..self.span.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before[line_start..].chars().count() + 1;
        (before.matches('\n').count() + 1, column)
    }

    /// The error with its source line and a caret, as text for a terminal; `path` is the name that is shown.
    ///
    /// `source` must be the text that was parsed.
    pub fn render(&self, source: &str, path: &str, color: bool) -> String {
        let other = self.other.as_deref();
        let first = other.map_or(self.span.start, |(span, _)| span.start.min(self.span.start));
        let last = other.map_or(self.span.end, |(span, _)| span.end.max(self.span.end));
        // Only the lines between the places are handed over: rendering costs time in proportion to its text.
        let from = source[..first].rfind('\n').map_or(0, |at| at + 1);
        let to = source[last..]
            .find('\n')
            .map_or(source.len(), |at| last + at);
        let within = |span: &Span| span.start - from..span.end - from;
        let mut snippet = Snippet::source(&source[from..to])
            .path(path)
            .line_start(source[..from].matches('\n').count() + 1)
            .annotation(
                AnnotationKind::Primary
                    .span(within(&self.span))
                    .label(self.label.as_str()),
            );
        if let Some((span, label)) = other {
            snippet = snippet.annotation(
                AnnotationKind::Context
                    .span(within(span))
                    .label(label.as_str()),
            );
        }
        let mut group = Level::ERROR
            .primary_title(self.message.as_str())
            .element(snippet);
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        renderer
            .decor_style(DecorStyle::Ascii)
            .render(&[group])
            .to_string()
    }
}

/// The message, with the mend after it; the place is only in [`Diagnostic::render`].
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Diagnostic {}
