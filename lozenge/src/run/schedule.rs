//! The kernels that a device would run for a program, without a device.

use std::collections::BTreeMap;

use lozenge_backend::opencl::{PlanText, Planned, Planner};
use lozenge_backend::{BufferId, Call, Device, LoopNest};
use lozenge_vocabulary::program::Program;

use super::constants::constants;
use super::state::Execution;
use super::watch::{RunError, Settings, Watch};
use crate::infer::{Shapes, fit, sizes};

/// The kernels of a part of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedPart {
    /// The section, by its number in the program; `None` for lines outside of sections, up to the next section.
    pub section: Option<usize>,
    /// Its kernels, in the order in which they run. The kernels of a section run at each step, or after each epoch.
    pub kernels: Vec<PlannedKernel>,
}

/// Operations that run as one kernel, or an operation that takes a few kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedKernel {
    /// The operations that it computes, in this order.
    pub operations: Vec<PlannedOperation>,
    /// The schedule: a line for each kernel.
    pub schedule: Vec<String>,
    /// The plan of each computation, in a form that can be pinned.
    pub plans: Vec<PlanText>,
    /// The loop nest of each operation.
    pub nests: Vec<LoopNest>,
}

/// A tensor that is computed from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedOperation {
    /// The name of the written tensor. An intermediate tensor of a contraction of several operands is called `sum'1`,
    /// `sum'2` and so on.
    pub result: String,
    /// The names of the tensors that are read.
    pub operands: Vec<String>,
    /// The number of points of its loops; `None` beyond 64 bits.
    pub points: Option<u64>,
}

/// Returns the kernels of a program on the device of a planner, where only the tensors that `settings` keeps are needed
/// afterwards. Lines that draw random values, and single operations that load parameters, have no kernel.
///
/// # Errors
/// Shapes or loop nests of another program; a tensor or an operation beyond the limits.
pub fn schedule(
    program: &Program,
    shapes: &Shapes,
    nests: &[LoopNest],
    settings: &Settings,
    planner: Planner,
) -> Result<Vec<PlannedPart>, RunError> {
    fit(program, shapes, nests)?;
    let mut planning = Planning {
        program,
        shapes,
        nests,
        settings,
        planner,
        buffers: Vec::new(),
        parts: Vec::new(),
    };
    for shape in shapes.iter() {
        planning
            .buffers
            .push(planning.planner.reserve(&sizes(shape))?);
    }
    let (mut at, mut requests) = (0, 0);
    for (number, section) in program.sections.iter().enumerate() {
        planning.part(None, |execution| {
            let requests = requests..section.requests.start;
            execution.lines(at..section.steps.start, requests, &mut Nobody)
        })?;
        planning.part(Some(number), |execution| execution.record_section(section))?;
        (at, requests) = (section.steps.end, section.requests.end);
    }
    planning.part(None, |execution| {
        let requests = requests..program.requests.len();
        execution.lines(at..program.steps.len(), requests, &mut Nobody)
    })?;
    Ok(planning.parts)
}

/// A watcher that ignores everything.
struct Nobody;
impl Watch for Nobody {}

/// The plan of a program, part by part.
struct Planning<'p> {
    program: &'p Program,
    shapes: &'p Shapes,
    nests: &'p [LoopNest],
    settings: &'p Settings,
    planner: Planner,
    /// The buffer of each tensor.
    buffers: Vec<BufferId>,
    parts: Vec<PlannedPart>,
}

impl Planning<'_> {
    /// Adds a part of the program, if it has kernels.
    fn part(
        &mut self,
        section: Option<usize>,
        record: impl FnOnce(&mut Execution<'_>) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let mut execution = Execution {
            program: self.program,
            sizes: self.shapes.iter().map(sizes).collect(),
            nests: self.nests,
            data: BTreeMap::new(),
            device: &mut self.planner,
            settings: self.settings,
            loaded: BTreeMap::new(),
            buffers: self.buffers.clone(),
            constants: constants(self.program, self.nests, |_| false),
            done: None,
            identity: std::cell::OnceCell::new(),
        };
        record(&mut execution)?;
        let planned: Vec<Planned> = self.planner.plans().into_iter().flatten().collect();
        if planned.is_empty() {
            return Ok(());
        }
        let operation = |call: &Call| {
            let mut names = call.nest.slots().iter().map(|slot| slot.tensor.to_string());
            PlannedOperation {
                result: names.next().unwrap_or_default(),
                operands: names.collect(),
                points: call.nest.points(),
            }
        };
        let kernels = planned.into_iter().map(|planned| PlannedKernel {
            operations: planned.calls.iter().map(operation).collect(),
            nests: planned.calls.iter().map(|call| call.nest.clone()).collect(),
            schedule: planned.schedule,
            plans: planned.plans,
        });
        self.parts.push(PlannedPart {
            section,
            kernels: kernels.collect(),
        });
        Ok(())
    }
}
