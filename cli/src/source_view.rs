//! Messages at a place of a text, coloured only on a terminal.

use std::io::{self, IsTerminal};

use lozenge_lang::Diagnostic;

use crate::input::Source;

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
