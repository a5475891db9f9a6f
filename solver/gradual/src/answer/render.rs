//! The answer as text.

use super::{Answer, Report};
use std::fmt::Write;

impl Answer {
    /// The answer as lines of text: inputs, what their sizes can be, outputs, and what was not decided.
    #[must_use]
    pub fn text(&mut self) -> String {
        text(&self.report())
    }
}

/// The lines of a report.
fn text(report: &Report) -> String {
    let mut lines = String::new();
    for case in &report.cases {
        for input in &case.inputs {
            let _ = writeln!(lines, "{} : {}", input.name, input.shape);
        }
        for (at, found) in case.boxes.iter().enumerate() {
            if at > 0 {
                let _ = writeln!(lines, " or");
            }
            for symbol in &found.symbols {
                let zero = if symbol.zero == Some(true) {
                    " (0 too)"
                } else {
                    ""
                };
                let _ = match &symbol.equals {
                    Some(term) => writeln!(lines, "  {} = {term}{zero}", symbol.name),
                    None => writeln!(lines, "  {} : {}{zero}", symbol.name, symbol.values),
                };
            }
            for relation in &found.relations {
                let _ = writeln!(lines, "  {relation}");
            }
        }
        for output in &case.outputs {
            let _ = writeln!(lines, "{} : {}", output.name, output.shape);
        }
        for cause in &case.why {
            for node in &cause.nodes {
                let others = match node.nodes.len() {
                    0 | 1 => String::new(),
                    count => format!(" and {} more", count - 1),
                };
                let _ = writeln!(
                    lines,
                    "why {}: `{}`{others}: {}",
                    cause.axis, node.node, node.words
                );
            }
        }
    }
    if report.cases.is_empty() && report.limits.is_empty() {
        let _ = writeln!(lines, "no sizes are admitted");
    }
    for refusal in &report.core {
        let _ = writeln!(
            lines,
            "why: `{}` ({}): {}",
            refusal.node, refusal.operator, refusal.words
        );
    }
    for warning in &report.warnings {
        let nodes: Vec<String> = warning
            .nodes
            .iter()
            .map(|node| format!("`{node}`"))
            .collect();
        let _ = match nodes.is_empty() {
            true => writeln!(lines, "warning: {}", warning.words),
            false => writeln!(lines, "warning: {} ({})", warning.words, nodes.join(", ")),
        };
    }
    for (operator, node) in &report.unknown {
        let _ = writeln!(
            lines,
            "unknown operator: {operator} (`{node}`); the set is an upper bound"
        );
    }
    for (words, node) in &report.assumed {
        let _ = writeln!(lines, "assumed: {words} (`{node}`)");
    }
    for limit in &report.limits {
        let _ = writeln!(lines, "unknown: {limit}");
    }
    lines
}
