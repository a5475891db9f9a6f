//! Complete mode: decides satisfiability where policy gives up (Rem. 6.7).
//!
//! Propagation goes first. A set that it refutes has no solution, and where it leaves neither a marker nor an equation
//! in question, what it found is one. Everything else is decided from the asserted constraints
//! ([`crate::complete::decide`]). No answer rests on a bound on the lengths of rows.

use std::collections::BTreeSet;

use lozenge_vocabulary::{Ground, Verdict};
use serde::{Deserialize, Serialize};

use crate::complete::decide::{
    Answer, Certificate, Done, Effort, Found, NormalisedSet, Refutation, certificate, cited,
};
use crate::complete::lengths::at_lengths;
use crate::explain::in_runs::InRuns;
use crate::explain::refusal::{Goal, Refusal};
use crate::explain::solution::Solution;
use crate::ids::DeferredId;
use crate::options::Limits;
use crate::problem::{Problem, Size};
use crate::propagate::equality::Residue;
use crate::state::engine::{Deferred, Engine};
use crate::state::inferences::Failure;
use crate::state::rows::Binding;

/// The answer of complete mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// `sat`, `unsat`, or `unknown` when a limit was reached.
    pub verdict: Verdict,
    /// A solution, when there is one and its rows are not longer than [`Limits::rank`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub solution: Option<Ground>,
    /// A solution whose rows are longer than that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub in_runs: Option<InRuns>,
    /// The total rank of the solution that was found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rank: Option<u64>,
    /// True if no solution has a smaller total rank.
    pub least: bool,
    /// The number of branches over lengths that were taken; 0 when propagation alone decided.
    pub branches: u64,
    /// The number of clashes of axes that were excluded, each for all lengths at which it exists.
    pub clauses: u64,
    /// The limit that was reached, with the field of [`Limits`] that raises it as a flag of the command line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<String>,
    /// The refusal by propagation, when it refuses.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refusal: Option<Box<Refusal>>,
    /// The constraints that a refutation over lengths uses, by their numbers: they have no solution by themselves.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cited: Vec<usize>,
}

impl Decision {
    fn new(verdict: Verdict) -> Decision {
        Decision {
            verdict,
            solution: None,
            in_runs: None,
            rank: None,
            least: false,
            branches: 0,
            clauses: 0,
            limit: None,
            refusal: None,
            cited: Vec::new(),
        }
    }

    /// Makes the decision of a solution of least total rank, whose ranks add up to so much.
    pub(crate) fn of_solution(ground: Option<Ground>, rank: u64) -> Decision {
        Decision {
            solution: ground,
            rank: Some(rank),
            least: true,
            ..Decision::new(Verdict::Sat)
        }
    }

    pub(crate) fn unknown(limit: String) -> Decision {
        Decision {
            limit: Some(limit),
            ..Decision::new(Verdict::Unknown)
        }
    }

    /// Returns the decision with what was done for it.
    pub(crate) fn after(self, done: Done) -> Decision {
        let Done { branches, clauses } = done;
        Decision {
            branches,
            clauses,
            ..self
        }
    }
}

impl Engine {
    /// Decides the problem of a fresh engine.
    pub(crate) fn decide(&mut self, limits: Limits) -> Decision {
        let size = self.problem.size_now();
        if let Err(failure) = self.propagate() {
            return self.undecided(&failure);
        }
        if let Err(failure) = self.refuse_side_by_side() {
            return self.undecided(&failure);
        }
        if self.problem.has_sizes() {
            return self.decide_with_sizes(size, limits);
        }
        if let Some(decision) = self.settled() {
            return decision;
        }
        self.decide_open_part(size, limits)
            .unwrap_or_else(|| self.search_from(size, limits))
    }

    /// Searches without what propagation concluded: the problem is cut back to `size` first.
    fn search_from(&mut self, size: Size, limits: Limits) -> Decision {
        self.problem.truncate(size);
        let statements = NormalisedSet::of(&self.problem);
        decided(&self.problem, &statements, limits).0
    }

    /// Returns the decision where propagation has left nothing open.
    pub(crate) fn settled(&mut self) -> Option<Decision> {
        let nothing_open = self.leaves_nothing_open();
        nothing_open.then(|| {
            let solution = Solution::new(self);
            let rank = solution.total_rank();
            Decision::of_solution(Some(solution.ground()), rank)
        })
    }

    /// Decides a problem with windows or bounds, of which everything else has been propagated.
    ///
    /// Where neither a marker nor an equation is in question, longer rows have no other solutions, and the sizes
    /// decide. Where one is, what has no solution without sizes has none with them, and what policy finds is one.
    fn decide_with_sizes(&mut self, size: Size, limits: Limits) -> Decision {
        let nothing_open = self.leaves_nothing_open();
        if let Err(failure) = self.decide_sizes() {
            return self.undecided(&failure);
        }
        if nothing_open && !self.sizes.is_unwitnessed {
            return self.found();
        }
        let (lengths, most) = (self.lengths_counted(), self.most_more());
        let reached = self.witnessed().err();
        if self.solve().is_ok() && !self.sizes.is_unwitnessed {
            return self.found();
        }
        let reached = reached.or_else(|| self.witnessed().err());
        if !lengths.is_empty() {
            let longer = self.with_more_axes(size, &lengths, most);
            let mut found = longer.map(|engine| engine.found());
            if let Some(found) = found.find(|found| found.verdict == Verdict::Sat) {
                return found;
            }
        }
        let decision = self.search_from(size, limits);
        match (decision.verdict, reached) {
            (Verdict::Unknown, Some(failure)) => Decision {
                limit: Some(failure.message),
                ..decision
            },
            _ => decision,
        }
    }

    /// Turns a failure without policy into a decision.
    pub(crate) fn undecided(&self, failure: &Failure) -> Decision {
        if failure.is_limit {
            return Decision::unknown(failure.message.clone());
        }
        let refusal = Box::new(self.refusal(failure, Goal::Solve));
        Decision {
            refusal: Some(refusal),
            ..Decision::new(Verdict::Unsat)
        }
    }

    /// Returns the solution at hand, if it is one.
    fn found(&self) -> Decision {
        let solution = Solution::new(self);
        let (ground, set) = (solution.ground(), self.problem.to_set());
        match ground.first_violated(&set.constraints, self.problem.order()) {
            None => Decision {
                least: false,
                ..Decision::of_solution(Some(ground), solution.total_rank())
            },
            Some(_) => Decision::unknown("a solution that did not pass its check".into()),
        }
    }

    /// Says whether no equation and no marker that a constraint asks about is left open.
    fn leaves_nothing_open(&mut self) -> bool {
        let equations = self.deferred.ids().all(|id| self.is_resolved(id));
        let found = self.contents_found.as_slice().to_vec();
        equations
            && !found
                .into_iter()
                .any(|var| matches!(self.binding(var), Binding::Content(_)))
    }

    /// Says whether a rule now applies to a deferred equation.
    pub(crate) fn is_resolved(&mut self, id: DeferredId) -> bool {
        let Deferred { row, reason, done } = self.deferred.get(id);
        if done {
            return true;
        }
        let (Ok(a), Ok(b)) = (self.spell(row), self.spell(row.right())) else {
            return false;
        };
        matches!(
            self.reduce(&a, &b, reason),
            Ok(Residue::Done | Residue::Bind(..))
        )
    }
}

/// Decides a problem without propagation, with a certificate where there is no solution.
pub(crate) fn certified(problem: &Problem, limits: Limits) -> (Decision, Option<Certificate>) {
    let (decision, refutation) = decided(problem, &NormalisedSet::of(problem), limits);
    let proof = refutation.and_then(|refutation| certificate(&refutation, problem));
    (decision, proof)
}

/// Returns a certificate that some of the constraints have no solution, by their numbers in the problem, as far as they
/// have none without what they say of sizes.
pub(crate) fn certified_of(
    problem: &Problem,
    chosen: &BTreeSet<usize>,
    limits: Limits,
) -> Option<Certificate> {
    let statements = NormalisedSet::of(problem).only(chosen);
    match crate::complete::decide::decide(&statements, effort(limits)).0 {
        Answer::Refuted(refutation) => certificate(&refutation, problem),
        Answer::Found(_) | Answer::Open(_) => None,
    }
}

/// Returns the limits of a search over lengths.
pub(crate) fn effort(limits: Limits) -> Effort {
    Effort {
        branches: limits.branches,
        clauses: limits.clauses,
        work: limits.work,
        runs: limits.runs as usize,
    }
}

/// Decides a problem without propagation; why there is no solution, where there is none.
fn decided(
    problem: &Problem,
    statements: &NormalisedSet,
    limits: Limits,
) -> (Decision, Option<Refutation>) {
    let (answer, done) = crate::complete::decide::decide(statements, effort(limits));
    let (decision, refutation) = match answer {
        Answer::Found(found) => (found_by(&found, problem, statements, limits), None),
        Answer::Refuted(refutation) => (refuted_by(&refutation), Some(refutation)),
        Answer::Open(reached) => (Decision::unknown(reached.named(limits)), None),
    };
    (decision.after(done), refutation)
}

/// Returns the decision that a search over lengths comes to with a solution.
pub(crate) fn found_by(
    found: &Found,
    problem: &Problem,
    statements: &NormalisedSet,
    limits: Limits,
) -> Decision {
    match problem.has_sizes() {
        true => found_with_sizes(found, problem, limits),
        false => checked(found, problem, statements, limits),
    }
}

/// Returns the same where there are sizes too: what has the lengths of a solution without them, if that has sizes.
fn found_with_sizes(found: &Found, problem: &Problem, limits: Limits) -> Decision {
    let with_sizes = match found.longest() > u64::from(limits.rank) {
        true => None,
        false => at_lengths(problem, problem.size_now(), found.lengths_of(problem)),
    };
    let decision = with_sizes.map(|engine| engine.found());
    let solved = decision.filter(|decision| decision.verdict == Verdict::Sat);
    solved.unwrap_or_else(|| {
        Decision::unknown("sizes together with rows whose markers or equations are open".into())
    })
}

/// Returns the decision that a search over lengths comes to without one.
pub(crate) fn refuted_by(refutation: &Refutation) -> Decision {
    Decision {
        cited: cited(refutation).into_iter().collect(),
        ..Decision::new(Verdict::Unsat)
    }
}

/// The text of [`Decision::limit`] where a solution did not pass its check. No limit explains it, so that campaigns
/// count it as a disagreement.
pub const FAILED_CHECK: &str = "a solution did not pass its check, which is a defect of lozenge";

/// Checks a solution by the definition of satisfaction before it is returned (Def. 3.4).
fn checked(
    found: &Found,
    problem: &Problem,
    statements: &NormalisedSet,
    limits: Limits,
) -> Decision {
    let defect = || Decision::unknown(FAILED_CHECK.into());
    if found.longest() > u64::from(limits.rank) {
        return match found.satisfies(statements) {
            true => Decision {
                in_runs: Some(found.in_runs(problem)),
                ..Decision::of_solution(None, found.total())
            },
            false => defect(),
        };
    }
    let ground = found.ground(problem);
    let set = problem.to_set();
    match ground.first_violated(&set.constraints, problem.order()) {
        None => Decision::of_solution(Some(ground), found.total()),
        Some(_) => defect(),
    }
}
