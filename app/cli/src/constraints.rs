//! `lozenge constraints`: the requirements of a program's operations, as a constraint set in the notation.

use std::fmt::Write;

use lozenge_vocabulary::ConstraintSet;
use serde_json::{Value, json};

use crate::args;
use crate::axon;
use crate::inference;
use crate::report::{Problem, Report, Status};

/// Runs the command. The output is a set that `lozenge solve` reads; each constraint has its source line as a comment.
pub fn constraints(args: &args::Constraints) -> Result<Report, Problem> {
    if axon::is_axon(&args.file) {
        return axon::constraints(&args.file);
    }
    let outside = args::Outside {
        set: args.set.clone(),
        ..args::Outside::default()
    };
    let loaded = inference::program_with(&args.file, &outside, args.programs)?;
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
    let list: Vec<Value> = stated
        .enumerate()
        .map(|(index, (constraint, origin))| {
            let (line, column) = loaded.place(&origin.span);
            json!({
                "number": index + 1,
                "constraint": constraint.to_string(),
                "operation": origin.step + 1,
                "says": origin.words,
                "line": line,
                "column": column,
            })
        })
        .collect();
    Ok(Report {
        text,
        json: json!({"constraints": list, "rows": constraints.set.to_string()}),
        status: Status::Good,
    })
}
