//! The checks of the oracle's answers on one set. Each probe returns an error that says what is wrong.

use lozenge_vocabulary::{Constraint, ConstraintSet, Ground, Order, Var};

use lozenge_oracle::{Entailment, Oracle, Reason, Satisfiability};
use lozenge_testkit::enumeration::{Solutions, Universe};

/// The result of a probe: what it found wrong, if anything.
pub(crate) type Finding = Result<(), String>;

fn wrong<T>(set: &ConstraintSet, order: Order, what: impl std::fmt::Display) -> Result<T, String> {
    Err(format!("{what} ({order:?}):\n{set}"))
}

/// Tells whether the reason indicates a defect of the oracle rather than a limit.
fn is_defect(reason: &Reason) -> bool {
    matches!(reason, Reason::Solver(_))
}

/// Checks that there is no `unsat` where a solution was enumerated, and `sat` only with a solution that the check of
/// the enumeration accepts. Returns whether the answer was definite.
pub(crate) fn verdict(
    set: &ConstraintSet,
    order: Order,
    universe: &Universe,
) -> Result<bool, String> {
    let enumerated = Solutions::new(set, universe, order).next();
    match Oracle::new(order).sat(set) {
        Satisfiability::Sat(ground) => match ground.first_violated(&set.constraints, order) {
            None => Ok(true),
            Some(at) => wrong(
                set,
                order,
                format!("constraint {at} is violated by\n{ground}"),
            ),
        },
        Satisfiability::Unsat => match enumerated {
            None => Ok(true),
            Some(ground) => wrong(set, order, format!("unsat, but there is\n{ground}")),
        },
        Satisfiability::Unknown(reason) if is_defect(&reason) => wrong(set, order, reason),
        Satisfiability::Unknown(_) => Ok(false),
    }
}

/// Checks that a core has no solution in the universe, and that the oracle finds one as soon as any of its constraints
/// is left out.
pub(crate) fn core(set: &ConstraintSet, order: Order) -> Finding {
    let oracle = Oracle::new(order);
    let core = match oracle.core(set) {
        Ok(Some(core)) if core.doubt.is_none() => core,
        Ok(_) => return Ok(()),
        Err(reason) if is_defect(&reason) => return wrong(set, order, reason),
        Err(_) => return Ok(()),
    };
    for &left_out in &core.constraints {
        let rest: ConstraintSet = core
            .constraints
            .iter()
            .filter(|&&k| k != left_out)
            .map(|&k| set.constraints[k].clone())
            .collect();
        if !matches!(oracle.sat(&rest), Satisfiability::Sat(_)) {
            return wrong(set, order, format!("{left_out} is not needed in the core"));
        }
    }
    Ok(())
}

/// Checks that a forced value is the same in every enumerated solution. Any other one differs in one of them, unless
/// the universe is too small to tell.
pub(crate) fn forced(set: &ConstraintSet, order: Order, universe: &Universe) -> Finding {
    let forced = match Oracle::new(order).forced(set) {
        Ok(Some(forced)) => forced,
        Err(reason) if is_defect(&reason) => return wrong(set, order, reason),
        _ => return Ok(()),
    };
    for ground in Solutions::new(set, universe, order) {
        let dims = forced
            .dims
            .iter()
            .all(|(var, dim)| ground.dims[var] == *dim);
        let ranks = forced.ranks.iter();
        let ranks = ranks.map(|(var, rank)| ground.rows[var].rank() == *rank);
        let contents = forced.contents.iter();
        let contents = contents.map(|(var, content)| ground.rows[var].flat() == *content);
        if !(dims && ranks.chain(contents).all(|same| same)) {
            return wrong(set, order, format!("{forced:?}, but there is\n{ground}"));
        }
    }
    Ok(())
}

/// Checks that an entailed constraint holds in every enumerated solution.
pub(crate) fn entailed(
    set: &ConstraintSet,
    goal: &Constraint,
    order: Order,
    universe: &Universe,
) -> Finding {
    let mut both = set.clone();
    both.tags.extend(
        goal.vars()
            .into_iter()
            .map(|var: Var| (var, Default::default())),
    );
    let holds = |ground: &Ground| ground.satisfies(goal, order) == Some(true);
    match Oracle::new(order).entails(set, goal) {
        Entailment::Holds => {
            let mut solutions = Solutions::new(&both, universe, order);
            match solutions.find(|ground| !holds(ground)) {
                None => Ok(()),
                Some(ground) => {
                    let what = format!("{goal} is not entailed; there is\n{ground}");
                    wrong(set, order, what)
                }
            }
        }
        Entailment::Fails(ground) => {
            let model = ground.first_violated(&set.constraints, order).is_none();
            match model && !holds(&ground) {
                true => Ok(()),
                false => wrong(
                    set,
                    order,
                    format!("no counterexample to {goal}:\n{ground}"),
                ),
            }
        }
        Entailment::Unknown(reason) if is_defect(&reason) => wrong(set, order, reason),
        Entailment::Unknown(_) => Ok(()),
    }
}
