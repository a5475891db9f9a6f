//! Causes: the input constraints behind a conclusion, and the policy commitments that it rests on.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use crate::clash::Clash;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::Var;
use lozenge_vocabulary::verdict::Verdict;

/// A policy step that was taken: what it bound, and to what (in the notation).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Commitment {
    /// The policy rule.
    pub rule: Rule,
    /// The variable.
    pub var: Var,
    /// Its value.
    pub value: String,
    /// The input constraints that asked for it, by index.
    pub inputs: Vec<usize>,
}

impl fmt::Display for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} chose {} ~ {}", self.rule, self.var, self.value)
    }
}

/// The inputs and policy commitments from which a constraint, a binding or a bound follows.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Cause {
    /// Indices of input constraints.
    pub inputs: BTreeSet<usize>,
    /// Indices of commitments, in the order in which they were made. Where there is none the conclusion is semantic.
    pub commitments: BTreeSet<usize>,
}

impl Cause {
    /// Returns the cause of an input constraint: itself.
    pub fn input(index: usize) -> Cause {
        Cause {
            inputs: BTreeSet::from([index]),
            commitments: BTreeSet::new(),
        }
    }

    /// Adds another cause.
    pub fn join(&mut self, other: &Cause) {
        self.inputs.extend(&other.inputs);
        self.commitments.extend(&other.commitments);
    }

    /// Returns both causes.
    pub fn and(&self, other: &Cause) -> Cause {
        let mut both = self.clone();
        both.join(other);
        both
    }
}

/// A constraint, and why it holds.
#[derive(Clone, Debug)]
pub struct Pending {
    /// The constraint. σ is applied only when it is processed.
    pub constraint: Constraint,
    /// The cause of the constraint.
    pub cause: Cause,
}

/// The failure of a run: the rule, the constraint that it failed on, and the inputs and policy steps that led there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Failure {
    /// The rule that failed.
    pub rule: Rule,
    /// The constraint on which it failed, under the bindings of that moment.
    pub constraint: Constraint,
    /// The contradiction.
    #[serde(skip)]
    pub clash: Clash,
    /// The contradiction in words.
    pub reason: String,
    /// The input constraints that led there, by index.
    pub inputs: Vec<usize>,
    /// The policy commitments upstream, oldest first. Where there is none the failure is semantic.
    pub commitments: Vec<Commitment>,
}

impl Failure {
    /// Returns `unsat` when no policy step lies upstream (Lemma 5.1), else `rejected`. A hole of a parameter is always
    /// `rejected`: only policy refuses it (Def. 6.1).
    pub fn verdict(&self) -> Verdict {
        if self.commitments.is_empty() && self.clash.is_semantic() {
            Verdict::Unsat
        } else {
            Verdict::Rejected
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} fails on `{}`: {}",
            self.rule, self.constraint, self.reason
        )?;
        self.commitments
            .iter()
            .try_for_each(|c| write!(f, "\n  after the policy step {c}"))
    }
}
