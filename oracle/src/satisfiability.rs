//! `sat` and `core`.

use std::collections::BTreeSet;

use lozenge_vocabulary::{Constraint, ConstraintSet, DimVar, Ground, Verdict};

use crate::limits::{Clock, Reason};
use crate::oracle::Oracle;
use crate::scope::Scope;

/// Whether there is a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Satisfiability {
    /// There is this solution, which was checked against Def. 3.4.
    Sat(Ground),
    /// There is no solution, at any rank.
    Unsat,
    /// A limit was reached.
    Unknown(Reason),
}

impl Satisfiability {
    /// The answer as a verdict.
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
    /// Why it may not be subset-minimal. `None` if it is: every proper subset was shown to have a solution.
    pub doubt: Option<Reason>,
}

impl Oracle {
    /// Whether the set has a solution, and if so one solution.
    pub fn sat(&self, set: &ConstraintSet) -> Satisfiability {
        let clock = self.start();
        match self.solve(&clock, &Scope::of(set)) {
            Ok(Some(ground)) => Satisfiability::Sat(ground),
            Ok(None) => Satisfiability::Unsat,
            Err(reason) => Satisfiability::Unknown(reason),
        }
    }

    pub(crate) fn solve(&self, clock: &Clock, scope: &Scope<'_>) -> Result<Option<Ground>, Reason> {
        self.first(clock, scope, &[], false)
    }

    /// Constraints of an unsatisfiable set that are unsatisfiable together and none of which can be left out; `None` for a
    /// satisfiable set. Of several such cores it is the one that results from trying to leave out later constraints first.
    ///
    /// # Errors
    /// When it is not known whether the set has a solution. A limit that is reached later becomes a [`Core::doubt`].
    pub fn core(&self, set: &ConstraintSet) -> Result<Option<Core>, Reason> {
        let groups: Vec<Vec<usize>> = (0..set.constraints.len()).map(|k| vec![k]).collect();
        self.core_of_groups(&set.constraints, &groups, &set.summands)
    }

    /// The same for groups of constraints that are kept or left out together; the core consists of groups.
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
