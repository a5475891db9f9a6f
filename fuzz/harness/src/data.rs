//! The notation of inputs that are drawn and not written by people: TOML, below what the data stand for in comments.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Prints the data below a text for people.
///
/// # Errors
/// When the formatter fails, or the data have no TOML.
pub fn print(f: &mut fmt::Formatter<'_>, shown: &str, data: &impl Serialize) -> fmt::Result {
    for line in shown.lines() {
        writeln!(f, "# {line}")?;
    }
    let text = toml::to_string(data).map_err(|_| fmt::Error)?;
    f.write_str(&text)
}

/// Reads the data of a text.
///
/// # Errors
/// A message that says what is wrong with the text and where.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| error.to_string().trim_end().to_string())
}
