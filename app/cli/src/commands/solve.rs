//! `lozenge solve`: the solution of a constraint set, or the reason why it is refused.

pub mod certificate;
mod complete;

use std::fmt::Write;
use std::io;
use std::sync::Arc;

use lozenge_solver::{Limits, Refusal, Solver};
use lozenge_spec::{Options, limit_reached, solve as run_rules};
use lozenge_vocabulary::{Ground, Tag, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{self, Format, Lists, Party};
use crate::files::distinct_files::{Named, distinct};
use crate::files::file_kind::SHAPES;
use crate::files::input::{self, Source};
use crate::files::output_file::OutputFile;
use crate::json::{
    Cited, Envelope, Involved, Pretty, RefusalData, RestsOn, SCHEMA, Solved, Values, cited_in,
    lines::Variable,
};
use crate::report::{self, Problem, Report, Status};
use crate::shapes;

/// The answer of `solve`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Answer {
    /// The kind of solution that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    /// The solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<Values>,
    /// A solution of complete mode that is too long to be spelled out: for each variable the axes in front of the
    /// marker and those behind it, each as an axis and how many of it follow each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_runs: Option<complete::RowsInRuns>,
    /// The footing of its values, where the production solver gave it in policy mode, which is written as it is made
    /// ([`Solved`]) and never kept here.
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<RestsOn>,
    /// The refusal, where there is no solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<RefusalData>,
    /// The limit behind `unknown`, or behind a solution that is not written down, with the flag that raises it.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    /// Of complete mode: the constraints that have no solution by themselves, where propagation alone does not refuse.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    cited: Vec<Cited>,
    /// A small solution that complete mode finds by other choices where policy refuses, if the set is small.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_choices: Option<Values>,
    /// True if a certificate was written, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<bool>,
    /// Of complete mode: what every solution shares, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    forced: Option<complete::Forced>,
    /// Of complete mode: what the search did.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<Search>,
}

/// The work of the search of complete mode.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Search {
    /// The number of branches over the lengths of rows that were taken; 0 when propagation alone decided.
    branches: u64,
    /// The number of clashes of axes that were excluded, each for all lengths at which it exists.
    clauses: u64,
    /// True if no solution has a smaller total rank.
    least: bool,
    /// The total rank of the solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<u64>,
}

/// The result of `solve`: a report to be printed, or nothing if it has already written its answer.
pub enum Solve {
    /// A report.
    Report(Report),
    /// Nothing.
    Written(Status),
}

/// Writes a solution while it is computed.
fn written(
    solver: &Solver,
    note: &'static str,
    close: bool,
    format: Format,
) -> Result<Solve, Problem> {
    let solved = Solved::new(solver.solution(), note);
    report::to_stdout(|out| {
        // A large answer is written in millions of small parts.
        let mut out = io::BufWriter::with_capacity(1 << 16, out);
        match format {
            Format::Text => solved.write_text(&mut out, close)?,
            Format::Jsonl => solved.write_lines(&mut out)?,
            Format::Json => {
                let envelope = Envelope {
                    schema: SCHEMA,
                    command: "solve".into(),
                    verdict: Some(Verdict::Sat),
                    errors: Vec::new(),
                    body: solved,
                };
                let mut json = serde_json::Serializer::with_formatter(&mut out, Pretty::default());
                envelope.serialize(&mut json)?;
                io::Write::write_all(&mut out, b"\n")?;
            }
        }
        io::Write::flush(&mut out)
    })?;
    Ok(Solve::Written(Status::Good))
}

/// Solves or closes, and returns the kind of solution in words.
fn solved(solver: &mut Solver, close: bool) -> Result<&'static str, Box<Refusal>> {
    if close {
        solver.close()?;
        return Ok("closed");
    }
    solver.solve()?;
    solver.conclude_sizes();
    Ok(match solver.solution().is_greatest() {
        true => "the greatest solution",
        false => "a solution",
    })
}

/// Runs the command.
pub fn solve(args: &args::Solve, format: Format) -> Result<Solve, Problem> {
    if input::kind_by_name(&args.file).is_some_and(|kind| kind.noun == SHAPES.noun) {
        return shapes::solve(args).map(Solve::Report);
    }
    if args.trace || args.lists != Lists::Literal {
        return Err(Problem::new(
            "--trace and --reading are for equations of shapes (.shapes); `lozenge trace` shows the steps about a constraint set",
        ));
    }
    let source = input::constraint_text(&args.file)?;
    if args.certificate.is_some() && args.by == Party::Spec {
        return Err(Problem::new(
            "the transcribed rules write no certificates: leave out --certificate, or --by spec",
        ));
    }
    if args.forced && args.by != Party::Complete {
        return Err(Problem::new(
            "complete mode decides what every solution shares: add --by complete, or leave out --forced",
        ));
    }
    distinct(
        &[Named::new("the constraint set", &args.file)],
        &Vec::from_iter(Named::flag("--certificate", args.certificate.as_deref())),
    )?;
    let file = OutputFile::open(args.certificate.as_deref())?;
    let (verdict, answer, text) = match args.by {
        Party::Spec => {
            let mut outcome = by_rules(&source, args)?;
            if outcome.0 == Verdict::Rejected {
                add_other_choices(&mut outcome, &solver(source, args)?);
            }
            outcome
        }
        Party::Solver => {
            let mut solver = solver(source, args)?;
            match solved(&mut solver, args.close) {
                Err(refusal) => {
                    let certificate = certificate::of_refusal(&refusal, &solver);
                    {
                        let refused = refused_by_solver(&refusal, &solver);
                        certificate::write(file, certificate, &solver, refused)?
                    }
                }
                Ok(note) if solver.solution().has_more_axes_than(args.max_axes) => {
                    too_long(note, args.max_axes)
                }
                Ok(note) => {
                    if let Some(file) = file {
                        certificate::write_model(file, &solver)?;
                    }
                    let written = written(&solver, note, args.close, format);
                    // The process ends now. To give back a million parts one by one would only take time.
                    std::mem::forget(solver);
                    return written;
                }
            }
        }
        Party::Complete if args.close => {
            return Err(Problem::new(
                "complete mode decides and does not close: leave out --close, or use --by solver",
            ));
        }
        Party::Complete => complete::decided(args, file, &solver(source, args)?)?,
    };
    Ok(Solve::Report(report(verdict, &answer, text, format)))
}

/// Returns the report of an answer. Only the requested form is built, since either can be large.
fn report(verdict: Verdict, answer: &Answer, text: String, format: Format) -> Report {
    let mut body = Value::Null;
    if format != Format::Text {
        body = json!(answer);
        // In lines, each variable has its own line.
        if let (Format::Jsonl, Some(solution)) = (format, &answer.solution) {
            let pairs = solution.pairs();
            let items = pairs.map(|(variable, value)| json!(Variable::plain(&variable, &value)));
            body["solution"] = items.collect();
        }
    }
    Report::judged(verdict, text, body)
}

/// Returns the constraint set in the solver's form, which keeps the line numbers for citations.
pub fn asserted(source: Source) -> Result<lozenge_solver::Problem, Problem> {
    let Source { name, text } = source;
    let text = Arc::new(text);
    lozenge_solver::Problem::parse_shared(&text).map_err(|error| {
        let text = text.to_string();
        input::notation_problem(&Source { name, text }, &error)
    })
}

fn solver(source: Source, args: &args::Solve) -> Result<Solver, Problem> {
    let options = lozenge_solver::Options {
        order: args.reading.order.into(),
        limits: args.search.with(args.solving),
    };
    Ok(Solver::with(asserted(source)?, options))
}

/// A verdict, the answer for programs, and the answer for people up to the solution.
type Outcome = (Verdict, Answer, String);

/// Returns a refusal by policy, with the result of other choices.
fn refused_by_solver(refusal: &Refusal, solver: &Solver) -> Outcome {
    let mut refused = refusal_outcome(refusal);
    if refusal.verdict == Verdict::Rejected {
        add_other_choices(&mut refused, solver);
    }
    refused
}

/// Adds what complete mode finds to a refusal by policy.
fn add_other_choices((_, answer, text): &mut Outcome, solver: &Solver) {
    let found = by_other_choices(solver);
    text.push_str(&in_words(found.as_ref()));
    answer.other_choices = found;
}

/// Describes a solution by other choices or, where none is known, tells how to look for one.
fn in_words(found: Option<&Values>) -> String {
    let Some(values) = found else {
        return "a choice was made; `lozenge solve --by complete` looks at the others\n".into();
    };
    let lines = values.lines().map(|(_, line)| format!("  {line}\n"));
    "other choices have a solution (`--by complete`):\n".to_string() + &lines.collect::<String>()
}

/// Returns the message about a solution whose values are too long to print.
fn too_long(note: &'static str, most: u64) -> Outcome {
    let limit = format!(
        "its values have more than {most} {} in all and are not written down; --max-axes raises that",
        if most == 1 { "axis" } else { "axes" }
    );
    let text = format!("sat, {note}\n{limit}\n");
    let answer = Answer {
        note: Some(note),
        limit: Some(limit),
        ..Answer::default()
    };
    (Verdict::Sat, answer, text)
}

/// A set that policy refuses is given to complete mode at once if it has at most this many constraints.
const SMALL: usize = 100;

/// Returns the answer of complete mode for a set that policy refuses: a solution if the set is small and has a small
/// one.
fn by_other_choices(solver: &Solver) -> Option<Values> {
    if solver.problem().len() > SMALL {
        return None;
    }
    let limits = Limits {
        branches: 1_000,
        rank: 16,
        ..Limits::default()
    };
    let options = lozenge_solver::Options {
        limits,
        ..*solver.options()
    };
    let decision = Solver::with(solver.problem().clone(), options).decide();
    decision.solution.map(Values::from)
}

fn by_rules(source: &Source, args: &args::Solve) -> Result<Outcome, Problem> {
    let located = input::parsed(source)?;
    let options = Options {
        order: args.reading.order.into(),
        close: args.close,
        traced: false,
        work: args.rules.rule_work,
        ..Options::default()
    };
    let run = run_rules(&located.set, &options);
    Ok(match (run.greatest(), run.failure()) {
        (Some(gamma), _) => found(gamma, note(args.close)),
        (None, Some(failure)) => {
            let vars = failure.constraint.vars();
            let involved = vars.iter().map(|var| Involved {
                var: var.to_string(),
                purpose: run.config.tag(var).word().into(),
            });
            let cited = |index| cited_in(source, &located, index);
            let refusal = RefusalData::of_rules(failure, cited, involved.collect());
            let mut text = format!("{}: {failure}\n", run.verdict());
            for cited in &refusal.chain {
                let _ = writeln!(text, "  {cited}");
            }
            // Every variable is interior unless it is declared otherwise.
            let declared = |involved: &&Involved| involved.purpose != Tag::Interior.word();
            for involved in refusal.variables.iter().filter(declared) {
                let _ = writeln!(text, "  {}: {}", involved.var, involved.purpose);
            }
            let answer = Answer {
                refusal: Some(refusal),
                ..Answer::default()
            };
            (run.verdict(), answer, text)
        }
        (None, None) => {
            let limit = limit_reached(args.rules.rule_work, &located.set);
            let text = format!("unknown: {limit}\n");
            let answer = Answer {
                limit: Some(limit),
                ..Answer::default()
            };
            (Verdict::Unknown, answer, text)
        }
    })
}

fn note(closed: bool) -> &'static str {
    match closed {
        true => "closed",
        false => "a solution: what nothing forces stands at its top",
    }
}

fn found(gamma: Ground, note: &'static str) -> Outcome {
    let solution = Values::from(gamma);
    let text = format!("sat, {note}\n{solution}");
    let answer = Answer {
        note: Some(note),
        solution: Some(solution),
        ..Answer::default()
    };
    (Verdict::Sat, answer, text)
}

fn refusal_outcome(refusal: &Refusal) -> Outcome {
    let text = refusal.to_string();
    let answer = Answer {
        refusal: Some(RefusalData::from(refusal)),
        ..Answer::default()
    };
    (refusal.verdict, answer, text)
}

/// Returns a refusal of the solver as a report, for people and for programs.
pub fn refused(refusal: &Refusal, solver: &Solver) -> Report {
    let (verdict, answer, text) = refused_by_solver(refusal, solver);
    report(verdict, &answer, text, Format::Json)
}
