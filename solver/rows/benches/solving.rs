//! Benchmarks of solving and closing, family by family, beside a pass that only reads every constraint and every axis
//! once.
//!
//! `cargo bench -p lozenge-solver [-- FAMILY]`; `LOZENGE_LARGEST` sets the largest size. `lozenge bench` prints the
//! same families as a table with the ratio of the two, the bytes and the exponent of growth.

use std::fmt;
use std::num::NonZeroU64;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use lozenge_families::{FAMILIES, Family};
use lozenge_solver::{Decider, Problem, Solver};

fn main() {
    divan::main();
}

/// A family at a size.
struct Case {
    family: &'static Family,
    size: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.family.name, self.size)
    }
}

fn largest() -> usize {
    let largest = std::env::var("LOZENGE_LARGEST").ok();
    let largest = largest.and_then(|size| size.parse().ok());
    largest.unwrap_or(1_000_000)
}

fn cases() -> Vec<Case> {
    let sizes = (2..=9).map(|power| 10usize.pow(power));
    let sizes: Vec<usize> = sizes.take_while(|size| *size <= largest()).collect();
    let of = |family: &'static Family| {
        let sizes = sizes.clone().into_iter();
        sizes.map(move |size| Case { family, size })
    };
    FAMILIES.iter().flat_map(of).collect()
}

#[divan::bench(args = cases(), sample_count = 3, sample_size = 1)]
fn close(bencher: Bencher<'_, '_>, case: &Case) {
    let problem = (case.family.build)(case.size);
    bencher
        .counter(ItemsCount::new(problem.len()))
        .with_inputs(|| Solver::new(problem.clone()))
        .bench_refs(|solver| black_box(solver.close()).is_ok());
}

#[divan::bench(args = cases(), sample_count = 3, sample_size = 1)]
fn only_read(bencher: Bencher<'_, '_>, case: &Case) {
    let problem = (case.family.build)(case.size);
    bencher
        .counter(ItemsCount::new(problem.len()))
        .bench(|| black_box(&problem).checksum());
}

#[divan::bench(args = ["rows-down", "matmuls", "transformer", "deficits"], sample_count = 5, sample_size = 1)]
fn parse(bencher: Bencher<'_, '_>, name: &str) {
    let text = family(name, largest()).to_set().to_string();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| Problem::parse(black_box(&text)).is_ok());
}

/// Adds one matrix product after the other to a solved program.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn add_a_matmul(bencher: Bencher<'_, '_>) {
    const ADDED: usize = 100_000;
    let program = family("matmuls", largest());
    bencher
        .counter(ItemsCount::new(ADDED))
        .with_inputs(|| {
            let mut solver = Solver::new(program.clone());
            solver.solve().expect("satisfiable");
            solver
        })
        .bench_refs(|solver| add_products(solver, ADDED));
}

/// Adds matrix products to a solved program, each solved at once.
fn add_products(solver: &mut Solver, count: usize) {
    let size = NonZeroU64::MIN.saturating_add(63);
    let (mut before, mut batches) = ("o0".to_string(), "b0".to_string());
    for number in 0..count {
        let [batch, inner, out, weight] =
            ["bb", "kk", "oo", "pp"].map(|row| format!("{row}{number}"));
        let problem = solver.problem_mut();
        let mut row = |name: &str| problem.row(&[], Some(name), &[]).expect("a word");
        let [own, passed, filled, fills, made, of_weight] =
            [&batch, &batches, &inner, &before, &out, &weight].map(|name| row(name));
        let size = problem.size(size);
        let closed = problem
            .row(&[], None, &[size])
            .expect("an axis of this problem");
        let stated = [
            problem.below_rows(own, passed),
            problem.equal_rows(filled, fills),
            problem.below_rows(made, of_weight),
            problem.equal_rows(of_weight, closed),
        ];
        assert!(stated.iter().all(Result::is_ok), "rows of this problem");
        solver.solve().expect("satisfiable");
        (before, batches) = (out, batch);
    }
}

fn family(name: &str, size: usize) -> Problem {
    let family = FAMILIES.iter().find(|family| family.name == name);
    (family.expect("a family").build)(size)
}

/// Returns a set whose least solution doubles with each level (docs/decidability.md), level by level.
fn levels() -> Vec<String> {
    let ground = "<a0> ~ [3, 3]\n<b0> ~ <a0>\n[5 <a0>] <= <a0>\n[<b0> 5] <= <b0>";
    let level = |i: usize| {
        let j = i + 1;
        format!(
            "<r{i}> <= <a{i}>\n<r{i}> <= <b{i}>\n<a{j}> ~ <r{i}>\n<b{j}> ~ <r{i}>\n[5 <a{j}>] <= <a{j}>\n[<b{j}> 5] <= <b{j}>"
        )
    };
    std::iter::once(ground.to_string())
        .chain((0..12).map(level))
        .collect()
}

/// Decides after each level in complete mode, which goes on from the one before.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn decide_level_by_level(bencher: Bencher<'_, '_>) {
    bencher.bench(|| {
        let mut decider = Decider::new(Problem::new());
        for level in levels() {
            decider.problem_mut().read(&level).expect("it parses");
            black_box(decider.decide().rank);
        }
    });
}

/// Decides the same, from the beginning each time.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn decide_levels_anew(bencher: Bencher<'_, '_>) {
    bencher.bench(|| {
        let mut text = String::new();
        for level in levels() {
            text = format!("{text}{level}\n");
            let problem = Problem::parse(&text).expect("it parses");
            black_box(Solver::new(problem).decide().rank);
        }
    });
}
