//! `closed_programs`: closing the set of a program returns its greatest solution wherever there is one (Prop. 5.4), which Z3 decides. Leaves and
//! parameters without a written shape close to what their uses ask for (Def. 6.1), so the others are compared at the values of these.

use lozenge_oracle::Satisfiability;
use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::{ConstraintSet, Verdict};

use super::comparison::stopped;
use crate::execution::read;
use crate::greatness::{Greatest, greatest, is_below, with_leaves};
use crate::input::Input;
use crate::known_difference::KnownDifference;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::parties::{Effort, Parties};

/// Closes a program's set, and compares the result with the greatest solution.
pub fn closed_programs(input: &Input, _: &mut Parties) -> Option<Comparison> {
    let Input::Program(text) = input else {
        return None;
    };
    let Ok((_, constraints)) = read(text) else {
        return Some(Comparison {
            outcome: Outcome::Agree,
            useful: false,
            answer: "not a program",
        });
    };
    let set = constraints.set;
    let mut solver = Solver::new(Problem::from(&set));
    let (outcome, answer) = match solver.close() {
        Ok(()) => closed(&set, &solver),
        Err(refusal) => match refusal.verdict {
            Verdict::Unknown => (stopped("policy mode", &refusal.message), "unknown"),
            verdict => {
                let gap = refusal.policy.as_ref().map(|step| step.rule);
                let gap = gap.and_then(KnownDifference::gap);
                (refused(&set, verdict, &refusal.message, gap), "refused")
            }
        },
    };
    Some(Comparison {
        outcome,
        useful: true,
        answer,
    })
}

/// A set that is closed.
fn closed(set: &ConstraintSet, solver: &Solver) -> (Outcome, &'static str) {
    let claimed = solver.solution().ground();
    match greatest(&with_leaves(set, &claimed), claimed.clone()) {
        Greatest::Is(found) if is_below(set, &found, &claimed) => (Outcome::Agree, "greatest"),
        Greatest::Is(found) => {
            let outcome = Disagreement::new("closing returns less than the greatest solution")
                .answered("solver", &claimed)
                .answered("the greatest solution", found);
            (outcome.into(), "less")
        }
        Greatest::None(_) => (Outcome::Agree, "none is the greatest"),
        Greatest::Unknown(why) => (Outcome::Unknown(why), "unknown"),
    }
}

/// A set that closing refuses: it has no solution, or no greatest one.
fn refused(
    set: &ConstraintSet,
    verdict: Verdict,
    message: &str,
    gap: Option<KnownDifference>,
) -> Outcome {
    let solution = match Effort::default().oracle().sat(set) {
        Satisfiability::Unsat => return Outcome::Agree,
        Satisfiability::Unknown(why) => return Outcome::Unknown(format!("oracle: {why}")),
        Satisfiability::Sat(solution) => solution,
    };
    if verdict == Verdict::Unsat {
        return Disagreement::new("sat against unsat")
            .answered("solver", message)
            .answered("oracle", solution)
            .into();
    }
    match (greatest(set, solution), gap) {
        (Greatest::Is(found), _) => {
            Disagreement::new("closing refuses a set that has a greatest solution")
                .answered("solver", message)
                .answered("the greatest solution", found)
                .into()
        }
        (Greatest::None(_), Some(gap)) => Outcome::Differ(gap),
        (Greatest::None(other), None) => Disagreement::new("a refusal that names no policy step")
            .answered("solver", message)
            .answered("oracle", other)
            .into(),
        (Greatest::Unknown(why), _) => Outcome::Unknown(why),
    }
}
