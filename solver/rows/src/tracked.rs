//! A vector that can be taken back to an earlier state.
//!
//! `SnapshotVec` of the crate `ena` was considered and not tried: it notes each element that is added while a snapshot
//! is open, and here a rollback drops them all at once.

use std::marker::PhantomData;

use crate::ids::{Id, all, room};

/// From how many elements on a vector is large.
const LARGE: usize = 1 << 10;

/// Makes room for a few more elements. A large vector grows by an eighth, so that it never holds twice what it needs.
#[inline]
pub(crate) fn make_room<T>(data: &mut Vec<T>, more: usize) {
    let room = data.capacity();
    if data.len() + more > room && room >= LARGE {
        data.reserve_exact(room / 8);
    }
}

/// A vector whose changes are remembered while a snapshot is open.
#[derive(Clone, Debug)]
pub(crate) struct Tracked<I, T: Copy> {
    data: Vec<T>,
    undo: Vec<(u32, T)>,
    marks: Vec<(usize, usize)>,
    /// Elements from here on need no undoing: a rollback drops them.
    floor: usize,
    index: PhantomData<I>,
}

impl<I, T: Copy> Default for Tracked<I, T> {
    fn default() -> Self {
        Tracked {
            data: Vec::new(),
            undo: Vec::new(),
            marks: Vec::new(),
            floor: 0,
            index: PhantomData,
        }
    }
}

impl<I: Id, T: Copy> Tracked<I, T> {
    pub(crate) fn len(&self) -> usize {
        self.data.len()
    }

    #[inline]
    pub(crate) fn get(&self, id: I) -> T {
        self.data[id.index()]
    }

    #[inline]
    pub(crate) fn at(&self, id: I) -> &T {
        &self.data[id.index()]
    }

    /// Returns the element, to be changed.
    #[inline]
    pub(crate) fn edit(&mut self, id: I) -> &mut T {
        let index = id.index();
        let element = &mut self.data[index];
        if index < self.floor {
            self.undo.push((index as u32, *element));
        }
        element
    }

    #[inline]
    pub(crate) fn set(&mut self, id: I, value: T) {
        *self.edit(id) = value;
    }

    /// Appends an element and returns its number.
    #[inline]
    pub(crate) fn push(&mut self, value: T) -> I {
        make_room(&mut self.data, 1);
        self.data.push(value);
        I::at(self.data.len() - 1)
    }

    /// Appends elements until there are `len`. The room for many is made at once.
    #[inline]
    pub(crate) fn grow(&mut self, len: usize, element: impl Fn(I) -> T) {
        let more = len.saturating_sub(self.data.len());
        match more {
            0 => {}
            1 => {
                self.push(element(I::at(len - 1)));
            }
            _ => {
                self.data.reserve(more);
                let new = self.data.len()..len;
                self.data.extend(new.map(|at| element(I::at(at))));
            }
        }
    }

    pub(crate) fn reserve(&mut self, more: usize) {
        self.data.reserve(more);
    }

    /// Gives back the room that more elements would need.
    pub(crate) fn shrink(&mut self) {
        self.data.shrink_to_fit();
        self.undo.shrink_to_fit();
    }

    /// Returns the numbers of all elements, in order.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = I> + Clone + use<I, T> {
        all(self.data.len())
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.data
    }

    pub(crate) fn snapshot(&mut self) {
        self.marks.push((self.data.len(), self.undo.len()));
        self.floor = self.data.len();
    }

    /// Takes back everything since the last open snapshot, and closes it.
    pub(crate) fn rollback(&mut self) {
        let Some((len, undo)) = self.marks.pop() else {
            return;
        };
        while self.undo.len() > undo {
            if let Some((at, value)) = self.undo.pop() {
                self.data[at as usize] = value;
            }
        }
        self.data.truncate(len);
        self.floor = self.marks.last().map_or(0, |mark| mark.0);
    }

    /// Closes the last open snapshot and keeps what was done since.
    pub(crate) fn commit(&mut self) {
        self.marks.pop();
        self.floor = self.marks.last().map_or(0, |mark| mark.0);
        if self.marks.is_empty() {
            self.undo.clear();
        }
    }

    /// Returns the bytes held.
    pub(crate) fn bytes(&self) -> usize {
        [room(&self.data), room(&self.undo)].iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_vector_that_grows_by_one_has_room_for_an_eighth_more() {
        let mut v = Tracked::<u32, u64>::default();
        v.reserve(LARGE);
        let room = v.data.capacity();
        v.grow(room, u64::from);
        assert_eq!(v.data.capacity(), room);
        v.grow(room + 1, |_| 7);
        assert_eq!((v.len(), v.get(room as u32)), (room + 1, 7));
        assert!(v.data.capacity() <= room + room / 8);
    }

    #[test]
    fn nested_snapshots_restore_each_state() {
        let mut v = Tracked::<u32, _>::default();
        v.push(1);
        v.snapshot();
        v.set(0, 2);
        v.push(7);
        v.snapshot();
        v.set(0, 3);
        v.set(1, 8);
        v.push(9);
        v.rollback();
        assert_eq!(v.as_slice(), [2, 7]);
        v.set(1, 6);
        v.rollback();
        assert_eq!(v.as_slice(), [1]);
    }

    #[test]
    fn what_is_new_since_a_snapshot_needs_no_undoing() {
        let mut v = Tracked::<u32, _>::default();
        v.push(1);
        v.snapshot();
        v.push(7);
        v.set(1, 8);
        assert!(v.undo.is_empty(), "the rollback drops it");
        v.set(0, 2);
        assert_eq!(v.undo, [(0, 1)]);
        assert_eq!(v.bytes(), 4 * v.data.capacity() + 8 * v.undo.capacity());
    }

    #[test]
    fn nothing_is_remembered_when_the_last_snapshot_is_committed() {
        let mut v = Tracked::<u32, _>::default();
        v.push(1);
        for inner in [false, true] {
            v.snapshot();
            if inner {
                v.snapshot();
                v.set(0, 3);
                v.commit();
                assert_eq!(v.undo.len(), 1, "for the snapshot around it");
            }
            v.set(0, 2);
            v.commit();
            assert!(v.undo.is_empty() && v.marks.is_empty());
            v.set(0, 4);
            assert!(v.undo.is_empty(), "no snapshot is open");
        }
    }

    #[test]
    fn a_small_vector_doubles_and_a_large_one_grows_by_an_eighth() {
        let mut v = Tracked::<u32, _>::default();
        let mut rooms = vec![0];
        for at in 0..=LARGE as u32 {
            v.push(at);
            let room = v.data.capacity();
            if rooms.last() != Some(&room) {
                assert_eq!(rooms.last(), Some(&(at as usize)), "it was full");
                rooms.push(room);
            }
        }
        assert_eq!(rooms.pop(), Some(LARGE + LARGE / 8));
        let doubled = |room: &[usize]| room[1] == 2 * room[0];
        assert!(rooms[1..].windows(2).all(doubled), "{rooms:?}");
    }

    #[test]
    fn the_room_that_is_asked_for_is_made() {
        let mut v = Tracked::<u32, u32>::default();
        v.reserve(1000);
        assert_eq!(v.data.capacity(), 1000);
    }

    #[test]
    fn a_vector_grows_to_a_length_and_never_becomes_shorter() {
        let mut v = Tracked::<u32, u32>::default();
        for (len, expected) in [(3, 3), (3, 3), (4, 4), (2, 4)] {
            v.grow(len, |id| 10 * id);
            assert_eq!(v.as_slice(), &[0, 10, 20, 30][..expected]);
        }
        v.snapshot();
        v.grow(6, |_| 7);
        v.rollback();
        assert_eq!(v.as_slice(), [0, 10, 20, 30]);
    }

    #[test]
    fn a_committed_snapshot_is_undone_by_the_one_around_it() {
        let mut v = Tracked::<u32, _>::default();
        v.push(1);
        v.snapshot();
        v.snapshot();
        v.set(0, 5);
        v.commit();
        v.rollback();
        assert_eq!(v.as_slice(), [1]);
    }
}
