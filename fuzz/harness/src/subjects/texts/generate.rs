//! Texts for the readers: well-formed texts with a few marks changed, left out or inserted; and plain bytes.

use arbitrary::{Result, Unstructured};

use lozenge_testkit::generate::sets;

use crate::subjects::programs::generate::{language, programs};
use crate::subjects::statements::written_operation;

/// The marks of the two languages, and frequent mistakes.
const MARKS: [&str; 119] = [
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
    "const c = 1",
    "repeat 2 steps:",
    "train 2 epochs by 2 of n shuffled:",
    "for one in [x, x]:",
    " from \"x.csv\"",
    "let a, b = ",
    "use \"a.loz\"",
    " columns 0..2 rows 1.. shuffled 3 header separator tab comments \"#\" missing -inf",
    " column \"a\"",
    " array \"a\"",
    " = range(6)",
    "=+",
    "=-",
    "=*",
    "=max",
    "=min",
    "=:-",
    "=:*",
    "=:max",
    "=:min",
    "=:",
    " ** ",
    " *. ",
    " >= ",
    " == ",
    " != ",
    "- ",
    "where(",
    "map(",
    "concat(",
    "append(",
    "transpose(",
    "fan_in(w)",
    "normal()",
    "uniform()",
    "[i for i in 0..3]",
    "[0]",
    "(_, i)",
    "training",
    "step",
    "epoch",
    "same_lower(",
    "floor(y + u:3, 1)",
    "ceil(",
    "b^a",
    "_:2^y",
    "(h:2, d)",
    "1:2",
    "h:width",
    "3_rgb",
    "n:_image",
    "\"T\"",
    "\"@\"",
];

/// Returns a text near the constraint notation.
///
/// # Errors
/// Never for lack of bytes.
pub fn rows(u: &mut Unstructured<'_>) -> Result<String> {
    if u.ratio(1, 8)? {
        return plain(u);
    }
    let text = sets::closing(u)?.to_string();
    changed(u, text)
}

/// Returns a text near a program.
///
/// # Errors
/// Never for lack of bytes.
pub fn surface(u: &mut Unstructured<'_>) -> Result<String> {
    if u.ratio(1, 8)? {
        return plain(u);
    }
    let text = match u.int_in_range(0..=5)? {
        0 | 1 => programs::program(u)?.to_string(),
        2 => specs(u)?,
        _ => language::language(u)?.to_string(),
    };
    changed(u, text)
}

/// Returns a program of one statement whose spec has windows, concatenated axes, products and positions: every form of
/// an axis.
///
/// # Errors
/// Never for lack of bytes.
pub fn specs(u: &mut Unstructured<'_>) -> Result<String> {
    Ok(written_operation::draw(u)?.program())
}

/// Returns a text near the JSON of a constraint set.
///
/// # Errors
/// Never for lack of bytes.
pub fn json(u: &mut Unstructured<'_>) -> Result<String> {
    if u.ratio(1, 8)? {
        return plain(u);
    }
    let text = serde_json::to_string(&sets::closing(u)?).unwrap_or_default();
    changed(u, text)
}

/// Takes the bytes themselves as a text.
fn plain(u: &mut Unstructured<'_>) -> Result<String> {
    let length = u.len();
    let bytes = u.bytes(length)?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// Makes up to four changes: a mark inserted, a stretch left out or duplicated.
fn changed(u: &mut Unstructured<'_>, text: String) -> Result<String> {
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
    Ok(text.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::MARKS;

    /// Every word that begins a statement or stands in one, and every sign, can be put into a text.
    #[test]
    fn every_form_of_the_language_has_a_mark() {
        let words = "use as data from header column columns rows shuffled separator tab comments missing inf array range param state const size let backward print save \
                     to assert def op for in carry train repeat steps epochs by of each epoch if else where map concat append stack \
                     params count fan_in normal uniform transpose training step grad same same_lower floor ceil pad";
        let has = |form: &str| MARKS.iter().any(|mark| mark.contains(form));
        for word in words.split_whitespace() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let found = MARKS
                .iter()
                .any(|mark| mark.split(|c| !is_word(c)).any(|one| one == word));
            assert!(found, "{word}");
        }
        for sign in "=:+ =:- =:* =:max =:min =: =+ =- =* =max =min ** *. >= == != -> | ... ..r.. => ; @| ^ [d] <> 1_ _rgb :width".split_whitespace() {
            assert!(has(sign), "{sign}");
        }
    }
}
