//! `lozenge check`: every party on one input, held against each other.

use std::fmt::Write;
use std::time::{Duration, Instant};

use lozenge_fuzz::agreement::{Agreement, Verdicts};
use lozenge_fuzz::{parties, reference};
use lozenge_oracle::Soundness;
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

/// What the parties say of a program's constraints, its shapes and its loop nests.
pub fn of_program(loaded: &Loaded, time: Duration) -> Checked {
    let set = loaded.constraints().set;
    Checked {
        closed: Closed::new(loaded, &set, time),
        ..Checked::new(&set, time)
    }
}

/// The verdicts with the time that each took, and of a program what its closed shapes are worth.
pub struct Checked {
    verdicts: Verdicts,
    times: [Duration; 4],
    constraints: usize,
    closed: Option<Closed>,
}

/// The closed shapes and the loop nests of a program: those of the pipeline, held against the other parties.
struct Closed {
    /// The tensors whose shapes the transcribed rules close to others; `None` when they do not get so far.
    shapes: Option<Vec<String>>,
    /// The operations for which the transcribed rules have other index maps or another loop nest.
    nests: Option<Vec<String>>,
    /// Whether Z3 finds that the shapes satisfy every constraint; `None` at a limit.
    sound: Option<bool>,
}

impl Closed {
    /// `None` when the pipeline refuses the program.
    fn new(loaded: &Loaded, set: &ConstraintSet, time: Duration) -> Option<Closed> {
        let program = &loaded.program;
        let found = lozenge::infer(program, &lozenge::Options::default()).ok()?;
        let ground = found.solver().solution().ground();
        let sound = match parties::oracle(time).sound(set, &ground) {
            Soundness::Sound(_) => Some(true),
            Soundness::Unsound(_) => Some(false),
            Soundness::Unknown(_) => None,
        };
        let Ok(reference) = reference::infer(program) else {
            return Some(Closed {
                shapes: None,
                nests: None,
                sound,
            });
        };
        let tensors = program.tensors.iter();
        let shapes = tensors.zip(found.shapes.iter().zip(reference.shapes.iter()));
        let shapes = shapes.filter(|(_, (found, expected))| found != expected);
        let nests = found.nests.iter().zip(&reference.nests).enumerate();
        let nests =
            nests.filter(|(_, (found, expected))| !reference::same_up_to_names(expected, found));
        let line = |operation: usize| {
            let step = &program.steps[operation];
            let (line, _) = loaded.place(&step.span);
            let written = &program.tensor(step.operation.slots[0]).name;
            format!("{written} (line {line})")
        };
        Some(Closed {
            shapes: Some(shapes.map(|(tensor, _)| tensor.name.to_string()).collect()),
            nests: Some(nests.map(|(operation, _)| line(operation)).collect()),
            sound,
        })
    }

    /// Whether the rules came as far, and found the same.
    fn rules_agree(&self) -> Option<bool> {
        Some(self.shapes.as_ref()?.is_empty() && self.nests.as_ref()?.is_empty())
    }

    fn consistent(&self) -> Option<bool> {
        match (self.rules_agree(), self.sound) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (None, _) | (_, None) => None,
            (Some(true), Some(true)) => Some(true),
        }
    }

    /// What the rules have of the shapes or of the loop nests.
    fn differing(other: &Option<Vec<String>>) -> String {
        match other {
            None => "the rules have none".into(),
            Some(other) if other.is_empty() => "the rules have the same".into(),
            Some(other) => format!("the rules have others for {}", other.join(", ")),
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
            let oracle = match closed.sound {
                Some(true) => "Z3 confirms that they satisfy every constraint",
                Some(false) => "Z3 finds that they violate a constraint",
                None => "Z3 reached its limit on them",
            };
            let shapes = Closed::differing(&closed.shapes);
            let nests = Closed::differing(&closed.nests);
            let _ = writeln!(out, "  shapes    those of the solver; {shapes}; {oracle}");
            let _ = writeln!(out, "  loops     those of the solver; {nests}");
        }
        let _ = writeln!(out, "  {}", self.agreement());
        out
    }

    /// The verdicts, and whether they are consistent.
    pub fn json(&self) -> Value {
        let mut json = json!(self.verdicts);
        if let Some(closed) = &self.closed {
            json["shapes"] = json!({
                "spec": closed.rules_agree(),
                "oracle": closed.sound,
                "differing_shapes": closed.shapes,
                "differing_loop_nests": closed.nests,
            });
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
