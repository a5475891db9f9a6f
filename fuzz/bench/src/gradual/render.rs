//! The tables as text.

use std::fmt::Write;

use lozenge_gradual_solver::BranchVerdict;

use super::Tables;

/// Returns the word for a verdict.
pub(super) fn word(verdict: BranchVerdict) -> &'static str {
    match verdict {
        BranchVerdict::Always => "always",
        BranchVerdict::Never => "never",
        BranchVerdict::Depends => "depends",
        BranchVerdict::Unreachable => "unreachable",
        BranchVerdict::Unknown => "unknown",
    }
}

/// Writes a number, or a stroke where there is none.
fn or_stroke(number: Option<impl ToString>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.1} ms", seconds * 1e3)
}

/// Writes all tables. A printed number stands before ours, with a stroke between them.
pub(super) fn text(tables: &Tables) -> String {
    let mut text = String::new();
    benchmarks(&mut text, tables);
    migrations(&mut text, tables);
    branches(&mut text, tables);
    text.push_str(
        "\nA printed number stands before ours. Times are from the text of a model to the answer, the median of the runs; those of the paper and of the\n\
         other tool are of other machines and of the same class.\n",
    );
    text
}

fn benchmarks(text: &mut String, tables: &Tables) {
    let _ = writeln!(
        text,
        "Fig. 7: benchmarks\n{:<14} {:>12} {:>9} {:>10}",
        "", "nodes", "flatten", "reshape"
    );
    for row in &tables.benchmarks {
        let pair = |(printed, ours): (usize, usize)| format!("{printed}/{ours}");
        let _ = writeln!(
            text,
            "{:<14} {:>12} {:>9} {:>10}",
            row.name,
            pair(row.nodes),
            pair(row.flatten),
            pair(row.reshape)
        );
    }
}

fn migrations(text: &mut String, tables: &Tables) {
    let _ = writeln!(
        text,
        "\nFig. 8: migrations\n{:<18} {:>8} {:>8} {:>10} {:>10} {:>10}",
        "", "printed", "ours", "paper", "other", "ours"
    );
    for row in &tables.migrations {
        let other = row.other_seconds.map(|seconds| format!("{seconds} s"));
        let _ = writeln!(
            text,
            "{:<18} {:>8} {:>8} {:>10} {:>10} {:>10}   {}",
            row.asked,
            row.printed,
            row.ours,
            format!("{} s", row.printed_seconds),
            or_stroke(other),
            milliseconds(row.seconds),
            row.evidence
        );
        if !row.conditions.is_empty() {
            let _ = writeln!(text, "  where {}", row.conditions);
        }
        if let Some(difference) = &row.difference {
            let _ = writeln!(text, "  difference: {difference}");
        }
    }
}

fn branches(text: &mut String, tables: &Tables) {
    for figure in [9, 10] {
        let _ = writeln!(
            text,
            "\nFig. {figure}: branches that remain\n{:<14} {:>10} {:>12} {:>10} {:>12} {:>10} {:>12} {:>12}",
            "", "all", "free", "bound", "other tool", "paper", "ours, free", "ours, bound"
        );
        for row in tables.branches.iter().filter(|row| row.figure == figure) {
            let other = row
                .other
                .map(|(_, free, bound)| format!("{}, {bound}", or_stroke(free)));
            let _ = writeln!(
                text,
                "{:<14} {:>10} {:>12} {:>10} {:>12} {:>10} {:>12} {:>12}",
                row.name,
                format!("{}/{}", row.printed.0, row.ours.0),
                format!("{}/{}", or_stroke(row.printed.1), row.ours.1),
                format!("{}/{}", row.printed.2, row.ours.2),
                or_stroke(other),
                format!("{} s", row.printed_seconds),
                milliseconds(row.seconds.0),
                milliseconds(row.seconds.1)
            );
            if row.unknown > 0 {
                let _ = writeln!(text, "  unknown: {}", row.unknown);
            }
            for difference in &row.differences {
                let _ = writeln!(text, "  difference: {difference}");
            }
        }
    }
}
