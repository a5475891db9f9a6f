//! `lozenge entails`: whether a constraint holds in every solution of a set.

use std::fmt::Write;

use lozenge_solver::{Entailment, Solver};
use lozenge_vocabulary::Constraint;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::args;
use crate::commands::solve::{asserted, certificate::accepted};
use crate::files::distinct_files::{Named, distinct};
use crate::files::input;
use crate::files::output_file::OutputFile;
use crate::json::{Cited, Values};
use crate::report::{Problem, Report, Status};
use crate::source::Source;

/// The answer of `entails`.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Answer {
    /// True if the constraint holds in every solution; `null` where that is not decided.
    entailed: Option<bool>,
    /// The constraints because of which it does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    because: Vec<Cited>,
    /// A solution of the set in which it does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<Values>,
    /// The reason why it is not decided, with the flag that raises a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    /// True if a certificate was written, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<bool>,
}

/// Runs the command.
pub fn entails(args: &args::Entails) -> Result<Report, Problem> {
    let source = input::constraint_text(&args.file)?;
    let constraint = constraint(&args.constraint)?;
    distinct(
        &[Named::new("the constraint set", &args.file)],
        &Vec::from_iter(Named::flag("--certificate", args.certificate.as_deref())),
    )?;
    let file = OutputFile::open(args.certificate.as_deref())?;
    let options = lozenge_solver::Options {
        order: args.reading.order.into(),
        limits: args.search.with(args.solving),
    };
    let solver = Solver::with(asserted(source)?, options);
    let (entailment, certificate) = solver.entails(&constraint);
    let (mut answer, mut text, status) = of_entailment(&entailment, &constraint);
    if let Some(file) = file {
        let certificate = certificate.and_then(|own| accepted(json!(own), &solver));
        answer.certificate = Some(certificate.is_some());
        match certificate {
            Some(certificate) => file.write(&format!("{certificate}\n"))?,
            None => text.push_str("no certificate was written\n"),
        }
    }
    Ok(Report::new(text, answer).with_status(status))
}

/// Returns the constraint of the command line.
fn constraint(text: &str) -> Result<Constraint, Problem> {
    let source = Source {
        name: "CONSTRAINT".into(),
        text: text.into(),
    };
    let set = input::parsed(&source)?.set;
    match <[Constraint; 1]>::try_from(set.constraints) {
        Ok([constraint]) if set.tags.is_empty() => Ok(constraint),
        _ => Err(Problem::new(format!(
            "`{text}` is not one constraint: give one, as in 'a <= 3'"
        ))),
    }
}

fn of_entailment(entailment: &Entailment, constraint: &Constraint) -> (Answer, String, Status) {
    match entailment {
        Entailment::Holds(because) => {
            let because: Vec<Cited> = because.iter().map(Cited::from).collect();
            let mut text = match because.is_empty() {
                true => format!("`{constraint}` holds whatever the set says\n"),
                false => format!("`{constraint}` holds in every solution, because of\n"),
            };
            for cited in &because {
                let _ = writeln!(text, "  {cited}");
            }
            let answer = Answer {
                entailed: Some(true),
                because,
                ..Answer::default()
            };
            (answer, text, Status::Good)
        }
        Entailment::Fails(solution) => {
            let values = Values::from(solution.clone());
            let mut text = format!("`{constraint}` does not hold in this solution\n");
            for (_, line) in values.lines() {
                let _ = writeln!(text, "  {line}");
            }
            let answer = Answer {
                entailed: Some(false),
                counterexample: Some(values),
                ..Answer::default()
            };
            (answer, text, Status::Refused)
        }
        Entailment::Unknown(why) => {
            let answer = Answer {
                limit: Some(why.clone()),
                ..Answer::default()
            };
            (answer, format!("unknown: {why}\n"), Status::Unknown)
        }
    }
}
