//! Solves a problem whose summands may be 0 (§8) by trying each choice of zeros as a problem of its own.
//!
//! A solution of one of them is a solution of the problem, and there are no others. Closing guesses no 0: it accepts
//! the only case that closes, if every other one fails, and not for want of a size.

use std::collections::BTreeSet;

use lozenge_vocabulary::{Rule, Verdict};

use crate::complete::decision::Decision;
use crate::explain::refusal::{Cited, Goal, Refusal};
use crate::problem::{Asserted, Problem};
use crate::solver::Solver;
use crate::state::engine::Engine;

impl Solver {
    /// Solves or closes the problem by cases.
    pub(crate) fn run_cases(&mut self, goal: Goal) -> Result<(), Box<Refusal>> {
        let cases = match self.problem().cases() {
            Ok(cases) => cases,
            Err(limit) => return Err(Box::new(Refusal::of_limit(limit))),
        };
        let mut solved: Vec<Solver> = Vec::new();
        let mut refusals: Vec<Refusal> = Vec::new();
        for case in cases {
            let mut solver = Solver::with(case, *self.options());
            match solver.run(goal) {
                Ok(()) => solved.push(solver),
                Err(refusal) => refusals.push(*refusal),
            }
        }
        // A case in which rows need no more axes than are known of them has a solution for certain.
        solved.sort_by_key(|case| case.witnessed().is_err());
        let wants_a_size = |refusal: &Refusal| {
            refusal.rule == Rule::CloseArith && refusal.verdict == Verdict::Rejected
        };
        let open = |refusal: &Refusal| wants_a_size(refusal) || refusal.verdict == Verdict::Unknown;
        let is_open = goal == Goal::Close && refusals.iter().any(open);
        // A value is forced only where no other case may have a solution.
        let others = refusals
            .iter()
            .any(|refusal| refusal.verdict != Verdict::Unsat);
        match solved.len() {
            1 if !is_open => {
                let mut case = solved.pop();
                if let Some(case) = &mut case {
                    case.problem_mut().zeros_are_open = others && goal == Goal::Solve;
                }
                self.set_case(case);
                Ok(())
            }
            2.. if goal == Goal::Solve => {
                let mut case = solved.swap_remove(0);
                case.problem_mut().zeros_are_open = true;
                self.set_case(Some(case));
                Ok(())
            }
            0 | 1 => Err(Box::new(self.refused_in_all(&refusals, wants_a_size))),
            _ => Err(Box::new(self.open_zero(&solved))),
        }
    }

    /// Joins the refusals of all cases into one.
    fn refused_in_all(
        &self,
        refusals: &[Refusal],
        wants_a_size: impl Fn(&Refusal) -> bool,
    ) -> Refusal {
        let weight = |refusal: &&Refusal| match refusal.verdict {
            _ if wants_a_size(refusal) => 0,
            Verdict::Unknown => 1,
            Verdict::Rejected => 2,
            _ => 3,
        };
        let Some(first) = refusals.iter().min_by_key(weight) else {
            return Refusal::of_limit("a concatenation has no parts".into());
        };
        let mut refusal = first.clone();
        let own = refusal.chain.iter().map(|cited| cited.index);
        let mut cited: BTreeSet<usize> = own.collect();
        if refusal.verdict != Verdict::Unknown {
            // Every case is refuted, by constraints of its own, and these are the cases because of what mentions a
            // summand.
            cited.extend(refusals.iter().flat_map(|of| &of.chain).map(|of| of.index));
            cited.extend(self.problem().about_summands());
            refusal.minimal = false;
        }
        let numbers: Vec<usize> = cited.into_iter().collect();
        refusal.chain = self.cited(&numbers);
        for step in refusal.policy.iter_mut().chain(&mut refusal.commitments) {
            let because: Vec<usize> = step.because.iter().map(|of: &Cited| of.index).collect();
            step.because = self.cited(&because);
        }
        refusal
    }

    /// Returns the refusal to close where a variable is 0 in one closed case and not in another.
    fn open_zero(&self, solved: &[Solver]) -> Refusal {
        let problem = self.problem();
        let mut refusal = Refusal::of_limit(String::new());
        (refusal.verdict, refusal.rule) = (Verdict::Rejected, Rule::CloseArith);
        let zero = |case: &Solver, id| case.problem().zeros.contains(&id);
        let open = problem.summands.iter().find(|id| {
            let first = zero(&solved[0], **id);
            solved.iter().any(|case| zero(case, **id) != first)
        });
        let shown = open.map(|id| problem.show_dim(crate::term::Term::var(*id)).to_string());
        let var = shown.unwrap_or_default();
        refusal.message = format!("nothing says whether {var} is 0 or how long it is");
        let mentions = |at: &usize| {
            let constraint = problem.constraint(*at);
            constraint.is_some_and(|of| of.dims().iter().any(|term| term.to_string() == var))
        };
        let first: Vec<usize> = (0..problem.len()).find(mentions).into_iter().collect();
        refusal.chain = self.cited(&first);
        refusal
    }

    /// Decides the problem by cases in complete mode.
    pub(crate) fn decide_cases(&self) -> Decision {
        let cases = match self.problem().asserted_only().cases() {
            Ok(cases) => cases,
            Err(limit) => return Decision::unknown(limit),
        };
        let limits = self.options().limits;
        let (mut branches, mut clauses) = (0, 0);
        let mut unsolved: Vec<Decision> = Vec::new();
        for case in cases {
            let mut decision = Engine::new(case).decide(limits);
            branches += decision.branches;
            clauses += decision.clauses;
            if decision.verdict == Verdict::Sat {
                // Another case may have a solution of a smaller rank.
                decision.least = false;
                (decision.branches, decision.clauses) = (branches, clauses);
                return decision;
            }
            unsolved.push(decision);
        }
        let open = unsolved
            .iter()
            .position(|of| of.verdict == Verdict::Unknown);
        let cited: BTreeSet<usize> = unsolved
            .iter()
            .flat_map(|of| {
                let chain = of.refusal.iter().flat_map(|refusal| &refusal.chain);
                of.cited
                    .iter()
                    .copied()
                    .chain(chain.map(|cited| cited.index))
            })
            .chain(self.problem().about_summands())
            .collect();
        let mut decision = match unsolved.is_empty() {
            true => Decision::unknown("a concatenation has no parts".into()),
            false => unsolved.swap_remove(open.unwrap_or(0)),
        };
        if open.is_none() {
            decision.cited = cited.iter().copied().collect();
            if let Some(refusal) = &mut decision.refusal {
                refusal.minimal = false;
                refusal.chain = self.cited(&decision.cited);
            }
        }
        (decision.branches, decision.clauses) = (branches, clauses);
        decision
    }
}

impl Problem {
    /// Returns the constraints that say which variables may be 0, and which of them together, by their numbers.
    fn about_summands(&self) -> Vec<usize> {
        let numbered = self.asserted.iter().enumerate();
        let of_them = numbered.filter(|(_, asserted)| match asserted {
            Asserted::DimEq(a, b) | Asserted::DimLe(a, b) => [a, b]
                .into_iter()
                .any(|term| term.is_var() && self.summands.contains(&term.id())),
            _ => {
                let constraint = self.show(**asserted);
                let summand = |id| self.show_dim(crate::term::Term::var(id)).var();
                let mut all = self.summands.iter().filter_map(|id| summand(*id));
                all.any(|var| constraint.mentions(&var))
            }
        });
        of_them.map(|(at, _)| at).collect()
    }
}
