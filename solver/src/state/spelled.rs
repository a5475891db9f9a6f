//! Rows spelled out, which equations compare and an engine keeps for the next equation.

use crate::ids::{RowVarId, room};
use crate::state::inferences::Reason;
use crate::term::Term;

/// A row spelled out as far as it is known, from both edges inward.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spelled {
    pub(crate) lead: Vec<Term>,
    /// From the last axis inward.
    pub(crate) trail: Vec<Term>,
    /// The open variable in the middle, if there is one.
    pub(crate) open: Option<RowVarId>,
    /// How far the declared place of the marker is from where the axes are split ([`RowNode::beyond`]); 0 for an open row.
    pub(crate) beyond: i8,
    pub(crate) reason: Option<Reason>,
}

impl Spelled {
    pub(crate) fn len(&self) -> usize {
        self.lead.len() + self.trail.len()
    }

    /// The bytes that its axes take.
    pub(crate) fn bytes(&self) -> usize {
        [room(&self.lead), room(&self.trail)].iter().sum()
    }

    /// The axes of a closed row.
    pub(crate) fn axes(&self) -> impl Iterator<Item = Term> {
        self.lead.iter().chain(self.trail.iter().rev()).copied()
    }

    /// The place that is declared for the marker of a closed row.
    pub(crate) fn declared(&self) -> i64 {
        (self.lead.len() as i64 + i64::from(self.beyond)).clamp(0, self.len() as i64)
    }

    /// The same, unless the axes are split there.
    pub(crate) fn declared_elsewhere(&self) -> Option<usize> {
        let place = self.declared() as usize;
        (self.open.is_none() && place != self.lead.len()).then_some(place)
    }

    /// How near to the middle of a closed row its marker is declared; of two equally near places the left one comes first.
    pub(crate) fn nearness(&self) -> (i64, i64) {
        let declared = self.declared();
        ((2 * declared - self.len() as i64).abs(), declared)
    }

    /// An axis of a closed row.
    pub(crate) fn axis(&self, at: usize) -> Term {
        match self.lead.get(at) {
            Some(term) => *term,
            None => self.trail[self.len() - 1 - at],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_of_both_sides_is_told() {
        let row = Spelled {
            lead: Vec::with_capacity(5),
            trail: Vec::with_capacity(7),
            ..Spelled::default()
        };
        assert_eq!(row.bytes(), 12 * size_of::<Term>());
    }
}
