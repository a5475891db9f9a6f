//! `lozenge solve`: what a constraint set comes to, or why it is refused.

use std::fmt::Write;

use lozenge_solver::{Problem as Stated, Refusal, Solver};
use lozenge_spec::{Options, solve as run_rules};
use lozenge_vocabulary::{Ground, Located, Order, Verdict};
use serde_json::{Value, json};

use crate::args::{self, Party};
use crate::input::{self, Source};
use crate::report::{Problem, Report};

/// Runs the command.
pub fn solve(args: &args::Solve) -> Result<Report, Problem> {
    let (source, located) = input::constraints(&args.file)?;
    let order: Order = args.reading.order.into();
    match args.by {
        Party::Spec => Ok(by_rules(&located, order, args.close)),
        Party::Solver => Ok(by_solver(solver(&source, order)?, args.close)),
        Party::Complete if args.close => Err(Problem::new(
            "complete mode decides and does not close: leave out --close, or use --by solver",
        )),
        Party::Complete => Ok(by_search(&solver(&source, order)?)),
    }
}

/// The constraint set in the solver's form, which keeps the lines for what it cites.
pub fn stated(source: &Source) -> Result<Stated, Problem> {
    Stated::parse(&source.text).map_err(|error| input::notation_problem(source, &error))
}

fn solver(source: &Source, order: Order) -> Result<Solver, Problem> {
    let options = lozenge_solver::Options {
        order,
        ..lozenge_solver::Options::default()
    };
    Ok(Solver::with(stated(source)?, options))
}

fn by_solver(mut solver: Solver, close: bool) -> Report {
    let outcome = if close {
        solver.close()
    } else {
        solver.solve()
    };
    match outcome {
        Ok(()) => found(
            &solver.solution().ground(),
            if close { CLOSED } else { TOPS },
            json!({}),
        ),
        Err(refusal) => refused(&refusal),
    }
}

fn by_search(solver: &Solver) -> Report {
    let decision = solver.decide();
    let mut json = json!(decision);
    json["branches"] = json!(decision.branches);
    match (&decision.solution, &decision.refusal) {
        (Some(solution), _) => {
            let note = if decision.least {
                "a solution of least rank"
            } else {
                "a solution"
            };
            found(solution, note, json)
        }
        (None, Some(refusal)) => refused(refusal),
        (None, None) => {
            let mut text = format!("{}: after {} branches", decision.verdict, decision.branches);
            if let Some(limit) = &decision.limit {
                let _ = write!(text, ", at the limit on {limit}");
            }
            if let Some(bound) = decision.bound {
                let _ = write!(text, "; words were tried up to {bound} axes");
            }
            text.push('\n');
            Report {
                text,
                json,
                status: decision.verdict.into(),
            }
        }
    }
}

fn by_rules(located: &Located, order: Order, close: bool) -> Report {
    let options = Options {
        order,
        close,
        traced: false,
        ..Options::default()
    };
    let run = run_rules(&located.set, &options);
    let verdict = run.verdict();
    match (run.greatest(), run.failure()) {
        (Some(gamma), _) => found(&gamma, if close { CLOSED } else { TOPS }, json!({})),
        (None, Some(failure)) => {
            let mut text = format!("{verdict}: {failure}\n");
            for index in &failure.inputs {
                let _ = writeln!(
                    text,
                    "  from constraint {}: {}",
                    index + 1,
                    located.set.constraints[*index]
                );
            }
            for var in failure.constraint.vars() {
                let _ = writeln!(text, "  {var}: {}", run.config.tag(&var).word());
            }
            let json = json!({"verdict": verdict, "refusal": failure});
            Report {
                text,
                json,
                status: verdict.into(),
            }
        }
        (None, None) => limit("the rules did as much work as is allowed them"),
    }
}

const TOPS: &str = "the greatest solution: what nothing forces stands at its top";
const CLOSED: &str = "closed";

fn found(gamma: &Ground, note: &str, mut json: Value) -> Report {
    json["verdict"] = json!(Verdict::Sat);
    json["solution"] = json!(gamma);
    json["note"] = json!(note);
    Report {
        text: format!("sat, {note}\n{gamma}"),
        json,
        status: Verdict::Sat.into(),
    }
}

/// A refusal of the solver.
pub fn refused(refusal: &Refusal) -> Report {
    let json = json!({"verdict": refusal.verdict, "refusal": refusal});
    Report {
        text: refusal.to_string(),
        json,
        status: refusal.verdict.into(),
    }
}

fn limit(reason: &str) -> Report {
    let json = json!({"verdict": Verdict::Unknown, "reason": reason});
    Report {
        text: format!("unknown: {reason}\n"),
        json,
        status: Verdict::Unknown.into(),
    }
}
