//! `hunt SEED LIMIT SECONDS [TARGET]` examines up to LIMIT inputs, of one target if it is given, until two parties
//! disagree or one does not answer for SECONDS, and prints that as JSON, or `null` if there is nothing.
//! `lozenge-mutants` runs it in a copy of the sources with a planted defect.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use lozenge_fuzz::hunt::{Progress, hunt};
use lozenge_fuzz::subjects::named;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next()?.parse::<u64>().ok();
    let (Some(seed), Some(limit), Some(seconds)) = (number(), number(), number()) else {
        eprintln!("usage: hunt SEED LIMIT SECONDS [TARGET]");
        return ExitCode::from(2);
    };
    let only = arguments.next();
    if let Some(name) = only.as_ref().filter(|name| named(name).is_none()) {
        eprintln!("no target is called {name}");
        return ExitCode::from(2);
    }
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
    let quarry = hunt(seed, limit, only.as_deref(), progress);
    println!("{}", serde_json::json!(quarry));
    ExitCode::SUCCESS
}
