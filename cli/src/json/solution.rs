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
        dims.sort_by(|(a, _), (b, _)| natural(a.name(), b.name()));
        rows.sort_by(|(a, _), (b, _)| natural(a.name(), b.name()));
        Values { dims, rows }
    }
}

/// The natural order of names. Most names of a large set are a word with a number behind it, and many have the same word.
pub fn natural(a: &str, b: &str) -> Ordering {
    match (numbered(a), numbered(b)) {
        (Some((word, number)), Some((same, other))) if word == same => number.cmp(&other),
        _ => natord::compare(a, b),
    }
}

/// A name as a word and the number behind it, which does not begin with 0.
fn numbered(name: &str) -> Option<(&[u8], u64)> {
    let bytes = name.as_bytes();
    let digits = bytes.iter().rev().take_while(|b| b.is_ascii_digit());
    let (word, digits) = bytes.split_at(bytes.len() - digits.count());
    if digits.is_empty() || digits.len() > 18 || digits[0] == b'0' && digits.len() > 1 {
        return None;
    }
    let digits = digits.iter().map(|digit| u64::from(digit - b'0'));
    Some((word, digits.fold(0, |number, digit| 10 * number + digit)))
}

impl Values {
    /// The variables in the notation.
    pub fn names(&self) -> Vec<String> {
        let dims = self.dims.iter().map(|(var, _)| var.to_string());
        let rows = self.rows.iter().map(|(var, _)| var.to_string());
        dims.chain(rows).collect()
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
        let dims = self
            .dims
            .iter()
            .map(|(var, dim)| (var.to_string(), dim.to_string()));
        let rows = self
            .rows
            .iter()
            .map(|(var, row)| (var.to_string(), row.to_string()));
        serializer.collect_map(dims.chain(rows))
    }
}

#[cfg(test)]
mod tests {
    use super::natural;

    #[test]
    fn names_with_numbers_are_in_the_natural_order() {
        let long = "a99999999999999999999";
        let names = [
            "a", "a0", "a01", "a1", "a'1", "a2", "a10", "b", "b2", "a2b10", "a2b9", "12", "9", long,
        ];
        for one in names {
            for other in names {
                let order = natord::compare(one, other);
                assert_eq!(natural(one, other), order, "{one} {other}");
            }
        }
    }
}
