//! The store: facts with reasons, and the questions about them.

#[cfg(test)]
mod tests;

use std::num::NonZeroU64;

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::atom::Range;
use crate::constraint::{Constraint, Values};
use crate::elimination::Equations;
use crate::fact::{Fact, any};
use crate::form::Variable;
use crate::limit::{Limit, Limits};
use crate::model::{Model, evaluate};
use crate::reason::{Reason, Reasons};
use crate::term::{Term, Terms};

/// The answer to a question about some constraints.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Values that satisfy them.
    Satisfied(Values),
    /// The reasons why no values satisfy them.
    Refuted(Reasons),
}

/// The answer to whether the facts of a store have a common solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The facts have a common solution, which [`Store::model`] gives.
    Satisfiable,
    /// The facts have no common solution, for these reasons.
    Unsatisfiable(Reasons),
    /// The answer is not known.
    Unknown(Limit),
}

/// The answer to whether the facts of a store entail a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entailment {
    /// The fact holds in every solution, for these reasons.
    Yes(Reasons),
    /// A solution exists in which the fact does not hold.
    No,
    /// The answer is not known.
    Unknown(Limit),
}

/// The knowledge of a store about the value of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The term has this value in every solution.
    Forced(i64),
    /// Two solutions exist with different values of the term.
    Open,
    /// The facts have no solution.
    Contradiction,
    /// The value is not known.
    Unknown(Limit),
}

/// A state to which a store can be rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    constraints: usize,
    active: usize,
    weakened: usize,
    serial: u64,
}

/// The error for a snapshot that has facts which the store no longer holds, or that belongs to another store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the snapshot is of facts which the store has dropped")]
pub struct StaleSnapshot;

/// A constraint with its reason, which is missing if it holds by definition.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) constraint: Constraint,
    pub(crate) reason: Option<Reason>,
    /// A number that no other constraint ever had.
    serial: u64,
}

/// Facts about sizes, with their reasons.
///
/// The methods that return a [`Term`] build terms from variables. Terms are hash-consed and never dropped. Facts are
/// added by [`assert`](Store::assert) and dropped by [`rollback`](Store::rollback). A term in which a number becomes
/// too large has an unknown value.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) terms: Terms,
    pub(crate) limits: Limits,
    pub(crate) constraints: Vec<Stored>,
    /// The constraints that mention each atom.
    pub(crate) occurrences: Vec<Vec<u32>>,
    /// The atoms whose definitions are among the constraints, in that order.
    pub(crate) active: Vec<Variable>,
    is_active: Vec<bool>,
    /// The facts that could not be stored because a number is too large.
    pub(crate) weakened: usize,
    serial: u64,
    /// A solution of the first `satisfied` constraints, with values for the first `valued` active atoms.
    pub(crate) values: Values,
    pub(crate) satisfied: usize,
    pub(crate) valued: usize,
    /// The verdict, if it was computed since the last change.
    verdict: Option<Verdict>,
    found: FxHashMap<Term, Value>,
    /// The equations among the constraints in solved form.
    solved: Option<Equations>,
    /// A second solution, given by the values in which it differs from `values`.
    other: Option<Values>,
    /// The work of all questions so far.
    pub(crate) spent: u64,
}

impl Default for Store {
    fn default() -> Store {
        Store::new()
    }
}

/// Construction of terms.
impl Store {
    /// Makes a store without facts.
    pub fn new() -> Store {
        Store::with_limits(Limits::default())
    }

    /// Returns a store without facts, with limits on the work of its answers.
    pub fn with_limits(limits: Limits) -> Store {
        Store {
            terms: Terms::new(),
            limits,
            constraints: Vec::new(),
            occurrences: Vec::new(),
            active: Vec::new(),
            is_active: Vec::new(),
            weakened: 0,
            serial: 0,
            values: Values::default(),
            satisfied: 0,
            valued: 0,
            verdict: None,
            found: FxHashMap::default(),
            solved: None,
            other: None,
            spent: 0,
        }
    }

    /// Makes a variable that is at least 1.
    pub fn size(&mut self) -> Term {
        self.terms.variable(Range::Positive)
    }

    /// Makes a variable that is at least 0.
    pub fn natural(&mut self) -> Term {
        self.terms.variable(Range::Natural)
    }

    /// Makes a variable of any sign.
    pub fn integer(&mut self) -> Term {
        self.terms.variable(Range::Integer)
    }

    /// Makes the term of a number.
    pub fn number(&mut self, value: i64) -> Term {
        self.terms.sum(&[], value)
    }

    /// Returns the sum of multiples of terms and a constant.
    pub fn sum(&mut self, parts: &[(i64, Term)], constant: i64) -> Term {
        self.terms.sum(parts, constant)
    }

    /// Returns the product of two terms.
    pub fn product(&mut self, left: Term, right: Term) -> Term {
        self.terms.product(left, right)
    }

    /// Returns the quotient, rounded down (towards negative infinity).
    pub fn floor_div(&mut self, term: Term, divisor: NonZeroU64) -> Term {
        self.terms.floor_div(term, divisor)
    }

    /// Returns the quotient, rounded up.
    pub fn ceil_div(&mut self, term: Term, divisor: NonZeroU64) -> Term {
        self.terms.ceil_div(term, divisor)
    }

    /// Returns the least of some terms; none if there are no terms.
    pub fn min(&mut self, terms: &[Term]) -> Option<Term> {
        self.terms.min(terms)
    }

    /// Returns the greatest of some terms; none if there are no terms.
    pub fn max(&mut self, terms: &[Term]) -> Option<Term> {
        self.terms.max(terms)
    }
}

/// Assertion and rollback of facts.
impl Store {
    /// Adds a fact. Its reason is cited by answers that depend on the fact.
    pub fn assert(&mut self, fact: Fact, reason: Reason) {
        self.assert_any(&[fact], reason);
    }

    /// Adds the fact that at least one of these facts holds. An empty disjunction never holds.
    pub fn assert_any(&mut self, facts: &[Fact], reason: Reason) {
        self.changed();
        match any(facts, &mut self.terms) {
            Ok(constraint) => self.store(constraint, Some(reason)),
            Err(_) => self.weaken(),
        }
    }

    /// Returns the present state.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            constraints: self.constraints.len(),
            active: self.active.len(),
            weakened: self.weakened,
            serial: self.constraints.last().map_or(0, |stored| stored.serial),
        }
    }

    /// Drops the facts that were added after a snapshot.
    ///
    /// # Errors
    /// [`StaleSnapshot`] if facts of the snapshot have already been dropped. The store is then unchanged.
    pub fn rollback(&mut self, snapshot: Snapshot) -> Result<(), StaleSnapshot> {
        let last = match snapshot.constraints.checked_sub(1) {
            None => 0,
            Some(last) => self
                .constraints
                .get(last)
                .map_or(u64::MAX, |stored| stored.serial),
        };
        if last != snapshot.serial || self.weakened < snapshot.weakened {
            return Err(StaleSnapshot);
        }
        self.changed();
        self.truncate(snapshot);
        Ok(())
    }

    /// Drops the facts after a snapshot of the present facts.
    fn truncate(&mut self, snapshot: Snapshot) {
        while self.constraints.len() > snapshot.constraints {
            let Some(stored) = self.constraints.pop() else {
                break;
            };
            let number = self.constraints.len() as u32;
            for variable in stored.constraint.variables() {
                let list = &mut self.occurrences[variable.0 as usize];
                if list.last() == Some(&number) {
                    list.pop();
                }
            }
        }
        for variable in self.active.drain(snapshot.active..) {
            self.is_active[variable.0 as usize] = false;
            // Later facts may give another value to what it is defined by.
            self.values.remove(&variable);
        }
        self.weakened = snapshot.weakened;
        self.satisfied = self.satisfied.min(self.constraints.len());
        self.valued = self.valued.min(self.active.len());
    }

    /// Counts a fact that is not stored because a number in it is too large.
    fn weaken(&mut self) {
        self.weakened += 1;
    }

    fn changed(&mut self) {
        self.verdict = None;
        self.found.clear();
        self.solved = None;
        self.other = None;
    }

    /// Adds a constraint, after the definitions of the atoms that it mentions.
    fn store(&mut self, constraint: Constraint, reason: Option<Reason>) {
        self.activate(constraint.variables());
        self.push(constraint, reason);
    }

    fn push(&mut self, constraint: Constraint, reason: Option<Reason>) {
        let number = self.constraints.len() as u32;
        for variable in constraint.variables() {
            let list = &mut self.occurrences[variable.0 as usize];
            if list.last() != Some(&number) {
                list.push(number);
            }
        }
        self.serial += 1;
        self.constraints.push(Stored {
            constraint,
            reason,
            serial: self.serial,
        });
    }

    /// Adds the definitions of atoms and of all atoms that these mention.
    fn activate(&mut self, atoms: Vec<Variable>) {
        self.occurrences.resize_with(self.terms.len(), Vec::new);
        self.is_active.resize(self.terms.len(), false);
        let mut pending = atoms;
        while let Some(variable) = pending.pop() {
            if std::mem::replace(&mut self.is_active[variable.0 as usize], true) {
                continue;
            }
            self.active.push(variable);
            let Some(atom) = self.terms.atom(variable) else {
                continue;
            };
            let definition = atom.definition(variable, self.terms.tail(atom));
            match definition {
                Err(_) => self.weaken(),
                Ok(constraints) => {
                    for constraint in constraints {
                        pending.extend(constraint.variables());
                        self.push(constraint, None);
                    }
                }
            }
        }
    }
}

/// Questions.
impl Store {
    /// Tells whether the facts have a common solution.
    pub fn check(&mut self) -> Verdict {
        if let Some(verdict) = &self.verdict {
            return verdict.clone();
        }
        let verdict = self.decide();
        self.verdict = Some(verdict.clone());
        verdict
    }

    /// Returns a solution of the facts; `None` unless [`check`](Store::check) says that there is one.
    pub fn model(&mut self) -> Option<Model<'_>> {
        match self.check() {
            Verdict::Satisfiable => Some(Model {
                terms: &self.terms,
                values: &self.values,
            }),
            _ => None,
        }
    }

    /// Returns the work that was spent on all questions so far, in the unit of [`Limits::work`], which bounds each of
    /// them. Whoever asks many bounds the sum.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Tells whether the facts entail a fact. Facts without a solution entail every fact.
    pub fn entails(&mut self, fact: Fact) -> Entailment {
        match self.check() {
            Verdict::Unsatisfiable(reasons) => Entailment::Yes(reasons),
            Verdict::Satisfiable => self.refutes(fact.negation()),
            Verdict::Unknown(limit) => match self.refutes(fact.negation()) {
                Entailment::No => Entailment::Unknown(limit),
                other => other,
            },
        }
    }

    /// Tells whether the facts have no common solution with a further one.
    fn refutes(&mut self, fact: Fact) -> Entailment {
        let snapshot = self.snapshot();
        match any(&[fact], &mut self.terms) {
            Ok(constraint) => self.store(constraint, None),
            Err(overflow) => return Entailment::Unknown(overflow.into()),
        }
        let (satisfied, valued) = (self.satisfied, self.valued);
        let last = self.constraints.len() as u32 - 1;
        let outcome = match self.violated().is_empty() {
            true => Ok(Outcome::Satisfied(Values::default())),
            false => self.ask(last),
        };
        let is_weakened = self.weakened > snapshot.weakened;
        self.truncate(snapshot);
        (self.satisfied, self.valued) = (satisfied, valued);
        match outcome {
            Ok(Outcome::Refuted(reasons)) => Entailment::Yes(reasons),
            Ok(Outcome::Satisfied(_)) if is_weakened => Entailment::Unknown(Limit::Overflow),
            Ok(Outcome::Satisfied(values)) => {
                self.other = Some(values);
                Entailment::No
            }
            Err(limit) => Entailment::Unknown(limit),
        }
    }

    /// Returns the value of a term, if all solutions agree on it. [`entails`](Store::entails) gives the reasons for a
    /// forced value.
    pub fn value_of(&mut self, term: Term) -> Value {
        match self.check() {
            Verdict::Unsatisfiable(_) => return Value::Contradiction,
            Verdict::Unknown(limit) => return Value::Unknown(limit),
            Verdict::Satisfiable => {}
        }
        if let Some(value) = self.found.get(&term) {
            return *value;
        }
        let value = self.examine(term);
        self.found.insert(term, value);
        value
    }

    fn examine(&mut self, term: Term) -> Value {
        let form = match self.terms.form(term) {
            Ok(form) => form.clone(),
            Err(overflow) => return Value::Unknown(overflow.into()),
        };
        let of = |variable| self.values.get(&variable).copied();
        let found = evaluate(&form, &self.terms, of);
        let Some(found) = found.ok().and_then(|found| i64::try_from(found).ok()) else {
            return Value::Unknown(Limit::Overflow);
        };
        if self.is_solved(&form) {
            return Value::Forced(found);
        }
        if let Some(other) = &self.other {
            let of = |variable| other.get(&variable).or(self.values.get(&variable)).copied();
            if evaluate(&form, &self.terms, of) != Ok(i128::from(found)) {
                return Value::Open;
            }
        }
        let number = self.number(found);
        match self.refutes(Fact::Differ(term, number)) {
            Entailment::Yes(_) => Value::Forced(found),
            Entailment::No => Value::Open,
            Entailment::Unknown(limit) => Value::Unknown(limit),
        }
    }

    /// Tells whether the equations alone force the value of a form.
    fn is_solved(&mut self, form: &crate::form::Form) -> bool {
        if self.solved.is_none() {
            self.solved = Some(self.equations());
        }
        let solved = self.solved.as_ref();
        solved.is_some_and(|equations| equations.fixes(form))
    }
}
