//! The parts of a `cargo fuzz` target.

use std::cell::RefCell;

use crate::outcome::Outcome;
use crate::subject::party::Parties;
use crate::subjects::named;

thread_local! {
    static PARTIES: RefCell<Parties> = RefCell::new(Parties::default());
}

/// Examines the input that libFuzzer's bytes encode.
///
/// # Panics
/// At a disagreement, with the input in its readable form. libFuzzer records that as a crash.
pub fn examine(name: &str, data: &[u8]) {
    let Some(target) = named(name) else { return };
    let Some(input) = target.of_bytes(data) else {
        return;
    };
    let examined = PARTIES.with_borrow_mut(|parties| target.examine(&input, parties));
    let outcome = examined.ok().flatten().map(|examined| examined.outcome);
    if let Some(Outcome::Disagree(disagreement)) = outcome {
        panic!("{name}\n{input}\n{disagreement}");
    }
}

/// Examines the files named on the command line. A target that is built without libFuzzer does this.
///
/// # Errors
/// When a file cannot be read.
pub fn replay(name: &str) -> std::io::Result<()> {
    for path in std::env::args_os().skip(1) {
        examine(name, &std::fs::read(path)?);
    }
    Ok(())
}

/// A whole fuzz target: libFuzzer's entry point under `cargo fuzz`, else a program that examines the files it is given.
#[macro_export]
macro_rules! fuzz_target {
    ($name:literal) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::libfuzzer::examine($name, data));

        #[cfg(not(fuzzing))]
        fn main() -> std::io::Result<()> {
            $crate::libfuzzer::replay($name)
        }
    };
}
