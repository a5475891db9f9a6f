//! Row variables: what is known of each flank, what is known of the content between, and the constraints on it.
//!
//! A flank is two things. Its *length* is the least that the inequalities allow. Its *letters*, from the outer
//! edge inward, are dimension terms; a letter that nothing speaks about yet but the one inequality that asked for
//! it has no term of its own ("unwritten"), so that a chain of rows each one axis longer than the next takes
//! linear space.

use crate::facts::Why;
use crate::term::{NONE, Term};
use crate::tracked::Tracked;

/// What is known of a row variable between its known flanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Core {
    /// Nothing.
    Open,
    /// There is nothing: the row is closed.
    Closed,
    /// Its flat content, by number; where the marker stands is open.
    Content(u32),
    /// The variable of that content stands at the marker.
    Alias(u32),
}

/// A row variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowNode {
    /// The least number of leading and trailing axes.
    pub(crate) len: [u32; 2],
    /// Where the letters of each flank lie, and for how many there is room.
    letters: [u32; 2],
    room: [u32; 2],
    pub(crate) core: Core,
    /// Why each flank is that long.
    pub(crate) grown: [Why; 2],
    /// Why the letters are what they are, when an equality says so.
    pub(crate) fixed: Why,
    /// The first inequality with this variable in the result.
    pub(crate) results: u32,
    /// The first inequality with this variable in the operand.
    pub(crate) operands: u32,
    /// The first deferred equation on it.
    pub(crate) watchers: u32,
    /// How many inequalities have it in the result.
    pub(crate) result_count: u32,
    /// How many variables were found to be the same.
    pub(crate) size: u32,
    /// Letters are written as soon as they exist.
    pub(crate) written: bool,
}

/// `left ⊑ right` between rows, by the number of the left one in the problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inequality {
    pub(crate) row: u32,
    pub(crate) why: Why,
    /// How many positions of each flank have been compared.
    pub(crate) done: [u32; 2],
    pub(crate) next_result: u32,
    pub(crate) next_operand: u32,
}

/// The flat content of a row variable between its known flanks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    /// The row in the problem; where it is split is what a placement inherits.
    pub(crate) row: u32,
    pub(crate) why: Why,
}

/// All row variables, and what is stated of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) nodes: Tracked<RowNode>,
    pub(crate) inequalities: Tracked<Inequality>,
    pub(crate) contents: Tracked<Content>,
    letters: Tracked<Term>,
}

impl Rows {
    /// Makes room for every variable below `len`.
    pub(crate) fn grow(&mut self, len: usize) {
        for _ in self.nodes.len()..len {
            self.nodes.push(RowNode {
                len: [0; 2],
                letters: [0; 2],
                room: [0; 2],
                core: Core::Open,
                grown: [Why::NONE; 2],
                fixed: Why::NONE,
                results: NONE,
                operands: NONE,
                watchers: NONE,
                result_count: 0,
                size: 1,
                written: false,
            });
        }
    }

    /// The letter of a flank, if it has been written.
    #[inline]
    pub(crate) fn letter(&self, var: u32, side: usize, position: u32) -> Option<Term> {
        let node = self.nodes.at(var);
        if position >= node.room[side] {
            return None;
        }
        let letter = self.letters.get(node.letters[side] + position);
        (!letter.is_none()).then_some(letter)
    }

    /// How many positions of a flank may have been written.
    #[inline]
    pub(crate) fn room(&self, var: u32, side: usize) -> u32 {
        self.nodes.at(var).room[side]
    }

    pub(crate) fn write(&mut self, var: u32, side: usize, position: u32, letter: Term) {
        let node = self.nodes.get(var);
        if position >= node.room[side] {
            self.widen(var, side, position + 1);
        }
        let at = self.nodes.at(var).letters[side] + position;
        self.letters.set(at, letter);
    }

    fn widen(&mut self, var: u32, side: usize, needed: u32) {
        let node = self.nodes.get(var);
        let len = node.len[side];
        // A flank that has not grown yet is about to be written whole.
        let room = needed.max(node.room[side] * 2).max(len.min(needed * 2));
        let start = self.letters.len() as u32;
        for position in 0..room {
            let letter = if position < node.room[side] {
                self.letters.get(node.letters[side] + position)
            } else {
                Term::NONE
            };
            self.letters.push(letter);
        }
        let node = self.nodes.edit(var);
        node.letters[side] = start;
        node.room[side] = room;
    }

    pub(crate) fn each(&mut self, f: impl Fn(&mut dyn Journal)) {
        f(&mut self.nodes);
        f(&mut self.inequalities);
        f(&mut self.contents);
        f(&mut self.letters);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.nodes.bytes()
            + self.inequalities.bytes()
            + self.contents.bytes()
            + self.letters.bytes()
    }
}

/// What can be taken back, whatever it holds.
pub(crate) trait Journal {
    fn snapshot(&mut self);
    fn rollback(&mut self);
    fn commit(&mut self);
}

impl<T: Copy> Journal for Tracked<T> {
    fn snapshot(&mut self) {
        Tracked::snapshot(self);
    }
    fn rollback(&mut self) {
        Tracked::rollback(self);
    }
    fn commit(&mut self) {
        Tracked::commit(self);
    }
}
