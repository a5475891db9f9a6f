//! `lozenge explain`: how a variable came to its value, or why the set is refused, as a numbered story.

use lozenge::{Problem as Stated, Solver};
use lozenge_spec::Var;
use serde_json::json;

use crate::args;
use crate::inference::{self, Loaded};
use crate::input;
use crate::report::{Problem, Report, Status};
use crate::solve;

/// Runs the command.
pub fn explain(args: &args::Explain) -> Result<Report, Problem> {
    let var: Var = args.var.parse().map_err(|error| {
        Problem(format!(
            "error: --var {}: {error}: write a dimension variable as a and a row variable as '<r>'",
            args.var
        ))
    })?;
    let stated = if input::is_program(&args.file) {
        of_program(&inference::program(&args.file)?)
    } else {
        solve::stated(&input::constraints(&args.file)?.0)?
    };
    let mut solver = Solver::new(stated);
    let outcome = if args.open {
        solver.solve()
    } else {
        solver.close()
    };
    if let Err(refusal) = outcome {
        return Ok(solve::refused(&refusal));
    }
    let Some(story) = solver.explain(&var) else {
        return Err(Problem(format!(
            "error: --var {var}: no constraint and no declaration mentions {var}"
        )));
    };
    Ok(Report {
        text: story.to_string(),
        json: json!(story),
        status: Status::Good,
    })
}

/// A program's constraints, each row variable with the tensor that it belongs to as its purpose.
fn of_program(loaded: &Loaded) -> Stated {
    let mut stated = Stated::from(&loaded.constraints.set);
    for var in loaded.constraints.set.vars() {
        if let Some(purpose) = loaded.purpose(&var) {
            stated.purpose(&var, &purpose);
        }
    }
    stated
}
