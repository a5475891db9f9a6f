//! Interned names that are a word and a number, such as `x12`: for each word a list with a place for each number.
//!
//! Such a name is found with one access to memory. A hash table takes four of them (its tags, its entry, and the place
//! and the text of the name that is compared), and in a set of a million names each one waits for memory.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lozenge_vocabulary::NumberedName;
use rustc_hash::FxBuildHasher;

use crate::ids::{Id, room};

/// The number of words that have lists.
const MOST_WORDS: usize = 64;

/// The largest number of places for each name.
const PLACES: usize = 4;

/// The numbers of names that are a word and a number.
#[derive(Clone, Debug)]
pub(super) struct Numbered<I> {
    lists: HashMap<u64, Vec<Option<I>>, FxBuildHasher>,
    /// The places of all lists.
    places: usize,
}

impl<I> Default for Numbered<I> {
    fn default() -> Numbered<I> {
        Numbered {
            lists: HashMap::default(),
            places: 0,
        }
    }
}

impl<I: Id> Numbered<I> {
    #[inline]
    pub(super) fn get(&self, name: NumberedName) -> Option<I> {
        let list = self.lists.get(&name.word)?;
        *list.get(usize::try_from(name.number).ok()?)?
    }

    /// Adds a name. False when there is no place for it: its number is too large for the number of names that there are
    /// or are expected, or there are too many words.
    pub(super) fn insert(&mut self, name: NumberedName, id: I, names: usize) -> bool {
        let known = self.lists.get(&name.word).map(Vec::len);
        let Some(len) = known.or((self.lists.len() < MOST_WORDS).then_some(0)) else {
            return false;
        };
        let most = len + (PLACES * names).saturating_sub(self.places);
        let Some(at) = usize::try_from(name.number).ok().filter(|at| *at < most) else {
            return false;
        };
        let list = self.lists.entry(name.word).or_default();
        if at >= len {
            list.resize(at + 1, None);
            self.places += at + 1 - len;
        }
        list[at] = Some(id);
        true
    }

    pub(super) fn remove(&mut self, name: NumberedName) {
        let list = self.lists.get_mut(&name.word);
        let at = usize::try_from(name.number).ok();
        if let Some(place) = at.and_then(|at| list?.get_mut(at)) {
            *place = None;
        }
    }

    /// Returns the numbers of the names in the natural order of the names.
    pub(super) fn in_order(&self) -> impl Iterator<Item = I> {
        let lists: BTreeMap<&u64, &Vec<Option<I>>> = self.lists.iter().collect();
        lists
            .into_values()
            .flat_map(|list| list.iter().copied().flatten())
    }

    /// Calls with each name and its number, in the natural order of the names. The names are counted through and not
    /// looked up, so that memory is read in a row.
    pub(super) fn each_in_order(&self, mut each: impl FnMut(&str, I)) {
        let lists: BTreeMap<&u64, &Vec<Option<I>>> = self.lists.iter().collect();
        for (word, list) in lists {
            let bytes = word.to_be_bytes();
            let word = bytes.split(|byte| *byte == b'0').next();
            let mut name = String::from_utf8_lossy(word.unwrap_or_default()).into_owned();
            let word = name.len();
            name.push('0');
            for place in list {
                if let Some(id) = place {
                    each(&name, *id);
                }
                advance(&mut name, word);
            }
        }
    }

    /// Gives each name another number.
    pub(super) fn renumber(&mut self, number: impl Fn(I) -> I) {
        let places = self.lists.values_mut().flatten();
        places.flatten().for_each(|id| *id = number(*id));
    }

    pub(super) fn bytes(&self) -> usize {
        let places = self.lists.values().map(room);
        places.chain([self.lists.allocation_size()]).sum()
    }
}

/// Counts the number behind a word of so many bytes on by one. A word ends with no digit.
fn advance(name: &mut String, word: usize) {
    let mut nines = 0;
    while name.ends_with('9') {
        name.pop();
        nines += 1;
    }
    let digit = if name.len() > word { name.pop() } else { None };
    let digit = digit.map_or(1, |digit| digit as u8 - b'0' + 1);
    name.push(char::from(b'0' + digit));
    name.extend((0..nines).map(|_| '0'));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RowVarId;

    fn name(name: &str) -> NumberedName {
        NumberedName::of(name).expect("a word and a number")
    }

    #[test]
    fn there_are_at_most_four_places_for_each_name() {
        let mut names = Numbered::<RowVarId>::default();
        let [a, b] = [0, 1].map(RowVarId::of);
        assert!(!names.insert(name("x4"), a, 1));
        assert!(names.insert(name("x3"), a, 1));
        assert!(!names.insert(name("y0"), b, 1));
        assert!(names.insert(name("y3"), b, 2));
        assert!(names.insert(name("x0"), b, 2));
        assert_eq!(names.get(name("x3")), Some(a));
        assert_eq!(names.get(name("x1")), None);
        assert_eq!(names.get(name("y999999999999999999")), None);
        assert_eq!(names.in_order().collect::<Vec<_>>(), [b, a, b]);
        names.remove(name("x3"));
        assert_eq!(names.get(name("x3")), None);
        assert!(names.insert(name("x2"), a, 2), "the places are there");
    }

    #[test]
    fn only_some_words_have_lists() {
        let mut names = Numbered::<RowVarId>::default();
        let words = ('a'..='z').flat_map(|a| ('a'..='z').map(move |b| format!("{a}{b}0")));
        let added = words.filter(|word| names.insert(name(word), RowVarId::FIRST, 1000));
        assert_eq!(added.count(), MOST_WORDS);
        assert!(names.insert(name("aa1"), RowVarId::FIRST, 1000));
    }

    #[test]
    fn names_are_counted_through() {
        let mut names = Numbered::<RowVarId>::default();
        let text = [
            "ä0", "ä1203", "x_0", "x_9", "x_10", "x_99", "x_100", "x_1999", "x_2000",
        ];
        for (at, text) in text.iter().enumerate() {
            assert!(names.insert(name(text), RowVarId::at(at), 3000));
        }
        let mut found = Vec::new();
        names.each_in_order(|name, id| found.push((name.to_string(), id.index())));
        found.sort_by_key(|(_, at)| *at);
        let expected = text
            .iter()
            .enumerate()
            .map(|(at, name)| (name.to_string(), at));
        assert!(expected.eq(found.iter().cloned()), "{found:?}");
        let in_order: Vec<RowVarId> = names.in_order().collect();
        let mut again = Vec::new();
        names.each_in_order(|_, id| again.push(id));
        assert_eq!(in_order, again);
    }
}
