//! The constraint set of a whole program, with the origin of each constraint.

use serde::Serialize;

use crate::ConstraintSet;
use crate::operation::{Requirement, Side};

use super::{Assignment, Check, Family, Foreign, Program, Span};

/// The constraints of a program (Def. 3.4), with the tags of the row variables of its tensors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    /// The constraints, operation by operation.
    pub set: ConstraintSet,
    /// The origin of each constraint.
    pub origins: Vec<Origin>,
}

/// The origin of a constraint of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The operation, by its place in [`Program::steps`].
    pub step: usize,
    /// The place of the requirement in the operation's list.
    pub requirement: usize,
    /// Its statement in words.
    pub words: String,
    /// The place of the operand that it is about, or of the whole operation when it is about the result only.
    pub span: Span,
}

impl Program {
    /// Returns every constraint that the operations state, in their order.
    ///
    /// # Errors
    /// A number in the program that refers to nothing ([`Program::check`]).
    pub fn constraints(&self) -> Result<Constraints, Foreign> {
        self.check()?;
        let mut constraints = Constraints::default();
        for (at, step) in self.steps.iter().enumerate() {
            // The program was checked, so the operation has the slots that it mentions.
            let stated = step.operation.constraints(|id| self[id].shape.clone());
            constraints
                .set
                .constraints
                .extend(stated.unwrap_or_default());
            let rests = step.operation.region().rests.iter().cloned();
            constraints.set.summands.extend(rests);
            let requirements = 0..step.operation.requirements.len();
            let origins = requirements.filter_map(|number| self.origin(at, number));
            constraints.origins.extend(origins);
        }
        constraints.set.tags = self.tags();
        Ok(constraints)
    }

    /// Returns the origin of a requirement of an operation; `None` when the program has no such requirement, or not the
    /// tensors that it mentions.
    pub fn origin(&self, step: usize, requirement: usize) -> Option<Origin> {
        let stated = self.steps.get(step)?;
        let required = stated.operation.requirements.get(requirement)?;
        let check = self.check_of(step, requirement);
        Some(Origin {
            step,
            requirement,
            words: self.words(stated, required, check)?,
            span: match check {
                Some(check) => check.span.clone(),
                None => place(stated, required)?,
            },
        })
    }

    /// Returns the written shape that adds a requirement to an operation; `None` if the operation itself has it.
    pub fn check_of(&self, step: usize, requirement: usize) -> Option<&Check> {
        let (first, check) = self.checks.range(..=(step, requirement)).next_back()?;
        (first.0 == step && check.requirements.contains(&requirement)).then_some(check)
    }

    /// Returns a requirement in words.
    fn words(
        &self,
        step: &Assignment,
        requirement: &Requirement,
        check: Option<&Check>,
    ) -> Option<String> {
        let side = |side: &Side| match side {
            Side::Slot(slot, kind) => {
                let tensor = self.tensor(*step.operation.slots.get(*slot)?)?;
                let role = if *slot == 0 { "result" } else { "operand" };
                Some(match check {
                    Some(_) => format!("`{}`'s {} row", tensor.name, kind.word()),
                    None => format!("{role} `{}`'s {} row", tensor.name, kind.word()),
                })
            }
            Side::Template(row) if check.is_some() => Some(format!("the written {row}")),
            Side::Template(row) => Some(format!("the spec's {row}")),
        };
        let said = match requirement {
            Requirement::Equal(left, right) => {
                format!("{} equal to {}", side(left)?, side(right)?)
            }
            Requirement::Below(left, right) => format!("{} below {}", side(left)?, side(right)?),
            Requirement::Template(constraint) => format!("{constraint} in the spec"),
        };
        if let Some(check) = check {
            let by = if check.asserted { "assert" } else { "let" };
            return Some(format!("{said}, by {by}"));
        }
        Some(match (step.logic, step.word) {
            (family, "") => format!("{said}, by {}", family.word()),
            (Family::Transpose, _) => format!("{said}, by transpose"),
            (family, word) => format!("{said}, by {} `{word}`", family.word()),
        })
    }
}

/// Returns the last operand that the requirement mentions, or the whole operation.
fn place(step: &Assignment, requirement: &Requirement) -> Option<Span> {
    let slot = |side: &Side| match side {
        Side::Slot(slot, _) => *slot,
        Side::Template(_) => 0,
    };
    let operand = match requirement {
        Requirement::Equal(left, right) | Requirement::Below(left, right) => {
            slot(left).max(slot(right))
        }
        Requirement::Template(_) => 0,
    };
    match operand {
        0 => Some(step.span.clone()),
        operand => step.slot_spans.get(operand).cloned(),
    }
}
