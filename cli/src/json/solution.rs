//! Solutions as text and as data, in the natural order of names: a2 before a10.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use lozenge_vocabulary::{Dim, DimVar, Ground, Row, RowVar};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A solution, to be shown: an object from variables (`a`, `<r>`) to values in the notation, dimensions first.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(with = "BTreeMap<String, String>")]
pub struct Values {
    dims: Vec<(DimVar, Dim)>,
    rows: Vec<(RowVar, Row)>,
}

impl From<Ground> for Values {
    fn from(ground: Ground) -> Values {
        let mut dims: Vec<(DimVar, Dim)> = ground.dims.into_iter().collect();
        let mut rows: Vec<(RowVar, Row)> = ground.rows.into_iter().collect();
        dims.sort_by(|(a, _), (b, _)| Natural::new(a.name()).cmp(&Natural::new(b.name())));
        rows.sort_by(|(a, _), (b, _)| Natural::new(a.name()).cmp(&Natural::new(b.name())));
        Values { dims, rows }
    }
}

/// A name in the natural order. Most names of a large set are a short word followed by a number. Two such names are compared by
/// their words and numbers, without reading the text.
#[derive(Clone, Copy, Debug)]
pub struct Natural<'a> {
    name: &'a str,
    /// The word in the encoding of [`numbered`], and the number that follows it.
    numbered: Option<(u64, u64)>,
}

impl<'a> Natural<'a> {
    /// The name as a key of the natural order.
    pub fn new(name: &'a str) -> Natural<'a> {
        Natural {
            name,
            numbered: numbered(name.as_bytes()),
        }
    }
}

impl Ord for Natural<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.numbered, other.numbered) {
            (Some(word_and_number), Some(other)) => word_and_number.cmp(&other),
            _ => natord::compare(self.name, other.name),
        }
    }
}

impl PartialOrd for Natural<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Natural<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Natural<'_> {}

/// Splits a name into a word of at most eight bytes without digits and a number that does not begin with 0.
///
/// The word is padded with the digit 0. This keeps the order of names: where a shorter word ends its number begins, and all
/// digits compare alike with other characters.
fn numbered(name: &[u8]) -> Option<(u64, u64)> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let (word, digits) = name.split_at(name.len() - digits.count());
    let zero = digits.len() > 1 && digits[0] == b'0';
    let no_word = word.len() > 8 || word.iter().any(u8::is_ascii_digit);
    if digits.is_empty() || digits.len() > 18 || zero || no_word {
        return None;
    }
    let mut filled = [b'0'; 8];
    filled[..word.len()].copy_from_slice(word);
    let digits = digits.iter().map(|digit| u64::from(digit - b'0'));
    let number = digits.fold(0, |number, digit| 10 * number + digit);
    Some((u64::from_be_bytes(filled), number))
}

impl Values {
    /// Each variable with its value, both in the notation.
    pub fn pairs(&self) -> impl Iterator<Item = (String, String)> {
        let dims = self.dims.iter();
        let rows = self.rows.iter();
        dims.map(|(var, dim)| (var.to_string(), dim.to_string()))
            .chain(rows.map(|(var, row)| (var.to_string(), row.to_string())))
    }

    /// Each variable in the notation, with the constraint that gives it its value.
    pub fn lines(&self) -> impl Iterator<Item = (String, String)> {
        let dims = self.dims.iter();
        let rows = self.rows.iter();
        dims.map(|(var, dim)| (var.to_string(), format!("{var} = {dim}")))
            .chain(rows.map(|(var, row)| (var.to_string(), format!("{var} ~ {row}"))))
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (var, dim) in &self.dims {
            writeln!(f, "{var} = {dim}")?;
        }
        for (var, row) in &self.rows {
            writeln!(f, "{var} ~ {row}")?;
        }
        Ok(())
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.pairs())
    }
}

#[cfg(test)]
mod tests {
    use super::Natural;

    #[test]
    fn names_with_numbers_are_in_the_natural_order() {
        let long = "a99999999999999999999";
        let names = [
            "a",
            "a0",
            "a01",
            "a1",
            "a'1",
            "a2",
            "a10",
            "b",
            "b2",
            "a2b10",
            "a2b9",
            "12",
            "9",
            long,
            "aa1",
            "a'b3",
            "ab'3",
            "aab",
            "A1",
            "_1",
            "a_1",
            "a_2",
            "é1",
            "aé2",
            "aé10",
            "a''2",
            "abcdefgh1",
            "abcdefgh12",
            "abcdefghi1",
            "abcdefg1",
        ];
        for one in names {
            for other in names {
                let order = natord::compare(one, other);
                assert_eq!(
                    Natural::new(one).cmp(&Natural::new(other)),
                    order,
                    "{one} {other}"
                );
            }
        }
    }
}
