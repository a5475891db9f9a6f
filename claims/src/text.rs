//! The table in a terminal.

use std::fmt::Write;

use indicatif::{ProgressBar, ProgressStyle};

use super::Entry;

/// A bar with an estimate of the time left.
pub fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len}  {elapsed} gone, {eta} left");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn clipped(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    let cut: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{cut}…")
}

/// One line for each entry: number, statement, evidence, instances, time; the witness below a falsified one.
pub fn table_text(entries: &[Entry], width: usize) -> String {
    let id = entries
        .iter()
        .map(|e| e.id.chars().count())
        .max()
        .unwrap_or(0);
    let room = width.saturating_sub(id + 44).max(20);
    let mut text = String::new();
    for entry in entries {
        let line = format!(
            "{:<id$}  {:<room$}  {:<14} {:>12} {:>8.2} s",
            entry.id,
            clipped(&entry.statement, room),
            entry.evidence.word(),
            entry.instances,
            entry.seconds,
        );
        let _ = writeln!(text, "{}", line.trim_end());
        if let Some(witness) = &entry.witness {
            let _ = writeln!(
                text,
                "{:id$}  against it: {}",
                "",
                witness.replace('\n', "; ")
            );
        }
    }
    text
}

/// Claims in full, one after the other.
pub fn in_full(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let _ = writeln!(
            text,
            "{}\n  {}\n  {}: {} ({} instances, {:.2} s)",
            entry.id,
            entry.statement,
            entry.evidence.word(),
            entry.scope,
            entry.instances,
            entry.seconds
        );
        if let (Some(witness), Some(why)) = (&entry.witness, &entry.why) {
            let _ = writeln!(
                text,
                "  against it:\n    {}\n  {}",
                witness.replace('\n', "\n    "),
                why
            );
        }
        if let Some(repair) = &entry.repaired_by {
            let _ = writeln!(text, "  repaired by {repair}");
        }
        text.push('\n');
    }
    text
}
