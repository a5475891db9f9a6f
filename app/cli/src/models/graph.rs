//! `lozenge graph`: the graph of a model, a line for each node, or its program.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::args;
use crate::report::{Problem, Report};

/// The graph of a model.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Body {
    /// The graph: its format, bodies with nodes, values and constants, and what the exporter recorded.
    graph: Arc<lozenge_graph_vocabulary::Graph>,
    /// With `--loz`, the text of its program.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// When the file is no model.
pub fn graph(args: &args::Graph) -> Result<Report, Problem> {
    let graph = Arc::new(super::read(&args.model)?);
    let program = match args.loz {
        true => Some(super::program::text(&args.model.model, &graph, &args.set)?),
        false => None,
    };
    let text = program.clone().unwrap_or_else(|| graph.to_string());
    Ok(Report::new(text, Body { graph, program }))
}
