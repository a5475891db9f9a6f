//! Interned names: a name is looked up once and is a number from then on.
//!
//! Interners such as `lasso` and `string-interner` were considered and not tried: a rollback of the problem takes back
//! the names that were added since, and they keep every name.

use std::hash::Hasher;

use hashbrown::HashTable;
use lozenge_vocabulary::NumberedName;
use rustc_hash::FxHasher;

use crate::ids::{Id, IdVec, all, room};
use crate::problem::numbered::Numbered;

/// A set of names with numbers from 0; some numbers have no name.
#[derive(Clone, Debug)]
pub(crate) struct Names<I> {
    /// The names, one after the other.
    text: String,
    /// For each number the end of its name in `text`; an unnamed one is empty.
    ends: Vec<u32>,
    /// The numbers of most names that are a word and a number.
    numbered: Numbered<I>,
    /// The numbers of all other names.
    table: HashTable<(I, u32)>,
}

impl<I> Default for Names<I> {
    fn default() -> Names<I> {
        Names {
            text: String::new(),
            ends: Vec::new(),
            numbered: Numbered::default(),
            table: HashTable::new(),
        }
    }
}

/// Takes half of a hash, which is kept with each number, so that a growing table reads no names. The last three bits of
/// the first number in a name are added after all else was hashed, so that the rows of tensors that are defined one
/// after the other, such as `a8_batch`, `a9_batch`, …, lie in adjacent places, eight to a line of the cache.
fn hash(name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    let name = name.as_bytes();
    let before = name.iter().take_while(|byte| !byte.is_ascii_digit());
    let (before, rest) = name.split_at(before.count());
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit());
    let (digits, after) = rest.split_at(digits.count());
    let count = |number: u64, digit: &u8| (10 * (number & NUMBER)) + u64::from(digit - b'0');
    let number = digits.iter().fold(0, count);
    hasher.write(before);
    hasher.write(after);
    hasher.write_u64(number / 8);
    let hash = (hasher.finish() >> 32) as u32;
    (hash & !7) + (number % 8) as u32
}

/// The largest number in a name that takes another digit without overflow.
const NUMBER: u64 = u64::MAX >> 8;

/// Returns the hash for the table: its low bits choose the bucket, its high bits distinguish the entries of one bucket.
fn spread(hash: u32) -> u64 {
    let mixed = hash.wrapping_mul(0x9E37_79B9);
    (u64::from(mixed) << 32) + u64::from(hash)
}

impl<I: Id + Eq> Names<I> {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Makes room for so many more names, which have so many bytes together.
    pub(crate) fn reserve(&mut self, more: usize, bytes: usize) {
        self.text.reserve_exact(bytes);
        self.ends.reserve(more);
        self.table.reserve(more, |(_, hash)| spread(*hash));
    }

    /// Returns the name of a number; empty when it has none.
    pub(crate) fn name(&self, id: I) -> &str {
        name_in(&self.text, &self.ends, id)
    }

    /// Says whether a number has a name.
    #[inline]
    pub(crate) fn is_named(&self, id: I) -> bool {
        let at = id.index();
        self.ends[at] != at.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// Returns the number of a name, a new one when it is new.
    #[inline]
    pub(crate) fn intern(&mut self, name: &str) -> I {
        let numbered = NumberedName::of(name);
        match numbered.and_then(|name| self.numbered.get(name)) {
            Some(id) => id,
            None => self.intern_other(name, numbered),
        }
    }

    /// Returns the number of a name that has no place in a list.
    fn intern_other(&mut self, name: &str, numbered: Option<NumberedName>) -> I {
        if let Some(id) = self.find_hashed(name) {
            return id;
        }
        let id = I::at(self.ends.len());
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
        let names = self.ends.capacity();
        if !numbered.is_some_and(|name| self.numbered.insert(name, id, names)) {
            let hash = hash(name);
            self.table
                .insert_unique(spread(hash), (id, hash), |(_, hash)| spread(*hash));
        }
        id
    }

    pub(crate) fn find(&self, name: &str) -> Option<I> {
        let numbered = NumberedName::of(name).and_then(|name| self.numbered.get(name));
        numbered.or_else(|| self.find_hashed(name))
    }

    fn find_hashed(&self, name: &str) -> Option<I> {
        if self.table.is_empty() {
            return None;
        }
        let hash = hash(name);
        let same = |(id, other): &(I, u32)| *other == hash && self.name(*id) == name;
        self.table.find(spread(hash), same).map(|(id, _)| *id)
    }

    /// Returns a number without a name.
    pub(crate) fn unnamed(&mut self) -> I {
        self.ends.push(self.text.len() as u32);
        I::at(self.ends.len() - 1)
    }

    /// Forgets every number from `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        for index in len..self.ends.len() {
            let id = I::at(index);
            let name = name_in(&self.text, &self.ends, id);
            if let Some(name) = NumberedName::of(name)
                && self.numbered.get(name).is_some_and(|found| found == id)
            {
                self.numbered.remove(name);
            } else if let Ok(entry) = self
                .table
                .find_entry(spread(hash(name)), |(other, _)| *other == id)
            {
                entry.remove();
            }
        }
        self.ends.truncate(len);
        let text = self.ends.last().map_or(0, |end| *end as usize);
        self.text.truncate(text);
    }

    pub(crate) fn bytes(&self) -> usize {
        let tables = [
            self.text.capacity(),
            room(&self.ends),
            self.numbered.bytes(),
            self.table.allocation_size(),
        ];
        tables.iter().sum()
    }

    /// Returns the numbers of all names in the natural order of the names, if each one has a place in a list.
    pub(crate) fn in_natural_order(&self) -> Option<impl Iterator<Item = I>> {
        self.table.is_empty().then(|| self.numbered.in_order())
    }

    /// Puts the names with places in lists in their natural order, and the others behind them. Returns the new number
    /// of each name.
    pub(crate) fn arrange(&mut self) -> IdVec<I, I> {
        let len = self.ends.len();
        let mut numbers: IdVec<I, Option<I>> = IdVec::of(len, None);
        let mut text = String::with_capacity(self.text.len());
        let mut ends = Vec::with_capacity(len);
        let mut add = |name: &str| {
            text.push_str(name);
            ends.push(text.len() as u32);
            I::at(ends.len() - 1)
        };
        self.numbered
            .each_in_order(|name, id| numbers[id] = Some(add(name)));
        for id in all::<I>(len) {
            if numbers[id].is_none() {
                numbers[id] = Some(add(self.name(id)));
            }
        }
        (self.text, self.ends) = (text, ends);
        let numbers: IdVec<I, I> = numbers.values().copied().flatten().collect();
        self.numbered.renumber(|id| numbers[id]);
        self.table.iter_mut().for_each(|(id, _)| *id = numbers[*id]);
        numbers
    }
}

fn name_in<'a>(text: &'a str, ends: &[u32], id: impl Id) -> &'a str {
    let at = id.index();
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &text[start as usize..ends[at] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the first number in a name, eight that follow each other make hashes that do, whatever else the name has.
    #[test]
    fn names_that_differ_by_one_have_hashes_that_do() {
        for (before, after) in [("a", "_batch"), ("t", ""), ("", "")] {
            for first in [0, 8, 16, 104, 1_000] {
                let of = |number: u32| hash(&format!("{before}{number}{after}"));
                let all: Vec<u32> = (first..first + 8).map(of).collect();
                let expected: Vec<u32> = (0..8).map(|at| (all[0] & !7) + at).collect();
                assert_eq!(all, expected, "{before}{first}{after}");
            }
        }
        assert_ne!(hash("a8_batch") & !7, hash("a16_batch") & !7);
        assert_ne!(hash("a8_batch") & !7, hash("b8_batch") & !7);
    }

    #[test]
    fn names_in_a_row_lie_in_a_row_and_are_told_apart() {
        let places = ["r10", "r11", "r12"].map(|name| spread(hash(name)));
        assert_eq!(places[0] as u32 + 1, places[1] as u32);
        assert_eq!(places[1] as u32 + 1, places[2] as u32);
        // The table compares the seven highest bits of those in one place first.
        let tags: std::collections::BTreeSet<u64> =
            places.iter().map(|place| place >> 57).collect();
        assert_eq!(tags.len(), 3);
        let rows = ["a8_batch", "a9_batch", "a8_input"].map(hash);
        assert_eq!(rows[0] + 1, rows[1]);
        assert_ne!(rows[0] / 8, rows[2] / 8);
    }

    /// Returns a number written with letters for its digits.
    fn in_letters(number: u32) -> String {
        let letter = |digit: char| char::from(digit as u8 - b'0' + b'a');
        number.to_string().chars().map(letter).collect()
    }

    #[test]
    fn names_of_one_hash_are_different_names() {
        let mut of_hash = std::collections::BTreeMap::new();
        let (first, second) = (0..)
            .map(in_letters)
            .find_map(|name| Some((of_hash.insert(hash(&name), name.clone())?, name)))
            .expect("there are more names than hashes");
        let mut names = Names::default();
        assert_ne!(names.intern(&first), names.intern(&second));
        assert_eq!(names.find(&second), Some(1));
    }

    #[test]
    fn names_with_numbers_far_apart_are_kept_with_the_others() {
        let mut names = Names::default();
        let text = [
            "x0",
            "x1",
            "x2000000000",
            "x01",
            "x1'",
            "x2",
            "x18446744073709551617",
        ];
        let ids = text.map(|name| names.intern(name));
        assert_eq!(ids, [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(text.map(|name| names.intern(name)), ids);
        assert_eq!(text.map(|name| names.find(name)), ids.map(Some));
        assert!(names.in_natural_order().is_none());
        names.truncate(1);
        assert_eq!(
            text.map(|name| names.find(name)),
            [Some(0), None, None, None, None, None, None]
        );
        assert_eq!(names.intern("x2"), 1);
        assert!(names.in_natural_order().is_some_and(|ids| ids.eq([0, 1])));
    }

    #[test]
    fn truncation_forgets_names() {
        let mut names = Names::default();
        let a = names.intern("a");
        names.unnamed();
        let b = names.intern("b");
        assert_eq!((names.find("a"), names.find("b")), (Some(a), Some(b)));
        names.truncate(1);
        assert_eq!((names.find("b"), names.intern("b")), (None, 1));
        assert_eq!(names.name(1), "b");
    }
}
