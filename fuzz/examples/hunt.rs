//! `hunt SEED LIMIT` examines up to LIMIT inputs until two parties disagree, and prints the disagreement as JSON, or `null` if
//! there is none. `lozenge-mutants` runs it in a copy of the sources with a planted defect.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse().ok());
    let (Some(Some(seed)), Some(Some(limit))) = (numbers.next(), numbers.next()) else {
        eprintln!("usage: hunt SEED LIMIT");
        return ExitCode::from(2);
    };
    // A party that panics is a disagreement like any other, so the usual panic message is not wanted.
    std::panic::set_hook(Box::new(|_| {}));
    let quarry = lozenge_fuzz::hunt::hunt(seed, limit);
    println!("{}", serde_json::json!(quarry));
    ExitCode::SUCCESS
}
