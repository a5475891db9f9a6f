//! A reduction by a written spec that keeps every axis, such as `var(x, "n|->c => n|c")`: it combines nothing.

use std::collections::BTreeSet;

use lozenge_lang::{Diagnostic, Severity};

use crate::diagnose::fix::proposed::{Proposed, called};
use crate::diagnose::words::text::Text;
use crate::options::MAX_FOUND;

/// The functions that combine the values that meet in a cell.
const REDUCTIONS: [&str; 9] = [
    "mean",
    "var",
    "std",
    "norm",
    "prod",
    "logsumexp",
    "sum",
    "max",
    "min",
];

/// Returns the warnings, one for each call.
pub(crate) fn check(text: Text<'_>) -> Vec<Proposed> {
    let program = text.program;
    let mut seen = BTreeSet::new();
    let mut problems = Vec::new();
    for step in &program.steps {
        if problems.len() == MAX_FOUND || !seen.insert((step.span.start, step.span.end)) {
            continue;
        }
        let Some((function, spec, labels)) = over_nothing(text.at(step.span.clone())) else {
            continue;
        };
        let end = step.span.end - 1;
        let headline =
            format!("`{function}` is over no axis: the result has each label of the spec");
        let kept = format!("keeps {labels}");
        let mut diagnostic = Diagnostic::new(end - spec.len() - 2..end, headline, kept).help(format!(
            "leave out the label of the axis that it is over, `{function}(x, \"n|->c => n|\")`; `map` moves axes"
        ));
        diagnostic.severity = Severity::Warning;
        problems.push(called(program, step.call, diagnostic.into()));
    }
    problems
}

/// Returns the function, the spec and the labels of a call whose spec keeps all axes of one operand: labels alone,
/// each once.
fn over_nothing(call: &str) -> Option<(&str, &str, String)> {
    let (function, arguments) = call.split_once('(')?;
    let quoted = arguments.strip_suffix("\")")?;
    let (_, spec) = quoted.rsplit_once('"')?;
    let (operand, result) = spec.split_once("=>")?;
    let [read, kept] = [operand, result].map(labels);
    let (read, kept) = (read?, kept?);
    let is_kept = !read.is_empty() && read.iter().all(|label| kept.contains(label));
    (REDUCTIONS.contains(&function) && is_kept).then(|| (function, spec, text_of(&read)))
}

/// Returns the labels of a shape that has nothing but labels, each with its size or without.
fn labels(shape: &str) -> Option<BTreeSet<&str>> {
    let plain = |c: char| c.is_alphanumeric() || "_|,->: ".contains(c);
    if !shape.chars().all(plain) {
        return None;
    }
    let axes = shape
        .split(['|', ',', '-', '>', ' '])
        .filter(|axis| !axis.is_empty());
    let mut labels = BTreeSet::new();
    for axis in axes {
        let label = axis
            .split(':')
            .next()
            .filter(|label| label.starts_with(char::is_alphabetic))?;
        if !labels.insert(label) {
            return None;
        }
    }
    Some(labels)
}

fn text_of(labels: &BTreeSet<&str>) -> String {
    let quoted: Vec<String> = labels.iter().map(|label| format!("`{label}`")).collect();
    quoted.join(", ")
}
