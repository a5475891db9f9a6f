//! `lozenge bench`: what solving costs, family by family.

use std::fmt::Write;
use std::fs;

use lozenge::bench::{FAMILIES, Report as Measured, report};
use serde_json::json;

use crate::args;
use crate::report::{Problem, Report, Status};

/// Runs the command.
pub fn bench(args: &args::Bench) -> Result<Report, Problem> {
    let known = || {
        FAMILIES
            .iter()
            .map(|family| family.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    if let Some(wrong) = args
        .family
        .iter()
        .find(|name| FAMILIES.iter().all(|family| family.name != **name))
    {
        return Err(Problem(format!(
            "error: --family {wrong}: the families are {}",
            known()
        )));
    }
    let sizes: Vec<usize> = [100, 1_000, 10_000, 100_000, 1_000_000]
        .into_iter()
        .filter(|n| *n <= args.up_to)
        .collect();
    let chosen = FAMILIES
        .iter()
        .filter(|f| args.family.is_empty() || args.family.iter().any(|name| name == f.name));
    let reports: Vec<Measured> = chosen
        .map(|family| report(family, &sizes, args.runs))
        .collect();
    let json = json!(reports);
    if let Some(path) = &args.json {
        fs::write(path, format!("{json:#}\n")).map_err(|error| {
            Problem(format!(
                "error: {} cannot be written: {error}",
                path.display()
            ))
        })?;
    }
    Ok(Report {
        text: table(&reports),
        json,
        status: Status::Good,
    })
}

fn table(reports: &[Measured]) -> String {
    let mut text = format!(
        "{:<24} {:>9} {:>11} {:>9} {:>9} {:>9} {:>9}\n",
        "family", "n", "ms", "ns each", "M/s", "bytes", "x read"
    );
    for report in reports {
        for m in &report.measurements {
            let _ = writeln!(
                text,
                "{:<24} {:>9} {:>11.3} {:>9.1} {:>9.2} {:>9.1} {:>9.1}{}",
                report.family,
                m.constraints,
                m.seconds * 1e3,
                m.nanoseconds_each,
                m.millions_per_second,
                m.bytes_each,
                m.read_ratio,
                if m.solved { "" } else { "  refused" }
            );
        }
        if let Some(exponent) = report.exponent {
            let _ = writeln!(text, "{:<24} grows as n^{exponent:.2}", "");
        }
    }
    text
}
