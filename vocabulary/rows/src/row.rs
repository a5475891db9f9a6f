//! §2: ground rows, expansion, the marked order, joins, flat content, and the rigid sort.

use crate::alignment::{Aligned, Flanks, aligned, joined, total};
use crate::dim::Dim;

/// A row: axes in front of the marker, what stands at the marker, and axes behind it.
///
/// The axes are of any kind, and so is what stands at the marker. `Row` without arguments is a ground row `l · ⋄ · r`
/// (Def. 2.1), whose axes are dimensions and at whose marker nothing stands; a [`RowTerm`](crate::RowTerm) is a row of
/// dimension terms that may have a row variable there. Equality is componentwise, so it sees the marker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row<A = Dim, M = ()> {
    /// The leading flank, from the front.
    pub leading: Vec<A>,
    /// The element at the marker.
    pub var: M,
    /// The trailing flank; its last axis is the last axis of the row.
    pub trailing: Vec<A>,
}

impl<A, M: Default> Default for Row<A, M> {
    fn default() -> Row<A, M> {
        Row {
            leading: Vec::new(),
            var: M::default(),
            trailing: Vec::new(),
        }
    }
}

impl<A, M> Row<A, M> {
    /// Returns the two flanks.
    pub fn flanks(&self) -> Flanks<'_, A> {
        [&self.leading, &self.trailing]
    }

    /// Returns the axes that are written out, in order.
    pub fn axes(&self) -> impl DoubleEndedIterator<Item = &A> + Clone {
        self.leading.iter().chain(&self.trailing)
    }

    /// Counts the axes that are written out: the rank, less the axes at the marker.
    pub fn explicit(&self) -> usize {
        total(self.flanks())
    }

    /// Aligns the row with another one at their outer edges.
    pub fn aligned<'a, N>(&'a self, other: &'a Row<A, N>) -> Aligned<'a, A> {
        aligned(self.flanks(), other.flanks())
    }
}

impl<A> Row<A> {
    /// Returns the row with these flanks.
    pub fn new(leading: Vec<A>, trailing: Vec<A>) -> Row<A> {
        Row {
            leading,
            var: (),
            trailing,
        }
    }

    /// Returns the number of axes.
    pub fn rank(&self) -> usize {
        self.explicit()
    }

    /// Returns the shorter flanks of two rows, with the axes that face each other joined (Prop. 2.7).
    pub fn joined(&self, other: &Row<A>, join: impl Fn(&A, &A) -> A) -> Row<A> {
        let [leading, trailing] = joined(self.flanks(), other.flanks(), join);
        Row::new(leading, trailing)
    }
}

impl<A: Clone> Row<A> {
    /// Returns the flat content `l · r` (Def. 2.9).
    pub fn flat(&self) -> Vec<A> {
        self.axes().cloned().collect()
    }
}

impl Row {
    /// Tells whether the rows are flat-equivalent, `≈` (Def. 2.9).
    pub fn flat_equivalent(&self, other: &Row) -> bool {
        self.axes().eq(other.axes())
    }

    /// Returns the expansion `R↑n` (Def. 2.2): units inserted at the marker up to rank `n`. `None` when `n` is below
    /// the rank.
    pub fn expansion(&self, n: usize) -> Option<Vec<Dim>> {
        let units = n.checked_sub(self.rank())?;
        let mut flat = self.leading.clone();
        flat.extend(std::iter::repeat_n(Dim::Unit, units));
        flat.extend_from_slice(&self.trailing);
        Some(flat)
    }

    /// Tells whether `self ⊑ other` in the marked row order (Def. 2.3): flanks fit, and pointwise refinement of the
    /// expansion.
    pub fn below(&self, other: &Row) -> bool {
        other.leading.len() <= self.leading.len()
            && other.trailing.len() <= self.trailing.len()
            && self.below_one_shot(other)
    }

    /// Tells whether `self ⊑¹ other` in the one-shot relation (Rem. 2.15(ii)): `flat(self)• ⊑ other`, which ignores the
    /// marker of `self`.
    pub fn below_one_shot(&self, other: &Row) -> bool {
        match other.expansion(self.rank()) {
            Some(upper) => self
                .flat()
                .iter()
                .zip(&upper)
                .all(|(low, high)| low.below(high)),
            None => false,
        }
    }

    /// Returns the least upper bound (Prop. 2.7): the shorter flanks, joined pointwise from the outer edges.
    pub fn join(&self, other: &Row) -> Row {
        self.joined(other, Dim::join)
    }

    /// Returns every row with this flat content, one for each place of the marker (Rem. 2.11).
    pub fn placements(flat: &[Dim]) -> impl Iterator<Item = Row> {
        (0..=flat.len()).map(|at| Row::new(flat[..at].to_vec(), flat[at..].to_vec()))
    }
}

/// A row of the two-sorted algebra (Def. 2.12).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TwoSorted {
    /// A row with a marker, which can still be broadcast to higher ranks.
    Marked(Row),
    /// A rigid row `F•`: a flat sequence with no marker.
    Rigid(Vec<Dim>),
}

impl TwoSorted {
    /// Returns the number of axes.
    pub fn rank(&self) -> usize {
        match self {
            TwoSorted::Marked(row) => row.rank(),
            TwoSorted::Rigid(flat) => flat.len(),
        }
    }

    /// Tells whether `self` is below `other` in the extended order (Def. 2.12, clauses (a) to (d)).
    pub fn below(&self, other: &TwoSorted) -> bool {
        let pointwise = |low: &[Dim], high: &[Dim]| low.iter().zip(high).all(|(a, b)| a.below(b));
        match (self, other) {
            (TwoSorted::Marked(low), TwoSorted::Marked(high)) => low.below(high),
            (TwoSorted::Rigid(low), TwoSorted::Rigid(high)) => {
                low.len() == high.len() && pointwise(low, high)
            }
            (TwoSorted::Rigid(low), TwoSorted::Marked(high)) => high
                .expansion(low.len())
                .is_some_and(|high| pointwise(low, &high)),
            (TwoSorted::Marked(_), TwoSorted::Rigid(_)) => false,
        }
    }
}
