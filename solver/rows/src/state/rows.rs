//! Row variables: what is known of each flank, what is known of the content between, and the constraints on it.
//!
//! A flank has a length and axes. The *length* is the least that the inequalities allow. The *axes*, from the outer
//! edge inward, are dimension terms. An axis on which only the inequality bears that required it has no term of its
//! own: it is not *materialised*, and is looked up in the operand of that inequality. So a chain of rows, each one axis
//! longer than the next, takes linear space.

use crate::ids::{ContentId, Id, InequalityId, RowTermId, RowVarId, WatchId};
use crate::state::inferences::Reason;
use crate::term::Term;
use crate::tracked::Tracked;
use lozenge_vocabulary::alignment::{Flank, PerFlank};
use rustc_hash::FxHashMap;

/// For each row without a name the one with a name in which it is the middle.
pub(crate) type Middles = FxHashMap<RowVarId, RowVarId>;

/// The value of a row variable between its known flanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// Nothing.
    Open,
    /// There is nothing: the row is closed.
    Closed,
    /// Its flat content, by number; where the marker stands is open.
    Content(ContentId),
    /// The variable of that content stands at the marker.
    Alias(ContentId),
}

/// The owner of the storage of a flank's axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// The row alone.
    Owned,
    /// The row alone, and the reason for the length is also the reason for the axes.
    Pinned,
    /// As `Pinned`, but perhaps shared with another row: copied before an axis is added.
    Shared,
}

/// The time at which the axes of a row get terms of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// Only if something else than an inequality bears on them.
    Never,
    /// At a comparison: more than one inequality has the row in the result.
    WhenCompared,
    /// As soon as they exist.
    Always,
}

/// Some of the two sides of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sides(u8);

impl Sides {
    pub(crate) fn with(self, flank: Flank) -> Sides {
        Sides(self.0 | 1 << flank as u8)
    }

    pub(crate) fn has(self, flank: Flank) -> bool {
        self.0 & 1 << flank as u8 != 0
    }
}

/// The distance of a row that a choice has emptied: where it stands is a choice as well, and declares nothing of other
/// rows.
pub(crate) const UNDECLARED: i8 = i8::MIN;

/// A row variable. One line of the cache holds it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct RowNode {
    /// The least number of leading and trailing axes.
    pub(crate) len: PerFlank<u32>,
    /// The beginning of the axes of each flank in the arena.
    axes: PerFlank<u32>,
    /// The capacity of each flank: none for 0, else two to the power of one less.
    room: PerFlank<u8>,
    pub(crate) storage: PerFlank<Storage>,
    pub(crate) binding: Binding,
    /// The reason for the length of each flank.
    pub(crate) length_reasons: PerFlank<Option<Reason>>,
    /// The reason for the axes, where an equation determines them.
    pub(crate) fixed: Option<Reason>,
    /// The reason for the flat content once the marker is placed. The placement has no part in it.
    pub(crate) flat: Option<Reason>,
    /// The first inequality with this variable in the result.
    pub(crate) results: Option<InequalityId>,
    /// The first inequality with this variable in the operand.
    pub(crate) operands: Option<InequalityId>,
    /// The first deferred equation on it.
    pub(crate) watchers: Option<WatchId>,
    /// The round in which the inequalities with it in the result were last searched.
    pub(crate) searched: u32,
    /// The time at which its axes get terms.
    pub(crate) written: Written,
    /// Above the rank of every variable that became an alias of it, as in a union-find forest.
    pub(crate) height: u8,
    /// The sides on which the row that this one is the middle of has axes, since inequalities ask for them.
    pub(crate) inside: Sides,
    /// The distance of the declared place of the marker from its closed content: negative before it, positive behind
    /// it. At most as far as the type reaches, and [`UNDECLARED`] where none was declared.
    pub(crate) beyond: i8,
}

impl RowNode {
    /// Says whether no axis has a term, and none needs one.
    pub(crate) fn is_unmaterialised(&self) -> bool {
        self.room == PerFlank::both(0) && self.written == Written::Never
    }

    /// Returns the sides on which inequalities ask for axes of an open row, or of one that it is the middle of.
    pub(crate) fn asked(&self) -> Sides {
        let own = Flank::BOTH.into_iter().filter(|flank| self.len[*flank] > 0);
        own.fold(self.inside, Sides::with)
    }
}

/// `left ⊑ right` between rows; `row` is the left one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inequality {
    pub(crate) row: RowTermId,
    pub(crate) reason: Reason,
    /// The variables of both sides.
    pub(crate) left: Option<RowVarId>,
    pub(crate) right: Option<RowVarId>,
    /// The numbers of axes that the right side writes out beyond those of the left one, for each flank.
    pub(crate) surplus: PerFlank<i32>,
    /// The left side is a variable alone.
    pub(crate) is_variable: bool,
    /// The work lists that it is in.
    pub(crate) due: u8,
    /// The numbers of positions of each flank that have been compared.
    pub(crate) done: PerFlank<u32>,
    pub(crate) next_result: Option<InequalityId>,
    pub(crate) next_operand: Option<InequalityId>,
}

/// The flat content of a row variable between its known flanks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    /// The row in the problem; where it is split is what a placement inherits.
    pub(crate) row: RowTermId,
    /// None for an alias, which is another name.
    pub(crate) reason: Option<Reason>,
}

/// All row variables, and the constraints on them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) nodes: Tracked<RowVarId, RowNode>,
    pub(crate) inequalities: Tracked<InequalityId, Inequality>,
    pub(crate) contents: Tracked<ContentId, Content>,
    /// True if a row with a known content has had axes, its own or those of its content. As long as none has, a row
    /// whose content is known is just another name.
    pub(crate) are_axes_held: bool,
    /// The terms of axes, where they have one.
    axes: Tracked<u32, Option<Term>>,
}

impl Rows {
    /// Makes room for every variable below `len`.
    pub(crate) fn grow(&mut self, len: usize) {
        self.nodes.grow(len, |_| RowNode {
            len: PerFlank::both(0),
            axes: PerFlank::both(0),
            room: PerFlank::both(0),
            storage: PerFlank::both(Storage::Owned),
            binding: Binding::Open,
            length_reasons: PerFlank::both(None),
            fixed: None,
            flat: None,
            results: None,
            operands: None,
            watchers: None,
            searched: 0,
            written: Written::Never,
            height: 0,
            inside: Sides::default(),
            beyond: 0,
        });
    }

    /// Says whether a variable has been entered. One that was first mentioned after the last solve has not.
    pub(crate) fn knows(&self, var: RowVarId) -> bool {
        var.index() < self.nodes.len()
    }

    /// Returns the term of an axis, if it has one.
    #[inline]
    pub(crate) fn axis(&self, var: RowVarId, flank: Flank, position: u32) -> Option<Term> {
        let node = self.nodes.at(var);
        if position >= room_of(node, flank) {
            return None;
        }
        self.axes.get(node.axes[flank] + position)
    }

    /// Says that the axes of a variable get terms as soon as they exist.
    #[inline]
    pub(crate) fn materialise(&mut self, var: RowVarId) {
        if self.nodes.at(var).written != Written::Always {
            self.nodes.edit(var).written = Written::Always;
        }
    }

    /// Returns the axes of a flank, from the outer edge, as far as there is room for terms.
    #[inline]
    pub(crate) fn storage_of(&self, var: RowVarId, flank: Flank) -> &[Option<Term>] {
        let node = self.nodes.at(var);
        let start = node.axes[flank] as usize;
        let len = node.len[flank].min(room_of(node, flank)) as usize;
        &self.axes.as_slice()[start..start + len]
    }

    /// Returns the axes of a flank that have been written, from the outer edge.
    pub(crate) fn axes_of(&self, var: RowVarId, flank: Flank) -> impl Iterator<Item = Term> {
        self.storage_of(var, flank).iter().flatten().copied()
    }

    /// Returns the capacity of a flank: axes further in have no terms.
    #[inline]
    pub(crate) fn room(&self, var: RowVarId, flank: Flank) -> u32 {
        room_of(self.nodes.at(var), flank)
    }

    /// Counts the places for axes.
    pub(crate) fn places(&self) -> usize {
        self.axes.len()
    }

    pub(crate) fn write(&mut self, var: RowVarId, flank: Flank, position: u32, axis: Term) {
        if position >= self.room(var, flank) || self.nodes.at(var).storage[flank] == Storage::Shared
        {
            self.widen(var, flank, position + 1);
        }
        let at = self.nodes.at(var).axes[flank] + position;
        self.axes.set(at, Some(axis));
    }

    /// Moves the axes of a flank to a place with a larger capacity; a short flank gets room for all of its axes.
    fn widen(&mut self, var: RowVarId, flank: Flank, needed: u32) {
        let node = self.nodes.get(var);
        let before = room_of(&node, flank);
        let room = needed
            .max(node.len[flank].min(8))
            .max(before)
            .next_power_of_two();
        let start = self.axes.len() as u32;
        for position in 0..room {
            let axis = if position < before {
                self.axes.get(node.axes[flank] + position)
            } else {
                None
            };
            self.axes.push(axis);
        }
        let node = self.nodes.edit(var);
        node.axes[flank] = start;
        node.room[flank] = room.trailing_zeros() as u8 + 1;
        if node.storage[flank] == Storage::Shared {
            node.storage[flank] = Storage::Pinned;
        }
    }

    /// Lets a flank without axes share the storage of another row's.
    pub(crate) fn share_storage(&mut self, from: RowVarId, to: RowVarId, flank: Flank) {
        let owner = self.nodes.get(from);
        if owner.storage[flank] != Storage::Shared {
            self.nodes.edit(from).storage[flank] = Storage::Shared;
        }
        let node = self.nodes.edit(to);
        (node.axes[flank], node.room[flank]) = (owner.axes[flank], owner.room[flank]);
        node.storage[flank] = Storage::Shared;
    }

    /// Says whether two flanks share their storage.
    #[inline]
    pub(crate) fn shares_storage(&self, a: RowVarId, b: RowVarId, flank: Flank) -> bool {
        let place = |var: RowVarId| {
            let node = self.nodes.at(var);
            (node.room[flank] != 0).then_some(node.axes[flank])
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
        let tables = [
            self.nodes.bytes(),
            self.inequalities.bytes(),
            self.contents.bytes(),
            self.axes.bytes(),
        ];
        tables.iter().sum()
    }
}

fn room_of(node: &RowNode, flank: Flank) -> u32 {
    match node.room[flank] {
        0 => 0,
        power => 1 << (power - 1),
    }
}

/// Snapshots and rollback of a table, independent of its element type.
pub(crate) trait Journal {
    fn snapshot(&mut self);
    fn rollback(&mut self);
    fn commit(&mut self);
    fn shrink(&mut self);
}

impl<I: Id, T: Copy> Journal for Tracked<I, T> {
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
