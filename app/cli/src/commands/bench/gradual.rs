//! `lozenge bench gradual`: the tables of *Generalizing Shape Analysis with Gradual Types* (ECOOP 2024).

use lozenge_bench::gradual::{Question, tables};

use super::Answer;
use crate::args;
use crate::report::{Problem, Report, Status};

/// Runs the command.
///
/// # Errors
/// When a graph is missing in the folder or cannot be read.
pub fn bench(args: &args::BenchGradual) -> Result<Report, Problem> {
    let question = Question {
        folder: &args.folder,
        only: &args.only,
        runs: args.runs,
    };
    let tables = tables(&question).map_err(Problem::new)?;
    let status = match tables.is_open() {
        true => Status::Unknown,
        false => Status::Good,
    };
    let text = tables.text();
    let answer = Answer {
        gradual: Some(tables),
        ..Answer::default()
    };
    Ok(Report::new(text, answer).with_status(status))
}
