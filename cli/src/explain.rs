//! `lozenge explain`: how a variable came to its value, or why the set is refused, as a numbered story.

use std::fmt::Write;

use lozenge_solver::{Cited, Problem as Stated, Refusal, Solver, Story};
use lozenge_vocabulary::Var;
use serde_json::json;

use crate::args;
use crate::inference::{self, Loaded};
use crate::input;
use crate::report::{Problem, Report, Status};
use crate::solve;

/// Runs the command.
pub fn explain(args: &args::Explain) -> Result<Report, Problem> {
    let var: Var = args.var.parse().map_err(|error| {
        Problem::new(format!(
            "--var {}: {error}: write a dimension variable as a and a row variable as '<r>'",
            args.var
        ))
    })?;
    let program = match input::is_program(&args.file) {
        true => Some(inference::program(&args.file)?),
        false => None,
    };
    let stated = match &program {
        Some(loaded) => of_program(loaded),
        None => solve::stated(&input::constraints(&args.file)?.0)?,
    };
    let teller = Teller {
        program: program.as_ref(),
    };
    let mut solver = Solver::new(stated);
    let outcome = if args.open {
        solver.solve()
    } else {
        solver.close()
    };
    if let Err(refusal) = outcome {
        return Ok(Report {
            text: teller.refusal(&refusal),
            ..solve::refused(&refusal)
        });
    }
    let Some(story) = solver.explain(&var) else {
        return Err(Problem::new(format!(
            "--var {var}: no constraint and no declaration mentions {var}"
        )));
    };
    Ok(Report {
        text: teller.story(&story),
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

/// Tells stories with the lines of what was read: of a constraint set, or of the program that states it.
struct Teller<'a> {
    program: Option<&'a Loaded>,
}

impl Teller<'_> {
    fn story(&self, story: &Story) -> String {
        let mut out = format!("{} = {} ({})\n", story.var, story.value, story.purpose);
        for (number, step) in story.steps.iter().enumerate() {
            let choice = if step.policy { ", a choice" } else { "" };
            let _ = write!(out, "{}. {} [{}{choice}]", number + 1, step.text, step.rule);
            let uses: Vec<String> = step.uses.iter().map(|used| format!(" by {used}")).collect();
            let _ = writeln!(out, "{}", uses.concat());
            for cited in &step.constraints {
                let _ = writeln!(out, "     {}", self.cited(cited));
            }
        }
        if story.steps.is_empty() {
            out.push_str("Nothing bounds it: it stands at its top.\n");
        }
        out
    }

    fn refusal(&self, refusal: &Refusal) -> String {
        let mut out = format!(
            "{}: {} ({})\n",
            refusal.verdict, refusal.message, refusal.rule
        );
        for (number, cited) in refusal.chain.iter().enumerate() {
            let _ = writeln!(out, "{}. {}", number + 1, self.cited(cited));
        }
        if let Some(policy) = &refusal.policy {
            let _ = writeln!(out, "   after the choice {} ({})", policy.text, policy.rule);
        }
        for involved in &refusal.variables {
            let _ = writeln!(out, "   {}: {}", involved.var, involved.purpose);
        }
        out
    }

    /// A constraint with its place; of a program, the place and the words of the operation that states it.
    fn cited(&self, cited: &Cited) -> String {
        let Some(loaded) = self.program else {
            return cited.to_string();
        };
        let origin = &loaded.constraints.origins[cited.index];
        let (line, column) = loaded.place(&origin.span);
        format!(
            "line {line}, column {column}: {}  ({})",
            origin.words, cited.text
        )
    }
}
