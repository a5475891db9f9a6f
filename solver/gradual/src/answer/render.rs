//! The answer as text.

use super::{Answer, BoxReport, CaseReport, Cause, RecordedSet, Refusal, Report, Warning, written};
use std::fmt::{self, Write};

impl Answer {
    /// Returns the answer as lines of text: inputs, what their sizes can be, outputs, and what was not decided.
    #[must_use]
    pub fn text(&mut self) -> String {
        self.report().text()
    }
}

impl Report {
    /// Writes all lines.
    #[must_use]
    pub fn text(&self) -> String {
        let cases = self.cases.iter();
        let cases = cases.map(|case| case.to_string() + &case.reasons());
        cases.collect::<String>() + &self.refusals() + &self.remarks()
    }

    /// Returns the lines that say why nothing is admitted; none where something is.
    #[must_use]
    pub fn refusals(&self) -> String {
        let mut lines = String::new();
        if self.cases.is_empty() && self.limits.is_empty() {
            lines += "no sizes are admitted\n";
        }
        for refusal in &self.core {
            let _ = writeln!(lines, "why: {refusal}");
        }
        lines
    }

    /// Returns the lines below the set: warnings, what the exporter recorded, and what was not decided.
    #[must_use]
    pub fn remarks(&self) -> String {
        let mut lines = String::new();
        for warning in &self.warnings {
            let _ = writeln!(lines, "warning: {warning}");
        }
        if let Some(recorded) = &self.recorded {
            lines += &recorded.to_string();
        }
        for (operator, node) in &self.unknown {
            let _ = writeln!(
                lines,
                "not followed: {operator} (`{node}`); the set is an upper bound"
            );
        }
        for (words, node) in &self.assumed {
            let _ = writeln!(lines, "assumed: {words} (`{node}`)");
        }
        for limit in &self.limits {
            let _ = writeln!(lines, "unknown: {limit}");
        }
        lines
    }
}

impl CaseReport {
    /// Returns the lines that say which nodes restrict single sizes.
    #[must_use]
    pub fn reasons(&self) -> String {
        self.why.iter().map(Cause::to_string).collect()
    }
}

impl fmt::Display for CaseReport {
    /// Writes the inputs, what their sizes can be, and the outputs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for input in &self.inputs {
            writeln!(f, "{} : {}", input.name, input.shape)?;
        }
        write_boxes(f, &self.boxes)?;
        for output in &self.outputs {
            writeln!(f, "{} : {}", output.name, output.shape)?;
        }
        Ok(())
    }
}

/// Writes the parts of a set.
fn write_boxes(f: &mut fmt::Formatter<'_>, boxes: &[BoxReport]) -> fmt::Result {
    for (at, found) in boxes.iter().enumerate() {
        if at > 0 {
            writeln!(f, " or")?;
        }
        for symbol in &found.symbols {
            let zero = match symbol.zero {
                Some(true) => " (0 too)",
                _ => "",
            };
            match &symbol.equals {
                Some(term) => writeln!(f, "  {} = {term}{zero}", symbol.name)?,
                None => writeln!(f, "  {} : {}{zero}", symbol.name, symbol.values)?,
            }
        }
        for relation in &found.relations {
            writeln!(f, "  {relation}")?;
        }
    }
    Ok(())
}

impl fmt::Display for Cause {
    /// Writes a line for each node.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for refusal in &self.nodes {
            let refuses = match refusal.nodes.len() {
                0 | 1 => "refuses".to_owned(),
                count => format!("and {} more refuse", count - 1),
            };
            writeln!(
                f,
                "why {}: `{}` {refuses} other sizes: {}",
                self.axis, refusal.node, refusal.words
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node.is_empty() {
            true => f.write_str(&self.words),
            false => write!(f, "`{}` ({}): {}", self.node, self.operator, self.words),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = self.nodes.iter().map(|node| format!("`{node}`"));
        let nodes: Vec<String> = nodes.collect();
        match nodes.is_empty() {
            true => f.write_str(&self.words),
            false => write!(f, "{} ({})", self.words, nodes.join(", ")),
        }
    }
}

impl fmt::Display for RecordedSet {
    /// Writes the recorded set, and a point in each difference from the set that the graph takes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "recorded by the exporter, whose trace has chosen the branches:"
        )?;
        match self.boxes.is_empty() {
            true => writeln!(f, "  no sizes")?,
            false => write_boxes(f, &self.boxes)?,
        }
        let unread = self.conditions.iter().filter(|one| !one.is_read);
        for condition in unread {
            writeln!(f, "  and `{}`, which is not read here", condition.text)?;
        }
        let none = match self.is_decided {
            true => "none",
            false => "none was found",
        };
        let shown = |point: &Option<_>| point.as_ref().map_or(none.to_owned(), written);
        writeln!(f, "taken, not recorded: {}", shown(&self.only_graph))?;
        writeln!(f, "recorded, not taken: {}", shown(&self.only_recorded))?;
        for condition in &self.conditions {
            if let Some(point) = &condition.excludes {
                let point = written(point);
                writeln!(
                    f,
                    "the graph does not need `{}`, which excludes {point}",
                    condition.text
                )?;
            }
        }
        Ok(())
    }
}
