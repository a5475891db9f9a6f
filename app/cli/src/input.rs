//! Reading files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use lozenge_lang::Diagnostic;
use lozenge_vocabulary::Located;
use lozenge_vocabulary::notation::{NotationError, parse};

use crate::report::Problem;
use crate::source_view;

pub use crate::source::Source;

/// Whether the file is a program by its name or, on standard input, which has none, by its first lines.
pub fn is_program(path: &Path) -> bool {
    if path == Path::new("-") {
        return standard_input()
            .as_ref()
            .is_ok_and(|bytes| has_statements(&String::from_utf8_lossy(start_of(bytes))));
    }
    path.extension().is_some_and(|extension| extension == "loz")
}

/// The most bytes of an input, which the command line sets once.
static MOST: OnceLock<u64> = OnceLock::new();

/// How many bytes an input may have unless the command line says otherwise.
pub const MANY: u64 = 1 << 28;

/// Sets the most bytes that an input may have, for the whole process.
pub fn limit(bytes: u64) {
    MOST.get_or_init(|| bytes);
}

/// The most bytes of an input.
pub fn most() -> u64 {
    *MOST.get().unwrap_or(&MANY)
}

/// Reads to the end, or until it is clear that there is too much.
fn whole(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most().saturating_add(1))
        .read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most() {
        true => Err(too_much()),
        false => Ok(bytes),
    }
}

/// The refusal of an input with too many bytes.
pub fn too_much() -> io::Error {
    let message = format!(
        "it has more than {} bytes; --max-input-bytes raises the limit",
        most()
    );
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// What stands on standard input. It can be read once only, and more than one question may be asked of it.
fn standard_input() -> &'static io::Result<Vec<u8>> {
    static READ: OnceLock<io::Result<Vec<u8>>> = OnceLock::new();
    READ.get_or_init(|| whole(io::stdin().lock()))
}

/// The first part of a text, which decides what it is.
fn start_of(bytes: &[u8]) -> &[u8] {
    const ENOUGH: usize = 1 << 16;
    &bytes[..bytes.len().min(ENOUGH)]
}

/// Whether the first line that tells programs from constraint sets is a statement of a program.
fn has_statements(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    text.lines().find_map(is_statement).unwrap_or_default()
}

/// Whether a line is a statement of a program; `None` for a line that may stand in either, such as `param w`. A constraint has a
/// relation behind its first name, and a statement has another word or an assignment there.
fn is_statement(line: &str) -> Option<bool> {
    let line = line.split('#').next().unwrap_or_default().trim();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let rest = line.trim_start_matches(is_part);
    let first = &line[..line.len() - rest.len()];
    let (rest, spaced) = (rest.trim_start(), rest.starts_with(' '));
    match first {
        "" => (!line.is_empty()).then_some(false),
        "leaf" | "interior" => Some(false),
        "param" => rest.contains([':', '=']).then_some(true),
        _ if rest.starts_with('=') => {
            let assigns = [":", "+", "-", "max ", "min "];
            Some(assigns.iter().any(|way| rest[1..].starts_with(way)))
        }
        _ => Some(
            spaced && rest.starts_with(|c: char| is_part(c) || c == '"') || rest.starts_with('('),
        ),
    }
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
    let bytes = match path == Path::new("-") {
        true => match standard_input() {
            Ok(bytes) => Ok(bytes.clone()),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        },
        false => File::open(path).and_then(whole),
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
        let given = path.display();
        let name = match path == Path::new("-") {
            true => "standard input".to_string(),
            false => given.to_string(),
        };
        return Err(Problem::new(format!(
            "{name} is a program, and this command takes a constraint set: try `lozenge infer {given}` or `lozenge check {given}`"
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_told_from_a_constraint_set_by_its_first_lines() {
        for program in [
            "data x : 3 = range(3)\n",
            "\u{feff}# a comment\n\nparam w\nlet y = w * x\n",
            "param w : 3->4\n",
            "y =: a \"i => i\"",
            "y =+ a",
            "use \"f.loz\"",
            "train 3 steps:\n",
            "prm q",
            "f(x)",
        ] {
            assert!(has_statements(program), "{program}");
        }
        for set in [
            "",
            "# nothing\n",
            "a = 3",
            "a=3",
            "data <= 3",
            "let = 3",
            "param w\n3 <= w",
            "param <w>",
            "leaf a, b",
            "interior a",
            "<r> ~ [3, 5]",
            "[3] <= <r>",
            "3 <= a",
            "1_ <= a",
        ] {
            assert!(!has_statements(set), "{set}");
        }
    }
}
