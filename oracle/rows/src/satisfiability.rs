//! The questions `sat` and `core`: a solution of a set, and a subset-minimal part of an unsatisfiable set.

use std::collections::BTreeSet;

use lozenge_vocabulary::{Constraint, ConstraintSet, DimVar, Ground, RowTerm, Verdict};

use crate::limits::{Clock, Reason};
use crate::oracle::Oracle;
use crate::scope::Scope;

/// The answer to whether there is a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Satisfiability {
    /// A solution, which was checked against Def. 3.4.
    Sat(Ground),
    /// The set has no solution, at any rank.
    Unsat,
    /// A limit was reached.
    Unknown(Reason),
}

impl Satisfiability {
    /// Returns the answer as a verdict.
    pub fn verdict(&self) -> Verdict {
        match self {
            Satisfiability::Sat(_) => Verdict::Sat,
            Satisfiability::Unsat => Verdict::Unsat,
            Satisfiability::Unknown(_) => Verdict::Unknown,
        }
    }
}

/// Constraints that have no solution together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// Their indices in the set, ascending.
    pub constraints: Vec<usize>,
    /// The reason for which it may not be subset-minimal. `None` if it is: every proper subset was shown to have a
    /// solution.
    pub doubt: Option<Reason>,
}

/// The largest number of ways to cut the axes of rows side by side that are tried.
const CUTS: usize = 4096;

/// Returns the constraints for every way to cut the axes that rows side by side have: in each, each of the rows has its
/// part.
fn cuts(constraints: &[&Constraint]) -> Result<Vec<Vec<Constraint>>, Reason> {
    let mut cases: Vec<Vec<Constraint>> = vec![Vec::new()];
    for constraint in constraints {
        let Constraint::Flat(flat) = constraint else {
            for case in &mut cases {
                case.push((*constraint).clone());
            }
            continue;
        };
        let ways: Vec<Vec<usize>> = flat.cuts().take(CUTS + 1).collect();
        if ways.len().saturating_mul(cases.len()) > CUTS {
            return Err(Reason::Form(format!(
                "rows side by side whose axes can be cut in more than {CUTS} ways"
            )));
        }
        let with = |case: &Vec<Constraint>, cut: &Vec<usize>| {
            let starts = std::iter::once(0).chain(cut.iter().copied());
            let ends = cut.iter().copied().chain([flat.axes.len()]);
            let parts = flat.rows.iter().zip(starts.zip(ends));
            let parts = parts.map(|(row, (start, end))| {
                let part = RowTerm::closed(Vec::new(), flat.axes[start..end].to_vec());
                Constraint::RowEq(row.clone(), part)
            });
            case.iter().cloned().chain(parts).collect()
        };
        cases = cases
            .iter()
            .flat_map(|case| ways.iter().map(|cut| with(case, cut)).collect::<Vec<_>>())
            .collect();
    }
    Ok(cases)
}

impl Oracle {
    /// Tells whether the set has a solution, and if so finds one.
    pub fn sat(&self, set: &ConstraintSet) -> Satisfiability {
        let clock = self.start();
        match self.solve(&clock, &Scope::of(set)) {
            Ok(Some(ground)) => Satisfiability::Sat(ground),
            Ok(None) => Satisfiability::Unsat,
            Err(reason) => Satisfiability::Unknown(reason),
        }
    }

    pub(crate) fn solve(&self, clock: &Clock, scope: &Scope<'_>) -> Result<Option<Ground>, Reason> {
        let mut stated = scope.constraints.iter();
        if !stated.any(|stated| matches!(stated, Constraint::Flat(_))) {
            return self.first(clock, scope, &[], false);
        }
        let mut doubt = None;
        for case in cuts(&scope.constraints)? {
            let scope = Scope {
                constraints: case.iter().collect(),
                ..scope.clone()
            };
            match self.first(clock, &scope, &[], false) {
                Ok(Some(ground)) => return Ok(Some(ground)),
                Ok(None) => {}
                Err(reason) => doubt = doubt.or(Some(reason)),
            }
        }
        doubt.map_or(Ok(None), Err)
    }

    /// Finds constraints of an unsatisfiable set that are unsatisfiable together and none of which can be left out;
    /// `None` for a satisfiable set. Of several such cores it is the one that results from trying to leave out later
    /// constraints first.
    ///
    /// # Errors
    /// When it is not known whether the set has a solution. A limit that is reached later becomes a [`Core::doubt`].
    pub fn core(&self, set: &ConstraintSet) -> Result<Option<Core>, Reason> {
        let groups: Vec<Vec<usize>> = (0..set.constraints.len()).map(|k| vec![k]).collect();
        self.core_of_groups(&set.constraints, &groups, &set.summands)
    }

    /// Does the same for groups of constraints that are kept or left out together; the core consists of groups.
    pub(crate) fn core_of_groups(
        &self,
        constraints: &[Constraint],
        groups: &[Vec<usize>],
        summands: &BTreeSet<DimVar>,
    ) -> Result<Option<Core>, Reason> {
        let clock = self.start();
        let refuted = |chosen: &[usize]| -> Result<bool, Reason> {
            let members = chosen.iter().flat_map(|&group| &groups[group]);
            let scope = Scope {
                constraints: members.map(|&k| &constraints[k]).collect(),
                summands: summands.clone(),
                ..Scope::default()
            };
            Ok(self.solve(&clock, &scope)?.is_none())
        };
        let mut core = Core {
            constraints: (0..groups.len()).collect(),
            doubt: None,
        };
        if !refuted(&core.constraints)? {
            return Ok(None);
        }
        for candidate in (0..groups.len()).rev() {
            let mut rest = core.constraints.clone();
            rest.retain(|&group| group != candidate);
            match refuted(&rest) {
                Ok(true) => core.constraints = rest,
                Ok(false) => {}
                Err(reason) => core.doubt = Some(reason),
            }
        }
        Ok(Some(core))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::set;

    /// Counts the cases that the cuts of some rows side by side make; `None` if they are too many.
    fn cases(lines: &[String]) -> Option<usize> {
        let set = set(&lines.join("\n"));
        let stated: Vec<&Constraint> = set.constraints.iter().collect();
        cuts(&stated).ok().map(|cases| cases.len())
    }

    /// Two rows that have seven axes together have eight ways to share them, and 91 axes have 4,186 ways to belong to
    /// three rows.
    #[test]
    fn rows_side_by_side_are_cut_in_all_ways_unless_they_are_too_many() {
        let eight = |k: usize| format!("<r{k}> ++ <s{k}> ~ [2, 2, 2, 2, 2, 2, 2]");
        let pairs = |count: usize| (0..count).map(eight).collect::<Vec<String>>();
        assert_eq!(cases(&[]), Some(1));
        assert_eq!(cases(&pairs(1)), Some(8));
        assert_eq!(cases(&pairs(4)), Some(CUTS));
        let mut more = pairs(4);
        more.push("<t> ++ <u> ~ []".to_owned());
        assert_eq!(cases(&more), Some(CUTS));
        more.push("<t> ++ <v> ~ [2]".to_owned());
        assert_eq!(cases(&more), None);
        let axes = ["2"; 90].join(", ");
        assert_eq!(cases(&[format!("<r> ++ <s> ++ <t> ~ [{axes}]")]), None);
    }
}
