//! `docs/errata.md`, generated: a row for each falsified claim.

use std::fmt::Write;

use crate::core::Evidence;

use super::Entry;

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', "<br>")
}

/// The document, from the table of a quick run.
pub fn errata(entries: &[Entry]) -> String {
    let mut text = String::from(
        "# Errata of the formal core\n\n\
         Generated from the claims table; a test holds this file against it. Each statement below is false as printed. The\n\
         witness is minimal: no constraint, axis or variable can be dropped, no constant made simpler. The notation is that of\n\
         `.rows` files; `1_` is the claim-free unit, `<>` the marker, the result of `<=` is on the left.\n",
    );
    for entry in entries.iter().filter(|e| e.evidence == Evidence::Falsified) {
        let repair = entries
            .iter()
            .find(|e| Some(&e.id) == entry.repaired_by.as_ref());
        let _ = write!(text, "\n## {}\n\n| | |\n|---|---|\n", entry.id);
        let _ = writeln!(text, "| as printed | {} |", cell(&entry.statement));
        let witness = entry.witness.as_deref().unwrap_or_default();
        let lines: Vec<String> = witness
            .lines()
            .map(|l| format!("`{}`", l.replace('|', "\\|")))
            .collect();
        let _ = writeln!(text, "| witness | {} |", lines.join("<br>"));
        let _ = writeln!(
            text,
            "| what is seen | {} |",
            cell(entry.why.as_deref().unwrap_or_default())
        );
        if let Some(repair) = repair {
            let _ = writeln!(text, "| repaired | {} |", cell(&repair.statement));
            let _ = writeln!(
                text,
                "| evidence of the repair | {} |",
                repair.evidence.word()
            );
        }
    }
    text
}
