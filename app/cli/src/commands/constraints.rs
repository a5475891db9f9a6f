//! `lozenge constraints`: the requirements of a program's operations, as a constraint set in the notation.

use std::fmt::Write;

use lozenge_vocabulary::{Constraint, ConstraintSet};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args;
use crate::axon;
use crate::loaded;
use crate::report::{Problem, Report};

/// The constraints that the operations of a program state.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The constraints, in the order of the program.
    constraints: Vec<Stated>,
    /// All of them as a set in the notation.
    rows: String,
}

/// A constraint that an operation of a program states.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Stated {
    /// Its number, from 1.
    number: usize,
    /// The constraint in the notation.
    constraint: Constraint,
    /// The operation that states it, by its place in the program, from 1.
    operation: usize,
    /// Its meaning, in words.
    says: String,
    /// The line of the operation, from 1.
    line: usize,
    /// The column, from 1.
    column: usize,
}

/// Runs the command. The output is a set that `lozenge solve` reads; each constraint has its source line as a comment.
pub fn constraints(args: &args::Constraints) -> Result<Report, Problem> {
    if axon::is_axon(&args.file) {
        return axon::constraints(&args.file);
    }
    let outside = args::Outside {
        set: args.set.clone(),
        ..args::Outside::default()
    };
    let loaded = loaded::program_with(&args.file, &outside, args.programs)?;
    let constraints = loaded.constraints();
    let stated = constraints.set.constraints.iter().zip(&constraints.origins);
    let shown: Vec<(String, String)> = stated
        .clone()
        .map(|(constraint, origin)| {
            let (line, _) = loaded.place(&origin.span);
            (
                constraint.to_string(),
                format!("line {line}: {}", origin.words),
            )
        })
        .collect();
    let width = shown.iter().map(|(text, _)| text.chars().count()).max();
    let width = width.unwrap_or_default().min(60);
    let mut text = String::new();
    for (constraint, origin) in &shown {
        let _ = writeln!(text, "{constraint:width$}  # {origin}");
    }
    let declared = ConstraintSet {
        constraints: Vec::new(),
        ..constraints.set.clone()
    };
    let _ = write!(text, "{declared}");
    let list = stated.enumerate().map(|(index, (constraint, origin))| {
        let (line, column) = loaded.place(&origin.span);
        Stated {
            number: index + 1,
            constraint: constraint.clone(),
            operation: origin.step + 1,
            says: origin.words.clone(),
            line,
            column,
        }
    });
    let answer = Answer {
        constraints: list.collect(),
        rows: constraints.set.to_string(),
    };
    Ok(Report::new(text, answer))
}
