//! Readable forms: the text of an instance in a file, with a comment before it, and as bytes for a fuzzer.

use super::Subject;

/// The byte that marks a fuzzer's bytes as a readable form: the sign of a comment.
pub const READABLE: u8 = b'#';

/// The line before a text whose notation has no comments.
const HEADING: &str = "#text\n";

/// Reads an instance.
///
/// # Errors
/// A message that says what is wrong with the text and where.
pub fn read<S: Subject>(text: &str) -> Result<S::Instance, String> {
    text.parse()
        .map_err(|error: <S::Instance as std::str::FromStr>::Err| error.to_string())
}

/// Returns the instance in bytes that are marked as a readable form; `None` where the form has a mistake.
pub fn of_bytes<S: Subject>(data: &[u8]) -> Option<S::Instance> {
    let text = std::str::from_utf8(data).ok()?;
    let text = match S::IS_ANY_TEXT {
        false => text,
        true => text.strip_prefix(HEADING)?,
    };
    read::<S>(text).ok()
}

/// Returns a readable form as bytes for a fuzzer. One that begins with a comment is marked already.
pub fn to_bytes<S: Subject>(text: &str) -> Vec<u8> {
    let heading = match S::IS_ANY_TEXT {
        true => HEADING,
        false if text.starts_with('#') => "",
        false => "#\n",
    };
    format!("{heading}{text}").into_bytes()
}

/// Returns a readable form with a comment before it, if its notation has comments.
pub fn with_comment<S: Subject>(text: &str, comment: &str) -> String {
    let lines = comment.lines().filter(|_| !S::IS_ANY_TEXT);
    let heading: String = lines.map(|line| format!("# {line}\n")).collect();
    heading + text
}

/// Returns the lines of a text without comments, each with its number from 1 and without spaces around it. Empty lines
/// are left out.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines());
    let lines = lines.map(|(number, line)| {
        let line = line.split('#').next().unwrap_or_default();
        (number, line.trim())
    });
    lines.filter(|(_, line)| !line.is_empty())
}
