//! Reading files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use lozenge_lang::Diagnostic;
use lozenge_vocabulary::Located;
use lozenge_vocabulary::notation::{NotationError, parse};

use crate::files::file_kind::{self, FileKind, MODEL, PROGRAM, SET};
use crate::report::Problem;
use crate::text::source_view;

pub use crate::source::Source;

/// The most bytes of an input, which the command line sets once.
static MOST: OnceLock<u64> = OnceLock::new();

/// The number of bytes that an input may have unless the command line says otherwise.
pub const MANY: u64 = 1 << 28;

/// Sets the most bytes that an input may have, for the whole process.
pub fn limit(bytes: u64) {
    MOST.get_or_init(|| bytes);
}

/// Returns the most bytes of an input.
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

/// Returns the refusal of an input with too many bytes.
pub fn too_much() -> io::Error {
    let message = format!(
        "it has more than {} bytes; --max-input-bytes raises the limit",
        most()
    );
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// Returns the bytes of standard input. It can be read once only, and more than one question may be asked of it.
fn standard_input() -> &'static io::Result<Vec<u8>> {
    static READ: OnceLock<io::Result<Vec<u8>>> = OnceLock::new();
    READ.get_or_init(|| whole(io::stdin().lock()))
}

/// Returns the first bytes of a file, which decide what it is; none if it cannot be read.
pub fn start(path: &Path) -> Vec<u8> {
    const ENOUGH: u64 = 1 << 16;
    if path == Path::new("-") {
        let bytes = standard_input().as_ref().map_or(&[][..], Vec::as_slice);
        return bytes[..bytes.len().min(ENOUGH as usize)].to_vec();
    }
    let mut start = Vec::new();
    // A file that cannot be read is reported by the command, which reads the whole.
    let _ = File::open(path).and_then(|file| file.take(ENOUGH).read_to_end(&mut start));
    start
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

/// Returns the name of a file in messages.
pub fn name(path: &Path) -> String {
    match path == Path::new("-") {
        true => "standard input".to_string(),
        false => path.display().to_string(),
    }
}

/// Reads the bytes of a file, or of standard input for `-`.
///
/// # Errors
/// When it cannot be read.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    let bytes = match path == Path::new("-") {
        true => match standard_input() {
            Ok(bytes) => Ok(bytes.clone()),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        },
        false => File::open(path).and_then(whole),
    };
    bytes.map_err(|error| {
        let mend = match error.kind() {
            io::ErrorKind::NotFound => {
                ": give the path of a file that is there, or - for standard input"
            }
            io::ErrorKind::IsADirectory => ": give the path of a file",
            _ => "",
        };
        Problem::new(format!(
            "{} cannot be read: {error}{mend}",
            source_name(path)
        ))
    })
}

/// Returns the name of the source of a text.
fn source_name(path: &Path) -> String {
    match path == Path::new("-") {
        true => "<stdin>".into(),
        false => path.display().to_string(),
    }
}

/// Reads a whole file, including a byte order mark.
fn as_written(path: &Path) -> Result<Source, Problem> {
    let name = source_name(path);
    let text = String::from_utf8(bytes(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Problem::new(format!(
            "{name} is not text: byte {at} is not UTF-8: save the file as UTF-8"
        ))
    })?;
    Ok(Source { name, text })
}

/// Returns the kind of a file, by its name or its first bytes; `None` if nothing tells it.
pub fn kind(path: &Path) -> Option<FileKind> {
    match path == Path::new("-") {
        true => file_kind::without_a_name(&start(path)),
        false => {
            let extension = path.extension().and_then(|extension| extension.to_str());
            file_kind::recognised(extension, &start(path))
        }
    }
}

/// Returns the kind of a file, by its name alone or, on standard input, by its first lines.
pub fn kind_by_name(path: &Path) -> Option<FileKind> {
    match path.extension().and_then(|extension| extension.to_str()) {
        None => (path == Path::new("-")).then(|| kind(path))?,
        extension => file_kind::recognised(extension, &[]),
    }
}

/// Refuses a file that is known to be of another kind than the one that a command takes.
fn expect(wanted: FileKind, path: &Path) -> Result<(), Problem> {
    // A model is told by its bytes, whatever its name.
    let by_bytes = || kind(path).filter(|kind| kind.noun == MODEL.noun);
    let found = kind_by_name(path).or_else(by_bytes);
    let found = found.filter(|found| found.noun != wanted.noun);
    let Some(found) = found else { return Ok(()) };
    let commands = found.commands(&path.display().to_string());
    Err(Problem::new(format!(
        "{} is {}, and this command takes {}: try {commands}",
        name(path),
        found.noun,
        wanted.noun
    )))
}

/// Reads the text of a program.
///
/// # Errors
/// When it cannot be read, or is of another kind.
pub fn program_text(path: &Path) -> Result<Source, Problem> {
    expect(PROGRAM, path)?;
    read(path)
}

/// Reads the text of a program, a byte order mark included.
///
/// # Errors
/// When it cannot be read, or is of another kind.
pub fn program_as_written(path: &Path) -> Result<Source, Problem> {
    expect(PROGRAM, path)?;
    as_written(path)
}

/// Reads the text of a constraint set.
///
/// # Errors
/// When it cannot be read, or is of another kind.
pub fn constraint_text(path: &Path) -> Result<Source, Problem> {
    expect(SET, path)?;
    read(path)
}

/// Returns the constraints of a text, each with its place.
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

/// Returns a notation error with the line in which it is.
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
