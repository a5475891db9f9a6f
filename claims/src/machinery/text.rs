//! The table in a terminal.

use std::fmt::Write;

use super::entry::Entry;
use super::finding::Evidence;
use super::theorems::statement;

fn clipped(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    let cut: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{cut}…")
}

/// Writes one row: number, statement, evidence, instances and time; if it is falsified, its witness on the next line.
/// `id` is the width of the first column, `width` that of the whole row.
pub fn row_text(entry: &Entry, id: usize, width: usize) -> String {
    let room = width.saturating_sub(id + 54).max(20);
    let line = format!(
        "{:<id$}  {:<room$}  {:<24} {:>12} {:>8.2} s",
        entry.id,
        clipped(&entry.statement, room),
        clipped(&entry.evidence_in_words(), 24),
        entry.instances,
        entry.seconds,
    );
    let mut text = format!("{}\n", line.trim_end());
    if let Some(witness) = &entry.witness {
        let witness = witness.replace('\n', "; ");
        let _ = writeln!(text, "{:id$}  against it: {witness}", "");
    }
    text
}

/// Writes every row, one after the other.
pub fn table_text(entries: &[Entry], width: usize) -> String {
    let ids = entries.iter().map(|entry| entry.id.chars().count());
    let id = ids.max().unwrap_or(0);
    entries
        .iter()
        .map(|entry| row_text(entry, id, width))
        .collect()
}

/// Returns the number of rows with each kind of evidence, and the time that they took one worker.
pub fn summary(entries: &[Entry]) -> String {
    let count = |kind| entries.iter().filter(|e| e.evidence == kind).count();
    let kinds: Vec<String> = Evidence::ALL
        .iter()
        .map(|kind| format!("{} {}", count(*kind), kind.word()))
        .collect();
    let seconds: f64 = entries.iter().map(|e| e.seconds).sum();
    format!(
        "{} entries: {}; decided in {seconds:.0} s of one processor\n",
        entries.len(),
        kinds.join(", ")
    )
}

/// Writes rows in full, one after the other.
pub fn in_full(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let _ = writeln!(
            text,
            "{}\n  {}\n  {}: {} ({} instances, {:.2} s)",
            entry.id,
            entry.statement,
            entry.evidence_in_words(),
            entry.scope,
            entry.instances,
            entry.seconds
        );
        if let Some(rules) = &entry.rules {
            let _ = writeln!(text, "  rules: {rules}");
        }
        for name in entry.theorems() {
            let said = statement(name)
                .unwrap_or_default()
                .replace('\n', "\n      ");
            let _ = writeln!(text, "  theorem {name}\n    {said}");
        }
        if let (Some(witness), Some(why)) = (&entry.witness, &entry.why) {
            let witness = witness.replace('\n', "\n    ");
            let _ = writeln!(text, "  against it:\n    {witness}\n  {why}");
        }
        for read in &entry.readings {
            let refutes = match read.refutes {
                Some(true) => ", which refutes the statement",
                Some(false) => ", which does not refute the statement",
                None => "",
            };
            let _ = writeln!(text, "  {}: {}{refutes}", read.rules, read.outcome);
        }
        if let Some(repair) = &entry.repaired_by {
            let _ = writeln!(text, "  repaired by {repair}");
        }
        text.push('\n');
    }
    text
}
