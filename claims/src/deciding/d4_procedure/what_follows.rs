//! The constraints that complete mode says to follow from a set, against all small solutions.

use lozenge_solver::{Entailment, Options, Problem, Solver};
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_testkit::sets::{Family, Scope};
use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, Order};

use crate::machinery::{Effort, Finding, Witness};

/// The highest rank of the rows that are tried.
const RANK: usize = 2;

fn scope(effort: Effort) -> Scope {
    let atom = |size| Dim::new(size).unwrap_or(Dim::Unit);
    let dim_vars = match effort {
        Effort::Quick => 0,
        Effort::Full | Effort::Long => 1,
    };
    Scope {
        constraints: 2,
        axes: 1,
        dims: vec![atom(3)],
        dim_vars,
        row_vars: 2,
    }
}

/// Decides Decision.14.
pub fn follows(effort: Effort) -> Finding {
    let scope = scope(effort);
    let family = Family::new(&scope);
    // The atom of the sets, the unit, and two atoms that no set mentions.
    let universe = Universe::of(&["1_", "3", "2", "4"], RANK);
    let (mut instances, mut witness) = (0, None);
    for set in (0..family.starts()).flat_map(|start| family.starting_at(start)) {
        for asked in 0..set.constraints.len() {
            let mut given = set.clone();
            let goal = given.constraints.remove(asked);
            for order in [Order::Marked, Order::OneShot] {
                instances += 1;
                if let Err(why) = checked(&given, &goal, order, &universe) {
                    let asked = format!("{given}does `{goal}` follow?");
                    witness = witness.or(Some(Witness::new(asked, format!("{order:?}: {why}"))));
                }
            }
        }
    }
    let scope = format!(
        "each constraint of every set up to symmetry, asked of the others, in both orders: {scope}; what follows against every solution of \
         rank at most {RANK} over the atom, the unit and two other atoms; solutions in which it fails by Def. 3.4"
    );
    Finding::exhaustive(scope, instances, witness)
}

fn checked(
    given: &ConstraintSet,
    goal: &Constraint,
    order: Order,
    universe: &Universe,
) -> Result<(), String> {
    let options = Options {
        order,
        ..Options::default()
    };
    let solver = Solver::with(Problem::from(given), options);
    match solver.entails(goal).0 {
        Entailment::Holds(_) => {
            // The goal adds its variables, and holds or not.
            let mut all = given.clone();
            all.tags
                .extend(goal.vars().into_iter().map(|var| (var, Default::default())));
            let fails = Solutions::new(&all, universe, order)
                .find(|solution| solution.satisfies(goal, order) == Some(false));
            fails.map_or(Ok(()), |solution| {
                Err(format!("it does not hold in\n{solution}"))
            })
        }
        Entailment::Fails(solution) => {
            let is_one = solution.first_violated(&given.constraints, order).is_none();
            match is_one && solution.satisfies(goal, order) == Some(false) {
                true => Ok(()),
                false => Err(format!(
                    "this is no solution in which it fails:\n{solution}"
                )),
            }
        }
        Entailment::Unknown(why) => Err(why),
    }
}
