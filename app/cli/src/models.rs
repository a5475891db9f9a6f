//! The commands about model files: which sizes a model takes, and its graph.

mod answer;
mod branches;
mod check;
mod explain;
mod graph;
mod locked;
mod migrate;
mod page;
mod points;
mod program;
mod question;
mod sizes;
mod told;
mod weights;

use std::path::Path;

use lozenge_graph::{Limits, ModelError, Where};
use lozenge_graph_vocabulary::Graph;
use lozenge_lang::Diagnostic;
use lozenge_vocabulary::Verdict;

use crate::args;
use crate::files::input;
use crate::json::{Message, Place};
use crate::report::Problem;
use crate::source::Source;
use crate::text::source_view;

pub use answer::Body as SizesBody;
pub use branches::{Body as BranchesBody, branches};
pub use check::{Body as CheckBody, check};
pub use explain::{Body as ExplainBody, explain};
pub use graph::{Body as GraphBody, graph};
pub use migrate::{Body as MigrateBody, migrate};
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
    input::kind(path).is_some_and(|kind| kind.noun == crate::files::file_kind::MODEL.noun)
}

/// Reads a model for a command that has flags for the limits.
///
/// # Errors
/// When the file cannot be read, or its graph is not one.
fn read(args: &args::Model) -> Result<Graph, Problem> {
    read_within(&args.model, &limits(args), |error| {
        flagged(&args.model, error)
    })
}

/// Returns the limits of a command line.
fn limits(args: &args::Model) -> Limits {
    Limits {
        max_file_bytes: args.max_file_bytes,
        max_nodes: args.max_nodes,
        max_levels: args.max_levels,
        max_values: args.max_values,
    }
}

/// Makes the message of a command that has flags for the limits.
fn flagged(path: &Path, error: &ModelError) -> Problem {
    problem(path, error, |flag| format!("{flag} raises the limit"))
}

/// Reads a model for a command without such flags.
///
/// # Errors
/// When the file cannot be read, or its graph is not one.
fn read_plainly(path: &Path) -> Result<Graph, Problem> {
    read_within(path, &Limits::default(), |error| unreadable(path, error))
}

/// Reads a model, from standard input for `-`.
fn read_within(
    path: &Path,
    limits: &Limits,
    problem: impl Fn(&ModelError) -> Problem,
) -> Result<Graph, Problem> {
    let read = match path == Path::new("-") {
        true => lozenge_graph::read(input::bytes(path)?, limits),
        false => lozenge_graph::read_file(path, limits),
    };
    read.map_err(|error| problem(&error))
}

/// Makes the message of a command without flags for the limits.
fn unreadable(path: &Path, error: &ModelError) -> Problem {
    problem(path, error, |flag| {
        format!("`lozenge sizes {flag} N` and `lozenge graph {flag} N` read more")
    })
}

/// Makes the problem of a message whose places are nodes of a model.
fn at_nodes(path: &Path, diagnostic: &Diagnostic) -> Problem {
    let source = Source {
        name: path.display().to_string(),
        text: String::new(),
    };
    let shown = diagnostic.render("", &source.name, source_view::coloured());
    Problem::at(shown, vec![Message::of(&source, diagnostic)])
}

/// Makes the message about a file that is no model, with what raises the limit where one was reached.
fn problem(path: &Path, error: &ModelError, raise: impl Fn(&str) -> String) -> Problem {
    let name = path.display();
    let message = format!("{name}: {}{}", error.place, error.message);
    let help = match (error.limit, &error.help) {
        (Some(limit), _) => Some(raise(&format!("--{}", limit.replace('_', "-")))),
        (None, help) => help.clone(),
    };
    let shown = match &help {
        Some(help) => format!("error: {message}\n  = help: {help}"),
        None => format!("error: {message}"),
    };
    let mut message = Message::plain(message);
    if let Where::Node(node) = &error.place {
        message.places.push(Place::node(node, &error.message));
    }
    Problem::at(shown, vec![message])
}
