//! The times that kernels take, measured by the events of the driver.

use std::collections::BTreeMap;
use std::sync::Arc;

use lozenge_vocabulary::operation::{Function, Instruction};
use ocl::Event;
use ocl::enums::{ProfilingInfo, ProfilingInfoResult};

use super::discovery::failure;
use crate::device::Call;
use crate::error::Error;
use crate::kernels::KernelTime;
use crate::loop_nest::{LoopNest, Slot, Write};
use crate::memory::BufferId;
use crate::precision::Precision;

/// The most events that are kept before they are read, since each takes some memory of the driver.
const MOST_EVENTS: usize = 1 << 12;

/// The measured times of kernels.
#[derive(Default)]
pub(super) struct Timing {
    times: Vec<KernelTime>,
    /// The place of the times of a kernel, by the names of its results and its number of points.
    known: BTreeMap<(Vec<Arc<str>>, u64), usize>,
    /// The commands that were put into the queue, each with the place of its time.
    pending: Vec<(usize, Event)>,
}

impl Timing {
    /// Finds the place for the times of kernels that compute these calls together; `touched` are the tensors that they
    /// read or write in the device's memory.
    pub fn place(&mut self, calls: &[Call], touched: &[BufferId], precision: Precision) -> usize {
        let nests = || calls.iter().map(|call| &call.nest);
        let results: Vec<Arc<str>> = nests().map(|nest| nest.slots()[0].tensor.clone()).collect();
        let points = nests().map(|nest| nest.points().unwrap_or(u64::MAX));
        let points = points.fold(0, u64::saturating_add);
        let times = &mut self.times;
        *self
            .known
            .entry((results.clone(), points))
            .or_insert_with(|| {
                times.push(KernelTime {
                    results,
                    runs: 0,
                    seconds: 0.0,
                    operations: nests().map(operations).sum(),
                    bytes: precision.bytes() as f64 * values(calls, touched),
                });
                times.len() - 1
            })
    }

    /// Counts a run.
    pub fn runs(&mut self, place: usize) {
        self.times[place].runs += 1;
    }

    /// Notes a command of a run.
    pub fn command(&mut self, place: usize, event: Event) -> Result<(), Error> {
        self.pending.push((place, event));
        match self.pending.len() < MOST_EVENTS {
            true => Ok(()),
            false => self.read(),
        }
    }

    /// Waits for the commands that were noted, and reads their times.
    fn read(&mut self) -> Result<(), Error> {
        for (place, event) in std::mem::take(&mut self.pending) {
            let failed = |error: &dyn std::fmt::Display| failure("measure a kernel", error);
            event.wait_for().map_err(|error| failed(&error))?;
            let [start, end] = [ProfilingInfo::Start, ProfilingInfo::End].map(|key| {
                match event.profiling_info(key) {
                    Ok(ProfilingInfoResult::Start(time) | ProfilingInfoResult::End(time)) => {
                        Ok(time)
                    }
                    Ok(_) => Err(failed(&"the driver answers something else")),
                    Err(error) => Err(failed(&error)),
                }
            });
            self.times[place].seconds += end?.saturating_sub(start?) as f64 / 1e9;
        }
        Ok(())
    }

    /// Returns the times, in the order in which the kernels ran first.
    pub fn times(&mut self) -> Result<Vec<KernelTime>, Error> {
        self.read()?;
        let ran = self.times.iter().filter(|time| time.runs > 0);
        Ok(ran.cloned().collect())
    }
}

/// Returns the number of arithmetic operations of a loop nest: those of its function, and one to combine a value with
/// its cell.
fn operations(nest: &LoopNest) -> f64 {
    let of = |function: &Function| match function {
        Function::Constant(_) | Function::Identity => 0,
        _ => 1,
    };
    let function = match nest.function() {
        Function::Formula(formula) => {
            let code = formula.code().iter();
            let applied = code.map(|one| match one {
                Instruction::Read(_) => 0,
                Instruction::Apply(function) => of(function),
            });
            applied.sum()
        }
        function => of(function),
    };
    let combine = u64::from(nest.write() == Write::ReadModifyWrite);
    (function + combine) as f64 * nest.points().unwrap_or(u64::MAX) as f64
}

/// Returns the number of values of tensors that are read or written, each counted once.
fn values(calls: &[Call], touched: &[BufferId]) -> f64 {
    let mut most: BTreeMap<BufferId, f64> = BTreeMap::new();
    for call in calls {
        for (slot, buffer) in call.nest.slots().iter().zip(&call.buffers) {
            let values = most.entry(*buffer).or_default();
            *values = values.max(values_of(slot));
        }
    }
    most.retain(|buffer, _| touched.contains(buffer));
    most.values().sum()
}

/// Returns the most values of a tensor that an operation touches.
fn values_of(slot: &Slot) -> f64 {
    use lozenge_vocabulary::projections::Index;
    let axes = slot.map.0.iter().zip(slot.sizes.iter());
    let sizes = axes.map(|(index, size)| match index {
        Index::Iter(_) | Index::Affine(_) => *size as f64,
        Index::Fix(_) | Index::Symbol(_) => 1.0,
    });
    sizes.product()
}
