//! Time and memory of solving and closing, against a pass that only reads.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use lozenge_families::Family;
use lozenge_solver::Solver;
use lozenge_vocabulary::{Constraint, DimTerm, RowTerm};
use schemars::JsonSchema;
use serde::Serialize;

pub use lozenge_families::FAMILIES;

/// The cost of one problem.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
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
    /// True if it was solved and closed.
    pub solved: bool,
}

/// The cost of a family.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Family", deny_unknown_fields)]
pub struct FamilyReport {
    /// The family.
    pub family: &'static str,
    /// From small to large.
    pub measurements: Vec<Measurement>,
    /// The exponent of growth of the time, fitted to the sizes of at least 10^4 (least squares of logarithms).
    pub exponent: Option<f64>,
}

/// Solves and closes the family's problem of a size once, and `runs` times more after a rollback.
///
/// The constraints have been in memory since they were built when the pass that reads them is measured. So has the
/// solver's memory from its second run on; the first run costs more by the work of the system, which hands out pages.
fn measure(family: &Family, size: usize, runs: usize) -> Measurement {
    let problem = (family.build)(size);
    let constraints = problem.len();
    let (mut seconds, mut read_seconds) = (f64::INFINITY, f64::INFINITY);
    let vocabulary_seconds = {
        let set = problem.to_set().constraints;
        (0..runs.max(1))
            .map(|_| read_vocabulary(&set).1)
            .fold(f64::INFINITY, f64::min)
    };
    let mut solver = Solver::new(problem.clone());
    let before = solver.problem().bytes();
    let mut solve = || {
        solver.snapshot();
        let start = Instant::now();
        let solved = black_box(solver.close()).is_ok();
        let seconds = start.elapsed().as_secs_f64();
        let bytes = solver.statistics().bytes + solver.problem().bytes().saturating_sub(before);
        solver.rollback();
        (seconds, bytes, solved)
    };
    let (first_seconds, bytes, solved) = solve();
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        black_box(black_box(&problem).checksum());
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

/// Seconds of a pass that only reads the constraints as terms of the vocabulary, names and all.
fn read_vocabulary(constraints: &[Constraint]) -> (u64, f64) {
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

/// The legend for columns that are not self-explanatory.
const LEGEND: &str = "
ms        solving and closing, in memory that a solve has used before; the fastest run
first ms  the first solve, in memory that the system has yet to hand out
bytes     of the solver's state for each constraint, beyond the input
x read    ms over a pass that only reads the constraints as the solver gets them
x terms   ms over a pass that only reads them as terms with names
";

/// Writes the costs of families as a table with its legend.
pub fn table(reports: &[FamilyReport]) -> String {
    let mut text = format!(
        "{:<24} {:>9} {:>11} {:>11} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        "family", "n", "ms", "first ms", "ns each", "M/s", "bytes", "x read", "x terms"
    );
    for report in reports {
        for m in &report.measurements {
            let _ = writeln!(
                text,
                "{:<24} {:>9} {:>11.3} {:>11.3} {:>9.1} {:>9.2} {:>9.1} {:>9.1} {:>9.1}{}",
                report.family,
                m.constraints,
                m.seconds * 1e3,
                m.first_seconds * 1e3,
                m.nanoseconds_each,
                m.millions_per_second,
                m.bytes_each,
                m.read_ratio,
                m.vocabulary_ratio,
                if m.solved { "" } else { "  refused" }
            );
        }
        if let Some(exponent) = report.exponent {
            let _ = writeln!(text, "{:<24} grows as n^{exponent:.2}", "");
        }
    }
    text + LEGEND
}
