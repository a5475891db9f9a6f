//! `lozenge trace`: every step of the transcribed rules.

use std::fmt::Write;

use lozenge_spec::cause::Failure;
use lozenge_spec::trace::TraceEntry;
use lozenge_spec::{Options, Run, limit_reached, solve};
use lozenge_vocabulary::{ConstraintSet, Ground, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args;
use crate::report::Report;

/// The steps of the transcribed rules.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The steps of the rules, in order.
    steps: Vec<TraceEntry>,
    /// The reason why there is no solution, where there is none.
    failure: Option<Failure>,
    /// The greatest solution, where there is one.
    solution: Option<Ground>,
    /// The limit behind `unknown`, with the flag that raises it.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
}

/// Traces the rules on a constraint set.
pub fn of_set(set: &ConstraintSet, args: &args::Trace) -> Report {
    let options = Options {
        order: args.reading.order.into(),
        strategy: args.strategy(),
        close: args.close,
        traced: true,
        work: args.rules.rule_work,
    };
    let run = solve(set, &options);
    let verdict = run.verdict();
    let limit = (verdict == Verdict::Unknown).then(|| limit_reached(args.rules.rule_work, set));
    let mut text = text(&run);
    if let Some(limit) = &limit {
        let _ = writeln!(text, "{limit}");
    }
    let answer = Answer {
        failure: run.failure().cloned(),
        solution: run.greatest(),
        steps: run.config.trace.unwrap_or_default(),
        limit,
    };
    Report::judged(verdict, text, answer)
}

fn text(run: &Run) -> String {
    let mut out = String::new();
    for (number, step) in run.config.trace.iter().flatten().enumerate() {
        let _ = writeln!(out, "{:>4}  {step}", number + 1);
    }
    let _ = writeln!(out, "\n{}", run.verdict());
    if let Some(failure) = run.failure() {
        let _ = writeln!(out, "{failure}");
    }
    if let Some(gamma) = run.greatest() {
        let _ = write!(out, "{gamma}");
    }
    out
}
