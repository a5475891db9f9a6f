//! `lozenge check`: every party on one input, held against each other.

use std::fmt::Write;
use std::time::{Duration, Instant};

use lozenge_fuzz::agreement::{Agreement, Verdicts};
use lozenge_fuzz::parties;
use lozenge_spec::{ConstraintSet, Verdict};
use serde_json::{Value, json};

use crate::args;
use crate::inference::{self, Loaded};
use crate::input;
use crate::report::{Problem, Report, Status};

/// How long the oracle may take when nobody says otherwise.
pub const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// Runs the command.
pub fn check(args: &args::Check) -> Result<Report, Problem> {
    let time = Duration::from_millis(args.time);
    let checked = if input::is_program(&args.file) {
        of_program(&inference::program(&args.file)?, time)
    } else {
        Checked::new(&input::constraints(&args.file)?.1.set, time)
    };
    Ok(Report {
        text: checked.text(),
        json: checked.json(),
        status: checked.status(),
    })
}

/// What the parties say of a program's constraints.
pub fn of_program(loaded: &Loaded, time: Duration) -> Checked {
    Checked::new(&loaded.constraints.set, time)
}

/// The verdicts with the time that each took.
pub struct Checked {
    verdicts: Verdicts,
    times: [Duration; 4],
    constraints: usize,
}

impl Checked {
    fn new(set: &ConstraintSet, time: Duration) -> Checked {
        let oracle = parties::oracle(time);
        let timed = |party: &dyn Fn() -> Verdict| {
            let start = Instant::now();
            (party(), start.elapsed())
        };
        let (spec, spec_time) = timed(&|| parties::spec(set));
        let (solver, solver_time) = timed(&|| parties::solver(set));
        let (complete, complete_time) = timed(&|| parties::complete(set));
        let (oracle, oracle_time) = timed(&|| oracle.sat(set).verdict());
        Checked {
            verdicts: Verdicts {
                spec,
                solver,
                complete,
                oracle,
            },
            times: [spec_time, solver_time, complete_time, oracle_time],
            constraints: set.constraints.len(),
        }
    }

    /// A line a party, and the conclusion.
    pub fn text(&self) -> String {
        let mut out = format!("verdicts on {} constraints\n", self.constraints);
        for ((name, verdict), time) in self.verdicts.named().into_iter().zip(self.times) {
            let milliseconds = time.as_secs_f64() * 1e3;
            let _ = writeln!(
                out,
                "  {name:<9} {:<9} {milliseconds:>9.3} ms   {}",
                verdict.word(),
                who(name)
            );
        }
        let _ = writeln!(out, "  {}", self.verdicts.agreement());
        out
    }

    /// The verdicts, and whether they are consistent.
    pub fn json(&self) -> Value {
        let mut json = json!(self.verdicts);
        json["agree"] = json!(self.verdicts.agreement().consistent());
        json["class"] = json!(self.verdicts.agreement());
        json
    }

    fn status(&self) -> Status {
        status(self.verdicts.agreement())
    }
}

/// The exit status of an agreement.
pub fn status(agreement: Agreement) -> Status {
    match agreement {
        Agreement::Agree | Agreement::PolicyGap => Status::Good,
        Agreement::Disagree => Status::Refused,
        Agreement::Unknown => Status::Unknown,
    }
}

fn who(party: &str) -> &'static str {
    match party {
        "spec" => "the transcribed rules, policy mode",
        "solver" => "the production solver, policy mode",
        "complete" => "the production solver, complete mode",
        _ => "Z3, from the definition of satisfaction",
    }
}
