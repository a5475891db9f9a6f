//! `lozenge check`: every party on one input, held against each other.

use std::fmt::Write;
use std::time::{Duration, Instant};

use lozenge_fuzz::agreement::{Agreement, Verdicts};
use lozenge_fuzz::parties;
use lozenge_oracle::Soundness;
use lozenge_solver::{Problem as Stated, Solver};
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{ConstraintSet, Verdict};
use serde_json::{Value, json};

use crate::args;
use crate::inference::{self, Loaded};
use crate::input;
use crate::report::{Problem, Report, Status};

/// How long the oracle may take when nobody says otherwise.
pub const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// Runs the command.
pub fn check(args: &args::Check) -> Result<Report, Problem> {
    let time = args.time;
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
    let set = &loaded.constraints.set;
    Checked {
        closed: Closed::new(set, time),
        ..Checked::new(set, time)
    }
}

/// The verdicts with the time that each took, and of a program what its closed shapes are worth.
pub struct Checked {
    verdicts: Verdicts,
    times: [Duration; 4],
    constraints: usize,
    closed: Option<Closed>,
}

/// The closed shapes of a program: those of the transcribed rules, held against the other two parties.
struct Closed {
    /// Whether the production solver closes every row to the same.
    solver_agrees: bool,
    /// Whether Z3 finds that they satisfy every constraint; `None` at a limit.
    sound: Option<bool>,
}

impl Closed {
    fn new(set: &ConstraintSet, time: Duration) -> Option<Closed> {
        let options = Options {
            close: true,
            traced: false,
            ..Options::default()
        };
        let rules = solve(set, &options).greatest();
        let mut solver = Solver::new(Stated::from(set));
        let solved = solver.close().is_ok().then(|| solver.solution().ground());
        let sound = match parties::oracle(time).sound(set, rules.as_ref()?) {
            Soundness::Sound(_) => Some(true),
            Soundness::Unsound(_) => Some(false),
            Soundness::Unknown(_) => None,
        };
        Some(Closed {
            solver_agrees: solved == rules,
            sound,
        })
    }

    fn consistent(&self) -> Option<bool> {
        if self.solver_agrees {
            self.sound
        } else {
            Some(false)
        }
    }
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
            closed: None,
        }
    }

    /// The verdicts together, and the closed shapes with them. A defect outweighs a limit.
    fn agreement(&self) -> Agreement {
        match (
            self.verdicts.agreement(),
            self.closed.as_ref().map(Closed::consistent),
        ) {
            (Agreement::Disagree, _) | (_, Some(Some(false))) => Agreement::Disagree,
            (Agreement::Unknown, _) | (_, Some(None)) => Agreement::Unknown,
            (agreement, _) => agreement,
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
        if let Some(closed) = &self.closed {
            let solver = if closed.solver_agrees {
                "closes to the same"
            } else {
                "closes to others"
            };
            let oracle = match closed.sound {
                Some(true) => "confirms that they satisfy every constraint",
                Some(false) => "finds that they violate a constraint",
                None => "reached its limit on them",
            };
            let _ = writeln!(
                out,
                "  shapes    those of the rules; the solver {solver}; Z3 {oracle}"
            );
        }
        let _ = writeln!(out, "  {}", self.agreement());
        out
    }

    /// The verdicts, and whether they are consistent.
    pub fn json(&self) -> Value {
        let mut json = json!(self.verdicts);
        if let Some(closed) = &self.closed {
            json["shapes"] = json!({"solver": closed.solver_agrees, "oracle": closed.sound});
        }
        json["agree"] = json!(self.agreement().consistent());
        json["class"] = json!(self.agreement());
        json
    }

    fn status(&self) -> Status {
        status(self.agreement())
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
