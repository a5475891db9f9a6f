//! `lozenge solve` of a set of equations of shapes: a solution with what is forced, or why there is none.

use std::collections::BTreeMap;
use std::fmt::Write;

use lozenge_axon_solver::{Forced, Solver};
use lozenge_axon_spec::{self as printed, Constraint, End};
use lozenge_axon_vocabulary::{
    Assignment, Decide, Equation, Pool, Residual, Satisfiable, Set, ShapesError, Simplified,
    Substitution, Word,
};
use lozenge_lang::Diagnostic;
use lozenge_vocabulary::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{self, Lists, Party};
use crate::files::input::{self, Source};
use crate::report::{Problem, Report};
use crate::text::source_view;

/// The answer of `solve` about equations of shapes.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Answer {
    /// A solution: for each name the size, or the sizes of the axes. A ragged dimension has no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<Values>,
    /// The names that have one value in all solutions, with these values.
    #[serde(skip_serializing_if = "Option::is_none")]
    forced: Option<Values>,
    /// The names of which it is not known whether they have one value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    forced_unknown: Vec<String>,
    /// All solutions: names with the terms that they are equal to, and the equations that are left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    general: Vec<String>,
    /// The terms that have to be at least 1 beside those in `general`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    at_least_1: Vec<String>,
    /// The reason why there is no solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<Refused>,
    /// The limit behind `unknown`, or the constraint that no printed rule matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    /// Of the printed rules: their last set.
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<Vec<String>>,
    /// Of the printed rules: their steps, with `--trace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<Step>>,
}

/// Names with their values.
type Values = BTreeMap<String, Value>;

/// The value of a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
enum Value {
    /// The size of a dimension.
    Size(i64),
    /// The sizes of the axes of a shape.
    Shape(Vec<i64>),
}

/// The refutation of equations that have no solution.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Refused {
    /// The last step of the refutation.
    clash: String,
    /// The equations that have no common solution.
    equations: Vec<Cited>,
    /// True if each of them is needed.
    is_minimal: bool,
}

/// An equation of the file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Cited {
    /// The line, from 1.
    line: u32,
    /// The equation.
    equation: String,
}

/// A step of the printed rules.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Step {
    /// The name of the rule.
    rule: &'static str,
    /// The rule as printed.
    printed: &'static str,
    /// The constraint to which it is applied.
    constraint: String,
    /// The set after it; absent after FAIL.
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<Vec<String>>,
}

/// Runs the command.
///
/// # Errors
/// When the file cannot be read, or a flag is for constraint sets.
pub fn solve(args: &args::Solve) -> Result<Report, Problem> {
    if args.close || args.certificate.is_some() {
        return Err(Problem::new(
            "--close and --certificate are for constraint sets (.rows): leave them out",
        ));
    }
    let source = input::read(&args.file)?;
    let mut set: Set = source
        .text
        .parse()
        .map_err(|error| wrong(&source, &error))?;
    let (verdict, answer, text) = match args.by {
        Party::Spec => by_rules(&mut set, args.lists, args.trace),
        _ if args.trace => {
            return Err(Problem::new(
                "the native procedure has no trace: add --by spec, or leave out --trace",
            ));
        }
        Party::Solver | Party::Complete => natively(&mut set)?,
    };
    Ok(Report::judged(verdict, text, answer))
}

/// Returns the problem with a text that is not in the notation.
fn wrong(source: &Source, error: &ShapesError) -> Problem {
    let start: usize = source
        .text
        .split_inclusive('\n')
        .take(error.line.saturating_sub(1) as usize)
        .map(str::len)
        .sum();
    let line = source.text[start..].lines().next().unwrap_or_default();
    let at = |column: u32| {
        let before = line.chars().take(column as usize);
        start + before.map(char::len_utf8).sum::<usize>()
    };
    let first = error.column.saturating_sub(1);
    let span = at(first)..at(first + error.length.max(1));
    let message = error.message.clone();
    let mut diagnostic = Diagnostic::new(span, message, "here");
    if let Some(help) = &error.help {
        diagnostic = diagnostic.help(help);
    }
    source_view::problem(source, &[diagnostic])
}

/// A verdict, with the answer for programs and for people.
pub type Outcome = (Verdict, Answer, String);

fn natively(set: &mut Set) -> Result<Outcome, Problem> {
    let solver = Solver::default();
    match solver.simplify(&mut set.pool, &set.equations) {
        Simplified::TooLarge(error) => Err(Problem::new(format!(
            "{error}: sizes are numbers of 64 bits"
        ))),
        Simplified::Unsatisfiable {
            reasons,
            is_minimal,
            clash,
            ..
        } => Ok(refused(set, &reasons, is_minimal, clash)),
        Simplified::Solved {
            solved,
            residue,
            positive,
            satisfiable,
        } => {
            let mut answer = Answer {
                general: general(&set.pool, &solved, &residue),
                at_least_1: positive
                    .iter()
                    .map(|dim| set.pool.show(*dim).to_string())
                    .collect(),
                ..Answer::default()
            };
            Ok(match satisfiable {
                Satisfiable::Unknown(limit) => {
                    let text = format!("unknown: {limit}\n{}", in_general(&answer));
                    answer.limit = Some(limit);
                    (Verdict::Unknown, answer, text)
                }
                Satisfiable::Yes(solution) => {
                    let forced = solver.forced(&mut set.pool, &set.equations, &solution);
                    found(&set.pool, answer, &solution, &forced)
                }
            })
        }
    }
}

fn refused(set: &Set, reasons: &[u32], is_minimal: bool, clash: String) -> Outcome {
    let mut text = format!("unsat: {clash}\n");
    let mut equations = Vec::new();
    for index in reasons {
        let cited = Cited {
            line: set.lines[*index as usize],
            equation: set.equations[*index as usize].show(&set.pool).to_string(),
        };
        let _ = writeln!(text, "  line {}: {}", cited.line, cited.equation);
        equations.push(cited);
    }
    if !is_minimal {
        text += "some of these may not be needed\n";
    }
    let answer = Answer {
        refused: Some(Refused {
            clash,
            equations,
            is_minimal,
        }),
        ..Answer::default()
    };
    (Verdict::Unsat, answer, text)
}

fn found(pool: &Pool, answer: Answer, solution: &Assignment, forced: &Forced) -> Outcome {
    let (values, fixed) = (named(pool, solution), named(pool, &forced.values));
    let unknown: Vec<String> = forced
        .unknown
        .iter()
        .map(|name| pool.name(*name).to_string())
        .collect();
    let mut text = "sat\n".to_string();
    for (name, value) in &values {
        let how = match fixed.contains_key(name) {
            true => ", in every solution",
            false if unknown.contains(name) => ", perhaps in every solution",
            false => "",
        };
        let value = match value {
            Value::Size(size) => size.to_string(),
            Value::Shape(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
                format!("[{}]", sizes.join(","))
            }
        };
        let _ = writeln!(text, "{name} = {value}{how}");
    }
    if fixed.len() < values.len() {
        text += &in_general(&answer);
    }
    let answer = Answer {
        solution: Some(values),
        forced: Some(fixed),
        forced_unknown: unknown,
        ..answer
    };
    (Verdict::Sat, answer, text)
}

fn in_general(answer: &Answer) -> String {
    let mut text = String::new();
    if !answer.general.is_empty() || !answer.at_least_1.is_empty() {
        text += "in general\n";
    }
    for line in &answer.general {
        let _ = writeln!(text, "  {line}");
    }
    for term in &answer.at_least_1 {
        let _ = writeln!(text, "  {term} is at least 1");
    }
    text
}

fn general(pool: &Pool, solved: &Substitution, residue: &[Residual]) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, value) in &solved.dims {
        lines.push(format!("{} = {}", pool.dim_name(*name), pool.show(*value)));
    }
    for (name, value) in &solved.shapes {
        let equation = Equation::Shapes(Word::name(*name), value.clone());
        lines.push(equation.show(pool).to_string());
    }
    lines.extend(
        residue
            .iter()
            .map(|left| left.equation.show(pool).to_string()),
    );
    lines
}

fn named(pool: &Pool, assignment: &Assignment) -> Values {
    let dims = assignment
        .dims
        .iter()
        .map(|(name, size)| (pool.dim_name(*name).to_string(), Value::Size(*size)));
    let shapes = assignment.shapes.iter().map(|(name, sizes)| {
        let name = pool.shape_name(*name).to_string();
        (name, Value::Shape(sizes.clone()))
    });
    dims.chain(shapes).collect()
}

/// Runs the printed rules, those that fail first.
pub fn by_rules(set: &mut Set, lists: Lists, is_traced: bool) -> Outcome {
    let options = printed::Options {
        reading: match lists {
            Lists::Literal => printed::Reading::Literal,
            Lists::Unit => printed::Reading::Unit,
        },
        traced: is_traced,
        ..printed::Options::default()
    };
    let run = printed::run(set, &options);
    let mut text = String::new();
    for (number, step) in run.steps.iter().enumerate() {
        let _ = writeln!(
            text,
            "{:>4}  {}: {}",
            number + 1,
            step.rule.name,
            step.constraint
        );
        for line in step.set.iter().flatten() {
            let _ = writeln!(text, "        {line}");
        }
    }
    let show = |constraint: &Constraint| constraint.show(&set.pool).to_string();
    let last: Vec<String> = run.constraints.0.iter().map(show).collect();
    let (verdict, end, limit) = match run.end {
        End::Fail(rule) => (Verdict::Unsat, format!("FAIL by {rule}"), None),
        End::Solved => (Verdict::Sat, "solved".to_string(), None),
        End::Stuck => {
            let limit = "no printed rule matches what is left".to_string();
            (Verdict::Unknown, limit.clone(), Some(limit))
        }
        End::NoFixedPoint => {
            let limit = format!("the printed rules take more than {} steps", options.steps);
            (Verdict::Unknown, limit.clone(), Some(limit))
        }
    };
    let _ = writeln!(text, "{}: {end}", verdict.word());
    if verdict != Verdict::Unsat {
        for line in &last {
            let _ = writeln!(text, "  {line}");
        }
    }
    let steps = run.steps.into_iter().map(|step| Step {
        rule: step.rule.name,
        printed: step.rule.printed,
        constraint: step.constraint,
        set: step.set,
    });
    let answer = Answer {
        limit,
        last: (verdict != Verdict::Unsat).then_some(last),
        steps: is_traced.then(|| steps.collect()),
        ..Answer::default()
    };
    (verdict, answer, text)
}
