//! Time and memory of solving and closing, against a pass that only reads.

use std::hint::black_box;
use std::time::Instant;

use lozenge_vocabulary::{Constraint, DimTerm, RowTerm};
use serde::Serialize;

use super::families::Family;
use crate::explain::refusal::Goal;
use crate::ids::Id;
use crate::problem::{Asserted, Problem};
use crate::state::engine::Engine;

/// What one problem cost.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// The number of constraints.
    pub constraints: usize,
    /// Seconds to solve and close in memory that a solve has used before; the least of the runs.
    pub seconds: f64,
    /// Seconds of the very first solve, which asks the system for all of its memory.
    pub first_seconds: f64,
    /// Nanoseconds a constraint.
    pub nanoseconds_each: f64,
    /// Millions of constraints a second.
    pub millions_per_second: f64,
    /// Bytes of state a constraint, beyond the input: capacities, not only what is used.
    pub bytes_each: f64,
    /// Seconds of a pass that only reads the constraints in the interned form in which the solver gets them.
    pub read_seconds: f64,
    /// Solving over that.
    pub read_ratio: f64,
    /// Seconds of a pass that only reads the constraints as terms of the vocabulary.
    pub vocabulary_seconds: f64,
    /// Solving over that.
    pub vocabulary_ratio: f64,
    /// Whether it was solved and closed.
    pub solved: bool,
}

/// What a family cost.
#[derive(Clone, Debug, Serialize)]
pub struct FamilyReport {
    /// The family.
    pub family: &'static str,
    /// From small to large.
    pub measurements: Vec<Measurement>,
    /// The exponent of growth of the time, fitted to the sizes of at least 10^4 (least squares of logarithms).
    pub exponent: Option<f64>,
}

/// Reads every constraint and every axis once. The sum keeps the reads from being left out.
pub fn read_pass(problem: &Problem) -> u64 {
    let mut sum = 0u64;
    for stated in &problem.asserted {
        sum = sum.rotate_left(1).wrapping_add(match stated {
            Asserted::DimEq(a, b) | Asserted::DimLe(a, b) => u64::from(a.word() ^ b.word()),
            Asserted::Window(at) => {
                let axes = problem.windows[*at].axes();
                axes.fold(0, |sum, axis| sum.wrapping_mul(31) ^ u64::from(axis.word()))
            }
            Asserted::Composite(at) => {
                let axes = problem.composites[*at].axes();
                axes.fold(0, |sum, axis| sum.wrapping_mul(31) ^ u64::from(axis.word()))
            }
            Asserted::Elements(at) => {
                let axes = problem.elements[*at].axes();
                axes.fold(0, |sum, axis| sum.wrapping_mul(31) ^ u64::from(axis.word()))
            }
            Asserted::Flat(at) => {
                let axes = problem.flats[*at].axes.iter();
                axes.fold(0, |sum, axis| sum.wrapping_mul(31) ^ u64::from(axis.word()))
            }
            Asserted::AtLeast(axis, _) => u64::from(axis.word()),
            Asserted::RowEq(at) | Asserted::RowLe(at) => {
                let rows = &problem.rows[at.index()..at.index() + 2];
                rows.iter()
                    .map(|row| {
                        let start = row.start as usize;
                        let axes = &problem.terms[start..start + (row.lead + row.trail) as usize];
                        axes.iter().fold(
                            row.var.map_or(0, |var| u64::from(var.number())),
                            |sum, axis| sum.wrapping_mul(31).wrapping_add(u64::from(axis.word())),
                        )
                    })
                    .fold(0, u64::wrapping_add)
            }
        });
    }
    sum
}

/// Solves and closes the family's problem of a size once, and `runs` times more after a rollback.
///
/// The constraints have been in memory since they were built when the pass that reads them is measured. So has the
/// solver's memory from its second run on: what the first one costs beyond is what the system takes to hand out pages.
pub fn measure(family: &Family, size: usize, runs: usize) -> Measurement {
    let problem = (family.build)(size);
    let constraints = problem.len();
    let (mut seconds, mut read_seconds) = (f64::INFINITY, f64::INFINITY);
    let vocabulary_seconds = {
        let set = problem.to_set().constraints;
        (0..runs.max(1))
            .map(|_| read_vocabulary(&set).1)
            .fold(f64::INFINITY, f64::min)
    };
    let mut engine = Engine::new(problem.clone());
    let before = engine.problem.bytes();
    let mut solve = || {
        engine.snapshot();
        let start = Instant::now();
        let solved = black_box(engine.run_to(Goal::Close)).is_ok();
        let seconds = start.elapsed().as_secs_f64();
        let bytes = engine.bytes() + engine.problem.bytes().saturating_sub(before);
        engine.rollback();
        (seconds, bytes, solved)
    };
    let (first_seconds, bytes, solved) = solve();
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        black_box(read_pass(black_box(&problem)));
        read_seconds = read_seconds.min(start.elapsed().as_secs_f64());
        seconds = seconds.min(solve().0);
    }
    Measurement {
        constraints,
        seconds,
        first_seconds,
        nanoseconds_each: seconds * 1e9 / constraints as f64,
        millions_per_second: constraints as f64 / seconds / 1e6,
        bytes_each: bytes as f64 / constraints as f64,
        read_seconds,
        read_ratio: seconds / read_seconds,
        vocabulary_seconds,
        vocabulary_ratio: seconds / vocabulary_seconds,
        solved,
    }
}

/// Measures a family at several sizes.
pub fn report(family: &Family, sizes: &[usize], runs: usize) -> FamilyReport {
    let measurements: Vec<Measurement> = sizes
        .iter()
        .map(|size| measure(family, *size, runs))
        .collect();
    FamilyReport {
        family: family.name,
        exponent: fitted_exponent(&measurements),
        measurements,
    }
}

fn fitted_exponent(measurements: &[Measurement]) -> Option<f64> {
    let points: Vec<(f64, f64)> = measurements
        .iter()
        .filter(|m| m.constraints >= 9_000)
        .map(|m| ((m.constraints as f64).ln(), m.seconds.ln()))
        .collect();
    if points.len() < 2 {
        return None;
    }
    let count = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let over: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let under: f64 = points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    Some(over / under)
}

/// Seconds to add one matrix product to a solved program, on average over `count` of them, each solved at once.
pub fn adding(program: &Problem, count: usize) -> f64 {
    let mut engine = Engine::new(program.clone());
    if engine.solve().is_err() {
        return f64::NAN;
    }
    let names: Vec<[String; 4]> = (0..count)
        .map(|i| ["bb", "kk", "oo", "pp"].map(|row| format!("{row}{i}")))
        .collect();
    let start = Instant::now();
    for (i, [batch, inner, out, weight]) in names.iter().enumerate() {
        let before = if i == 0 { "o0" } else { &names[i - 1][2] };
        let batches = if i == 0 { "b0" } else { &names[i - 1][0] };
        let problem = &mut engine.problem;
        let mut row = |name: &str| problem.intern_row(&[], Some(name), &[]);
        let pairs = [
            (row(batch), row(batches)),
            (row(inner), row(before)),
            (row(out), row(weight)),
        ];
        problem.assert_row_le(pairs[0].0, pairs[0].1);
        problem.assert_row_eq(pairs[1].0, pairs[1].1);
        problem.assert_row_le(pairs[2].0, pairs[2].1);
        let size = problem.intern_size(std::num::NonZeroU64::MIN.saturating_add(63));
        let closed = problem.intern_row(&[], None, &[size]);
        problem.assert_row_eq(pairs[2].1, closed);
        if engine.solve().is_err() {
            return f64::NAN;
        }
    }
    start.elapsed().as_secs_f64() / count as f64
}

/// Megabytes a second of reading a text in the notation into a problem; the best of the runs.
pub fn reading(text: &str, runs: usize) -> f64 {
    let mut seconds = f64::INFINITY;
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        let problem = black_box(Problem::parse(black_box(text)));
        seconds = seconds.min(start.elapsed().as_secs_f64());
        if problem.is_err() {
            return f64::NAN;
        }
    }
    text.len() as f64 / seconds / 1e6
}

/// Seconds of a pass that only reads the constraints as terms of the vocabulary, names and all.
pub fn read_vocabulary(constraints: &[Constraint]) -> (u64, f64) {
    let mix = |sum: u64, bytes: &[u8]| {
        bytes.iter().fold(sum, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(u64::from(*byte))
        })
    };
    let dim = |sum: u64, term: &DimTerm| match term {
        DimTerm::Var(var) => mix(sum, var.name().as_bytes()),
        DimTerm::Const(dim) => sum.wrapping_add(dim.size()),
    };
    let row = |sum: u64, row: &RowTerm| {
        let sum = row.axes().fold(sum, dim);
        match &row.var {
            Some(var) => mix(sum, var.name().as_bytes()),
            None => sum,
        }
    };
    let start = Instant::now();
    let sum = constraints
        .iter()
        .fold(0, |sum, constraint| match constraint {
            Constraint::DimEq(a, b) | Constraint::DimLe(a, b) => dim(dim(sum, a), b),
            Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => row(row(sum, a), b),
            other => other.dims().into_iter().fold(sum, &dim),
        });
    (black_box(sum), start.elapsed().as_secs_f64())
}
