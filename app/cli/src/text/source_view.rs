//! Messages at a place of a text, coloured only on a terminal.

use std::io;

use anstream::{AutoStream, ColorChoice};
use lozenge_lang::Diagnostic;

use crate::json::Message;
use crate::report::Problem;
use crate::source::Source;

/// Says whether messages are coloured. This is decided by `--color`, then by the environment (`NO_COLOR`,
/// `CLICOLOR_FORCE`), then by whether both streams are terminals, since refusals go to standard output and errors to
/// standard error.
pub fn coloured() -> bool {
    let coloured = |choice| choice != ColorChoice::Never;
    coloured(AutoStream::choice(&io::stdout())) && coloured(AutoStream::choice(&io::stderr()))
}

/// Returns the message, its lines and carets.
pub fn render(source: &Source, diagnostic: &Diagnostic) -> String {
    diagnostic.render(&source.text, &source.name, coloured())
}

/// Returns the same, followed by the rule that failed and how the failure was derived.
pub fn render_why(source: &Source, diagnostic: &Diagnostic) -> String {
    diagnostic.render_why(&source.text, &source.name, coloured())
}

/// Mistakes in a text, each at its place.
pub fn problem(source: &Source, mistakes: &[Diagnostic]) -> Problem {
    let shown: Vec<String> = mistakes.iter().map(|m| render(source, m)).collect();
    let errors = mistakes.iter().map(|m| Message::of(source, m));
    Problem::at(shown.join("\n"), errors.collect())
}
