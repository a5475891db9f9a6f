//! `hunt SEED LIMIT SECONDS` examines up to LIMIT inputs until two parties disagree or one does not answer for SECONDS, and prints
//! that as JSON, or `null` if there is nothing. `lozenge-mutants` runs it in a copy of the sources with a planted defect.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use lozenge_fuzz::hunt::{Progress, hunt};

fn main() -> ExitCode {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|text| text.parse::<u64>().ok());
    let (Some(Some(seed)), Some(Some(limit)), Some(Some(seconds))) =
        (numbers.next(), numbers.next(), numbers.next())
    else {
        eprintln!("usage: hunt SEED LIMIT SECONDS");
        return ExitCode::from(2);
    };
    // A party that panics is a disagreement like any other, so the usual panic message is not wanted.
    std::panic::set_hook(Box::new(|_| {}));
    let progress: &'static Progress = Box::leak(Box::default());
    // An endless loop cannot be stopped from outside, so the watch ends the process.
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_millis(500));
            if let Some(stuck) = progress.overdue(Duration::from_secs(seconds)) {
                println!("{}", serde_json::json!(stuck));
                std::process::exit(0);
            }
        }
    });
    let quarry = hunt(seed, limit, progress);
    println!("{}", serde_json::json!(quarry));
    ExitCode::SUCCESS
}
