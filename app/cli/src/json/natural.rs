//! The natural order of names: a2 before a10.

use std::cmp::Ordering;

use lozenge_vocabulary::NumberedName;

/// A name in the natural order. Most names of a large set are a short word followed by a number. Two such names are
/// compared by their words and numbers, without reading the text.
#[derive(Clone, Copy, Debug)]
pub struct Natural<'a> {
    name: &'a str,
    numbered: Option<NumberedName>,
}

impl<'a> Natural<'a> {
    /// Returns the name as a key of the natural order.
    pub fn new(name: &'a str) -> Natural<'a> {
        Natural {
            name,
            numbered: NumberedName::of(name),
        }
    }
}

impl Ord for Natural<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.numbered, other.numbered) {
            (Some(numbered), Some(other)) => numbered.cmp(&other),
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

/// Returns the places of names in their natural order; `None` if they are in this order already.
pub fn places<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Option<Vec<u32>> {
    if names.clone().map(Natural::new).is_sorted() {
        return None;
    }
    let mut keyed: Vec<(Natural, u32)> = names.map(Natural::new).zip(0..).collect();
    // No two names are the same.
    keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Some(keyed.into_iter().map(|(_, place)| place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn the_places_put_the_names_in_order() {
        let places_of = |names: &[&str]| places(names.iter().copied());
        assert_eq!(places_of(&["b1", "a", "a10", "a2"]), Some(vec![1, 3, 2, 0]));
        assert_eq!(places_of(&["a4294967296", "a2"]), Some(vec![1, 0]));
        assert_eq!(places_of(&["a", "a2", "a10", "b1"]), None);
    }
}
