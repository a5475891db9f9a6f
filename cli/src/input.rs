//! Reading files.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use lozenge_lang::Diagnostic;
use lozenge_vocabulary::Located;
use lozenge_vocabulary::notation::{NotationError, parse};

use crate::report::Problem;
use crate::source_view;

pub use crate::source::Source;

/// Whether the file is a program by its name.
pub fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "loz")
}

/// Reads a whole file, or standard input for `-`.
///
/// # Errors
/// When it cannot be read, or is not text.
pub fn read(path: &Path) -> Result<Source, Problem> {
    let mut source = as_written(path)?;
    // A byte order mark has no meaning in UTF-8.
    if source.text.starts_with('\u{feff}') {
        source.text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(source)
}

/// The same, including a byte order mark.
fn as_written(path: &Path) -> Result<Source, Problem> {
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

/// Reads the text of a program.
///
/// # Errors
/// When it cannot be read, or is a constraint set.
pub fn program_text(path: &Path) -> Result<Source, Problem> {
    no_constraint_set(path)?;
    read(path)
}

/// Reads the text of a program, a byte order mark included.
///
/// # Errors
/// When it cannot be read, or is a constraint set.
pub fn program_as_written(path: &Path) -> Result<Source, Problem> {
    no_constraint_set(path)?;
    as_written(path)
}

fn no_constraint_set(path: &Path) -> Result<(), Problem> {
    if path
        .extension()
        .is_some_and(|extension| extension == "rows")
    {
        let name = path.display();
        return Err(Problem::new(format!(
            "{name} is a constraint set, and this command takes a program: try `lozenge solve {name}` or `lozenge check {name}`"
        )));
    }
    Ok(())
}

/// Reads the text of a constraint set.
///
/// # Errors
/// When it cannot be read, or is a program.
pub fn constraint_text(path: &Path) -> Result<Source, Problem> {
    if is_program(path) {
        let name = path.display();
        return Err(Problem::new(format!(
            "{name} is a program, and this command takes a constraint set: try `lozenge infer {name}` or `lozenge check {name}`"
        )));
    }
    read(path)
}

/// The constraints of a text, each with its place.
///
/// # Errors
/// When it is not in the notation.
pub fn parsed(source: &Source) -> Result<Located, Problem> {
    parse(&source.text).map_err(|error| notation_problem(source, &error))
}

/// Reads a constraint set.
///
/// # Errors
/// When it cannot be read, or is not in the notation.
pub fn constraints(path: &Path) -> Result<(Source, Located), Problem> {
    let source = constraint_text(path)?;
    let located = parsed(&source)?;
    Ok((source, located))
}

/// A notation error with the line in which it is.
pub fn notation_problem(source: &Source, error: &NotationError) -> Problem {
    if lozenge_lang::parse(&source.text).is_ok() {
        // Its name did not show that, as with standard input.
        return Problem::new(format!(
            "{} is a program, and this was read as a constraint set: give it as a file whose name ends with .loz",
            source.name
        ));
    }
    let label = format!("expected {}", error.expected);
    let diagnostic = Diagnostic::new(error.span.clone(), &error.message, label);
    source_view::problem(source, &[diagnostic])
}
