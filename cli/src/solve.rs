//! `lozenge solve`: what a constraint set forces, what is free, or why it is refused.

use std::fmt::Write;

use lozenge::{Decision, Problem as Set, Refusal, Solver};
use lozenge_spec::{ConstraintSet, Ground, Located, Options, Order, Verdict, solve as run_rules};
use serde_json::{Value, json};

use crate::args::{self, Party};
use crate::input;
use crate::report::{Problem, Report};

/// Runs the command.
pub fn solve(args: &args::Solve) -> Result<Report, Problem> {
    let (_, located) = input::constraints(&args.file)?;
    let order: Order = args.reading.order.into();
    if order == Order::OneShot && args.by != Party::Spec {
        return Err(Problem(
            "error: the solver reads `<=` between rows in the marked order only: for `--order one-shot` use `--by spec` or `lozenge oracle`".into(),
        ));
    }
    Ok(match args.by {
        Party::Spec => by_rules(&located, order, args.close),
        Party::Solver => by_solver(&located.set, args.close),
        Party::Complete if args.close => {
            return Err(Problem("error: complete mode decides and does not close: leave out `--close`, or use `--by solver`".into()));
        }
        Party::Complete => by_search(&located.set),
    })
}

fn by_solver(set: &ConstraintSet, close: bool) -> Report {
    let mut solver = Solver::new(Set::from(set));
    let outcome = if close { solver.close() } else { solver.solve() };
    match outcome {
        Ok(()) => solved(&solver.solution().ground(), close, json!({})),
        Err(refusal) => refused(&refusal),
    }
}

fn refused(refusal: &Refusal) -> Report {
    let json = json!({"verdict": refusal.verdict, "refusal": refusal});
    Report { text: refusal.to_string(), json, status: refusal.verdict.into() }
}
