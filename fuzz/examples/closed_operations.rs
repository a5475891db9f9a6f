//! Compares the index maps of many random closed operations, found in three ways:
//! `cargo run --release -p lozenge-fuzz --no-default-features --example closed_operations -- COUNT SEED`.

use std::process::ExitCode;
use std::time::Instant;

use arbitrary::Unstructured;
use lozenge_fuzz::closed_operation::{ClosedOperation, Compared, draw};
use lozenge_solver::project::Projector;

/// The number of operations on which the solver alone is timed.
const ALONE: u64 = 200_000;

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let (Some(Ok(count)), Some(Ok(seed)), None) = (numbers.next(), numbers.next(), numbers.next())
    else {
        eprintln!("error: give a count and a seed, as in `closed_operations 1000000 1`");
        return ExitCode::from(2);
    };
    let (start, mut projector) = (Instant::now(), Projector::default());
    let [mut solved, mut refused, mut other_basis, mut different] = [0u64; 4];
    for index in 0..count {
        let bytes = lozenge_testkit::generate::bytes(seed, index, 160);
        let Ok(operation) = draw(&mut Unstructured::new(&bytes)) else {
            continue;
        };
        match operation.compared(&mut projector) {
            Compared::Solved(_) => solved += 1,
            Compared::Refused => refused += 1,
            Compared::OtherBasis => other_basis += 1,
            Compared::Differ(answers) => {
                different += 1;
                println!("input {index} of seed {seed}\n{answers}");
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let speed = count as f64 / seconds;
    println!(
        "{count} operations: {solved} solved, {refused} refused, {other_basis} refused by the rules alone, {different} different; {speed:.0} a second"
    );
    let drawn: Vec<ClosedOperation> = (0..count.min(ALONE))
        .filter_map(|index| {
            let bytes = lozenge_testkit::generate::bytes(seed, index, 160);
            draw(&mut Unstructured::new(&bytes)).ok()
        })
        .collect();
    let start = Instant::now();
    for operation in &drawn {
        let _ = std::hint::black_box(operation.by_solver(&mut projector));
    }
    let speed = drawn.len() as f64 / start.elapsed().as_secs_f64();
    println!("the solver alone: {speed:.0} a second");
    ExitCode::from(u8::from(different > 0))
}
