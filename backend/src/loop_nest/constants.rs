//! Loop nests with constants: loop nests that store a number, and loop nests in which an operand is a number.

use lozenge_vocabulary::operation::Function;
use lozenge_vocabulary::projections::Index;

use super::{LoopNest, Slot};
use crate::arithmetic::first;
use crate::formula::with_number;

impl LoopNest {
    /// Returns the number that the loop nest stores in every cell, if it does nothing else.
    pub fn constant(&self) -> Option<f64> {
        match self.function {
            Function::Constant(number) => self.fills().then(|| self.stored(number)),
            _ => None,
        }
    }

    /// Tells whether the loop nest reads nothing, and stores in every cell.
    pub(super) fn fills(&self) -> bool {
        self.slots.len() == 1 && self.accumulator.erase && self.covers()
    }

    /// Returns the number that a plain write stores for a value.
    pub(super) fn stored(&self, value: f64) -> f64 {
        first(self.accumulator.combine, value)
    }

    /// Tells whether the operand of a slot can be replaced by a number if it holds that number everywhere: neither the
    /// points of the nest nor whether it can run depend on its indices.
    pub fn can_be_constant(&self, slot: usize) -> bool {
        let symbol = |index: &Index| matches!(index, Index::Symbol(_));
        let free = |slot: &Slot| slot.guarded.is_empty() && !slot.map.0.iter().any(symbol);
        slot > 0 && self.slots.get(slot).is_some_and(free)
    }

    /// Returns the loop nest without the operand of a slot, which holds this number everywhere. `None` if that operand
    /// [cannot be a constant](LoopNest::can_be_constant).
    pub fn with_constant(&self, slot: usize, number: f64) -> Option<LoopNest> {
        if !self.can_be_constant(slot) {
            return None;
        }
        let mut nest = self.clone();
        nest.function = with_number(&self.function, slot - 1, number)?;
        nest.slots.remove(slot);
        Some(nest)
    }

    /// Tells whether every point has a cell of its own, and every cell a point.
    fn covers(&self) -> bool {
        self.injective && self.surjective && !self.is_guarded()
    }
}
