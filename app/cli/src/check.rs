//! `lozenge check`: compares the answers of all parties on one input.

mod closing;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use closing::Closing;
use lozenge::{Inference, Reason};
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
        options.solver = args.limits.solving.into();
        of_program(
            &inference::program(&args.file, args.programs)?,
            args.limits,
            &options,
        )
    } else {
        of_set(&input::constraints(&args.file)?.1.set, args.limits)
    };
    Ok(Report {
        text: checked.text(),
        json: checked.json(),
        status: checked.status(),
    })
}

/// The answers of the parties about a constraint set, and about its closing. What is not declared is interior.
fn of_set(set: &ConstraintSet, limits: Parties) -> Checked {
    let mut checked = Checked::new(set, limits);
    if checked.is_solved() {
        checked.closing = Some(Closing::of(set, limits));
    }
    checked
}

/// The answers of the parties about a program's constraints, shapes and loop nests.
pub fn of_program(loaded: &Loaded, limits: Parties, options: &lozenge::Options) -> Checked {
    let set = loaded.constraints().set;
    let mut checked = Checked::new(&set, limits);
    match lozenge::infer(&loaded.program, options) {
        Ok(found) => {
            let closed = Closed::new(loaded, &set, found, limits);
            if closed.refused_by_rules {
                checked.closing = Some(Closing::of(&set, limits));
            }
            checked.closed = Some(closed);
        }
        Err(refusal) if refusal.verdict == Verdict::Unknown => {
            checked
                .answers
                .limits
                .insert("shapes", refusal.reason.to_string());
        }
        Err(refusal) if matches!(refusal.reason, Reason::Shapes(_)) => {
            // What solving refuses appears in the verdicts, what only closing refuses does not.
            if checked.is_solved() {
                checked.closing = Some(Closing::of(&set, limits));
            }
        }
        Err(refusal) => checked.without_nests = Some(WithoutNests::of(loaded, &refusal, limits)),
    }
    checked
}

/// A program that has shapes and no loop nests, by the pipeline.
struct WithoutNests {
    /// Why there are none.
    message: String,
    /// Whether the transcribed rules have none either; `None` if they do not get that far.
    by_rules: Option<bool>,
}

impl WithoutNests {
    fn of(loaded: &Loaded, refusal: &lozenge::Refusal, limits: Parties) -> WithoutNests {
        WithoutNests {
            message: refusal.reason.to_string(),
            by_rules: match reference::infer(&loaded.program, limits.rules.rule_work) {
                Err(reference::Failed::NoNest { .. }) => Some(true),
                Ok(_) | Err(reference::Failed::Refused(_)) => Some(false),
                Err(reference::Failed::Work) => None,
            },
        }
    }
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
        let solver = || match Solver::with(set.into(), limits.solving.into()).solve() {
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
    closing: Option<Closing>,
    without_nests: Option<WithoutNests>,
}

/// The comparison of a program's closed shapes and loop nests, as found by the pipeline, with the other parties.
struct Closed {
    /// The tensors that the transcribed rules close to different shapes; `None` if the rules do not get that far.
    shapes: Option<Vec<String>>,
    /// The operations for which the transcribed rules have other index maps or another loop nest.
    nests: Option<Vec<String>>,
    /// Whether Z3 finds that the shapes satisfy every constraint, or the limit that it reached.
    sound: Result<bool, String>,
    /// Whether the transcribed rules refuse the program.
    refused_by_rules: bool,
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
        let reference = match reference::infer(program, limits.rules.rule_work) {
            Ok(reference) => reference,
            Err(failed) => {
                return Closed {
                    shapes: None,
                    nests: None,
                    sound,
                    refused_by_rules: !matches!(failed, reference::Failed::Work),
                };
            }
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
            refused_by_rules: false,
        }
    }

    /// Whether the rules got that far and found the same.
    fn rules_agree(&self) -> Option<bool> {
        Some(self.shapes.as_ref()?.is_empty() && self.nests.as_ref()?.is_empty())
    }

    /// How the others stand to the shapes and loop nests. What it means that the rules refuse them is compared as a closing.
    fn agreement(&self) -> Agreement {
        match (self.rules_agree(), &self.sound) {
            (Some(false), _) | (_, Ok(false)) => Agreement::Disagree,
            (_, Err(_)) => Agreement::Unknown,
            (None, _) if !self.refused_by_rules => Agreement::Unknown,
            (None | Some(true), Ok(true)) => Agreement::Agree,
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
            closing: None,
            without_nests: None,
        }
    }

    /// Whether both policy solvers reach a solved form, which can then be closed.
    fn is_solved(&self) -> bool {
        let Verdicts { spec, solver, .. } = self.answers.verdicts;
        [spec, solver] == [Verdict::Sat; 2]
    }

    /// The agreement of the verdicts, of the closed shapes and of the loop nests: the worst of them. A defect outweighs a limit.
    fn agreement(&self) -> Agreement {
        let nests = self.without_nests.as_ref().map(|none| match none.by_rules {
            Some(true) => Agreement::Agree,
            Some(false) => Agreement::Disagree,
            None => Agreement::Unknown,
        });
        [
            self.closed.as_ref().map(Closed::agreement),
            self.closing.as_ref().map(|closing| closing.agreement),
            nests,
        ]
        .into_iter()
        .flatten()
        .fold(self.answers.verdicts.agreement(), Agreement::max)
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
        if let Some(closing) = &self.closing {
            let _ = writeln!(out, "  closing   {}", closing.words);
        }
        if let Some(none) = &self.without_nests {
            let by_rules = match none.by_rules {
                Some(true) => "the rules have none either",
                Some(false) => "the rules answer otherwise",
                None => "the rules reached their limit; --rule-work raises it",
            };
            let _ = writeln!(out, "  loops     none: {}; {by_rules}", none.message);
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
        if let Some(closing) = &self.closing {
            json["closing"] = closing.json();
        }
        if let Some(none) = &self.without_nests {
            json["without_loop_nests"] = json!({"says": none.message, "spec": none.by_rules});
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
