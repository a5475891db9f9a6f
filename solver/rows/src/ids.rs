//! The numbers by which the tables of the solver are indexed. Each kind of number is a type of its own, so that the
//! number of one thing is never taken for that of another.
//!
//! A number is stored as an odd one, twice itself and one more, so that "no number" (`None`) takes no more room than a
//! number, and so that making one needs no check. There are 2³¹ of each kind.
//!
//! `NonMaxU32` of the crate `nonmax` was considered and not tried, since making one checks the value; the indices of
//! `index_vec` have no room for "no number".

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

/// A set of dimension variables, which tells how much it allocates.
pub(crate) type DimSet = HashSet<DimVarId, FxBuildHasher>;

/// Returns the bytes that a list has room for.
pub(crate) fn room<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}

/// Returns the bytes that a queue has room for.
pub(crate) fn queue_room<T>(queue: &VecDeque<T>) -> usize {
    queue.capacity() * size_of::<T>()
}

/// The number of an element of a table.
pub(crate) trait Id: Copy {
    /// Returns the number of the element at an index.
    fn at(index: usize) -> Self;

    /// Returns the index of the element.
    fn index(self) -> usize;
}

/// A place in an arena, which is reached by counting from another place.
impl Id for u32 {
    #[inline]
    fn at(index: usize) -> u32 {
        index as u32
    }

    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

/// Variables whose numbers differ by more than this share no page of memory.
pub(crate) const FAR: usize = 1 << 12;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(NonZeroU32);

        impl $name {
            /// The first thing.
            #[allow(dead_code, reason = "only some kinds of number are named by themselves")]
            pub(crate) const FIRST: $name = $name(NonZeroU32::MIN);

            /// Returns the thing with this number, counted from 0.
            #[inline]
            pub(crate) fn of(number: u32) -> $name {
                debug_assert!(number < 1 << 31);
                $name(NonZeroU32::MIN | (number << 1))
            }

            /// Returns the odd number that it is stored as.
            #[inline]
            #[allow(dead_code, reason = "only some kinds of number are parts of other words")]
            pub(crate) fn word(self) -> NonZeroU32 {
                self.0
            }

            /// Returns the thing that is stored as an odd number.
            #[inline]
            #[allow(dead_code, reason = "only some kinds of number are parts of other words")]
            pub(crate) fn of_word(word: NonZeroU32) -> $name {
                $name(word | 1)
            }

            /// Returns the number, counted from 0.
            #[inline]
            #[allow(dead_code, reason = "not every kind of number is taken out of its type")]
            pub(crate) fn number(self) -> u32 {
                self.0.get() >> 1
            }
        }

        impl Id for $name {
            #[inline]
            fn at(index: usize) -> $name {
                $name::of(index as u32)
            }

            #[inline]
            fn index(self) -> usize {
                self.number() as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.number())
            }
        }
    )*};
}

ids! {
    /// A dimension variable.
    DimVarId
    /// An atom or the unit.
    ConstantId
    /// A row variable.
    RowVarId
    /// A row term of the problem. The two sides of a constraint between rows follow each other.
    RowTermId
    /// An asserted constraint.
    AssertedId
    /// A window among the constraints.
    WindowId
    /// An axis that is made of others, among the constraints.
    CompositeId
    /// A product with rows among its factors, among the constraints.
    ElementsId
    /// Rows side by side, among the constraints.
    FlatId
    /// The least size of a bound, among the constraints.
    LeastSizeId
    /// An inequality between rows.
    InequalityId
    /// The flat content of a row variable between its known flanks.
    ContentId
    /// An equation that no rule resolves yet.
    DeferredId
    /// A deferred equation in the list of a row variable.
    WatchId
    /// The bound of a row variable.
    BoundId
    /// An inequality between dimensions.
    EdgeId
    /// A constraint of sizes in the list of a class of dimensions.
    UseId
    /// A conclusion on record.
    InferenceId
    /// A strongly connected component.
    ComponentId
    /// A branch of the search for lengths.
    BranchId
    /// A clash that the search for lengths has excluded.
    ClauseId
    /// A step of a refutation.
    ProofId
    /// A quotient by which loops are counted.
    QuotientId
}

impl RowTermId {
    /// Returns the right side of the constraint of which this row is the left side.
    #[inline]
    pub(crate) fn right(self) -> RowTermId {
        RowTermId::of(self.number() + 1)
    }
}

/// Returns all numbers below one, in order.
pub(crate) fn all<I: Id>(len: usize) -> impl DoubleEndedIterator<Item = I> + Clone {
    (0..len).map(I::at)
}

/// A table with an element for each number.
#[derive(Clone, Debug)]
pub(crate) struct IdVec<I, T> {
    list: Vec<T>,
    index: PhantomData<I>,
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        IdVec {
            list: Vec::new(),
            index: PhantomData,
        }
    }
}

impl<I: Id, T> IdVec<I, T> {
    /// Returns the same element for each of `len` numbers.
    pub(crate) fn of(len: usize, element: T) -> IdVec<I, T>
    where
        T: Clone,
    {
        IdVec {
            list: vec![element; len],
            index: PhantomData,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the numbers of all elements, in order.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = I> + Clone + use<I, T> {
        all(self.list.len())
    }

    /// Adds an element; its number.
    pub(crate) fn push(&mut self, element: T) -> I {
        self.list.push(element);
        I::at(self.list.len() - 1)
    }

    /// Returns all elements, in the order of their numbers.
    pub(crate) fn values(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.list.iter()
    }

    /// Returns the element, if the table has it.
    #[inline]
    pub(crate) fn get(&self, id: I) -> Option<&T> {
        self.list.get(id.index())
    }

    /// Returns the element, if the table has it, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.list.get_mut(id.index())
    }

    /// Returns the bytes that the table has room for.
    pub(crate) fn bytes(&self) -> usize {
        room(&self.list)
    }

    /// Forgets the elements from a number on.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.list.truncate(len);
    }

    /// Gives back the room for more elements.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
    }

    /// Returns each element with its number.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.list
            .iter()
            .enumerate()
            .map(|(index, element)| (I::at(index), element))
    }

    /// Makes the table as long as that.
    pub(crate) fn resize(&mut self, len: usize, element: T)
    where
        T: Clone,
    {
        self.list.resize(len, element);
    }

    /// Returns the element, to be changed; the table is made long enough.
    pub(crate) fn entry(&mut self, id: I, default: T) -> &mut T
    where
        T: Clone,
    {
        if self.list.len() <= id.index() {
            self.list.resize(id.index() + 1, default);
        }
        &mut self.list[id.index()]
    }
}

impl<I, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<E: IntoIterator<Item = T>>(elements: E) -> Self {
        IdVec {
            list: elements.into_iter().collect(),
            index: PhantomData,
        }
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        &self.list[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.list[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_takes_no_more_room_than_a_number() {
        assert_eq!(size_of::<Option<RowVarId>>(), size_of::<u32>());
        let ids = [0, 1, (1 << 31) - 1].map(RowVarId::of);
        assert_eq!(ids.map(RowVarId::number), [0, 1, (1 << 31) - 1]);
        assert!(ids.is_sorted());
    }

    #[test]
    fn an_entry_makes_the_table_long_enough() {
        let mut table = IdVec::<RowVarId, u8>::default();
        *table.entry(RowVarId::of(2), 7) += 1;
        assert_eq!((table.len(), table[RowVarId::of(0)]), (3, 7));
        assert_eq!(table.get(RowVarId::of(2)), Some(&8));
        assert_eq!(table.get(RowVarId::of(3)), None);
    }
}
