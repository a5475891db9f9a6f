//! Texts for the readers: well-formed texts with a few marks changed, left out or inserted; and plain bytes.

use arbitrary::{Result, Unstructured};

use lozenge_testkit::generate::sets;

use super::{language, programs};
use crate::input::Input;

/// The marks of the two languages, and frequent mistakes.
const MARKS: [&str; 66] = [
    "[",
    "]",
    "<",
    ">",
    "<>",
    "⋄",
    "~",
    "≈",
    "<=",
    "⊑",
    "=",
    ",",
    "1_",
    "1∅",
    "_",
    "0",
    "3",
    "18446744073709551616",
    "rgb",
    "leaf",
    "param",
    "interior",
    "a",
    "<r>",
    "#",
    "\n",
    "\r\n",
    "\t",
    "é",
    "𝔸",
    "data",
    "let",
    "=:+",
    "->",
    "|",
    "...",
    "..r..",
    "\"",
    ";",
    "=>",
    "def f(a):",
    "def f(h)(a):\n  ",
    "op f(v1) \".\":\n  v =: v1",
    "for i in 0..3 carry y:",
    "train 2 steps:",
    "each epoch:",
    "backward ",
    "state ",
    "param ",
    "use \"a.loz\" as a",
    "size n = ",
    "print ",
    "assert ",
    "save y to \"y\"",
    " if 1 else ",
    "@| ",
    ".grad",
    "stack([",
    "count(",
    "params(",
    "same(y + u:3)",
    "2*y + 1",
    "pad(",
    " [d]",
    "\n  ",
    ":\n    ",
];

/// A text near the constraint notation.
///
/// # Errors
/// Never for lack of bytes.
pub fn rows(u: &mut Unstructured<'_>) -> Result<Input> {
    if u.ratio(1, 8)? {
        return plain(u);
    }
    let text = sets::closing(u)?.to_string();
    changed(u, text)
}

/// A text near a program.
///
/// # Errors
/// Never for lack of bytes.
pub fn surface(u: &mut Unstructured<'_>) -> Result<Input> {
    if u.ratio(1, 8)? {
        return plain(u);
    }
    let text = match u.int_in_range(0..=3)? {
        0 => programs::program(u)?.to_string(),
        _ => language::language(u)?.to_string(),
    };
    changed(u, text)
}

/// A text near the JSON of a constraint set.
///
/// # Errors
/// Never for lack of bytes.
pub fn json(u: &mut Unstructured<'_>) -> Result<Input> {
    if u.ratio(1, 8)? {
        return plain(u);
    }
    let text = serde_json::to_string(&sets::closing(u)?).unwrap_or_default();
    changed(u, text)
}

/// The bytes themselves as a text.
fn plain(u: &mut Unstructured<'_>) -> Result<Input> {
    let length = u.len();
    let bytes = u.bytes(length)?;
    Ok(Input::Text(String::from_utf8_lossy(bytes).into_owned()))
}

/// Makes up to four changes: a mark inserted, a stretch left out or duplicated.
fn changed(u: &mut Unstructured<'_>, text: String) -> Result<Input> {
    let mut text: Vec<char> = text.chars().collect();
    for _ in 0..u.int_in_range(0..=4)? {
        let at = u.int_in_range(0..=text.len())?;
        let end = text.len().min(at + u.int_in_range(1..=6)?);
        match u.int_in_range(0..=3)? {
            0 => drop(text.drain(at..end)),
            1 => {
                let again: Vec<char> = text[at..end].to_vec();
                text.splice(at..at, again);
            }
            2 => drop(text.splice(at..end, u.choose(&MARKS)?.chars())),
            _ => drop(text.splice(at..at, u.choose(&MARKS)?.chars())),
        }
    }
    Ok(Input::Text(text.into_iter().collect()))
}
