//! The sorts of names: what each is, by what is said of it.

use std::collections::BTreeMap;

use super::ShapesError;

/// A sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Dim,
    Shape,
}

impl Sort {
    pub(super) fn word(self) -> &'static str {
        match self {
            Sort::Dim => "a dimension",
            Sort::Shape => "a shape",
        }
    }
}

/// A place where a name stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
}

/// Names in classes of one sort.
#[derive(Debug, Default)]
pub(super) struct Sorts<'a> {
    numbers: BTreeMap<&'a str, usize>,
    names: Vec<&'a str>,
    parents: Vec<usize>,
    /// The sort of the class of a root, with the name and the place that say so.
    known: Vec<Option<(Sort, usize, Place)>>,
}

impl<'a> Sorts<'a> {
    /// Returns the number of a name.
    pub(super) fn number(&mut self, name: &'a str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len();
        self.numbers.insert(name, number);
        self.names.push(name);
        self.parents.push(number);
        self.known.push(None);
        number
    }

    /// Returns the names in the order of the alphabet, with their numbers.
    pub(super) fn sorted(&self) -> impl Iterator<Item = (&'a str, usize)> + '_ {
        self.numbers.iter().map(|(name, number)| (*name, *number))
    }

    fn root(&mut self, mut number: usize) -> usize {
        while self.parents[number] != number {
            self.parents[number] = self.parents[self.parents[number]];
            number = self.parents[number];
        }
        number
    }

    /// Returns the sort of a name, if anything says it.
    pub(super) fn sort(&mut self, number: usize) -> Option<Sort> {
        let root = self.root(number);
        self.known[root].map(|(sort, _, _)| sort)
    }

    /// Records that a name has a sort at a place.
    pub(super) fn set(
        &mut self,
        number: usize,
        sort: Sort,
        place: Place,
    ) -> Result<(), ShapesError> {
        let root = self.root(number);
        match self.known[root] {
            None => self.known[root] = Some((sort, number, place)),
            Some((known, _, _)) if known == sort => {}
            Some(before) => return Err(self.clash(number, sort, place, before)),
        }
        Ok(())
    }

    /// Records that two names have one sort.
    pub(super) fn unite(
        &mut self,
        one: usize,
        other: usize,
        place: Place,
    ) -> Result<(), ShapesError> {
        let (left, right) = (self.root(one), self.root(other));
        if left == right {
            return Ok(());
        }
        match (self.known[left], self.known[right]) {
            (Some((sort, _, _)), Some(before)) if sort != before.0 => {
                return Err(self.clash(other, sort, place, before));
            }
            (None, known) => self.known[left] = known,
            _ => {}
        }
        self.parents[right] = left;
        Ok(())
    }

    fn clash(
        &self,
        number: usize,
        sort: Sort,
        place: Place,
        (other, by, before): (Sort, usize, Place),
    ) -> ShapesError {
        let name = self.names[number];
        let because = if by == number {
            format!("on line {}", before.line)
        } else {
            format!(
                "since it equals `{}` of line {}",
                self.names[by], before.line
            )
        };
        ShapesError {
            line: place.line,
            column: place.column,
            length: name.len() as u32,
            message: format!(
                "`{name}` is {} here and {} {because}",
                sort.word(),
                other.word()
            ),
            help: Some("one of the two needs another name".to_string()),
        }
    }
}
