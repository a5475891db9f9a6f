//! Messages at a place of a text, coloured only on a terminal.

use std::io::{self, IsTerminal};

use lozenge_lang::Diagnostic;

use crate::input::Source;
use crate::json::Message;
use crate::report::Problem;

/// Whether messages are coloured: both streams are terminals, since refusals go to standard output and errors to
/// standard error, and nobody asked for none.
pub fn coloured() -> bool {
    io::stdout().is_terminal()
        && io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The message, its lines and carets.
pub fn render(source: &Source, diagnostic: &Diagnostic) -> String {
    diagnostic.render(&source.text, &source.name, coloured())
}

/// The same, followed by the rule that failed and how the failure was derived.
pub fn render_why(source: &Source, diagnostic: &Diagnostic) -> String {
    diagnostic.render_why(&source.text, &source.name, coloured())
}

/// Mistakes in a text, each at its place.
pub fn problem(source: &Source, mistakes: &[Diagnostic]) -> Problem {
    let shown: Vec<String> = mistakes.iter().map(|m| render(source, m)).collect();
    let errors = mistakes.iter().map(|m| Message::of(source, m));
    Problem::at(shown.join("\n"), errors.collect())
}
