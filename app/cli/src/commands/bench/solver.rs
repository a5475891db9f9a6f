//! `lozenge bench`: measures the cost of solving, family by family.

use lozenge_bench::solving::{FAMILIES, FamilyReport, report, table};
use serde_json::json;

use super::Answer;
use crate::args;
use crate::files::output_file::OutputFile;
use crate::report::{Problem, Report};

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
        file.write(&format!("{json:#}\n"))?;
    }
    let text = table(&reports);
    let answer = Answer {
        families: Some(reports),
        ..Answer::default()
    };
    Ok(Report::new(text, answer))
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
