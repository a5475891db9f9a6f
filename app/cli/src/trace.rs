//! `lozenge trace`: every step of the transcribed rules.

use std::fmt::Write;

use lozenge_spec::{Options, Run, solve};
use lozenge_vocabulary::Verdict;
use serde_json::json;

use crate::args;
use crate::inference;
use crate::input;
use crate::report::{Problem, Report};

/// Runs the command.
pub fn trace(args: &args::Trace) -> Result<Report, Problem> {
    let set = if input::is_program(&args.file) {
        inference::program(&args.file, args.programs)?
            .constraints()
            .set
    } else {
        input::constraints(&args.file)?.1.set
    };
    let options = Options {
        order: args.reading.order.into(),
        strategy: args.strategy(),
        close: args.close,
        traced: true,
        work: args.rules.rule_work,
    };
    let run = solve(&set, &options);
    let verdict = run.verdict();
    let limit = (verdict == Verdict::Unknown).then(|| args.rules.reached(&set));
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
    Ok(Report {
        text,
        json,
        status: verdict.into(),
    })
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
