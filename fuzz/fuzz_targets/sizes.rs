//! `cargo +nightly fuzz run sizes`
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| lozenge_fuzz::arithmetic::run(data));

#[cfg(not(fuzzing))]
fn main() {
    for path in std::env::args().skip(1) {
        match std::fs::read(&path) {
            Ok(bytes) => lozenge_fuzz::arithmetic::run(&bytes),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
}
