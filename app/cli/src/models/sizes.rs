//! `lozenge sizes`: which sizes a model takes, and whether it takes given ones.

use std::fmt::Write;
use std::sync::Arc;

use lozenge_gradual_solver as gradual;
use lozenge_gradual_solver::{Options, Point, Relax};
use lozenge_gradual_vocabulary::Condition;
use lozenge_graph_vocabulary::Graph;
use lozenge_vocabulary::Verdict;
use serde_json::json;

use super::answer::{Body, Held, PointBody};
use super::locked;
use super::points::{point, shown};
use crate::args;
use crate::distinct_files::{Named, distinct};
use crate::json::Message;
use crate::report::{Problem, Report, Status};

/// Runs the command.
///
/// # Errors
/// When the file is no model, or a point is not one.
pub fn sizes(args: &args::Sizes) -> Result<Report, Problem> {
    let points = args.at.iter().map(|text| point(text));
    let points = points.collect::<Result<Vec<Point>, Problem>>()?;
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
    let graph = Arc::new(super::read(&args.model)?);
    let relax = relaxed(args.relax.as_deref(), &graph)?;
    for name in points.iter().flat_map(Point::keys) {
        is_input("--at", name, &graph)?;
    }
    let options = Options {
        relax,
        conditions: conditions(&args.conditions)?,
    };
    if let Some(name) = gradual::Answer::unknown_name(&graph, &options) {
        return Err(no_such_size(&name, &graph, &options));
    }
    let mut answer = gradual::Sizes::of(graph, &options);
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

/// Reads the conditions of `--where`.
fn conditions(texts: &[String]) -> Result<Vec<Condition>, Problem> {
    let mut all = Vec::new();
    for text in texts {
        let read = lozenge_gradual_vocabulary::conditions(text);
        let read = read.map_err(|error| {
            let (before, within) = (&text[..error.span.start], &text[error.span.clone()]);
            let column = before.chars().count();
            let marks = "^".repeat(within.chars().count().max(1));
            let shown = format!(
                "error: --where: {}\n  {text}\n  {}{marks}\n  = help: {}",
                error.message,
                " ".repeat(column),
                error.help
            );
            Problem::at(
                shown,
                vec![Message::plain(format!(
                    "--where: `{text}`: {}",
                    error.message
                ))],
            )
        })?;
        all.extend(read);
    }
    Ok(all)
}

/// Refuses a name in a condition that is neither an axis, an input nor a node.
fn no_such_size(name: &str, graph: &Arc<Graph>, options: &Options) -> Problem {
    let free = Options {
        conditions: Vec::new(),
        ..options.clone()
    };
    let names = gradual::Sizes::of(graph.clone(), &free).names();
    let inputs = graph.main().inputs.iter();
    let inputs: Vec<&str> = inputs.map(|id| graph[*id].name.as_str()).collect();
    Problem::new(format!(
        "--where: nothing is called `{name}`: there are the sizes {}, those of the inputs {} as in `{}[0]`, and those of nodes by their names",
        names.join(", "),
        inputs.join(", "),
        inputs.first().unwrap_or(&"x"),
    ))
}

/// Reads the names of `--relax`, which have to be inputs.
fn relaxed(names: Option<&str>, graph: &Graph) -> Result<Relax, Problem> {
    let names = match names {
        None => return Ok(Relax::Nothing),
        Some("") => return Ok(Relax::All),
        Some(names) => names.split(',').map(|name| name.trim().to_string()),
    };
    let names: Vec<String> = names.collect();
    for name in &names {
        is_input("--relax", name, graph)?;
    }
    Ok(Relax::Inputs(names))
}

/// Refuses a name that is no input of a model.
fn is_input(flag: &str, name: &str, graph: &Graph) -> Result<(), Problem> {
    let inputs = graph.main().inputs.iter();
    let inputs: Vec<&str> = inputs.map(|id| graph[*id].name.as_str()).collect();
    match inputs.contains(&name) {
        true => Ok(()),
        false => Err(Problem::new(format!(
            "{flag}: the model has no input `{name}`: its inputs are {}",
            inputs.join(", ")
        ))),
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
    let mut json = json!(body);
    json["verdict"] = json!(verdict);
    Report {
        text: answer.text(),
        json,
        status: Status::from(verdict),
    }
}

/// Reports on points: a line for each, and for a single one the reasons.
fn at(answer: &mut gradual::Answer, points: &[Point]) -> Report {
    let mut text = String::new();
    let mut bodies = Vec::new();
    for point in points {
        let found = answer.at(point);
        let nearest = match found.admitted {
            Some(true) => Vec::new(),
            _ => answer.nearest(point),
        };
        told(&mut text, point, &found, &nearest);
        let core = found.refusals.iter().map(|refusal| refusal.node.clone());
        bodies.push(PointBody {
            at: point.clone(),
            held: Held {
                admitted: found.admitted,
                outputs: (found.admitted == Some(true))
                    .then(|| found.outputs.iter().cloned().collect()),
                core: (found.admitted != Some(true)).then(|| core.collect()),
            },
            nearest: nearest
                .into_iter()
                .map(|near| (near.axis, [near.below, near.above]))
                .collect(),
        });
    }
    let admitted: Vec<Option<bool>> = bodies.iter().map(|body| body.held.admitted).collect();
    let (verdict, status) = match () {
        () if admitted.contains(&Some(false)) => (Verdict::Unsat, Status::Refused),
        () if admitted.contains(&None) => (Verdict::Unknown, Status::Unknown),
        () => (Verdict::Sat, Status::Good),
    };
    let only = match &bodies[..] {
        [only] => Some(only.held.clone()),
        _ => None,
    };
    let mut json = json!(Body {
        points: Some(bodies),
        only,
        ..Body::default()
    });
    json["verdict"] = json!(verdict);
    Report { text, json, status }
}

/// Writes the answer about a point.
fn told(
    text: &mut String,
    point: &Point,
    found: &gradual::PointAnswer,
    nearest: &[gradual::Nearest],
) {
    let word = match found.admitted {
        Some(true) => "admitted",
        Some(false) => "refused",
        None if found.limits.is_empty() => "not specified",
        None => "unknown",
    };
    let _ = write!(text, "{} : {word}", shown(point));
    let outputs = found.outputs.iter().filter_map(|(name, sizes)| {
        let sizes: Vec<String> = sizes.as_ref()?.iter().map(ToString::to_string).collect();
        Some(format!("{name} [{}]", sizes.join(", ")))
    });
    let outputs: Vec<String> = outputs.collect();
    match found.admitted == Some(true) && !outputs.is_empty() {
        true => {
            let _ = writeln!(text, ", {}", outputs.join(", "));
        }
        false => text.push('\n'),
    }
    for refusal in &found.refusals {
        let _ = match refusal.node.is_empty() {
            true => writeln!(text, "  {}", refusal.words),
            false => writeln!(
                text,
                "  `{}` ({}): {}",
                refusal.node, refusal.operator, refusal.words
            ),
        };
    }
    for limit in &found.limits {
        let _ = writeln!(text, "  {limit}");
    }
    for near in nearest {
        let sides = match (near.below, near.above) {
            (None, None) => continue,
            (Some(one), None) | (None, Some(one)) => one.to_string(),
            (Some(below), Some(above)) => format!("{below} or {above}"),
        };
        let _ = writeln!(text, "  admitted with {} = {sides}", near.axis);
    }
}
