//! `lozenge branches`: which conditions of a model are decided whatever the input is.

use std::collections::BTreeMap;
use std::fmt::Write;

use lozenge_gradual_solver::{Branch, BranchVerdict, Branches};
use lozenge_vocabulary::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use super::migrate::{question, verdict};
use crate::args;
use crate::files::distinct_files::{Named, distinct};
use crate::files::output_file;
use crate::report::{Problem, Report, Status};

/// The conditions of a model.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The conditions with their verdicts and witnesses; operators that are not known; limits that were reached.
    #[serde(flatten)]
    found: Branches,
    /// The number of conditions that were replaced in the written model. Only with `--emit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<usize>,
}

/// Runs the command.
///
/// # Errors
/// When the file is no model, a name in a condition is not one of it, or the rewritten model cannot be written.
pub fn branches(args: &args::Branches) -> Result<Report, Problem> {
    let read = Named::new(args.model.model.display().to_string(), &args.model.model);
    distinct(
        &[read],
        &Vec::from_iter(Named::flag("--emit", args.emit.as_deref())),
    )?;
    let (graph, options) = question(&args.model, &args.conditions, args.relax.as_deref())?;
    let found = Branches::of(&graph, &options);
    let replaced = match &args.emit {
        None => None,
        Some(path) => Some(emit(args, &found, path)?),
    };
    let verdict = verdict(found.verdict);
    let is_open = found
        .branches
        .iter()
        .any(|branch| branch.verdict == BranchVerdict::Unknown);
    let status = match (verdict, is_open) {
        (Verdict::Unsat, _) => Status::Refused,
        (Verdict::Unknown, _) | (_, true) => Status::Unknown,
        _ => Status::Good,
    };
    let mut text = text(&found);
    if let (Some(path), Some(count)) = (&args.emit, replaced) {
        let _ = writeln!(
            text,
            "{} holds the model with {count} conditions replaced",
            path.display()
        );
    }
    Ok(Report::judged(verdict, text, Body { found, replaced }).with_status(status))
}

/// Writes the model with its decided conditions replaced, and returns how many there were.
fn emit(args: &args::Branches, found: &Branches, path: &std::path::Path) -> Result<usize, Problem> {
    let decided: BTreeMap<String, bool> = found
        .branches
        .iter()
        .filter_map(|branch| {
            let value = match branch.verdict {
                BranchVerdict::Always => true,
                BranchVerdict::Never => false,
                _ => return None,
            };
            Some((
                branch.branch.clone().unwrap_or_else(|| branch.node.clone()),
                value,
            ))
        })
        .collect();
    let model = &args.model.model;
    let content = std::fs::read(model)
        .map_err(|error| Problem::new(format!("{} cannot be read: {error}", model.display())))?;
    let rewritten = lozenge_graph::with_decided(content, &decided, &super::limits(&args.model));
    let rewritten = rewritten.map_err(|error| super::flagged(model, &error))?;
    output_file::replace(path, &rewritten.content)?;
    Ok(rewritten.replaced)
}

/// Tells the conditions: a line for each, and what decides those that depend on the input.
fn text(found: &Branches) -> String {
    let mut text = String::new();
    for branch in &found.branches {
        line(&mut text, branch);
    }
    let count = |verdict| {
        found
            .branches
            .iter()
            .filter(|branch| branch.verdict == verdict)
            .count()
    };
    let words = [
        (BranchVerdict::Always, "always"),
        (BranchVerdict::Never, "never"),
        (BranchVerdict::Depends, "depend on the input"),
        (BranchVerdict::Unreachable, "unreachable"),
        (BranchVerdict::Unknown, "unknown"),
    ];
    let counts = words
        .into_iter()
        .map(|(verdict, words)| (count(verdict), words));
    let counts: Vec<String> = counts
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    let _ = match counts.is_empty() {
        true => writeln!(text, "there is no condition"),
        false => writeln!(
            text,
            "{} conditions: {}",
            found.branches.len(),
            counts.join(", ")
        ),
    };
    for (operator, node) in &found.unknown {
        let _ = writeln!(text, "not followed: {operator} (`{node}`)");
    }
    for limit in &found.limits {
        let _ = writeln!(text, "unknown: {limit}");
    }
    text
}

fn line(text: &mut String, branch: &Branch) {
    let word = match branch.verdict {
        BranchVerdict::Always => "always",
        BranchVerdict::Never => "never",
        BranchVerdict::Depends => "depends",
        BranchVerdict::Unreachable => "unreachable",
        BranchVerdict::Unknown => "unknown",
    };
    let _ = write!(text, "{}", branch.node);
    if let Some(other) = branch
        .branch
        .as_ref()
        .filter(|other| **other != branch.node)
    {
        let _ = write!(text, " (of `{other}`)");
    }
    let _ = match &branch.reason {
        Some(reason) => writeln!(text, " : {word}: {reason}"),
        None => writeln!(text, " : {word}"),
    };
    if branch.verdict != BranchVerdict::Depends {
        return;
    }
    for (value, conditions) in [(true, &branch.true_if), (false, &branch.false_if)] {
        let witness = branch
            .witnesses
            .iter()
            .find(|witness| witness.value == value);
        let witness = witness.map_or_else(String::new, |witness| {
            format!(
                "   for example {}",
                lozenge_gradual_solver::written(&witness.at)
            )
        });
        let _ = writeln!(text, "  {value} if {}{witness}", conditions.join(" or "));
    }
}
