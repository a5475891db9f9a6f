//! `lozenge bench`: measures the cost of solving, family by family.

use std::fmt::Write;

use lozenge_families::FAMILIES;
use serde_json::json;

use super::Answer;
use super::measure::{FamilyReport, report};
use crate::args;
use crate::files::output_file::OutputFile;
use crate::report::{Problem, Report, Status};

/// Runs the command.
pub fn bench(args: &args::Bench) -> Result<Report, Problem> {
    all_known(&args.family)?;
    let file = OutputFile::open(args.json.as_deref())?;
    let sizes: Vec<usize> = [100, 1_000, 10_000, 100_000, 1_000_000]
        .into_iter()
        .filter(|n| *n <= args.up_to)
        .collect();
    if sizes.is_empty() {
        return Err(Problem::new(format!(
            "--up-to {}: the smallest problems have 100 constraints: give 100 or more",
            args.up_to
        )));
    }
    let chosen = FAMILIES
        .iter()
        .filter(|f| args.family.is_empty() || args.family.iter().any(|name| name == f.name));
    let reports: Vec<FamilyReport> = chosen
        .map(|family| report(family, &sizes, args.runs))
        .collect();
    let json = json!(reports);
    if let Some(file) = file {
        file.write(&format!(
            "{json:#}
"
        ))?;
    }
    Ok(Report {
        text: table(&reports),
        json: json!(Answer {
            families: Some(reports),
            ..Answer::default()
        }),
        status: Status::Good,
    })
}

fn all_known(names: &[String]) -> Result<(), Problem> {
    let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(wrong) => Err(Problem::new(format!(
            "--family {wrong}: the families are {}",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

/// The legend for columns that are not self-explanatory.
const LEGEND: &str = "
ms        solving and closing, in memory that a solve has used before; the fastest run
first ms  the first solve, in memory that the system has yet to hand out
bytes     of the solver's state for each constraint, beyond the input
x read    ms over a pass that only reads the constraints as the solver gets them
x terms   ms over a pass that only reads them as terms with names
";

fn table(reports: &[FamilyReport]) -> String {
    let mut text = format!(
        "{:<24} {:>9} {:>11} {:>11} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        "family", "n", "ms", "first ms", "ns each", "M/s", "bytes", "x read", "x terms"
    );
    for report in reports {
        for m in &report.measurements {
            let _ = writeln!(
                text,
                "{:<24} {:>9} {:>11.3} {:>11.3} {:>9.1} {:>9.2} {:>9.1} {:>9.1} {:>9.1}{}",
                report.family,
                m.constraints,
                m.seconds * 1e3,
                m.first_seconds * 1e3,
                m.nanoseconds_each,
                m.millions_per_second,
                m.bytes_each,
                m.read_ratio,
                m.vocabulary_ratio,
                if m.solved { "" } else { "  refused" }
            );
        }
        if let Some(exponent) = report.exponent {
            let _ = writeln!(text, "{:<24} grows as n^{exponent:.2}", "");
        }
    }
    text + LEGEND
}
