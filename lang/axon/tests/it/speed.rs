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

/// Returns the program of each kind of chain with so many parts.
fn chains(count: usize) -> [(&'static str, String); 12] {
    let sum = |sign: &str| {
        format!(
            "f = fn(x : f32 [n]) {{ {} }}\n",
            vec!["x"; count].join(sign)
        )
    };
    let lines = |parameters: &str, line: &str| {
        format!("f = fn({parameters}) {{\n{}  x\n}}\n", line.repeat(count))
    };
    let axes = vec!["n"; count].join(",");
    let numbered = |before: &str, behind: &str| {
        let parts: Vec<String> = (0..count)
            .map(|at| format!("{before}{at}{behind}"))
            .collect();
        parts.join(", ")
    };
    [
        ("sum", sum(" + ")),
        ("difference", sum(" - ")),
        ("quotient", sum(" / ")),
        ("lets", lines("x", "  x = x + x;\n")),
        (
            "concat",
            lines("x : f32 [n], y : f32 [m]", "  x = concat(x, y);\n"),
        ),
        ("products", lines("x, w", "  x = matmul(x, w);\n")),
        ("convolutions", lines("x, w", "  x = conv(x, w);\n")),
        (
            "calls",
            format!(
                "f = fn(x) {{ {}x{} }}\n",
                "exp(".repeat(count),
                ")".repeat(count)
            ),
        ),
        ("axes", format!("f = fn(x : f32 [{axes}]) {{ x }}\n")),
        (
            "appended",
            format!("f = fn(x : f32 s{}) {{ x }}\n", "@[n]".repeat(count)),
        ),
        (
            "parameters",
            format!("f = fn({}) {{ x0 }}\n", numbered("x", "")),
        ),
        (
            "typed parameters",
            format!("f = fn({}) {{ x0 }}\n", numbered("x", " : f32 [n]")),
        ),
    ]
}

/// Returns the time of the processor that this thread has taken, where the system tells; else the time of the day.
fn taken(since: Instant) -> Duration {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let counted = counted.and_then(|line| line.split(' ').next()?.parse().ok());
    counted.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

/// A part takes the same time in a long program: eight times as many take about eight times as long. A chain that is
/// looked at from its beginning for each part takes 64 times as long.
#[test]
fn the_time_of_inference_grows_as_chains_do() {
    const SHORT: usize = 1000;
    let since = Instant::now();
    for ((name, short), (_, long)) in chains(SHORT).iter().zip(&chains(8 * SHORT)) {
        let [short, long] = [short, long].map(|text| {
            let before = taken(since);
            let program = parse(text).expect("it is a program");
            let inferred = infer(&program, &Options::default(), &Solver::default());
            assert!(inferred.errors.is_empty(), "{name}: {:?}", inferred.errors);
            taken(since) - before
        });
        println!("{name}: {short:?} for {SHORT} parts, {long:?} for eight times as many");
        let grown = long.as_secs_f64() / short.as_secs_f64().max(5e-3);
        assert!(grown < 32.0, "{name}: {grown:.1} times as long");
    }
}
