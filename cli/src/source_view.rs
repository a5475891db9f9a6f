//! Messages at a place of a text, with the line and a caret; coloured only on a terminal.

use std::io::{self, IsTerminal};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::input::Source;

/// A message at a place.
pub struct View<'a> {
    pub source: &'a Source,
    pub span: Range<usize>,
    pub message: &'a str,
    pub label: &'a str,
}

/// Whether messages are coloured: both streams are terminals, since refusals go to standard output and errors to
/// standard error, and nobody asked for none.
pub fn coloured() -> bool {
    io::stdout().is_terminal()
        && io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The message, the line and a caret.
pub fn render(view: &View<'_>) -> String {
    let renderer = if coloured() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let (text, first, span) = window(&view.source.text, view.span.clone());
    let annotation = AnnotationKind::Primary.span(span).label(view.label);
    let snippet = Snippet::source(text)
        .line_start(first)
        .path(&view.source.name)
        .annotation(annotation);
    renderer.render(&[Level::ERROR.primary_title(view.message).element(snippet)])
}

/// The lines of the span only, and of a very long line only what is near: a message need not print a megabyte.
fn window(text: &str, span: Range<usize>) -> (&str, usize, Range<usize>) {
    const NEAR: usize = 400;
    let line_start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[span.end..]
        .find('\n')
        .map_or(text.len(), |at| span.end + at);
    let mut start = line_start.max(span.start.saturating_sub(NEAR));
    let mut end = line_end.min(span.end.saturating_add(NEAR));
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let first = text[..line_start].matches('\n').count() + 1;
    (
        &text[start..end],
        first,
        span.start - start..span.end - start,
    )
}
