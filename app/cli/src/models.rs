//! The commands about model files: which sizes a model takes, and its graph.

mod answer;
mod check;
mod graph;
mod locked;
mod page;
mod points;
mod program;
mod sizes;
mod weights;

use std::path::Path;

use lozenge_graph::{Limits, ModelError, Where};
use lozenge_graph_vocabulary::Graph;
use lozenge_vocabulary::Verdict;

use crate::args;
use crate::json::Message;
use crate::report::Problem;

pub use answer::Body as SizesBody;
pub use check::{Body as CheckBody, check};
pub use graph::{Body as GraphBody, graph};
pub use page::view;
pub use points::point;
pub use program::{program, program_to_run};
pub use sizes::sizes;

/// Returns the verdict of an answer in the words of all commands.
fn verdict(answer: &lozenge_gradual_solver::Answer) -> Verdict {
    match answer.verdict() {
        lozenge_gradual_solver::Verdict::Sat => Verdict::Sat,
        lozenge_gradual_solver::Verdict::Unsat => Verdict::Unsat,
        lozenge_gradual_solver::Verdict::Unknown => Verdict::Unknown,
    }
}

/// Tells whether a file is a model.
fn is_model(path: &Path) -> bool {
    crate::input::kind(path).is_some_and(|kind| kind.noun == crate::file_kind::MODEL.noun)
}

/// Reads a model.
///
/// # Errors
/// When the file cannot be read, or its graph is not one.
fn read(args: &args::Model) -> Result<Graph, Problem> {
    let limits = Limits {
        max_file_bytes: args.max_file_bytes,
        max_nodes: args.max_nodes,
        max_levels: args.max_levels,
        max_values: args.max_values,
    };
    lozenge_graph::read_file(&args.model, &limits).map_err(|error| problem(&args.model, &error))
}

/// Makes the message about a file that is no model, with the flag that raises the limit where one was reached.
fn problem(path: &Path, error: &ModelError) -> Problem {
    let name = path.display();
    let place = match &error.place {
        Where::File => String::new(),
        place => format!("{place} "),
    };
    let message = format!("{name}: {place}{}", error.message);
    let help = match (error.limit, &error.help) {
        (Some(limit), _) => Some(format!("--{} raises the limit", limit.replace('_', "-"))),
        (None, help) => help.clone(),
    };
    let shown = match &help {
        Some(help) => format!("error: {message}\n  = help: {help}"),
        None => format!("error: {message}"),
    };
    Problem::at(shown, vec![Message::plain(message)])
}
