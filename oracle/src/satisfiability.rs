//! `sat`, `model`, `core` and the model of least rank.

use std::collections::BTreeSet;

use lozenge_spec::{Constraint, ConstraintSet, Ground, Verdict};
use z3::ast::Int;

use crate::formula::Measure;
use crate::limits::{Clock, Reason};
use crate::oracle::{Oracle, Scope};
use crate::planted::{Defect, planted};
use crate::session::{Session, Setting, Step};
use crate::smt::Smt;

/// Whether there is a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Satisfiability {
    /// There is: this one, which was checked against Def. 3.4.
    Sat(Ground),
    /// There is none, at any rank.
    Unsat,
    /// A limit was reached.
    Unknown(Reason),
}

impl Satisfiability {
    /// The word for it.
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
    /// Why it may not be subset-minimal; `None`: it is, every proper subset was shown to have a solution.
    pub doubt: Option<Reason>,
}

impl Oracle {
    /// Whether the set has a solution, with one.
    pub fn sat(&self, set: &ConstraintSet) -> Satisfiability {
        let clock = self.start();
        match self.solve(&clock, &Scope::new(&set.constraints, set.vars())) {
            Ok(Some(ground)) => Satisfiability::Sat(ground),
            Ok(None) => Satisfiability::Unsat,
            Err(reason) => Satisfiability::Unknown(reason),
        }
    }

    pub(crate) fn solve(&self, clock: &Clock, scope: &Scope<'_>) -> Result<Option<Ground>, Reason> {
        self.search(clock, scope, |_| Ok(()), |s| Ok(s.solution()?.ground))
    }

    /// Constraints of an unsatisfiable set that are already unsatisfiable, none of which can be left out; `None` for a satisfiable set.
    ///
    /// # Errors
    /// When it is not known whether the set has a solution. A limit that is reached later is a [`Core::doubt`].
    pub fn core(&self, set: &ConstraintSet) -> Result<Option<Core>, Reason> {
        let clock = self.start();
        self.core_of(&clock, &set.constraints)
    }

    pub(crate) fn core_of(
        &self,
        clock: &Clock,
        constraints: &[Constraint],
    ) -> Result<Option<Core>, Reason> {
        let all: Vec<usize> = (0..constraints.len()).collect();
        let Some(start) = self.blamed(clock, constraints, &all)? else {
            return Ok(None);
        };
        if planted(Defect::CoreNotMinimal) {
            return Ok(Some(Core {
                constraints: all,
                doubt: None,
            }));
        }
        Ok(Some(self.shrink(clock, constraints, start)))
    }

    /// Leaves out one constraint after the other, as long as the rest has no solution.
    fn shrink(&self, clock: &Clock, constraints: &[Constraint], start: Vec<usize>) -> Core {
        let mut core = Core {
            constraints: start.clone(),
            doubt: None,
        };
        for &candidate in start.iter().rev() {
            let rest: Vec<usize> = core
                .constraints
                .iter()
                .copied()
                .filter(|&k| k != candidate)
                .collect();
            if rest.len() == core.constraints.len() {
                continue;
            }
            match self.blamed(clock, constraints, &rest) {
                Ok(None) => {}
                Ok(Some(smaller)) => core.constraints = smaller,
                Err(reason) => core.doubt = Some(reason),
            }
        }
        core
    }

    /// Those of the chosen constraints that Z3's proof uses; `None` when they have a solution.
    fn blamed(
        &self,
        clock: &Clock,
        constraints: &[Constraint],
        chosen: &[usize],
    ) -> Result<Option<Vec<usize>>, Reason> {
        let scope = Scope {
            constraints: chosen.iter().map(|&k| &constraints[k]).collect(),
            vars: BTreeSet::new(),
            goals: Vec::new(),
        };
        if chosen.is_empty() {
            return Ok(None);
        }
        self.deepen(clock, &scope, |smt, window| {
            if let Some(blamed) = self.blamed_at(smt, clock, &scope, window)? {
                return Ok(Some(Some(blamed.iter().map(|&k| chosen[k]).collect())));
            }
            // What the flags cannot carry, facts about periods, may still refute the constraints together.
            let mut session = self.encode(smt, clock, &scope, window)?;
            let sealed = session.seal();
            Ok(match sealed.check(&session, &[])? {
                Step::Found => Some(None),
                Step::Refuted => Some(Some(chosen.to_vec())),
                Step::Open => None,
            })
        })
    }

    /// The places in the scope of the constraints that Z3's refutation at one window uses; `None` when it has none.
    fn blamed_at(
        &self,
        smt: &Smt,
        clock: &Clock,
        scope: &Scope<'_>,
        window: u32,
    ) -> Result<Option<Vec<usize>>, Reason> {
        let setting = Setting {
            smt,
            clock,
            order: self.order,
            window,
        };
        let mut session = Session::open(setting, &scope.vars);
        let mut flags = Vec::new();
        for constraint in &scope.constraints {
            let flag = session.fresh_flag();
            session.assume(constraint, Some(&flag))?;
            flags.push(flag);
        }
        let sealed = session.seal();
        if sealed.check(&session, &flags)? != Step::Refuted {
            return Ok(None);
        }
        let core = smt.unsat_core();
        let blamed = flags.iter().enumerate();
        Ok(Some(
            blamed
                .filter(|(_, flag)| core.contains(flag))
                .map(|(k, _)| k)
                .collect(),
        ))
    }

    /// A solution in which the ranks of all row variables add up to the least possible; `None` when there is no solution.
    ///
    /// # Errors
    /// When a limit is reached before the sum is known to be least.
    pub fn minimal_rank(&self, set: &ConstraintSet) -> Result<Option<Ground>, Reason> {
        let clock = self.start();
        let scope = Scope::new(&set.constraints, set.vars());
        let Some(mut best) = self.solve(&clock, &scope)? else {
            return Ok(None);
        };
        loop {
            let total: usize = best.rows.values().map(lozenge_spec::Row::rank).sum();
            let lower = |session: &mut Session<'_>| {
                session.total_rank_below(total as u32);
                Ok(())
            };
            if total == 0 {
                return Ok(Some(best));
            }
            match self.search(&clock, &scope, lower, |s| Ok(s.solution()?.ground))? {
                Some(better) => best = better,
                None => return Ok(Some(best)),
            }
        }
    }
}

impl Session<'_> {
    /// Asserts that the ranks of all row variables add up to less than `total`.
    pub(crate) fn total_rank_below(&mut self, total: u32) {
        let smt = self.setting.smt;
        let ranks: Vec<Int> = (0..self.symbols.rows.len() as u32)
            .map(|row| smt.measure(Measure::Rank, row))
            .collect();
        smt.assert(&Int::add(&ranks).lt(smt.number(total)));
    }
}
