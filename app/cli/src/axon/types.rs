//! The types of an Axon program, in short and in full, and its equations.

use std::fmt::Write;

use lozenge::axon::Binding;

use super::Loaded;
use super::answer::{BindingData, Body};
use crate::report::{Problem, Report};

/// Writes a line for each name, with its checks on the lines below it.
pub(super) fn infer(loaded: &Loaded) -> Report {
    let mut text = String::new();
    for binding in &loaded.inferred.bindings {
        let _ = writeln!(text, "{} : {}", binding.name, binding.scheme());
        for check in &binding.checks {
            let _ = writeln!(text, "  {}", check.condition);
        }
    }
    loaded.report(&text, Body::of(loaded))
}

/// Writes the equations of every name, as a set that reads back.
pub(super) fn constraints(loaded: &Loaded) -> Report {
    let shapes = loaded.inferred.shapes().to_string();
    let messages = loaded.rendered();
    // The text is a file that `solve` reads, so messages are its comments.
    let comments = messages.lines().map(|line| format!("# {line}"));
    let comments = comments.map(|line| format!("{}\n", line.trim_end()));
    let text = comments.collect::<String>() + &shapes;
    let body = Body {
        shapes: Some(shapes),
        ..Body::of(loaded)
    };
    Report::judged(loaded.verdict(), text, body).with_errors(loaded.errors())
}

/// Writes each type in full.
pub(super) fn explain(loaded: &Loaded, only: Option<&str>) -> Result<Report, Problem> {
    let all = loaded.inferred.bindings.iter();
    let chosen: Vec<&Binding> = all
        .filter(|binding| only.is_none_or(|only| binding.name == only))
        .collect();
    if let (Some(only), true) = (only, chosen.is_empty()) {
        return Err(Problem::new(format!(
            "--var {only}: the program has no type for a name `{only}` at its top; leave out --var to see all"
        )));
    }
    let mut text = String::new();
    for (place, binding) in chosen.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        in_full(loaded, binding, &mut text);
    }
    let body = Body {
        bindings: chosen
            .iter()
            .map(|binding| BindingData::of(loaded, binding))
            .collect(),
        ..Body::default()
    };
    Ok(loaded.report(&text, body))
}

fn in_full(loaded: &Loaded, binding: &Binding, text: &mut String) {
    let _ = writeln!(text, "{} : {}", binding.name, binding.scheme());
    let rows = rows(loaded, binding);
    match rows.is_empty() {
        true => text.push_str("  nothing is left to be checked for inputs of this type\n"),
        false => text.push_str("  to be checked for each input:\n"),
    }
    let width = rows
        .iter()
        .map(|(condition, _)| condition.chars().count())
        .max();
    let width = width.unwrap_or_default();
    for (condition, why) in &rows {
        let _ = writeln!(text, "    {condition:width$}  {why}");
    }
    if !binding.bytes.is_empty() {
        text.push_str("  bytes:\n");
    }
    for (tensor, bytes) in &binding.bytes {
        let _ = writeln!(text, "    {tensor}: {bytes}");
    }
    if let Some(peak) = &binding.peak {
        let _ = writeln!(text, "    at most at one time: {peak}");
    }
    if !binding.key.is_empty() {
        let key = binding.key.join(", ");
        let _ = writeln!(text, "  compiled again when one of these changes: {key}");
    }
}

/// Returns the conditions on inputs, each with its reason.
fn rows(loaded: &Loaded, binding: &Binding) -> Vec<(String, String)> {
    let checks = binding.checks.iter().map(|check| {
        let (line, why, decided) = (loaded.line(&check.span), &check.why, check.decided);
        (
            check.condition.clone(),
            format!("line {line}: {why}; decided {decided}"),
        )
    });
    let line = loaded.line(&binding.span);
    let why = format!("line {line}: no type says it; decided before any kernel runs");
    let conditions = binding
        .conditions
        .iter()
        .map(|condition| (condition.clone(), why.clone()));
    checks.chain(conditions).collect()
}
