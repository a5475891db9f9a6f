//! `closed_programs`: closing the set of a program returns its greatest solution wherever there is one, which Z3
//! decides at the rows of its tensors. Leaves and parameters without a written shape close to what their uses ask for
//! (Def. 6.1), so the others are compared at the values of these.

use std::collections::BTreeSet;

use lozenge_oracle::Satisfiability;
use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::program::Program;
use lozenge_vocabulary::{ConstraintSet, Ground, Rule, Var, Verdict};

use crate::known_difference::KnownDifference;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::pipeline::read;
use crate::subject::party::{Effort, Parties};
use crate::subjects::sets::differences::gap;
use crate::subjects::sets::greatness::{Greatest, greatest, is_as_great, with_leaves};
use crate::subjects::sets::targets::comparison::stopped;
use crate::subjects::sets::{self, RULES};

/// Closes a program's set, and compares the result with the greatest solution.
pub fn closed_programs(text: &str, parties: &mut Parties) -> Option<Comparison> {
    let Ok((program, constraints)) = read(text) else {
        return Some(Comparison {
            outcome: Outcome::Agree,
            useful: false,
            answer: "not a program",
        });
    };
    let set = constraints.set;
    let rows = rows_of_tensors(&program);
    // The rules only propose a solution. They do not say whether it is one, or the greatest.
    let rules = parties.ask(&RULES, sets::Question::Close, &set);
    let proposed = rules.and_then(|rules| rules.ground);
    let mut solver = Solver::new(Problem::from(&set));
    let (outcome, answer) = match solver.close() {
        Ok(()) => closed(&set, &rows, solver.solution().ground(), proposed),
        Err(refusal) => match refusal.verdict {
            Verdict::Unknown => (stopped("policy mode", &refusal.message), "unknown"),
            // A parameter is not closed to what nothing determines (Def. 6.1), nor is a size guessed.
            Verdict::Rejected if is_undetermined(refusal.rule) => (Outcome::Agree, "undetermined"),
            verdict => {
                let policy = refusal.policy.as_ref();
                let refused = Refused {
                    verdict,
                    message: &refusal.message,
                    gap: policy.and_then(|step| gap(step.rule)),
                };
                (refused.outcome(&set, &rows, proposed), "refused")
            }
        },
    };
    Some(Comparison {
        outcome,
        useful: true,
        answer,
    })
}

/// Says whether a rule refuses something that nothing determines: the axes of a parameter, or a size.
fn is_undetermined(rule: Rule) -> bool {
    [
        Rule::CloseRow,
        Rule::CloseLeaf,
        Rule::CloseBasis,
        Rule::CloseArith,
    ]
    .contains(&rule)
}

/// Returns the row variables of all tensors.
fn rows_of_tensors(program: &Program) -> BTreeSet<Var> {
    let tensors = program.tensors.iter();
    let rows = tensors.flat_map(|tensor| tensor.shape.rows());
    rows.filter_map(|row| row.var.clone().map(Var::Row))
        .collect()
}

/// Compares the closings of a set.
fn closed(
    set: &ConstraintSet,
    rows: &BTreeSet<Var>,
    claimed: Ground,
    proposed: Option<Ground>,
) -> (Outcome, &'static str) {
    let pinned = with_leaves(set, &claimed);
    let is_solution = |ground: &Ground| {
        let order = lozenge_vocabulary::Order::Marked;
        ground.first_violated(&pinned.constraints, order).is_none()
    };
    let proposed = proposed.filter(is_solution);
    let rows = rows.intersection(&pinned.vars()).cloned().collect();
    match greatest(
        &pinned,
        &rows,
        std::iter::once(claimed.clone()).chain(proposed),
    ) {
        Greatest::Is(found) if is_as_great(&rows, &claimed, &found) => (Outcome::Agree, "greatest"),
        Greatest::Is(found) => {
            let outcome = Disagreement::new("closing returns less than the greatest solution")
                .answered("solver", &claimed)
                .answered("the greatest solution", found);
            (outcome.into(), "less")
        }
        Greatest::NotFound => (Outcome::Agree, "no greatest one is found"),
        Greatest::Unknown(why) => (Outcome::Unknown(why), "unknown"),
    }
}

/// A refusal of closing: of a set that has no solution, or no greatest one.
struct Refused<'a> {
    verdict: Verdict,
    message: &'a str,
    gap: Option<&'static KnownDifference>,
}

impl Refused<'_> {
    fn outcome(
        &self,
        set: &ConstraintSet,
        rows: &BTreeSet<Var>,
        proposed: Option<Ground>,
    ) -> Outcome {
        let solution = match Effort::default().oracle().sat(set) {
            Satisfiability::Unsat => return Outcome::Agree,
            Satisfiability::Unknown(why) => return Outcome::Unknown(format!("oracle: {why}")),
            Satisfiability::Sat(solution) => solution,
        };
        let against = |check: &str, who: &str, solution: &Ground| {
            let disagreement = Disagreement::new(check).answered("solver", self.message);
            Outcome::from(disagreement.answered(who, solution))
        };
        if self.verdict == Verdict::Unsat {
            return against("sat against unsat", "oracle", &solution);
        }
        let rows = rows.intersection(&set.vars()).cloned().collect();
        match greatest(set, &rows, proposed.into_iter().chain([solution.clone()])) {
            Greatest::Is(found) => against(
                "closing refuses a set that has a greatest solution",
                "the greatest solution",
                &found,
            ),
            Greatest::Unknown(why) => Outcome::Unknown(why),
            Greatest::NotFound => match self.gap {
                Some(gap) => Outcome::Differ(gap),
                None => against("a refusal that names no policy step", "oracle", &solution),
            },
        }
    }
}
