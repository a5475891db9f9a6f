//! The axes of specs as they are written, for changes of a single one.

use lozenge_lang::Edit;
use lozenge_vocabulary::program::Span;

/// The characters between the axes of a spec.
const BETWEEN: [char; 7] = [',', ';', '|', '-', '>', '=', '"'];

/// Tells whether a number of a program's text may be replaced as the size of an axis: it stands in no spec, or behind
/// the label of a whole axis, as in `i:3`. In a spec any other number is a position, belongs to one, or decides which
/// cells a window, a part or a factor is.
pub(crate) fn is_whole_size(source: &str, number: &Span) -> bool {
    let Some((before, rest)) = source.split_at_checked(number.start) else {
        return true;
    };
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    if before[line..].matches('"').count().is_multiple_of(2) {
        return true;
    }
    let start = before.rfind(BETWEEN).map_or(0, |at| at + 1);
    let rest = rest.split('\n').next().unwrap_or_default();
    let end = number.start + rest.find(BETWEEN).unwrap_or(rest.len());
    is_whole_axis(source[start..end].trim())
}

/// Tells whether an axis of a spec is a label with a size, and made of no others.
fn is_whole_axis(axis: &str) -> bool {
    let is_label = axis.starts_with(|c: char| c.is_alphabetic() || c == '_');
    is_label && axis.contains(':') && !axis.contains(['+', '*', '^', '(', ')'])
}

/// Returns the changes of a part of the text, which begins at byte `from`, that make each axis of length 1 of a spec
/// one that broadcasts: `0:1` becomes `0:1_`. Each stands with the axis as it is then.
pub(crate) fn broadcasting_axes(written: &str, from: usize) -> Vec<(String, Edit)> {
    let mut quoted = written.match_indices('"').map(|(at, _)| at);
    let mut found = Vec::new();
    while let (Some(open), Some(close)) = (quoted.next(), quoted.next()) {
        let mut start = open + 1;
        for axis in written[start..close].split_inclusive(BETWEEN) {
            let end = start + axis.trim_end_matches(BETWEEN).trim_end().len();
            let own = axis.trim_end_matches(BETWEEN).trim();
            let is_of_length_1 = own
                .strip_suffix(":1")
                .is_some_and(|front| front == "0" || is_label(front));
            if is_of_length_1 {
                let place = from + end;
                let edit = Edit {
                    span: place..place,
                    text: "_".into(),
                };
                found.push((format!("{own}_"), edit));
            }
            start += axis.len();
        }
    }
    found
}

fn is_label(text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.starts_with(|c: char| c.is_alphabetic()) && text.chars().all(part)
}

/// Returns the places of a label in a part of a spec, in order.
pub(crate) fn places_of(label: &str, within: &str) -> Vec<usize> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let found = within.match_indices(label).filter(|(at, word)| {
        !within[..*at].ends_with(part) && !within[at + word.len()..].starts_with(part)
    });
    found.map(|(at, _)| at).collect()
}

/// Returns a label that a spec does not have, for an axis like that of `label`: a neighbour of it in the alphabet, or
/// the next letter that is free.
pub(crate) fn fresh(label: &str, spec: &str) -> Option<String> {
    let first = label.chars().next().filter(char::is_ascii_lowercase);
    let first = first.map_or(0, |letter| letter as u8 - b'a' + 1);
    let next = (0..26).map(|step| char::from(b'a' + (first + step) % 26));
    // Instances are counted by `n` and `m` wherever there are two of them.
    let letters = (label == "n").then_some('m').into_iter().chain(next);
    let mut free = letters
        .filter(|letter| *letter != 'o' && *letter != 'l')
        .map(String::from);
    free.find(|letter| places_of(letter, spec).is_empty())
}
