//! Reading files.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use lozenge_lang::Diagnostic;
use lozenge_vocabulary::Located;
use lozenge_vocabulary::notation::{NotationError, parse};

use crate::report::Problem;
use crate::source_view;

/// A text and where it is from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as given; `<stdin>` for standard input.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Whether the file is a program by its name.
pub fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "loz")
}

/// Reads a whole file, or standard input for `-`.
///
/// # Errors
/// When it cannot be read, or is not text.
pub fn read(path: &Path) -> Result<Source, Problem> {
    let name = if path == Path::new("-") {
        "<stdin>".into()
    } else {
        path.display().to_string()
    };
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    let bytes = bytes.map_err(|error| {
        let mend = match error.kind() {
            io::ErrorKind::NotFound => {
                ": give the path of a file that is there, or - for standard input"
            }
            io::ErrorKind::IsADirectory => ": give the path of a file",
            _ => "",
        };
        Problem::new(format!("{name} cannot be read: {error}{mend}"))
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Problem::new(format!(
            "{name} is not text: byte {at} is not UTF-8: save the file as UTF-8"
        ))
    })?;
    Ok(Source { name, text })
}

/// Reads a constraint set.
///
/// # Errors
/// When it cannot be read, or is not in the notation.
pub fn constraints(path: &Path) -> Result<(Source, Located), Problem> {
    if is_program(path) {
        let name = path.display();
        return Err(Problem::new(format!(
            "{name} is a program, and this command takes a constraint set: try `lozenge infer {name}` or `lozenge check {name}`"
        )));
    }
    let source = read(path)?;
    let located = parse(&source.text).map_err(|error| notation_problem(&source, &error))?;
    Ok((source, located))
}

/// A notation error with the line that it is in.
pub fn notation_problem(source: &Source, error: &NotationError) -> Problem {
    let label = format!("expected {}", error.expected);
    let diagnostic = Diagnostic::new(error.span.clone(), &error.message, label);
    source_view::problem(source, &[diagnostic])
}
