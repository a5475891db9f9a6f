//! The questions of the oracle about a program: its constraints belong to statements, and its author sees some of its
//! variables.

use lozenge_vocabulary::{Constraint, ConstraintSet, Ground, Var};
use serde::Serialize;

use crate::forced::Forced;
use crate::limits::Reason;
use crate::oracle::Oracle;
use crate::satisfiability::Satisfiability;
use crate::scope::Scope;
use crate::session::Session;

/// A statement of a program, and the constraints that it gave rise to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The name under which the statement is shown: its text, or its place.
    pub label: String,
    /// The indices of its constraints. Constraints that belong to no statement are always asserted.
    pub constraints: Vec<usize>,
}

/// A program, reduced to the parts that the oracle needs.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    /// All constraints.
    pub set: &'a ConstraintSet,
    /// The statements that they come from.
    pub statements: &'a [Statement],
    /// The variables whose values are the answer: two completions that agree on them are the same.
    pub seen: &'a [Var],
}

/// The answer to whether the shapes of a program can be completed, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one for each question, so its size costs nothing"
)]
pub enum Completion {
    /// The shapes can be completed.
    Possible {
        /// The first completion, in the order of [`Oracle::model`].
        first: Ground,
        /// The values that all completions have in common.
        forced: Forced,
        /// Another completion, which differs in a dimension or in the axes of a row that the author sees, if there is
        /// one.
        second: Second,
    },
    /// The shapes cannot be completed: these statements exclude each other, and none of them can be left out.
    Refused {
        /// The indices of the statements.
        statements: Vec<usize>,
        /// The reason for which it is not certain that none can be left out.
        doubt: Option<Reason>,
    },
    /// A limit was reached.
    Unknown(Reason),
}

/// Another completion of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Second {
    /// `null`: the first is the only one up to differences that the author does not see.
    None,
    /// The completion.
    Some(Ground),
    /// A limit was reached.
    Unknown {
        /// The reason why it is not known whether there is one.
        unknown: Reason,
    },
}

impl Oracle {
    /// Tells whether the shapes of a program can be completed and how far they are forced; if they cannot, which
    /// statements exclude each other.
    pub fn complete(&self, program: &Program<'_>) -> Completion {
        match self.sat(program.set) {
            Satisfiability::Unknown(reason) => Completion::Unknown(reason),
            Satisfiability::Unsat => self.refusal(program),
            Satisfiability::Sat(_) => match self.possible(program) {
                Ok(completion) => completion,
                Err(reason) => Completion::Unknown(reason),
            },
        }
    }

    fn possible(&self, program: &Program<'_>) -> Result<Completion, Reason> {
        let gone = || Reason::Solver("a solution was there and is gone".to_owned());
        let first = self.model(program.set)?.ok_or_else(gone)?;
        let forced = self.forced(program.set)?.ok_or_else(gone)?;
        let second = match self.another(program, &first) {
            Ok(None) => Second::None,
            Ok(Some(ground)) => Second::Some(ground),
            Err(unknown) => Second::Unknown { unknown },
        };
        Ok(Completion::Possible {
            first,
            forced,
            second,
        })
    }

    /// Returns a completion that differs from the first one in a variable that the author sees.
    fn another(&self, program: &Program<'_>, first: &Ground) -> Result<Option<Ground>, Reason> {
        let same: Vec<Constraint> = program
            .seen
            .iter()
            .filter_map(|v| value(v, first))
            .collect();
        let mut scope = Scope::of(program.set);
        scope.goals.extend(&same);
        let goals: Vec<&Constraint> = same.iter().collect();
        let differ = |session: &mut Session<'_>| session.deny_one_of(&goals, self.order);
        let clock = self.start();
        self.search(&clock, &scope, differ, |session, sealed| {
            session.first_solution(sealed)
        })
    }

    fn refusal(&self, program: &Program<'_>) -> Completion {
        let mut groups: Vec<Vec<usize>> = vec![Vec::new()];
        let owned = |k: &usize| program.statements.iter().any(|s| s.constraints.contains(k));
        groups[0].extend((0..program.set.constraints.len()).filter(|k| !owned(k)));
        groups.extend(program.statements.iter().map(|s| s.constraints.clone()));
        match self.core_of_groups(&program.set.constraints, &groups, &program.set.summands) {
            Ok(Some(core)) => Completion::Refused {
                statements: core
                    .constraints
                    .iter()
                    .filter_map(|g| g.checked_sub(1))
                    .collect(),
                doubt: core.doubt,
            },
            Ok(None) => Completion::Unknown(Reason::Solver("a refutation is gone".to_owned())),
            Err(reason) => Completion::Unknown(reason),
        }
    }
}

/// Returns the constraint that the variable has its value; for a row, that it has the same axes.
fn value(var: &Var, ground: &Ground) -> Option<Constraint> {
    match var {
        Var::Dim(var) => {
            let dim = ground.dims.get(var)?.clone();
            Some(Constraint::DimEq(var.clone().into(), dim.into()))
        }
        Var::Row(var) => {
            let row = ground.rows.get(var)?.clone();
            Some(Constraint::RowEq(var.clone().into(), row.into()))
        }
    }
}
