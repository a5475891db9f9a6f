//! `lozenge trace`: every step of the transcribed rules.

use std::fmt::Write;

use lozenge_spec::{Options, Run, limit_reached, solve};
use lozenge_vocabulary::{ConstraintSet, Verdict};
use serde_json::json;

use crate::args;
use crate::report::Report;

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
    let mut json = json!({
        "verdict": verdict,
        "steps": run.config.trace,
        "failure": run.failure(),
        "solution": run.greatest(),
    });
    let mut text = text(&run);
    if let Some(limit) = limit {
        let _ = writeln!(text, "{limit}");
        json["limit"] = json!(limit);
    }
    Report {
        text,
        json,
        status: verdict.into(),
    }
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
