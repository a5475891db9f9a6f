//! `lozenge check` of a model: whether it takes any sizes at all and, with `--weights`, whether a file of weights is
//! the one that belongs to it.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use lozenge_gradual_solver as gradual;
use lozenge_vocabulary::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use super::weights::{differences, header, listed};
use crate::report::{Problem, Report, Status};

/// The answer about a model: no party is asked beside the native procedure.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// `runs` if some sizes are admitted, `ill-typed` if none are, `unknown`.
    standing: &'static str,
    /// The names of nodes that together leave no size.
    core: Vec<String>,
    /// The limits that were reached.
    limits: Vec<String>,
    /// The weights that the file of weights has with other sizes or not at all. Only with `--weights`.
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<Weight>>,
}

/// A weight that is not as the model has it.
#[derive(Debug, Serialize, JsonSchema)]
struct Weight {
    /// The name in the model.
    name: String,
    /// The sizes in the model.
    sizes: Vec<u64>,
    /// The difference, in words.
    words: String,
}

/// Runs the command.
///
/// # Errors
/// When the file is no model, or the weights cannot be read.
pub fn check(model: &Path, weights: Option<&Path>) -> Result<Report, Problem> {
    let graph = Arc::new(super::read_plainly(model)?);
    let found = match weights {
        None => None,
        Some(path) => Some(differences(&graph, &header(path)?)),
    };
    let mut answer = gradual::Sizes::of(graph, &gradual::Options::default());
    let (verdict, standing) = match answer.verdict() {
        gradual::Verdict::Sat => (Verdict::Sat, "runs"),
        gradual::Verdict::Unsat => (Verdict::Unsat, "ill-typed"),
        gradual::Verdict::Unknown => (Verdict::Unknown, "unknown"),
    };
    let mut text = format!("{standing}\n");
    if verdict != Verdict::Sat {
        text += &answer.text();
    }
    for one in found.iter().flatten() {
        let _ = writeln!(
            text,
            "`{}` is {}: {}",
            one.name,
            listed(&one.sizes),
            one.words
        );
    }
    let has_differences = found.as_ref().is_some_and(|found| !found.is_empty());
    let weights = found.map(|found| {
        let found = found.into_iter();
        found
            .map(|one| Weight {
                name: one.name,
                sizes: one.sizes,
                words: one.words,
            })
            .collect()
    });
    let report = answer.report();
    let body = Body {
        standing,
        core: gradual::Refusal::nodes(&report.core),
        limits: report.limits,
        weights,
    };
    let report = Report::judged(verdict, text, body);
    Ok(match has_differences {
        true => report.with_status(Status::Refused),
        false => report,
    })
}
