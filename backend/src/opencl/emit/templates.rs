//! The kernels of a plan: the schedule of each step says which template writes it.

use super::kernel::Kernel;
use super::text::Text;
use super::{cell, dot, grid, packed, spread, staged, sweep, team, tile, turned};
use crate::opencl::plan::schedule::Schedule;
use crate::opencl::plan::steps::Plan;

/// Writes the kernels of all steps, and the sizes of the scratch buffers in values.
pub(super) fn kernels(plan: &Plan) -> (Vec<Kernel>, Vec<u64>) {
    let mut scratch = plan.scratch.clone();
    let mut kernels = Vec::new();
    for (job, schedule) in &plan.steps {
        let text = || Text::new(job);
        match *schedule {
            Schedule::Cell => kernels.push(cell::kernel(text())),
            Schedule::Tile(tile) => kernels.push(tile::kernel(text(), tile)),
            Schedule::Dot(dot) => kernels.push(dot::kernel(text(), dot)),
            Schedule::Sweep(sweep) => kernels.push(sweep::kernel(text(), sweep)),
            Schedule::Staged(staged) => kernels.push(staged::kernel(text(), staged)),
            Schedule::Grid(grid) => kernels.push(grid::kernel(text(), grid)),
            Schedule::Team(team) => kernels.push(team::kernel(text(), team)),
            Schedule::Spread(spread) => kernels.push(spread::kernel(text(), spread)),
            Schedule::Turned(turned) => kernels.push(turned::kernel(text(), turned)),
            Schedule::Packed(packed) => {
                let (both, values) = packed::kernels(job, packed, scratch.len());
                kernels.extend(both);
                scratch.push(values);
            }
        }
    }
    (kernels, scratch)
}

/// Writes the text of a part of a kernel of several operations.
#[cfg(feature = "opencl")]
pub(crate) fn stage(text: Text, schedule: Schedule) -> Kernel {
    match schedule {
        Schedule::Tile(one) => tile::kernel(text, one),
        Schedule::Dot(one) => dot::kernel(text, one),
        Schedule::Sweep(one) => sweep::kernel(text, one),
        Schedule::Staged(one) => staged::kernel(text, one),
        Schedule::Team(one) => team::kernel(text, one),
        // No part has one of the others: its check has found a defect.
        Schedule::Cell
        | Schedule::Packed(_)
        | Schedule::Grid(_)
        | Schedule::Spread(_)
        | Schedule::Turned(_) => cell::kernel(text),
    }
}
