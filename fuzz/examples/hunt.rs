//! `hunt SEED LIMIT` examines up to LIMIT inputs until two parties disagree, and prints what it found as JSON, `null` when that is
//! nothing. `lozenge-mutants` runs it in a copy of the sources in which a defect is planted.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse().ok());
    let (Some(Some(seed)), Some(Some(limit))) = (numbers.next(), numbers.next()) else {
        eprintln!("usage: hunt SEED LIMIT");
        return ExitCode::from(2);
    };
    // A party that panics is a finding like any other, and needs no report.
    std::panic::set_hook(Box::new(|_| {}));
    let quarry = lozenge_fuzz::hunt::hunt(seed, limit);
    println!("{}", serde_json::json!(quarry));
    ExitCode::SUCCESS
}
