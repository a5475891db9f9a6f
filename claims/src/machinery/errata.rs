//! The errata of a document, generated: a table for each falsified statement.

use std::fmt::Write;

use super::claim::Heading;
use super::entry::{Entry, Read};
use super::finding::Evidence;

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', "<br>")
}

fn code(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| format!("`{}`", line.replace('|', "\\|")))
        .collect();
    lines.join("<br>")
}

/// Returns the errata, in Markdown.
pub fn errata(heading: &Heading, entries: &[Entry]) -> String {
    let mut text = format!(
        "<!-- @generated from the claims table of a quick run; a test compares it -->\n\n# Errata of {}\n\n\
         Each statement below is false as printed. Its witness is minimal: no smaller instance refutes it. Where rules \
         were run, the errata say which, and what each set of rules makes of the witness.\n\n{}\n",
        heading.document, heading.introduction
    );
    for entry in entries.iter().filter(|e| e.evidence == Evidence::Falsified) {
        let repair = entries
            .iter()
            .find(|e| Some(&e.id) == entry.repaired_by.as_ref());
        erratum(&mut text, entry, repair);
    }
    text
}

fn erratum(text: &mut String, entry: &Entry, repair: Option<&Entry>) {
    let mut rows: Vec<(&str, String)> = vec![
        ("as printed", cell(&entry.statement)),
        (
            "witness",
            code(entry.witness.as_deref().unwrap_or_default()),
        ),
        ("why", cell(entry.why.as_deref().unwrap_or_default())),
    ];
    let rules = entry.rules.as_deref();
    rows.push((
        "rules that were run",
        cell(rules.unwrap_or("none: the definitions alone decide")),
    ));
    if !entry.readings.is_empty() {
        let readings: Vec<String> = entry.readings.iter().map(reading).collect();
        rows.push(("what the rules make of it", readings.join("<br>")));
    }
    if let Some(repair) = repair {
        rows.push(("repaired", cell(&repair.statement)));
        rows.push(("evidence of the repair", cell(&repair.evidence_in_words())));
    }
    let _ = write!(text, "\n## {}\n\n| | |\n|---|---|\n", entry.id);
    for (what, contents) in rows {
        let _ = writeln!(text, "| {what} | {contents} |");
    }
}

fn reading(read: &Read) -> String {
    let refutes = match read.refutes {
        Some(true) => " (refutes the statement)",
        Some(false) => " (does not refute it)",
        None => "",
    };
    format!("{}: {}{refutes}", cell(&read.rules), cell(&read.outcome))
}
