//! `cargo +nightly fuzz run sizes`
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| lozenge_fuzz::arithmetic::run(data));

#[cfg(not(fuzzing))]
fn main() -> std::io::Result<()> {
    for path in std::env::args_os().skip(1) {
        lozenge_fuzz::arithmetic::run(&std::fs::read(path)?);
    }
    Ok(())
}
