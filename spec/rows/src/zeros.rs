//! §8: variables that may be 0. The document has no rules for them; a run considers each way in which some of them
//! are 0.
//!
//! 0 is equal to and below itself alone, so it is shared along `=` and `<=`. A variable is present, which is not 0,
//! when it is not declared a summand, when it stands where only a dimension may stand, or when it shares with something
//! present. Variables that are not present by these rules are undetermined: they fall into groups of variables that
//! share, and of each group all are 0 or none is.

use std::collections::BTreeSet;

use lozenge_vocabulary::composite::Composition;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::term::{DimTerm, DimVar, Var};

/// The largest number of groups that are considered, since each of their subsets is a run.
const GROUPS: usize = 10;

/// The set in which some variables are 0.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The variables that are 0.
    pub zeros: BTreeSet<DimVar>,
    /// The constraints that dimensions are left to satisfy, one for each constraint of the input.
    pub set: ConstraintSet,
}

/// Returns the two sides of a constraint that shares 0.
fn shares(constraint: &Constraint) -> Option<[&DimTerm; 2]> {
    match constraint {
        Constraint::DimEq(a, b) | Constraint::DimLe(a, b) => Some([a, b]),
        _ => None,
    }
}

/// Returns the parts of a concatenation.
fn parts(constraint: &Constraint) -> &[DimTerm] {
    match constraint {
        Constraint::Composite(of) if of.composition == Composition::Concat => &of.parts,
        _ => &[],
    }
}

/// Returns the variables that are not 0 in any solution.
fn present(set: &ConstraintSet) -> BTreeSet<DimVar> {
    let dim = |var: Var| match var {
        Var::Dim(var) => Some(var),
        Var::Row(_) => None,
    };
    let mut found: BTreeSet<DimVar> = set.vars().into_iter().filter_map(dim).collect();
    found.retain(|var| !set.summands.contains(var));
    for constraint in &set.constraints {
        match constraint {
            Constraint::Composite(of) if of.composition == Composition::Concat => {
                found.extend(of.whole.var().and_then(dim));
            }
            _ if shares(constraint).is_some() => {}
            _ => found.extend(constraint.occurrences().into_iter().filter_map(dim)),
        }
    }
    let is_present = |term: &DimTerm, found: &BTreeSet<DimVar>| match term {
        DimTerm::Const(_) => true,
        DimTerm::Var(var) => found.contains(var),
    };
    loop {
        let before = found.len();
        for [a, b] in set.constraints.iter().filter_map(shares) {
            if is_present(a, &found) || is_present(b, &found) {
                found.extend([a, b].into_iter().filter_map(DimTerm::var).filter_map(dim));
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Returns the groups of variables that share and are undetermined, of which at least one is a part of a concatenation.
/// The zeros of the other groups make no difference to anything.
fn groups(set: &ConstraintSet) -> Vec<BTreeSet<DimVar>> {
    let present = present(set);
    let mut groups: Vec<BTreeSet<DimVar>> = Vec::new();
    for var in set.constraints.iter().flat_map(parts) {
        let DimTerm::Var(var) = var else { continue };
        if present.contains(var) || groups.iter().any(|group| group.contains(var)) {
            continue;
        }
        let mut group = BTreeSet::from([var.clone()]);
        loop {
            let before = group.len();
            for sides in set.constraints.iter().filter_map(shares) {
                let vars: Vec<&DimVar> = sides
                    .into_iter()
                    .filter_map(|side| match side {
                        DimTerm::Var(var) => Some(var),
                        DimTerm::Const(_) => None,
                    })
                    .collect();
                if vars.iter().any(|var| group.contains(*var)) {
                    group.extend(vars.into_iter().cloned());
                }
            }
            if group.len() == before {
                break;
            }
        }
        groups.push(group);
    }
    groups
}

/// Returns the rest of a set in which these variables are 0; `None` where a concatenation has no part left, since its
/// whole is an atom.
fn left(set: &ConstraintSet, zeros: &BTreeSet<DimVar>) -> Option<ConstraintSet> {
    let is_zero = |term: &DimTerm| matches!(term, DimTerm::Var(var) if zeros.contains(var));
    let unit = || DimTerm::Const(Dim::Unit);
    let mut left = set.clone();
    for constraint in &mut left.constraints {
        if shares(constraint).is_some_and(|sides| sides.into_iter().any(is_zero)) {
            // All of a group is 0, and 0 = 0 and 0 <= 0 hold.
            *constraint = Constraint::DimEq(unit(), unit());
        } else if let Constraint::Composite(of) = constraint {
            of.parts.retain(|part| !is_zero(part));
            if of.parts.is_empty() {
                return None;
            }
        }
    }
    left.tags
        .retain(|var, _| !matches!(var, Var::Dim(var) if zeros.contains(var)));
    left.summands.retain(|var| !zeros.contains(var));
    Some(left)
}

/// Returns every way in which some variables are 0, those with the fewest groups of zeros first. `None` when there are
/// too many.
pub fn choices(set: &ConstraintSet) -> Option<Vec<Choice>> {
    let groups = groups(set);
    if groups.len() > GROUPS {
        return None;
    }
    let mut subsets: Vec<usize> = (0..1 << groups.len()).collect();
    subsets.sort_by_key(|subset: &usize| subset.count_ones());
    let choice = |subset: usize| {
        let chosen = groups.iter().enumerate();
        let chosen = chosen.filter(|(at, _)| subset >> at & 1 == 1);
        let zeros: BTreeSet<DimVar> = chosen.flat_map(|(_, group)| group).cloned().collect();
        Some(Choice {
            set: left(set, &zeros)?,
            zeros,
        })
    };
    Some(subsets.into_iter().filter_map(choice).collect())
}
