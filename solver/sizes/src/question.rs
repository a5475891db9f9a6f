//! The decision of questions to a store: on the relevant part of the constraints, with a checked solution or with as
//! few reasons as possible.
//!
//! The last solution is kept. Relevant are the constraints that this solution violates, and those that share atoms with
//! them, directly or through others. So a fact that the solution satisfies costs nothing, and any other only as much as
//! its part.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::atom::Atom;
use crate::constraint::{Constraint, Derived, Linear, Values};
use crate::elimination::{Equations, solved};
use crate::form::{Form, Fresh, Variable};
use crate::limit::{Limit, Meter};
use crate::linear::{Context, Decided};
use crate::model::evaluate;
use crate::number::{Int, Overflow};
use crate::origin::{Leaf, Leaves, Origins};
use crate::reason::{Attempt, Reason, Reasons, minimise};
use crate::search::{Problem, satisfy};
use crate::store::{Outcome, Store, Verdict};

impl Store {
    /// Decides whether all constraints have a common solution.
    pub(crate) fn decide(&mut self) -> Verdict {
        let mut limit = (self.weakened > 0).then_some(Limit::Overflow);
        let mut seen = FxHashSet::default();
        for number in self.violated() {
            if seen.contains(&number) {
                continue;
            }
            let part = self.connected(&[number], None);
            seen.extend(part.iter().copied());
            match self.solve(&part, None) {
                Ok(Outcome::Satisfied(values)) => self.values.extend(values),
                Ok(Outcome::Refuted(reasons)) => return Verdict::Unsatisfiable(reasons),
                Err(reached) => limit = Some(limit.unwrap_or(reached)),
            }
        }
        match limit {
            Some(limit) => Verdict::Unknown(limit),
            None => {
                self.satisfied = self.constraints.len();
                self.valued = self.active.len();
                Verdict::Satisfiable
            }
        }
    }

    /// Decides whether the constraint with this number, which has no reason, has a common solution with those connected
    /// to it.
    pub(crate) fn ask(&mut self, number: u32) -> Result<Outcome, Limit> {
        let part = self.connected(&[number], None);
        self.solve(&part, Some(number))
    }

    /// Gives values to new atoms, and returns the new constraints that the present values violate.
    pub(crate) fn violated(&mut self) -> Vec<u32> {
        self.value_new_atoms();
        let new = self.constraints.iter().enumerate().skip(self.satisfied);
        let violated = new.filter(|(_, stored)| stored.constraint.holds(&self.values) != Ok(true));
        violated.map(|(number, _)| number as u32).collect()
    }

    /// Gives values to the atoms that have none: a variable gets the value that a new equation determines, otherwise
    /// its least one; other atoms get theirs from their definitions.
    fn value_new_atoms(&mut self) {
        let new = &self.active[self.valued..];
        if new.is_empty() {
            return;
        }
        let mut open: FxHashSet<Variable> = new.iter().copied().collect();
        for variable in new {
            self.values.remove(variable);
        }
        for stored in &self.constraints[self.satisfied..] {
            let Constraint::Linear(Linear::Zero(form)) = &stored.constraint else {
                continue;
            };
            let own = form.variables().rfind(|variable| {
                open.contains(variable)
                    && form.coefficient(*variable).abs() == 1
                    && matches!(self.terms.atom(*variable), Some(Atom::Variable(_)))
            });
            let Some(own) = own else {
                continue;
            };
            for variable in form.variables().filter(|variable| *variable != own) {
                if open.remove(&variable) {
                    let value = self.default_value(variable).unwrap_or(0);
                    self.values.insert(variable, value);
                }
            }
            let rest = form.without(own);
            let rest = rest.value(|variable| crate::constraint::value(&self.values, variable));
            let least = self.default_value(own);
            let Ok(rest) = rest else {
                continue;
            };
            let solved = match form.coefficient(own).is_positive() {
                true => -rest,
                false => rest,
            };
            if least.is_ok_and(|least| solved >= least) {
                open.remove(&own);
                self.values.insert(own, solved);
            }
        }
        let new = self.active[self.valued..].iter().copied();
        let left: Vec<Variable> = new.filter(|variable| open.contains(variable)).collect();
        for variable in left {
            let value = self.default_value(variable).unwrap_or(0);
            self.values.insert(variable, value);
        }
    }

    /// Returns the value of an atom by its definition, or its least value if it is a variable.
    fn default_value(&self, variable: Variable) -> Result<Int, Overflow> {
        let of = |variable| self.values.get(&variable).copied();
        evaluate(&Form::variable(variable), &self.terms, of)
    }

    /// Returns the constraints that share atoms with the given ones, directly or through others, in ascending order. If
    /// reasons are given, only constraints with these reasons, and definitions, are included.
    fn connected(&self, from: &[u32], reasons: Option<&BTreeSet<Reason>>) -> Vec<u32> {
        let counts = |number: &u32| match (self.constraints[*number as usize].reason, reasons) {
            (Some(reason), Some(reasons)) => reasons.contains(&reason),
            _ => true,
        };
        let mut atoms = FxHashSet::default();
        let mut found: FxHashSet<u32> = from.iter().copied().collect();
        let mut pending = from.to_vec();
        while let Some(number) = pending.pop() {
            for variable in self.constraints[number as usize].constraint.variables() {
                if !atoms.insert(variable) {
                    continue;
                }
                let occurrences = self.occurrences[variable.0 as usize].iter();
                for other in occurrences.copied().filter(counts) {
                    if found.insert(other) {
                        pending.push(other);
                    }
                }
            }
        }
        let mut found: Vec<u32> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// Decides some constraints. One of them may be a question, which is kept when reasons are dropped.
    fn solve(&mut self, part: &[u32], question: Option<u32>) -> Result<Outcome, Limit> {
        let mut meter = Meter::new(self.limits.work);
        let decided = self.run(part, &mut meter);
        self.spent += self.limits.work - meter.left();
        match decided? {
            Decided::Satisfied(values) => {
                self.verify(part, &values)?;
                Ok(Outcome::Satisfied(values))
            }
            Decided::Refuted(leaves) => {
                let reasons = self.fewest(part, question, self.reasons(&leaves));
                Ok(Outcome::Refuted(reasons))
            }
        }
    }

    fn run(&self, part: &[u32], meter: &mut Meter) -> Result<Decided, Limit> {
        let mut context = Context {
            fresh: Fresh(self.terms.len() as u32),
            origins: Origins::new(),
            meter: *meter,
        };
        let problem = self.problem(part, &mut context.origins);
        let decided = satisfy(problem, &mut context);
        *meter = context.meter;
        decided
    }

    fn problem(&self, part: &[u32], origins: &mut Origins) -> Problem {
        let mut problem = Problem::default();
        for number in part {
            let stored = &self.constraints[*number as usize];
            let origin = stored.reason.map(|_| origins.constraint(*number));
            match &stored.constraint {
                Constraint::Linear(linear) => problem.linear.push(Derived {
                    linear: linear.clone(),
                    origin,
                }),
                Constraint::Any(alternatives) => {
                    problem.alternatives.push((alternatives.clone(), origin));
                }
                Constraint::Product(product) => problem.products.push(*product),
            }
        }
        problem
    }

    /// Checks a solution against the constraints as they were asserted.
    pub(crate) fn verify(&self, part: &[u32], values: &Values) -> Result<(), Limit> {
        for number in part {
            if !self.constraints[*number as usize]
                .constraint
                .holds(values)?
            {
                return Err(Limit::Unverified);
            }
        }
        // The order in which the values are visited does not matter.
        let mut sizes = values
            .iter()
            .filter(|(variable, _)| matches!(self.terms.atom(**variable), Some(Atom::Variable(_))));
        match sizes.all(|(_, value)| i64::try_from(*value).is_ok()) {
            true => Ok(()),
            false => Err(Limit::Overflow),
        }
    }

    fn reasons(&self, leaves: &Leaves) -> BTreeSet<Reason> {
        let numbers = leaves.iter().filter_map(|leaf| match leaf {
            Leaf::Constraint(number) => Some(*number),
            Leaf::Decision(_) => None,
        });
        let stored = numbers.filter_map(|number| self.constraints.get(number as usize));
        stored.filter_map(|stored| stored.reason).collect()
    }

    /// Returns a subset of the reasons that suffices to refute a part; reasons are dropped as long as the limit on work
    /// allows.
    fn fewest(&self, part: &[u32], question: Option<u32>, enough: BTreeSet<Reason>) -> Reasons {
        let mut by_reason: BTreeMap<Reason, Vec<u32>> = BTreeMap::new();
        for number in part {
            if let Some(reason) = self.constraints[*number as usize].reason {
                by_reason.entry(reason).or_default().push(*number);
            }
        }
        let mut meter = Meter::new(self.limits.minimising);
        minimise(enough, |reasons| {
            let facts = reasons.iter().filter_map(|reason| by_reason.get(reason));
            let mut from: Vec<u32> = facts.flatten().copied().collect();
            from.extend(question);
            let part = self.connected(&from, Some(reasons));
            if meter.spend(part.len()).is_err() {
                return Attempt::Exhausted;
            }
            match self.run(&part, &mut meter) {
                Ok(Decided::Refuted(leaves)) => Attempt::Enough(self.reasons(&leaves)),
                Ok(Decided::Satisfied(_)) => Attempt::NotEnough,
                Err(Limit::Work) => Attempt::Exhausted,
                Err(_) => Attempt::Unknown,
            }
        })
    }

    /// Returns the equations among the constraints in solved form; empty if solving them takes too much work.
    pub(crate) fn equations(&self) -> Equations {
        let mut origins = Origins::new();
        let all: Vec<u32> = (0..self.constraints.len() as u32).collect();
        let problem = self.problem(&all, &mut origins);
        let mut fresh = Fresh(self.terms.len() as u32);
        let mut meter = Meter::new(self.limits.work);
        solved(problem.linear.iter(), &mut fresh, &mut origins, &mut meter).unwrap_or_default()
    }
}
