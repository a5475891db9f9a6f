//! A question about the sizes of a model: the model, the points of `--at`, and what `--where` and `--relax` say.

use std::path::Path;
use std::sync::Arc;

use lozenge_gradual_solver as gradual;
use lozenge_gradual_solver::{Options, Point, Relax};
use lozenge_gradual_vocabulary::{Condition, Quantity, Relation, Restriction, Sum, grad};
use lozenge_graph_vocabulary::{Format, Graph};

use super::points::point;
use crate::args;
use crate::json::Message;
use crate::report::Problem;

/// A question about the sizes of a model.
pub struct Question {
    /// The answer about the whole set.
    pub answer: gradual::Answer,
    /// The points of `--at`.
    pub points: Vec<Point>,
}

impl Question {
    /// Reads what is asked and the model in a file, and finds the set.
    ///
    /// # Errors
    /// When the file is no model, a point or a condition is none, or a name is none of the model.
    pub fn of(
        asked: &args::Asked,
        file: &Path,
        model: impl FnOnce() -> Result<Graph, Problem>,
    ) -> Result<Question, Problem> {
        let points = asked.at.iter().map(|text| point(text));
        let points = points.collect::<Result<Vec<Point>, Problem>>()?;
        let mut conditions = conditions(&asked.conditions)?;
        let graph = Arc::new(model()?);
        if graph.format == Format::Grad {
            conditions.extend(demands(file)?);
        }
        let relax = relaxed(asked.relax.as_deref(), &graph)?;
        for name in points.iter().flat_map(Point::keys) {
            is_input("--at", name, &graph)
                .or_else(|problem| element_of(name, &graph).then_some(()).ok_or(problem))?;
        }
        let options = Options { relax, conditions };
        if let Some(name) = gradual::Answer::unknown_name(&graph, &options) {
            return Err(no_such_size(&name, &graph, &options));
        }
        let answer = gradual::Sizes::of(graph, &options);
        Ok(Question { answer, points })
    }
}

/// Reads the conditions of `--where`.
pub(super) fn conditions(texts: &[String]) -> Result<Vec<Condition>, Problem> {
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

/// Reads what a program of the gradual calculus demands of its inputs. In a run every size is a number, so of an axis
/// that is wanted static it is demanded that the input has it.
pub(super) fn demands(path: &Path) -> Result<Vec<Condition>, Problem> {
    let content = std::fs::read(path)
        .map_err(|error| Problem::new(format!("{} cannot be read: {error}", path.display())))?;
    let (program, _) = grad::read_bytes(&content)
        .map_err(|error| Problem::new(format!("{}: {}", path.display(), error.message)))?;
    let conditions = program
        .restrictions
        .into_iter()
        .filter_map(|restriction| match restriction {
            Restriction::Holds(condition) => Some(condition),
            Restriction::Static { of, axis } => Some(Condition {
                left: Sum {
                    parts: vec![(Quantity::Axis { of, at: axis? }, 1)],
                    number: 0,
                },
                relation: Relation::AtLeast,
                right: Sum::default(),
            }),
        });
    Ok(conditions.collect())
}

/// Refuses a name in a condition that is neither an axis, an input nor a node.
pub(super) fn no_such_size(name: &str, graph: &Arc<Graph>, options: &Options) -> Problem {
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
pub(super) fn relaxed(names: Option<&str>, graph: &Graph) -> Result<Relax, Problem> {
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

/// Says whether a name is that of an element of an input, such as `k(0)`.
fn element_of(name: &str, graph: &Graph) -> bool {
    let input = name
        .strip_suffix(')')
        .and_then(|name| name.rsplit_once('('));
    let mut inputs = graph.main().inputs.iter();
    input.is_some_and(|(input, _)| inputs.any(|id| graph[*id].name == input))
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
