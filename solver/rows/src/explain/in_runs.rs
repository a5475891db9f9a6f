//! A solution whose rows are too long to be spelled out: axes that follow each other and are equal are one run.

use std::collections::BTreeMap;
use std::fmt;

use lozenge_vocabulary::Dim;
use serde::{Deserialize, Serialize};

/// So many equal axes.
pub type AxisRun = (Dim, u64);

/// A row in runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowInRuns {
    /// The axes in front of the marker.
    pub leading: Vec<AxisRun>,
    /// The axes behind it.
    pub trailing: Vec<AxisRun>,
}

/// The values of all variables, which are written as in the notation; rows in runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InRuns {
    /// The values of dimension variables.
    pub dims: BTreeMap<String, Dim>,
    /// The values of row variables.
    pub rows: BTreeMap<String, RowInRuns>,
}

impl RowInRuns {
    /// Returns a row from its axes that are not the unit, by the places where they begin and end, in order.
    pub(crate) fn new(
        [leading, trailing]: [i64; 2],
        atoms: impl Iterator<Item = (i64, i64, Dim)>,
    ) -> RowInRuns {
        let mut row = RowInRuns::default();
        let mut free = 0;
        for (from, until, dim) in atoms {
            row.add((free, from), &Dim::Unit, leading);
            row.add((from, until), &dim, leading);
            free = until;
        }
        row.add((free, leading + trailing), &Dim::Unit, leading);
        row
    }

    /// Adds the axes from one place to another, those before `marker` to the leading ones.
    fn add(&mut self, (from, until): (i64, i64), dim: &Dim, marker: i64) {
        let parts = [
            (&mut self.leading, from, until.min(marker)),
            (&mut self.trailing, from.max(marker), until),
        ];
        for (axes, from, until) in parts {
            if from < until {
                axes.push((dim.clone(), (until - from).unsigned_abs()));
            }
        }
    }
}

/// As in the notation, with `3 × 1048576` for so many axes `3`.
impl fmt::Display for RowInRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = |axes: &[AxisRun]| {
            let run = |(dim, count): &AxisRun| match count {
                1 => dim.to_string(),
                _ => format!("{dim} × {count}"),
            };
            axes.iter().map(run).collect::<Vec<String>>().join(", ")
        };
        let (leading, trailing) = (axes(&self.leading), axes(&self.trailing));
        match (leading.is_empty(), trailing.is_empty()) {
            (true, _) => write!(f, "[{trailing}]"),
            (false, true) => write!(f, "[{leading} <>]"),
            (false, false) => write!(f, "[{leading} <> {trailing}]"),
        }
    }
}

/// One variable with its value a line.
impl fmt::Display for InRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut dims = self.dims.iter();
        dims.try_for_each(|(var, dim)| writeln!(f, "{var} = {dim}"))?;
        let mut rows = self.rows.iter();
        rows.try_for_each(|(var, row)| writeln!(f, "{var} ~ {row}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_divided_at_the_marker() {
        let three = Dim::new(3).unwrap_or(Dim::Unit);
        let row = |lengths, runs: &[(i64, i64)]| {
            let atoms = runs
                .iter()
                .map(|(from, until)| (*from, *until, three.clone()));
            RowInRuns::new(lengths, atoms).to_string()
        };
        assert_eq!(row([0, 0], &[]), "[]");
        assert_eq!(row([0, 5], &[(0, 5)]), "[3 × 5]");
        assert_eq!(row([2, 3], &[(0, 5)]), "[3 × 2 <> 3 × 3]");
        assert_eq!(row([5, 0], &[(1, 2), (4, 5)]), "[1_, 3, 1_ × 2, 3 <>]");
        assert_eq!(row([1, 3], &[(2, 3)]), "[1_ <> 1_, 3, 1_]");
    }
}
