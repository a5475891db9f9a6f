//! Statements that would let closing go on where it refuses because a size is open.
//!
//! A proposal states sizes of one solution. It has been tried: with it, the problem closes. It holds no statement that
//! is not needed, as far as there was work left to find that out. Where parts of axes may be 0, the sizes are those of
//! one choice of zeros, and the proposal leaves no other choice: a 0 cannot be stated, but the sizes around it can.

use lozenge_vocabulary::{Constraint, DimTerm, RowTerm, Rule, Var, Verdict};

use crate::explain::refusal::{Goal, Refusal};
use crate::explain::solution::Solution;
use crate::problem::Problem;
use crate::solver::Solver;
use crate::state::engine::Engine;
use crate::term::Term;

/// The number of constraints that are closed again, over all trials of one refusal. The first trial is made whatever it
/// takes.
const TRIED: usize = 1 << 16;

/// The number of statements of a proposal that are told in words.
const TOLD: usize = 8;

impl Solver {
    /// Adds to a refusal to close what may be stated, if it was refused because a size is open.
    pub(crate) fn propose(&self, refusal: &mut Refusal) {
        if refusal.rule != Rule::CloseArith || refusal.verdict != Verdict::Rejected {
            return;
        }
        refusal.proposed = self.proposal();
        let told = refusal.proposed.iter().take(TOLD);
        let told: Vec<String> = told.map(|stated| format!("`{stated}`")).collect();
        let more = refusal.proposed.len() - told.len();
        let told = told.join(" with ");
        refusal.message += &match (told.is_empty(), more) {
            (true, _) => ", and no sizes that were tried would do".to_string(),
            (_, 0) => format!(": {told} would do"),
            _ => format!(": {told} and {more} more sizes would do"),
        };
    }

    fn proposal(&self) -> Vec<Constraint> {
        let mut trials = Trials {
            problem: self.problem().asserted_only(),
            left: TRIED,
        };
        let cases = trials.cases_with(&[]).open;
        for mut case in cases {
            let Some(open) = case.choose_sizes() else {
                continue;
            };
            for all in [false, true] {
                let stated = case.statements(&open, all);
                if trials.closes_with(&stated) {
                    return trials.needed(stated);
                }
                if trials.left == 0 {
                    return Vec::new();
                }
            }
        }
        Vec::new()
    }
}

/// A problem that is closed with one statement and another.
struct Trials {
    problem: Problem,
    /// The number of constraints that may still be closed.
    left: usize,
}

/// The outcomes of closing the cases of a problem.
struct Cases {
    /// The cases that close, and those in which a size is open.
    open: Vec<Engine>,
    /// True if the problem closes: one case does, and no other one may have a solution.
    closes: bool,
}

impl Trials {
    fn cases_with(&mut self, stated: &[Constraint]) -> Cases {
        let mut problem = self.problem.clone();
        for constraint in stated {
            problem.push(constraint);
        }
        let by_cases = problem.has_summands() && !Engine::new(problem.clone()).takes_rests();
        let cases = match by_cases {
            // Where there are too many, the problem itself was refused for that reason.
            true => problem.cases().unwrap_or_default(),
            false => vec![problem],
        };
        let (mut open, mut closed, mut is_open) = (Vec::new(), 0, false);
        for case in cases {
            self.left = self.left.saturating_sub(case.len());
            let mut engine = Engine::new(case);
            match engine.run_to(Goal::Close) {
                Ok(()) => closed += 1,
                Err(failure) if failure.rule == Rule::CloseArith => is_open = true,
                Err(failure) => {
                    is_open |= failure.is_limit;
                    continue;
                }
            }
            open.push(engine);
        }
        let closes = closed == 1 && !is_open;
        Cases { open, closes }
    }

    fn closes_with(&mut self, stated: &[Constraint]) -> bool {
        self.cases_with(stated).closes
    }

    /// Returns the statements without those that are not needed, the last ones first.
    fn needed(&mut self, mut stated: Vec<Constraint>) -> Vec<Constraint> {
        for at in (0..stated.len()).rev() {
            if self.left == 0 {
                break;
            }
            let mut fewer = stated.clone();
            fewer.remove(at);
            if self.closes_with(&fewer) {
                stated = fewer;
            }
        }
        stated
    }
}

impl Engine {
    /// Statements of the sizes that are chosen for some terms and, if all are wanted, for every axis that a constraint
    /// relates to others. Each is stated once.
    fn statements(&self, chosen: &[Term], all: bool) -> Vec<Constraint> {
        let mut terms = chosen.to_vec();
        if all {
            let related = self.sizes.all().iter();
            terms.extend(related.flat_map(|id| self.terms_of_sizes(*id)));
        }
        let mut seen = rustc_hash::FxHashSet::default();
        let stated = terms.into_iter().filter_map(|term| self.statement(term));
        stated
            .filter(|stated| seen.insert(stated.clone()))
            .collect()
    }

    /// Returns the statement of a size: of a variable with a name, or of the row whose axis the term is. `None` for a
    /// constant, for 0, and for what has no name.
    fn statement(&self, term: Term) -> Option<Constraint> {
        let solution = Solution::new(self);
        match self.named(term)? {
            Var::Dim(var) => {
                let value = solution.dim(var.name())?;
                Some(Constraint::DimEq(DimTerm::Var(var), DimTerm::Const(value)))
            }
            Var::Row(var) => {
                let value = solution.row(var.name())?;
                let axes = value.flat().into_iter().map(DimTerm::Const).collect();
                let row = RowTerm {
                    var: Some(var),
                    ..RowTerm::default()
                };
                let value = RowTerm {
                    leading: axes,
                    ..RowTerm::default()
                };
                Some(Constraint::RowEq(row, value))
            }
        }
    }
}
