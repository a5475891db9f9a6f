//! Time and memory of solving and closing, against a pass that only reads.

use std::hint::black_box;
use std::time::Instant;

use serde::Serialize;

use super::families::Family;
use crate::engine::Engine;
use crate::problem::{Problem, Stated};
use crate::refusal::Extent;

/// What one problem cost.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// The number of constraints.
    pub constraints: usize,
    /// Seconds to solve and close; the least of the runs.
    pub seconds: f64,
    /// Nanoseconds a constraint.
    pub nanoseconds_each: f64,
    /// Millions of constraints a second.
    pub millions_per_second: f64,
    /// Bytes of state a constraint, beyond the input: capacities, not only what is used.
    pub bytes_each: f64,
    /// Seconds of a pass that only reads the constraints in the form in which the solver gets them.
    pub read_seconds: f64,
    /// Solving over reading.
    pub read_ratio: f64,
    /// Whether it was solved and closed.
    pub solved: bool,
}

/// What a family cost.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
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
    for stated in &problem.stated {
        sum = sum.rotate_left(1).wrapping_add(match stated {
            Stated::DimEq(a, b) | Stated::DimLe(a, b) => u64::from(a.id() ^ b.id()),
            Stated::RowEq(at) | Stated::RowLe(at) => {
                let rows = &problem.rows[*at as usize..*at as usize + 2];
                rows.iter()
                    .map(|row| {
                        let start = row.start as usize;
                        let axes = &problem.terms[start..start + (row.lead + row.trail) as usize];
                        axes.iter().fold(u64::from(row.var), |sum, axis| {
                            sum.wrapping_mul(31).wrapping_add(u64::from(axis.id()))
                        })
                    })
                    .fold(0, u64::wrapping_add)
            }
        });
    }
    sum
}

/// Solves and closes the family's problem of a size, `runs` times.
pub fn measure(family: &Family, size: usize, runs: usize) -> Measurement {
    let problem = (family.build)(size);
    let constraints = problem.len();
    let (mut seconds, mut read_seconds) = (f64::INFINITY, f64::INFINITY);
    let (mut bytes, mut solved) = (0, false);
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        black_box(read_pass(black_box(&problem)));
        read_seconds = read_seconds.min(start.elapsed().as_secs_f64());
        let mut engine = Engine::new(problem.clone());
        let before = engine.problem.bytes();
        let start = Instant::now();
        solved = black_box(engine.run_to(Extent::Close)).is_ok();
        seconds = seconds.min(start.elapsed().as_secs_f64());
        bytes = engine.bytes() + engine.problem.bytes().saturating_sub(before);
    }
    Measurement {
        constraints,
        seconds,
        nanoseconds_each: seconds * 1e9 / constraints as f64,
        millions_per_second: constraints as f64 / seconds / 1e6,
        bytes_each: bytes as f64 / constraints as f64,
        read_seconds,
        read_ratio: seconds / read_seconds,
        solved,
    }
}

/// Measures a family at several sizes.
pub fn report(family: &Family, sizes: &[usize], runs: usize) -> Report {
    let measurements: Vec<Measurement> = sizes
        .iter()
        .map(|size| measure(family, *size, runs))
        .collect();
    Report {
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
