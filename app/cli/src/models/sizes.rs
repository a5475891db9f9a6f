//! `lozenge sizes`: which sizes a model takes, and whether it takes given ones.

use std::fmt::Write;

use lozenge_gradual_solver as gradual;
use lozenge_gradual_solver::Point;

use super::answer::Body;
use super::locked;
use super::question::Question;
use super::told::{Told, verdict_of};
use crate::args;
use crate::files::distinct_files::{Named, distinct};
use crate::report::{Problem, Report};

/// Runs the command.
///
/// # Errors
/// When the file is no model, or a point is not one.
pub fn sizes(args: &args::Sizes) -> Result<Report, Problem> {
    let read = [
        Some(Named::new(
            args.model.model.display().to_string(),
            &args.model.model,
        )),
        Named::flag("--against", args.against.as_deref()),
    ];
    let written = Named::flag("--write", args.write.as_deref());
    distinct(
        &Vec::from_iter(read.into_iter().flatten()),
        &Vec::from_iter(written),
    )?;
    let Question { mut answer, points } =
        Question::of(&args.asked, &args.model.model, || super::read(&args.model))?;
    if let Some(path) = &args.write {
        locked::write(&mut answer, path)?;
    }
    if let Some(path) = &args.against {
        return locked::against(&mut answer, path);
    }
    match points.is_empty() {
        true => Ok(set(&mut answer)),
        false => Ok(at(&mut answer, &points)),
    }
}

/// Reports the whole set.
fn set(answer: &mut gradual::Answer) -> Report {
    let verdict = super::verdict(answer);
    let nodes = (answer.case_count() == 1).then(|| {
        let shapes = answer.node_shapes(0).into_iter();
        shapes.map(|node| (node.name, node.shape)).collect()
    });
    let body = Body {
        set: Some(answer.report()),
        nodes,
        ..Body::default()
    };
    Report::judged(verdict, answer.text(), body)
}

/// Reports on points: a line for each, and for one that is refused the reasons and what is admitted beside it.
fn at(answer: &mut gradual::Answer, points: &[Point]) -> Report {
    let mut text = String::new();
    let mut bodies = Vec::new();
    for point in points {
        let told = Told::about(answer, point);
        let _ = write!(text, "{}", told.text(|_, _| Ok(())));
        bodies.push(told.body());
    }
    let admitted: Vec<Option<bool>> = bodies.iter().map(|body| body.held.admitted).collect();
    let (verdict, status) = verdict_of(&admitted);
    let only = match &bodies[..] {
        [only] => Some(only.held.clone()),
        _ => None,
    };
    let body = Body {
        points: Some(bodies),
        only,
        ..Body::default()
    };
    Report::judged(verdict, text, body).with_status(status)
}
