//! Bounds on the rounding errors of the sums of a kernel.
//!
//! Each value passes through a chain of additions. A sum of values in chains of at most n additions differs from the
//! sum without rounding by at most n·u / (1 - n·u) of the sum of the magnitudes, where u is half the distance of two
//! numbers at 1 (N. Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, section 4.2). The schedule of a
//! step determines the longest chain.

use lozenge_vocabulary::operation::{Combine, Function, Instruction};

use super::job::Job;
use super::schedule::{Dot, Schedule};
use super::steps::Plan;
use crate::formula::code;
use crate::loop_nest::Write;
use crate::precision::Precision;

/// A bound on the rounding errors of the sums of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounding {
    /// The most roundings that a value passes: those of the function, if it is one operation, and of the additions.
    pub roundings: u64,
    /// The precision in which it is computed and added.
    pub computed: Precision,
    /// The precision to which the sum is rounded once in the end.
    pub stored: Precision,
}

/// Returns half the distance of two numbers at 1.
fn unit(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => f64::from(f32::EPSILON) / 2.0,
        Precision::F64 => f64::EPSILON / 2.0,
    }
}

impl Rounding {
    /// Bounds the largest error of a sum, as a part of the sum of the magnitudes of its values. It holds where the
    /// values are numbers, products, or functions of one operation, and no magnitude is so small that digits are lost
    /// below the smallest number.
    pub fn relative(&self) -> f64 {
        let chain = self.roundings as f64 * unit(self.computed);
        let chain = match chain < 1.0 {
            true => chain / (1.0 - chain),
            false => f64::INFINITY,
        };
        match self.stored == self.computed {
            true => chain,
            false => chain + unit(self.stored) * (1.0 + chain),
        }
    }
}

/// Bounds the rounding of a plan, if it adds up values.
pub(crate) fn rounding(asked: &Job, plan: &Plan) -> Option<Rounding> {
    let adds = matches!(asked.accumulator.combine, Combine::Add | Combine::Subtract);
    if !adds || asked.write != Write::ReadModifyWrite || asked.loops.reduced.is_empty() {
        return None;
    }
    let ((last, schedule), parts) = plan.steps.split_last()?;
    let longest = parts.iter().map(|(job, schedule)| chain(job, schedule));
    let computing = code(&asked.function).into_iter();
    let computing = computing.filter(|one| {
        !matches!(
            one,
            Instruction::Read(_) | Instruction::Apply(Function::Identity | Function::Constant(_))
        )
    });
    let chains = longest
        .max()
        .unwrap_or(0)
        .saturating_add(chain(last, schedule));
    Some(Rounding {
        roundings: chains.saturating_add(computing.count() as u64),
        computed: asked.precision,
        stored: asked.stored,
    })
}

/// Returns the most additions through which a value of a step passes.
fn chain(job: &Job, schedule: &Schedule) -> u64 {
    let values = job.loops.values_a_cell();
    if job.compensated {
        // The error that is carried along is rounded too, which matters only in sums of millions.
        return 3 + (values >> 22);
    }
    // The last addition is that to what was there before.
    match schedule {
        Schedule::Packed(packed) if job.is_free() => packed
            .depth
            .saturating_add(values.div_ceil(packed.depth.max(1)))
            .saturating_add(1),
        Schedule::Dot(dot) => dot.chain(job),
        Schedule::Team(team) => team.chain(job),
        _ => values.saturating_add(1),
    }
}

impl Dot {
    /// Returns the most additions through which a value passes: in its vector, in the sum of blocks, in the tree, and
    /// with what was there before.
    fn chain(&self, job: &Job) -> u64 {
        let extent = job.loops.reduced[self.along].extent;
        let others = job.loops.values_a_cell() / extent;
        let step = self.vectors * Dot::LANES;
        let tail = extent % step / Dot::LANES;
        let whole = match extent / step {
            steps if steps > 2 * Dot::BLOCK => {
                Dot::BLOCK.saturating_add(others.saturating_mul(steps.div_ceil(Dot::BLOCK)))
            }
            steps => others.saturating_mul(steps),
        };
        let vectors = others.saturating_mul(tail).saturating_add(whole);
        let singles = others.saturating_mul(extent % Dot::LANES);
        let tree = self.vectors + Dot::LANES.ilog2() as u64;
        vectors.saturating_add(tree).max(singles).saturating_add(2)
    }
}
