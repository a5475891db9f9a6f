//! Long programs: inference ends, and the time is printed (it grows as the program does).

use std::time::{Duration, Instant};

use lozenge_axon::{Options, infer, parse};
use lozenge_axon_solver::Solver;

/// Returns the least time of a few that inference takes.
fn least(text: &str) -> Duration {
    let program = parse(text).expect("it is a program");
    let times = (0..3).map(|_| {
        let start = Instant::now();
        let inferred = infer(&program, &Options::default(), &Solver::default());
        assert!(inferred.errors.is_empty() && inferred.unknown.is_empty());
        start.elapsed()
    });
    times.min().expect("there are some")
}

/// Returns a function of so many products.
fn chain(calls: usize) -> String {
    format!(
        "f = fn(x, w) {{\n{}  x\n}}\n",
        "  x = matmul(x, w);\n".repeat(calls)
    )
}

/// Writes so many functions, each of which calls the one before it.
fn functions(calls: usize) -> String {
    let mut text = "f0 = fn(x, w) { matmul(x, w) }\n".to_string();
    for number in 1..=calls {
        text += &format!(
            "f{number} = fn(x, w) {{ f{}(x, w) - reduce(+, 0f, x) }}\n",
            number - 1
        );
    }
    text.replace(" - reduce(+, 0f, x)", "")
}

#[test]
fn programs_of_ten_thousand_calls_are_inferred() {
    for (name, program) in [
        ("chain", chain as fn(usize) -> String),
        ("functions", functions),
    ] {
        let [thousand, five, ten] = [1_000, 5_000, 10_000].map(|calls| least(&program(calls)));
        println!("{name}: {thousand:?} for 1,000 calls, {five:?} for 5,000, {ten:?} for 10,000");
    }
    let doubled = format!(
        "f = fn(x : t [n]) {{\n{}  x\n}}",
        "  x = concat(x, x);\n".repeat(60)
    );
    println!("60 doublings: {:?}", least(&doubled));
}
