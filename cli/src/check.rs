//! `lozenge check`: compares the answers of all parties on one input.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use lozenge::Inference;
use lozenge_fuzz::agreement::{Agreement, Verdicts};
use lozenge_fuzz::parties::Effort;
use lozenge_fuzz::reference;
use lozenge_oracle::{Satisfiability, Soundness};
use lozenge_solver::Solver;
use lozenge_vocabulary::{ConstraintSet, Verdict};
use serde_json::{Value, json};

use crate::args;
use crate::inference::{self, Loaded};
use crate::input;
use crate::limits::Parties;
use crate::report::{Problem, Report, Status};

/// Runs the command.
pub fn check(args: &args::Check) -> Result<Report, Problem> {
    let checked = if input::is_program(&args.file) {
        let mut options = lozenge::Options::default();
        options.max_axes = args.max_axes;
        of_program(
            &inference::program(&args.file, args.programs)?,
            args.limits,
            &options,
        )
    } else {
        Checked::new(&input::constraints(&args.file)?.1.set, args.limits)
    };
    Ok(Report {
        text: checked.text(),
        json: checked.json(),
        status: checked.status(),
    })
}

/// The answers of the parties about a program's constraints, shapes and loop nests.
pub fn of_program(loaded: &Loaded, limits: Parties, options: &lozenge::Options) -> Checked {
    let set = loaded.constraints().set;
    let mut checked = Checked::new(&set, limits);
    match lozenge::infer(&loaded.program, options) {
        Ok(found) => checked.closed = Some(Closed::new(loaded, &set, found, limits)),
        // Other refusals appear in the verdicts.
        Err(refusal) if refusal.verdict == Verdict::Unknown => {
            checked
                .answers
                .limits
                .insert("shapes", refusal.reason.to_string());
        }
        Err(_) => {}
    }
    checked
}

/// The answers of the parties about a constraint set.
pub struct PartyAnswers {
    /// The verdicts.
    pub verdicts: Verdicts,
    times: [Duration; 4],
    /// For each party that says `unknown`, the limit that it reached.
    pub limits: BTreeMap<&'static str, String>,
}

impl PartyAnswers {
    /// Asks every party within its limits.
    pub fn of(set: &ConstraintSet, limits: Parties) -> PartyAnswers {
        type Answer = (Verdict, Option<String>);
        let effort = Effort::from(limits);
        let timed = |party: &dyn Fn() -> Answer| {
            let start = Instant::now();
            (party(), start.elapsed())
        };
        let rules = || {
            let verdict = effort.spec(set);
            let reached = (verdict == Verdict::Unknown).then(|| limits.rules.reached(set));
            (verdict, reached)
        };
        let solver = || match Solver::with(set.into(), limits.sizes.into()).solve() {
            Ok(()) => (Verdict::Sat, None),
            Err(refusal) => (refusal.verdict, Some(refusal.message)),
        };
        let z3 = || match effort.oracle().sat(set) {
            Satisfiability::Unknown(reason) => (Verdict::Unknown, Some(reason.to_string())),
            decided => (decided.verdict(), None),
        };
        let complete = || effort.complete(set);
        let answers: [(Answer, Duration); 4] =
            [timed(&rules), timed(&solver), timed(&complete), timed(&z3)];
        let [spec, solver, complete, oracle] = answers.each_ref().map(|((verdict, _), _)| *verdict);
        let verdicts = Verdicts {
            spec,
            solver,
            complete,
            oracle,
        };
        let unknown = verdicts.named().into_iter().zip(&answers);
        let unknown = unknown.filter(|((_, verdict), _)| *verdict == Verdict::Unknown);
        PartyAnswers {
            verdicts,
            times: answers.each_ref().map(|(_, time)| *time),
            limits: unknown
                .filter_map(|((name, _), ((_, reached), _))| Some((name, reached.clone()?)))
                .collect(),
        }
    }
}

/// The verdicts with the time that each took and, for a program, the check of its closed shapes.
pub struct Checked {
    answers: PartyAnswers,
    constraints: usize,
    closed: Option<Closed>,
}

/// The comparison of a program's closed shapes and loop nests, as found by the pipeline, with the other parties.
struct Closed {
    /// The tensors that the transcribed rules close to different shapes; `None` if the rules do not get that far.
    shapes: Option<Vec<String>>,
    /// The operations for which the transcribed rules have other index maps or another loop nest.
    nests: Option<Vec<String>>,
    /// Whether Z3 finds that the shapes satisfy every constraint, or the limit that it reached.
    sound: Result<bool, String>,
}

impl Closed {
    fn new(loaded: &Loaded, set: &ConstraintSet, found: Inference, limits: Parties) -> Closed {
        let program = &loaded.program;
        let ground = found.solver().solution().ground();
        let oracle = Effort::from(limits).oracle();
        let sound = match oracle.sound(set, &ground) {
            Soundness::Sound(_) => Ok(true),
            Soundness::Unsound(_) => Ok(false),
            Soundness::Unknown(reason) => Err(reason.to_string()),
        };
        let Ok(reference) = reference::infer(program, limits.rules.rule_work) else {
            return Closed {
                shapes: None,
                nests: None,
                sound,
            };
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
            let written = &program[step.operation.slots[0]].name;
            format!("{written} (line {line})")
        };
        Closed {
            shapes: Some(shapes.map(|(tensor, _)| tensor.name.to_string()).collect()),
            nests: Some(nests.map(|(operation, _)| line(operation)).collect()),
            sound,
        }
    }

    /// Whether the rules got that far and found the same.
    fn rules_agree(&self) -> Option<bool> {
        Some(self.shapes.as_ref()?.is_empty() && self.nests.as_ref()?.is_empty())
    }

    fn consistent(&self) -> Option<bool> {
        match (self.rules_agree(), &self.sound) {
            (Some(false), _) | (_, Ok(false)) => Some(false),
            (None, _) | (_, Err(_)) => None,
            (Some(true), Ok(true)) => Some(true),
        }
    }

    /// The differences of the rules in shapes or loop nests, in words.
    fn differing(other: &Option<Vec<String>>) -> String {
        match other {
            None => "the rules have none".into(),
            Some(other) if other.is_empty() => "the rules have the same".into(),
            Some(other) => format!("the rules have others for {}", other.join(", ")),
        }
    }
}

impl Checked {
    fn new(set: &ConstraintSet, limits: Parties) -> Checked {
        Checked {
            answers: PartyAnswers::of(set, limits),
            constraints: set.constraints.len(),
            closed: None,
        }
    }

    /// The agreement of the verdicts and of the closed shapes. A defect outweighs a limit.
    fn agreement(&self) -> Agreement {
        match (
            self.answers.verdicts.agreement(),
            self.closed.as_ref().map(Closed::consistent),
        ) {
            (Agreement::Disagree, _) | (_, Some(Some(false))) => Agreement::Disagree,
            (Agreement::Unknown, _) | (_, Some(None)) => Agreement::Unknown,
            (agreement, _) => agreement,
        }
    }

    /// A line for each party, and the conclusion.
    pub fn text(&self) -> String {
        let mut out = format!("verdicts on {} constraints\n", self.constraints);
        for ((name, verdict), time) in self
            .answers
            .verdicts
            .named()
            .into_iter()
            .zip(self.answers.times)
        {
            let milliseconds = time.as_secs_f64() * 1e3;
            let _ = writeln!(
                out,
                "  {name:<9} {:<9} {milliseconds:>9.3} ms   {}",
                verdict.word(),
                who(name)
            );
            if let Some(limit) = self.answers.limits.get(name) {
                let _ = writeln!(out, "    {limit}");
            }
        }
        if let Some(closed) = &self.closed {
            let oracle = match &closed.sound {
                Ok(true) => "Z3 confirms that they satisfy every constraint".to_string(),
                Ok(false) => "Z3 finds that they violate a constraint".to_string(),
                Err(reason) => format!("Z3 says unknown: {reason}"),
            };
            let shapes = Closed::differing(&closed.shapes);
            let nests = Closed::differing(&closed.nests);
            let _ = writeln!(out, "  shapes    those of the solver; {shapes}; {oracle}");
            let _ = writeln!(out, "  loops     those of the solver; {nests}");
        } else if let Some(limit) = self.answers.limits.get("shapes") {
            let _ = writeln!(out, "  shapes    unknown: {limit}");
        }
        let _ = writeln!(out, "  {}", self.agreement());
        out
    }

    /// The verdicts, and whether they are consistent.
    pub fn json(&self) -> Value {
        let mut json = json!(self.answers.verdicts);
        if !self.answers.limits.is_empty() {
            json["limits"] = json!(self.answers.limits);
        }
        if let Some(closed) = &self.closed {
            json["shapes"] = json!({
                "spec": closed.rules_agree(),
                "oracle": closed.sound.as_ref().ok(),
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
