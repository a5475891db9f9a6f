//! `lozenge migrate`: the annotations that the inputs of a model may get.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use lozenge_gradual_solver::{
    self as gradual, Annotation, Dimension, Migration, Options, RankClass,
};
use lozenge_graph_vocabulary::{Format, Graph};
use lozenge_vocabulary::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use super::question::{conditions, demands, no_such_size, relaxed};
use crate::args;
use crate::report::{Problem, Report};

/// The annotations of a model.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// `runs` if some sizes are admitted, `ill-typed` if none are, `unknown`.
    standing: &'static str,
    /// The names of the nodes that clash, where nothing is admitted.
    core: Vec<String>,
    /// The inputs with their classes, the example, the type of each node, and, where nothing is admitted, the nodes
    /// that clash.
    #[serde(flatten)]
    found: Migration,
}

/// Reads the model and what is asked about it.
///
/// # Errors
/// When the file is no model, or a name in a condition is not one of it.
pub(super) fn question(
    model: &args::Model,
    texts: &[String],
    relax: Option<&str>,
) -> Result<(Arc<Graph>, Options), Problem> {
    let graph = Arc::new(super::read(model)?);
    let mut conditions = conditions(texts)?;
    if graph.format == Format::Grad {
        conditions.extend(demands(&model.model)?);
    }
    let options = Options {
        relax: relaxed(relax, &graph)?,
        conditions,
    };
    match gradual::Answer::unknown_name(&graph, &options) {
        Some(name) => Err(no_such_size(&name, &graph, &options)),
        None => Ok((graph, options)),
    }
}

/// Returns a verdict of the native procedure in the words of all commands.
pub(super) fn verdict(verdict: gradual::Verdict) -> Verdict {
    match verdict {
        gradual::Verdict::Sat => Verdict::Sat,
        gradual::Verdict::Unsat => Verdict::Unsat,
        gradual::Verdict::Unknown => Verdict::Unknown,
    }
}

/// Runs the command.
///
/// # Errors
/// When the file is no model, or a name in a condition is not one of it.
pub fn migrate(args: &args::Migrate) -> Result<Report, Problem> {
    let (graph, options) = question(&args.model, &args.conditions, args.relax.as_deref())?;
    let found = Migration::of(graph, &options);
    let verdict = verdict(found.verdict);
    let text = text(&found, &args.model.model);
    let standing = match verdict {
        Verdict::Sat => "runs",
        Verdict::Unknown => "unknown",
        _ => "ill-typed",
    };
    let names = gradual::Refusal::nodes(&found.core);
    let body = Body {
        standing,
        core: names,
        found,
    };
    Ok(Report::judged(verdict, text, body))
}

/// Tells the annotations: one paragraph for each class, and the types of all nodes.
fn text(found: &Migration, model: &Path) -> String {
    let mut text = String::new();
    let classes = found.inputs.first().map_or(0, |input| input.classes.len());
    for at in 0..classes {
        if at > 0 {
            text.push_str("or\n");
        }
        for input in &found.inputs {
            told(&mut text, input, &input.classes[at]);
        }
        relations(&mut text, found, at);
    }
    if let Some(example) = &found.example {
        let _ = writeln!(
            text,
            "for example {}",
            lozenge_gradual_solver::written(example)
        );
    }
    for refusal in &found.core {
        // A condition of the question is no node.
        let _ = match refusal.node.is_empty() {
            true => writeln!(text, "why: {}", refusal.words),
            false => writeln!(
                text,
                "why: `{}` ({}): {}",
                refusal.node, refusal.operator, refusal.words
            ),
        };
    }
    if found.verdict == gradual::Verdict::Unsat {
        let _ = writeln!(text, "no annotation makes {} run", model.display());
    }
    if !found.nodes.is_empty() {
        text.push_str("types:\n");
        for node in &found.nodes {
            let _ = writeln!(text, "  {} : {}", node.name, node.shape);
        }
    }
    for (operator, node) in &found.unknown {
        let _ = writeln!(
            text,
            "not followed: {operator} (`{node}`); the annotations are an upper bound"
        );
    }
    for limit in &found.limits {
        let _ = writeln!(text, "unknown: {limit}");
    }
    let were = |count: usize| match count {
        1 => "1 size at an end of a range was".to_owned(),
        count => format!("{count} sizes at the ends of ranges were"),
    };
    if found.replayed > 0 {
        let _ = writeln!(text, "{} replayed", were(found.replayed));
    }
    if found.not_replayed > 0 {
        let _ = writeln!(text, "{} not replayed", were(found.not_replayed));
    }
    text
}

/// Tells one class of an input: its annotation, in which a size that is not one number is `?`, and each such size.
fn told(text: &mut String, input: &Annotation, class: &RankClass) {
    let annotation = class.dims.iter().map(|dim| match dim.range {
        [Some(low), Some(high)] if low == high => low.to_string(),
        _ => "?".to_owned(),
    });
    let annotation: Vec<String> = annotation.collect();
    let _ = match class.rank {
        None => writeln!(text, "{} : ?", input.name),
        Some(rank) if class.and_more => {
            writeln!(text, "{} : ?, of rank {rank} and more", input.name)
        }
        Some(rank) if rank > annotation.len() => {
            let is_last = |dim: &Dimension| dim.name.starts_with(&format!("{}[-", input.name));
            let first = class.dims.iter().take_while(|dim| !is_last(dim)).count();
            let (first, last) = annotation.split_at(first);
            let all = [first.join(", "), "…".to_owned(), last.join(", ")].join(", ");
            writeln!(text, "{} : [{all}], of rank {rank}", input.name)
        }
        Some(_) => writeln!(text, "{} : [{}]", input.name, annotation.join(", ")),
    };
    for (place, dim) in class.dims.iter().enumerate() {
        if let [Some(low), Some(high)] = dim.range
            && low == high
        {
            continue;
        }
        let name = match &dim.name {
            name if name.starts_with(&input.name) => name.clone(),
            name => format!("{}[{place}] = {name}", input.name),
        };
        let _ = writeln!(text, "  {name} : {}{}", dim.values, ends(dim));
    }
}

/// Tells what refuses the sizes beyond the ends of a range.
fn ends(dim: &Dimension) -> String {
    let ends = [&dim.below, &dim.above].into_iter().flatten();
    let ends: Vec<String> = ends
        .map(|end| match end.node.is_empty() {
            true => format!("{} is refused", end.size),
            false => format!("{} is refused by `{}`", end.size, end.node),
        })
        .collect();
    match ends.is_empty() {
        true => String::new(),
        false => format!("   ({})", ends.join(", ")),
    }
}

/// Tells the relations of a class, each once.
fn relations(text: &mut String, found: &Migration, at: usize) {
    let all = found
        .inputs
        .iter()
        .flat_map(|input| &input.classes[at].relations);
    let mut seen: Vec<&String> = Vec::new();
    for relation in all {
        if !seen.contains(&relation) {
            let _ = writeln!(text, "  {relation}");
            seen.push(relation);
        }
    }
}
