//! Every target on the stable toolchain: the inputs of a campaign, examined by the code that `cargo fuzz` runs.
//! `LOZENGE_INPUTS` sets a larger number of inputs than the test run examines, `LOZENGE_SEED` another seed.

use std::collections::BTreeMap;
use std::time::Instant;

use lozenge_fuzz::outcome::Outcome;
use lozenge_fuzz::subject::party::Parties;
use lozenge_fuzz::subjects::{named, targets as all_targets};

fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Examines inputs of a target, of which enough have to be useful.
fn run(name: &str, count: u64) {
    let target = named(name).expect("the target");
    let (count, seed) = (
        asked("LOZENGE_INPUTS").unwrap_or(count),
        asked("LOZENGE_SEED").unwrap_or(1),
    );
    let mut parties = Parties::default();
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    let mut answers: BTreeMap<&str, u64> = BTreeMap::new();
    let mut useful = 0;
    let start = Instant::now();
    for index in 0..count {
        let examined = target.examine_indexed(seed, index, false, &mut parties);
        let examined = examined.expect("an answer").comparison;
        useful += u64::from(examined.useful);
        *answers.entry(examined.answer).or_default() += 1;
        *outcomes.entry(examined.outcome.key()).or_default() += 1;
        if let Outcome::Disagree(disagreement) = examined.outcome {
            let input = target.text(seed, index).expect("bytes make an input");
            panic!("{name}, seed {seed}, index {index}:\n{input}\n{disagreement}");
        }
    }
    let rate = count as f64 / start.elapsed().as_secs_f64();
    println!("{name}: {rate:.0} inputs/s, {useful} of {count} useful, {answers:?}, {outcomes:?}");
    let least = match name {
        // In a third of the programs with drawn shapes no size follows from the rest.
        "determined" => 5,
        // Many facts have no solution alone.
        "sizes" => 8,
        // Of short lists of known ranks many differ in one rank or one axis.
        "shapes" | "shapes_oracle" => 7,
        // In many programs one operator refuses all inputs.
        "gradual_points" => 6,
        // Of some programs with written types no small inputs are taken.
        "axon" => 6,
        // Of many constraints one is often refused alone.
        name if name.starts_with("large_") => 6,
        _ => 9,
    };
    assert!(
        useful * 10 >= count * least,
        "{name}: only {useful} of {count} inputs are useful"
    );
}

macro_rules! targets {
    ($($name:ident $count:literal,)*) => {
        $(
            #[test]
            fn $name() {
                run(stringify!($name), $count);
            }
        )*

        #[test]
        fn no_target_is_left_out() {
            let run = [$(stringify!($name)),*];
            assert_eq!(all_targets().iter().map(|target| target.name()).collect::<Vec<_>>(), run);
        }
    };
}

targets! {
    spec_solver 4_000,
    solver_oracle 600,
    complete_oracle 500,
    entailment 120,
    order 2_500,
    incremental 3_000,
    closing 3_000,
    certificates 2_000,
    evidence 800,
    large_rules 500,
    large_certificates 200,
    large_order 100,
    large_oracle 14,
    arith_verdicts 250,
    growing_sizes 60,
    greatest 120,
    window_sizes 1_500,
    sizes 500,
    projection 8_000,
    projected_operations 2_000,
    regions 900,
    gradients 250,
    gradual_points 600,
    gradual_types 300,
    gradual_profiles 60,
    schedules 8,
    projected_programs 120,
    kernels 8,
    program 8,
    language 30,
    uses 250,
    closed_programs 100,
    determined 500,
    shapes 1_500,
    shapes_oracle 60,
    shapes_answers 500,
    axon 40,
    notation 4_000,
    surface_parser 1_200,
    json 4_000,
}
