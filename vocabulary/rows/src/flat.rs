//! Rows side by side that have exactly some axes (§8): `<r> ++ <s> ~ [3, 5]`.

use crate::dim::Dim;
use crate::row::Row;
use crate::term::{DimTerm, RowTerm, Var};

/// `<r> ++ <s> ~ [3, 5]`: the axes of the rows, one row after the other, are these axes. Markers are unseen. `T` is the
/// representation of an axis, `R` that of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flat<T = DimTerm, R = RowTerm> {
    /// The rows, in order: two or more.
    pub rows: Vec<R>,
    /// Their axes together.
    pub axes: Vec<T>,
}

impl<T, R> Flat<T, R> {
    /// Returns the concatenation over other axes and rows.
    pub fn map<U, S>(&self, dim: impl FnMut(&T) -> U, row: impl FnMut(&R) -> S) -> Flat<U, S> {
        Flat {
            rows: self.rows.iter().map(row).collect(),
            axes: self.axes.iter().map(dim).collect(),
        }
    }
}

impl Flat {
    /// Returns every axis that is written, from left to right.
    pub fn written(&self) -> impl Iterator<Item = &DimTerm> {
        self.rows.iter().flat_map(RowTerm::axes).chain(&self.axes)
    }

    /// Returns every occurrence of a variable, from left to right; the row variable of a row comes after its axes.
    pub fn occurrences(&self) -> Vec<Var> {
        let rows = self.rows.iter().flat_map(RowTerm::occurrences);
        rows.chain(self.axes.iter().filter_map(DimTerm::var))
            .collect()
    }

    /// Tells whether it holds of the values of its terms; `None` when a term has no value.
    pub fn holds(
        &self,
        dim: impl Fn(&DimTerm) -> Option<Dim>,
        row: impl Fn(&RowTerm) -> Option<Row>,
    ) -> Option<bool> {
        let rows: Option<Vec<Row>> = self.rows.iter().map(row).collect();
        let axes: Option<Vec<Dim>> = self.axes.iter().map(dim).collect();
        let side_by_side: Vec<Dim> = rows?.iter().flat_map(Row::flat).collect();
        Some(side_by_side == axes?)
    }

    /// Returns the ways to cut the axes into as many parts as there are rows: for each, where the parts after the first
    /// begin. They come in the order of the first difference, fewer axes in front first.
    pub fn cuts(&self) -> Cuts {
        Cuts {
            axes: self.axes.len(),
            next: Some(vec![0; self.rows.len().saturating_sub(1)]),
        }
    }
}

/// The ways to cut axes into parts: [`Flat::cuts`].
#[derive(Clone, Debug)]
pub struct Cuts {
    axes: usize,
    next: Option<Vec<usize>>,
}

impl Iterator for Cuts {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let cut = self.next.take()?;
        let last = cut.iter().rposition(|at| *at < self.axes);
        self.next = last.map(|last| {
            let mut next = cut.clone();
            let at = next[last] + 1;
            next[last..].fill(at);
            next
        });
        Some(cut)
    }
}

#[cfg(test)]
mod tests {
    use super::Flat;
    use crate::term::RowTerm;

    #[test]
    fn every_cut_comes_once() {
        let of = |rows: usize, axes: usize| Flat {
            rows: vec![RowTerm::default(); rows],
            axes: vec![crate::Dim::Unit.into(); axes],
        };
        let cuts: Vec<Vec<usize>> = of(2, 2).cuts().collect();
        assert_eq!(cuts, [[0], [1], [2]]);
        let cuts: Vec<Vec<usize>> = of(3, 1).cuts().collect();
        assert_eq!(cuts, [[0, 0], [0, 1], [1, 1]]);
        // 5 axes and 3 bars in any order.
        assert_eq!(of(4, 5).cuts().count(), 56);
        assert_eq!(of(1, 5).cuts().count(), 1);
    }
}
