//! The bound of a row variable (Def. 6.1(1)): the join of the ground parts of its caps, carried along the caps.
//!
//! A bare variable that nothing bounds is an adjacency (Def. 4.1), not a cap: it adds nothing to the bounds above it.
//! Inside a cap `l · ⟨σ⟩ · r` that has axes, such a variable stands for no further axes.

use std::collections::{BTreeMap, BTreeSet};

use crate::bounds::Bounds;
use crate::cause::Cause;
use crate::firing::Fresh;
use lozenge_vocabulary::alignment::Flank;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::term::{DimTerm, RowTerm, RowVar, Var};

/// A partial row: at each position the join of the caps there, or `None` for a hole (Prop. 6.5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartialRow(Row<Option<Dim>>);

impl PartialRow {
    /// Returns the join of Prop. 2.7, in which a known axis takes precedence over a hole.
    fn join(&self, other: &PartialRow) -> PartialRow {
        PartialRow(self.0.joined(&other.0, join_axes))
    }

    /// Returns the partial row of a cap `l · ⟨σ⟩ · r` where `σ` is at least `inner`. An axis that is a variable is at
    /// least the atom recorded below it.
    fn around(bounds: &Bounds, cap: &RowTerm, inner: &PartialRow) -> PartialRow {
        let axis = |term: &DimTerm| match term {
            DimTerm::Const(dim) => Some(dim.clone()),
            DimTerm::Var(var) => bounds.lower_bound(var).map(|(atom, _)| atom.clone()),
        };
        let leading = cap
            .leading
            .iter()
            .map(axis)
            .chain(inner.0.leading.iter().cloned());
        let trailing = inner
            .0
            .trailing
            .iter()
            .cloned()
            .chain(cap.trailing.iter().map(axis));
        PartialRow(Row::new(leading.collect(), trailing.collect()))
    }

    /// Tells whether another cap can still raise the axis at a position, counted from the outer edge: the axis exists
    /// and is not the top.
    pub fn can_rise(&self, flank: Flank, at: usize) -> bool {
        let axis = match flank {
            Flank::Leading => self.0.leading.get(at),
            Flank::Trailing => self.0.trailing.iter().rev().nth(at),
        };
        axis.is_some_and(|axis| *axis != Some(Dim::Unit))
    }

    /// Tells whether some position is a hole.
    pub fn has_hole(&self) -> bool {
        self.0.axes().any(Option::is_none)
    }

    /// Returns the row, with a fresh dimension variable in each hole.
    pub fn term(&self, row: &RowVar, fresh: &mut Fresh) -> RowTerm {
        let mut flank = |axes: &[Option<Dim>]| {
            let axis = |dim: &Option<Dim>| match dim {
                Some(dim) => dim.clone().into(),
                None => fresh.dim(row.name()).into(),
            };
            axes.iter().map(axis).collect()
        };
        let leading = flank(&self.0.leading);
        RowTerm::closed(leading, flank(&self.0.trailing))
    }
}

fn join_axes(a: &Option<Dim>, b: &Option<Dim>) -> Option<Dim> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(b)),
        (known, None) | (None, known) => known.clone(),
    }
}

/// Returns the row variable of a cap that consists of nothing else.
fn bare(cap: &RowTerm) -> Option<&RowVar> {
    cap.var.as_ref().filter(|_| cap.explicit() == 0)
}

/// Returns the bound of each row variable that has one.
///
/// A variable in a cap stands for its own bound, so bounds are computed from below (Rem. 6.3). On a cycle of caps a
/// bound would depend on itself, as that of `⟨r⟩` does in `[1_ <r>] <= <r>`. Where nothing outside the cycle bounds its
/// rows, the computation starts from those of their caps that have axes, and takes the cycle's variables in them to
/// have no axes. Joins only shorten flanks and raise axes, so the fixpoint is reached and does not depend on the order.
pub fn row_bounds(bounds: &Bounds) -> BTreeMap<RowVar, PartialRow> {
    let bounded = bounded(bounds);
    let mut rows = BTreeMap::new();
    loop {
        forward(bounds, &mut rows, &bounded);
        let missing = bounded.iter().filter(|row| !rows.contains_key(**row));
        let missing: Vec<Var> = missing.map(|row| Var::Row((*row).clone())).collect();
        let begun = bounds.lowest(&missing, |_, _, _| true);
        let begun: Vec<(RowVar, PartialRow)> = begun
            .into_iter()
            .filter_map(|row| match row {
                Var::Row(row) => begin(bounds, &rows, &row).map(|bound| (row, bound)),
                Var::Dim(_) => None,
            })
            .collect();
        if begun.is_empty() {
            return rows;
        }
        rows.extend(begun);
    }
}

/// Returns the join of those caps of a row that are more than a bare variable. A variable without a bound stands for no
/// axes in them.
fn begin(bounds: &Bounds, rows: &BTreeMap<RowVar, PartialRow>, row: &RowVar) -> Option<PartialRow> {
    let caps = bounds
        .caps()
        .filter(|(cap, high, _)| *high == row && bare(cap).is_none());
    let ground = caps.map(|(cap, ..)| {
        let inner = cap.var.as_ref().and_then(|low| rows.get(low)).cloned();
        PartialRow::around(bounds, cap, &inner.unwrap_or_default())
    });
    ground.reduce(|a, b| a.join(&b))
}

/// Returns the rows that have a bound. A cap with axes, or without a variable, is a bound; a cap that is only a
/// variable is one if the row of this variable has a bound.
fn bounded(bounds: &Bounds) -> BTreeSet<&RowVar> {
    let mut bounded = BTreeSet::new();
    loop {
        let before = bounded.len();
        for (cap, high, _) in bounds.caps() {
            if bare(cap).is_none_or(|low| bounded.contains(low)) {
                bounded.insert(high);
            }
        }
        if bounded.len() == before {
            return bounded;
        }
    }
}

/// Joins caps into the bounds of rows until nothing changes. In a cap with axes, a variable that will have no bound
/// counts as the empty row. If the variable will have a bound, the cap is skipped until this bound is known.
fn forward(bounds: &Bounds, rows: &mut BTreeMap<RowVar, PartialRow>, bounded: &BTreeSet<&RowVar>) {
    let mut changed = true;
    while changed {
        changed = false;
        for (cap, high, _) in bounds.caps() {
            let inner = match &cap.var {
                None => Some(PartialRow::default()),
                Some(low) if bare(cap).is_none() && !bounded.contains(low) => {
                    Some(PartialRow::default())
                }
                Some(low) => rows.get(low).cloned(),
            };
            let Some(inner) = inner else { continue };
            let cap = PartialRow::around(bounds, cap, &inner);
            let joined = rows.get(high).map_or(cap.clone(), |known| known.join(&cap));
            if rows.get(high) != Some(&joined) {
                rows.insert(high.clone(), joined);
                changed = true;
            }
        }
    }
}

/// Returns the cause of a row's bound: those of its caps, and of the caps of the rows on which these depend.
pub fn behind(bounds: &Bounds, rows: &BTreeMap<RowVar, PartialRow>, row: &RowVar) -> Cause {
    let mut cause = Cause::default();
    let mut seen = BTreeSet::from([row]);
    let mut work = vec![row];
    while let Some(row) = work.pop() {
        for (cap, _, why) in bounds.caps().filter(|(_, high, _)| *high == row) {
            if bare(cap).is_some_and(|low| !rows.contains_key(low)) {
                continue;
            }
            cause.join(why);
            for axis in cap.axes() {
                if let DimTerm::Var(var) = axis
                    && let Some((_, why)) = bounds.lower_bound(var)
                {
                    cause.join(why);
                }
            }
            work.extend(cap.var.as_ref().filter(|low| seen.insert(*low)));
        }
    }
    cause
}
