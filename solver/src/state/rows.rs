//! Row variables: what is known of each flank, what is known of the content between, and the constraints on it.
//!
//! A flank is two things. Its *length* is the least that the inequalities allow. Its *axes*, from the outer
//! edge inward, are dimension terms; an axis that nothing speaks about yet but the one inequality that asked for
//! it has no term of its own ("unwritten"), so that a chain of rows each one axis longer than the next takes
//! linear space.

use crate::state::inferences::Reason;
use crate::term::{NONE, Term};
use crate::tracked::Tracked;

/// What is known of a row variable between its known flanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// Nothing.
    Open,
    /// There is nothing: the row is closed.
    Closed,
    /// Its flat content, by number; where the marker stands is open.
    Content(u32),
    /// The variable of that content stands at the marker.
    Alias(u32),
}

/// Whose the axes of a flank are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// Its own.
    Owned,
    /// Its own, and `grown` says why they are what they are.
    Pinned,
    /// Pinned, and they may lie where another row's do: they are copied before one more is written.
    Shared,
}

/// A row variable. One line of the cache holds it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct RowNode {
    /// The least number of leading and trailing axes.
    pub(crate) len: [u32; 2],
    /// Where the axes of each flank lie.
    axes: [u32; 2],
    /// For how many axes there is room: none for 0, else two to the power of one less.
    room: [u8; 2],
    pub(crate) storage: [Storage; 2],
    pub(crate) binding: Binding,
    /// Why each flank is that long.
    pub(crate) length_reasons: [Reason; 2],
    /// Why the axes are what they are, when an equality says so.
    pub(crate) fixed: Reason,
    /// Why the flat content is what it is, once the marker is placed: the placement has no part in it.
    pub(crate) flat: Reason,
    /// The first inequality with this variable in the result.
    pub(crate) results: u32,
    /// The first inequality with this variable in the operand.
    pub(crate) operands: u32,
    /// The first deferred equation on it.
    pub(crate) watchers: u32,
    /// The round in which the inequalities with it in the result were last searched.
    pub(crate) searched: u32,
    /// More than one inequality has it in the result.
    pub(crate) multi_result: bool,
    /// Above the rank of every variable that became an alias of it, as in a union-find forest.
    pub(crate) height: u8,
    /// Axes are written as soon as they exist.
    pub(crate) materialised: bool,
}

impl RowNode {
    /// No axis has been written, and none has to be.
    pub(crate) fn is_unmaterialised(&self) -> bool {
        self.room == [0; 2] && !self.materialised && !self.multi_result
    }
}

/// `left ⊑ right` between rows, by the number of the left one in the problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inequality {
    pub(crate) row: u32,
    pub(crate) reason: Reason,
    /// The variables of both sides, or `NONE`.
    pub(crate) left: u32,
    pub(crate) right: u32,
    /// How many axes the right side writes out beyond the left one's, for each flank.
    pub(crate) surplus: [i32; 2],
    /// The left side is a variable alone.
    pub(crate) is_variable: bool,
    /// The work lists that it is in.
    pub(crate) due: u8,
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
    pub(crate) reason: Reason,
}

/// All row variables, and what is stated of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) nodes: Tracked<RowNode>,
    pub(crate) inequalities: Tracked<Inequality>,
    pub(crate) contents: Tracked<Content>,
    axes: Tracked<Term>,
}

impl Rows {
    /// Makes room for every variable below `len`.
    pub(crate) fn grow(&mut self, len: usize) {
        self.nodes.reserve(len.saturating_sub(self.nodes.len()));
        for _ in self.nodes.len()..len {
            self.nodes.push(RowNode {
                len: [0; 2],
                axes: [0; 2],
                room: [0; 2],
                storage: [Storage::Owned; 2],
                binding: Binding::Open,
                length_reasons: [Reason::NONE; 2],
                fixed: Reason::NONE,
                flat: Reason::NONE,
                results: NONE,
                operands: NONE,
                watchers: NONE,
                searched: 0,
                multi_result: false,
                height: 0,
                materialised: false,
            });
        }
    }

    /// Whether there is room for a variable: one that was mentioned since the last solve is not known yet.
    pub(crate) fn knows(&self, var: u32) -> bool {
        (var as usize) < self.nodes.len()
    }

    /// The axis of a flank, if it has been written.
    #[inline]
    pub(crate) fn axis(&self, var: u32, side: usize, position: u32) -> Option<Term> {
        let node = self.nodes.at(var);
        if position >= room_of(node, side) {
            return None;
        }
        let axis = self.axes.get(node.axes[side] + position);
        (!axis.is_none()).then_some(axis)
    }

    /// How many positions of a flank may have been written.
    #[inline]
    pub(crate) fn room(&self, var: u32, side: usize) -> u32 {
        room_of(self.nodes.at(var), side)
    }

    /// How many places there are for axes.
    pub(crate) fn places(&self) -> usize {
        self.axes.len()
    }

    pub(crate) fn write(&mut self, var: u32, side: usize, position: u32, axis: Term) {
        if position >= self.room(var, side) || self.nodes.at(var).storage[side] == Storage::Shared {
            self.widen(var, side, position + 1);
        }
        let at = self.nodes.at(var).axes[side] + position;
        self.axes.set(at, axis);
    }

    /// Moves the axes of a flank to where there is room for more: for the whole flank when it is short.
    fn widen(&mut self, var: u32, side: usize, needed: u32) {
        let node = self.nodes.get(var);
        let before = room_of(&node, side);
        let room = needed
            .max(node.len[side].min(8))
            .max(before)
            .next_power_of_two();
        let start = self.axes.len() as u32;
        for position in 0..room {
            let axis = if position < before {
                self.axes.get(node.axes[side] + position)
            } else {
                Term::NONE
            };
            self.axes.push(axis);
        }
        let node = self.nodes.edit(var);
        node.axes[side] = start;
        node.room[side] = room.trailing_zeros() as u8 + 1;
        if node.storage[side] == Storage::Shared {
            node.storage[side] = Storage::Pinned;
        }
    }

    /// Lets a flank without axes have those of another row.
    pub(crate) fn share_storage(&mut self, from: u32, to: u32, side: usize) {
        let owner = self.nodes.get(from);
        if owner.storage[side] != Storage::Shared {
            self.nodes.edit(from).storage[side] = Storage::Shared;
        }
        let node = self.nodes.edit(to);
        (node.axes[side], node.room[side]) = (owner.axes[side], owner.room[side]);
        node.storage[side] = Storage::Shared;
    }

    /// Whether the axes of two flanks lie in one place.
    #[inline]
    pub(crate) fn shares_storage(&self, a: u32, b: u32, side: usize) -> bool {
        let place = |var: u32| {
            let node = self.nodes.at(var);
            (node.room[side] != 0).then_some(node.axes[side])
        };
        place(a).is_some() && place(a) == place(b)
    }

    pub(crate) fn each(&mut self, f: impl Fn(&mut dyn Journal)) {
        f(&mut self.nodes);
        f(&mut self.inequalities);
        f(&mut self.contents);
        f(&mut self.axes);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.nodes.bytes() + self.inequalities.bytes() + self.contents.bytes() + self.axes.bytes()
    }
}

fn room_of(node: &RowNode, side: usize) -> u32 {
    match node.room[side] {
        0 => 0,
        power => 1 << (power - 1),
    }
}

/// What can be taken back, whatever it holds.
pub(crate) trait Journal {
    fn snapshot(&mut self);
    fn rollback(&mut self);
    fn commit(&mut self);
    fn shrink(&mut self);
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
    fn shrink(&mut self) {
        Tracked::shrink(self);
    }
}
