//! Times.
fn main() {
    divan::main();
}
