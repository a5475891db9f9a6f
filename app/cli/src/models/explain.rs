//! `lozenge explain` of a model: which layers restrict which sizes or refuse a point, and the way from the inputs to
//! them.

use std::fmt::{self, Write};

use lozenge_gradual_solver as gradual;
use lozenge_gradual_solver::{Point, Refusal, Step};
use schemars::JsonSchema;
use serde::Serialize;

use super::answer::PointBody;
use super::question::Question;
use super::told::{Told, origins, verdict_of};
use crate::args;
use crate::report::{Problem, Report};

/// The answer about a model.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The layers that restrict a size or, where no size is admitted, those that together leave none. Only without
    /// `--at`.
    #[serde(skip_serializing_if = "Option::is_none")]
    stories: Option<Vec<Story>>,
    /// The points, in the order in which they were asked. Only with `--at`.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Vec<PointStories>>,
}

/// The reasons why a point is refused.
#[derive(Debug, Serialize, JsonSchema)]
struct PointStories {
    #[serde(flatten)]
    point: PointBody,
    /// The way to each layer that refuses it.
    stories: Vec<Story>,
}

/// A layer that refuses sizes, and the way from the inputs to it.
#[derive(Debug, Serialize, JsonSchema)]
struct Story {
    /// The size that it restricts, by its name in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    axis: Option<String>,
    /// The layer, what it does not take, and the sizes of inputs on which that depends.
    #[serde(flatten)]
    refusal: Refusal,
    /// The inputs, and each layer before it that makes another size of them, in order.
    steps: Vec<Step>,
}

/// Runs the command.
///
/// # Errors
/// When the file is no model, or what is asked is about none of its sizes.
pub fn explain(args: &args::Explain) -> Result<Report, Problem> {
    if args.var.is_some() || args.open {
        return Err(Problem::new(
            "--var and --open are for constraint sets and programs: of a model --at, --where and --relax ask",
        ));
    }
    let model = || super::read_plainly(&args.file);
    let Question { mut answer, points } = Question::of(&args.asked, &args.file, model)?;
    match points.is_empty() {
        true => Ok(of_set(&mut answer)),
        false => Ok(of_points(&mut answer, &points)),
    }
}

/// Explains the whole set.
fn of_set(answer: &mut gradual::Answer) -> Report {
    let report = answer.report();
    let (mut text, mut stories) = (String::new(), Vec::new());
    let mut tell = |text: &mut String, axis: Option<&str>, refusal: &Refusal| {
        let steps = answer.story(refusal, None);
        let of = axis.map_or(String::new(), |axis| format!(" {axis}"));
        // Writing to a text does not fail.
        let _ = writeln!(text, "why{of}: {refusal}");
        let _ = write_way(text, refusal, &steps);
        stories.push(Story {
            axis: axis.map(str::to_owned),
            refusal: refusal.clone(),
            steps,
        });
    };
    for case in &report.cases {
        let _ = write!(text, "{case}");
        for cause in &case.why {
            for refusal in &cause.nodes {
                tell(&mut text, Some(&cause.axis), refusal);
            }
        }
    }
    if report.cases.is_empty() && report.limits.is_empty() {
        text += "no sizes are admitted\n";
    }
    for refusal in &report.core {
        tell(&mut text, None, refusal);
    }
    text += &report.remarks();
    let verdict = super::verdict(answer);
    let body = Body {
        stories: Some(stories),
        points: None,
    };
    Report::judged(verdict, text, body)
}

/// Explains why points are refused.
fn of_points(answer: &mut gradual::Answer, points: &[Point]) -> Report {
    let (mut text, mut all, mut admitted) = (String::new(), Vec::new(), Vec::new());
    for point in points {
        let told = Told::about(answer, point);
        text += &told.text(|text, refusal| {
            if let Some(general) = &refusal.general {
                writeln!(text, "    in letters: {general}")?;
            }
            write_way(text, refusal, &answer.story(refusal, Some(point)))
        });
        admitted.push(told.found.admitted);
        let stories = told.found.refusals.iter().map(|refusal| Story {
            axis: None,
            refusal: refusal.clone(),
            steps: answer.story(refusal, Some(point)),
        });
        all.push(PointStories {
            point: told.body(),
            stories: stories.collect(),
        });
    }
    let (verdict, status) = verdict_of(&admitted);
    let body = Body {
        stories: None,
        points: Some(all),
    };
    Report::judged(verdict, text, body).with_status(status)
}

/// Writes the way to a layer, a numbered line for each step.
fn write_way(text: &mut String, refusal: &Refusal, steps: &[Step]) -> fmt::Result {
    if steps.is_empty() {
        return Ok(());
    }
    match refusal.from.iter().any(|origin| origin.given.is_some()) {
        true => writeln!(text, "    the way there:")?,
        false => writeln!(text, "    the way there from {}:", origins(&refusal.from))?,
    }
    for (number, step) in (1..).zip(steps) {
        let operator = step.operator.as_ref();
        let operator = operator.map_or(String::new(), |operator| format!(" ({operator})"));
        write!(
            text,
            "    {number}. `{}`{operator} : {}",
            step.name, step.shape
        )?;
        match &step.sizes {
            Some(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
                writeln!(text, " = [{}]", sizes.join(", "))?;
            }
            None => writeln!(text)?,
        }
    }
    Ok(())
}
