//! The trace of a run, step by step.

use std::fmt;

use serde::Serialize;

use crate::cause::Cause;
use crate::firing::Firing;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::Var;

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct TraceEntry {
    /// The rule that fired.
    pub rule: Rule,
    /// The constraint that it consumed, under the bindings of that moment; a closing step consumes none.
    pub constraint: Option<Constraint>,
    /// The input constraints behind it, by index.
    pub inputs: Vec<usize>,
    /// The constraints that it emitted.
    pub emitted: Vec<Constraint>,
    /// The variable that it bound, with its value as text of the notation.
    pub bound: Option<(Var, String)>,
    /// The constraint that it stored: a cap, an adjacency, or a deferred equation.
    pub stored: Option<Constraint>,
}

impl TraceEntry {
    /// Returns the step of a firing on a constraint, which has this cause.
    pub(crate) fn of(firing: &Firing, on: Option<&Constraint>, cause: &Cause) -> TraceEntry {
        let emitted = firing.emits.iter().map(|(constraint, _)| constraint);
        let again = on.filter(|_| firing.again);
        let bound = firing.binds.as_ref();
        TraceEntry {
            rule: firing.rule,
            constraint: on.cloned(),
            inputs: cause.inputs.iter().copied().collect(),
            emitted: emitted.chain(again).cloned().collect(),
            bound: bound.map(|binding| (binding.value.var(), binding.value.text())),
            stored: firing.stores.clone().or_else(|| firing.defers.clone()),
        }
    }
}

impl fmt::Display for TraceEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<18}", self.rule.name())?;
        if let Some(constraint) = &self.constraint {
            write!(f, " {constraint}")?;
        }
        if let Some((var, value)) = &self.bound {
            write!(f, "  binds {var} to {value}")?;
        }
        if let Some(stored) = &self.stored {
            write!(f, "  keeps {stored}")?;
        }
        let again = |emitted: &&Constraint| Some(*emitted) == self.constraint.as_ref();
        let new = self.emitted.iter().filter(|emitted| !again(emitted));
        for (i, emitted) in new.enumerate() {
            write!(f, "{} {emitted}", if i == 0 { "  gives" } else { "," })?;
        }
        match self.emitted.iter().any(|emitted| again(&emitted)) {
            true => write!(f, "  and is taken up again"),
            false => Ok(()),
        }
    }
}
