//! Rows spelled out, which equations compare and an engine keeps for the next equation.

use crate::ids::{RowVarId, room};
use crate::state::inferences::Reason;
use crate::state::rows::UNDECLARED;
use crate::term::Term;

/// A row spelled out as far as it is known, from both edges inward.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expanded {
    pub(crate) lead: Vec<Term>,
    /// From the last axis inward.
    pub(crate) trail: Vec<Term>,
    /// The open variable in the middle, if there is one.
    pub(crate) open: Option<RowVarId>,
    /// The distance of the declared place of the marker from where the axes are split ([`RowNode::beyond`]); 0 for an
    /// open row.
    pub(crate) beyond: i8,
    /// True if no place is declared, but only chosen.
    pub(crate) is_undeclared: bool,
    pub(crate) reason: Option<Reason>,
}

impl Expanded {
    pub(crate) fn len(&self) -> usize {
        self.lead.len() + self.trail.len()
    }

    /// Returns the bytes that its axes take.
    pub(crate) fn bytes(&self) -> usize {
        [room(&self.lead), room(&self.trail)].iter().sum()
    }

    /// Returns the axes of a closed row.
    pub(crate) fn axes(&self) -> impl Iterator<Item = Term> {
        self.lead.iter().chain(self.trail.iter().rev()).copied()
    }

    /// Returns the place that is declared for the marker of a closed row.
    pub(crate) fn declared(&self) -> i64 {
        (self.lead.len() as i64 + i64::from(self.beyond)).clamp(0, self.len() as i64)
    }

    /// Returns the distance of that place from another one, also where the row does not reach so far.
    pub(crate) fn beyond_from(&self, place: usize) -> i8 {
        let declared = self.lead.len() as i64 + i64::from(self.beyond);
        reach(declared - place as i64)
    }

    /// Measures how near to the middle of a part of a closed row its marker is declared, a part without so many axes in
    /// front and behind; of two equally near places the left one comes first, and all before a place that is only
    /// chosen.
    pub(crate) fn nearness(&self, [front, behind]: [i64; 2]) -> (bool, i64, i64) {
        let end = (self.len() as i64 - behind).max(front);
        let declared = self.declared().clamp(front, end);
        let distance = (2 * declared - front - end).abs();
        (self.is_undeclared, distance, declared)
    }

    /// Notes what a row in which this one ends says of the place of the marker.
    pub(crate) fn declare(&mut self, beyond: i8) {
        self.is_undeclared = beyond == UNDECLARED;
        self.beyond = if self.is_undeclared { 0 } else { beyond };
    }

    /// Returns an axis of a closed row.
    pub(crate) fn axis(&self, at: usize) -> Term {
        match self.lead.get(at) {
            Some(term) => *term,
            None => self.trail[self.len() - 1 - at],
        }
    }
}

/// Returns a distance as far as a node can hold it.
pub(crate) fn reach(distance: i64) -> i8 {
    distance.clamp((UNDECLARED + 1).into(), i8::MAX.into()) as i8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_of_both_sides_is_told() {
        let row = Expanded {
            lead: Vec::with_capacity(5),
            trail: Vec::with_capacity(7),
            ..Expanded::default()
        };
        assert_eq!(row.bytes(), 12 * size_of::<Term>());
    }
}
