//! `lozenge solve --by complete`: what complete mode decides, and what every solution shares.

use std::collections::BTreeMap;
use std::fmt::Write;

use lozenge_solver::{AxisRun, Decision, InRuns, Solver};
use lozenge_vocabulary::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Outcome, Search, certificate, found, refusal_outcome};
use crate::args;
use crate::files::output_file::OutputFile;
use crate::json::{Cited, Values};
use crate::report::Problem;

/// The values that every solution shares.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Forced {
    /// The variables that have one value in all solutions, with that value.
    values: Values,
    /// The variables of which that is not decided, with the reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    undecided: BTreeMap<String, String>,
}

/// Asks complete mode, with a certificate if one was requested: a refutation or a solution.
pub fn decided(
    args: &args::Solve,
    file: Option<OutputFile>,
    solver: &Solver,
) -> Result<Outcome, Problem> {
    let (decision, refutation) = match file.is_some() {
        true => solver.certify(),
        false => (solver.decide(), None),
    };
    let proof = match (&refutation, &decision.solution) {
        (Some(refutation), _) => Some(certificate::refutation(refutation)),
        (None, Some(model)) => Some(certificate::model(model, solver)),
        (None, None) => None,
    };
    let forced = args.forced.then(|| solver.forced(&decision));
    let mut outcome = of_decision(decision, solver);
    if let (Some(forced), Some(solution)) = (forced, &outcome.1.solution) {
        let undecided = forced.undecided.into_iter();
        let forced = Forced {
            values: Values::from(forced.values),
            undecided: undecided.map(|(var, why)| (var.to_string(), why)).collect(),
        };
        let note = outcome.1.note.unwrap_or_default();
        outcome.2 = by_standing(note, solution, &forced);
        outcome.1.forced = Some(forced);
    }
    certificate::write(file, proof, solver, outcome)
}

/// Returns a solution as text, what every solution shares first.
fn by_standing(note: &str, solution: &Values, forced: &Forced) -> String {
    let shared: BTreeMap<String, String> = forced.values.pairs().collect();
    let mut text = format!("sat, {note}\n");
    let mut group = |head: &str, wanted: &dyn Fn(&str) -> bool| {
        let lines = solution.lines().filter(|(var, _)| wanted(var));
        for (number, (var, line)) in lines.enumerate() {
            if number == 0 {
                let _ = writeln!(text, "{head}");
            }
            let _ = match forced.undecided.get(&var) {
                Some(why) => writeln!(text, "  {line}   # {why}"),
                None => writeln!(text, "  {line}"),
            };
        }
    };
    group("the same in every solution", &|var| {
        shared.contains_key(var)
    });
    group("another solution has another value", &|var| {
        !shared.contains_key(var) && !forced.undecided.contains_key(var)
    });
    group("not decided", &|var| forced.undecided.contains_key(var));
    text
}

fn of_decision(decision: Decision, solver: &Solver) -> Outcome {
    let search = Search {
        branches: decision.branches,
        clauses: decision.clauses,
        least: decision.least,
        rank: decision.rank,
    };
    let (verdict, mut answer, text) = match (&decision.solution, &decision.refusal) {
        (Some(solution), _) => {
            let note = if decision.least {
                "a solution of least rank"
            } else {
                "a solution"
            };
            found(solution.clone(), note)
        }
        (None, Some(refusal)) => refusal_outcome(refusal),
        (None, None) => without_solution(&decision, solver),
    };
    answer.search = Some(search);
    (verdict, answer, text)
}

/// The text in place of a solution that is not written down.
const TOO_LONG: &str = "its rows are too long to be spelled out (--rank raises that limit), so that equal axes are counted";

/// Returns the message where no solution is spelled out and propagation does not refuse.
fn without_solution(decision: &Decision, solver: &Solver) -> Outcome {
    let mut text = match (decision.verdict, decision.rank, &decision.limit) {
        (Verdict::Sat, Some(rank), _) => {
            let runs = decision
                .in_runs
                .as_ref()
                .map_or(String::new(), InRuns::to_string);
            format!("sat, a solution of least rank, {rank} axes in all; {TOO_LONG}\n{runs}")
        }
        (verdict, _, Some(limit)) => format!("{verdict}: {limit}\n"),
        (verdict, ..) => format!("{verdict}: at no lengths of the rows can these hold together\n"),
    };
    let cited = solver.cited(&decision.cited);
    let cited: Vec<Cited> = cited.iter().map(Cited::from).collect();
    for constraint in &cited {
        let _ = writeln!(text, "  {constraint}");
    }
    let unspelled = decision.verdict == Verdict::Sat;
    let answer = Answer {
        limit: match unspelled {
            true => Some(TOO_LONG.into()),
            false => decision.limit.clone(),
        },
        cited,
        in_runs: decision.in_runs.as_ref().map(runs),
        ..Answer::default()
    };
    (decision.verdict, answer, text)
}

/// Runs of axes: an axis in the notation, and how many there are.
pub type Runs = Vec<(String, u64)>;

/// The rows of a solution in runs: for each variable the axes in front of the marker, and those behind it.
pub type RowsInRuns = BTreeMap<String, [Runs; 2]>;

/// Returns a solution in runs as data; a dimension is one axis.
fn runs(solution: &InRuns) -> RowsInRuns {
    let run = |axes: &[AxisRun]| {
        axes.iter()
            .map(|(dim, count)| (dim.to_string(), *count))
            .collect()
    };
    let dims = solution.dims.iter();
    let dims = dims.map(|(var, dim)| (var.to_string(), [Vec::new(), vec![(dim.to_string(), 1)]]));
    let rows = solution.rows.iter();
    let rows = rows.map(|(var, row)| (var.to_string(), [run(&row.leading), run(&row.trailing)]));
    dims.chain(rows).collect()
}
