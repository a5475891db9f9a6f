//! A device that runs nothing: it shows which kernels a device would run for recorded calls.

use std::any::Any;
use std::collections::BTreeMap;

use crate::call::{self, Symbols};
use crate::device::{Call, Device, Purpose};
use crate::error::Error;
use crate::kernels::Kernels;
use crate::loop_nest::LoopNest;
use crate::memory::{BufferId, Limits, RecordingId, Store};
use crate::opencl::group::unit::{Unit, units};
use crate::opencl::pins::pinned::{Pins, PlanText};
use crate::opencl::pins::planning::Planning;
use crate::opencl::plan::schedule::Profile;
use crate::opencl::rewrite::rewriting::{self, Ordered};
use crate::precision::Precision;
use crate::rules::Arithmetic;
use crate::tensor::Tensor;

/// Calls that become one kernel, or one call that becomes a few.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The calls, in their order. A contraction of several operands may have become a few calls.
    pub calls: Vec<Call>,
    /// A line for each kernel.
    pub schedule: Vec<String>,
    /// The plan of each computation.
    pub plans: Vec<PlanText>,
}

/// A device that plans kernels, without OpenCL, for a CPU unless it is [told](Planner::planned_for) otherwise. There
/// are no values: a tensor that is downloaded is a single NaN.
pub struct Planner {
    store: Store<()>,
    planning: Planning,
    plans: BTreeMap<RecordingId, Vec<Planned>>,
    recorded: Vec<RecordingId>,
}

impl Planner {
    /// Creates a planner that has recorded nothing.
    pub fn new(limits: Limits, arithmetic: impl Into<Arithmetic>) -> Planner {
        Planner {
            store: Store::new(limits, Precision::F32),
            planning: Planning::new(Profile::Cpu, arithmetic.into()),
            plans: BTreeMap::new(),
            recorded: Vec::new(),
        }
    }

    /// Sets the kind of device for which plans are made.
    pub fn planned_for(mut self, profile: Profile) -> Planner {
        self.planning.profile = profile;
        self
    }

    /// Sets the bytes of local memory of the device.
    pub fn with_local_memory(mut self, bytes: u64) -> Planner {
        self.planning.local = bytes;
        self
    }

    /// Pins plans.
    pub fn pinned(mut self, pins: Pins) -> Planner {
        self.planning.pins = pins;
        self
    }

    /// Returns the plan of each recording, in their order, which the planner then forgets.
    pub fn plans(&mut self) -> Vec<Vec<Planned>> {
        let recorded = std::mem::take(&mut self.recorded);
        let mut plans = std::mem::take(&mut self.plans);
        let found = recorded.iter().filter_map(|id| plans.remove(id));
        found.collect()
    }
}

/// It compiles nothing.
impl Kernels for Planner {}

impl Device for Planner {
    fn description(&self) -> String {
        "a plan of kernels".to_string()
    }

    fn exact_division(&self) -> bool {
        true
    }

    fn as_any(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }

    fn upload(&mut self, tensor: &Tensor) -> Result<BufferId, Error> {
        self.reserve(tensor.shape())
    }

    fn allocate(&mut self, shape: &[u64], _: f32) -> Result<BufferId, Error> {
        self.reserve(shape)
    }

    fn reserve(&mut self, shape: &[u64]) -> Result<BufferId, Error> {
        self.store.reserve(shape, ())
    }

    fn run(&mut self, nest: &LoopNest, buffers: &[BufferId], _: &Symbols) -> Result<(), Error> {
        let call = Call {
            nest: nest.clone(),
            buffers: buffers.to_vec(),
        };
        self.record(vec![call], &Purpose::default()).map(|_| ())
    }

    fn record(&mut self, calls: Vec<Call>, purpose: &Purpose) -> Result<RecordingId, Error> {
        for call in &calls {
            call::check_buffers(&call.nest, &call.buffers, &self.store)?;
        }
        let reserve = |shape: &[u64]| self.store.reserve(shape, ());
        let Ordered { calls, purpose } = rewriting::calls(
            calls,
            purpose,
            (self.planning.profile, self.planning.arithmetic),
            reserve,
        )?;
        for call in &calls {
            call::check_buffers(&call.nest, &call.buffers, &self.store)?;
        }
        let units = units(&calls, &purpose, &self.planning)?;
        let planned = units.iter().map(|unit: &Unit| Planned {
            calls: unit.calls().iter().map(|at| calls[*at].clone()).collect(),
            schedule: unit.source().schedule.clone(),
            plans: unit.source().plans.clone(),
        });
        let id = RecordingId::fresh();
        self.plans.insert(id, planned.collect());
        self.recorded.push(id);
        Ok(id)
    }

    fn replay(&mut self, _: RecordingId, _: &Symbols) -> Result<(), Error> {
        Ok(())
    }

    fn forget(&mut self, _: RecordingId) -> Result<(), Error> {
        Ok(())
    }

    fn write(&mut self, _: BufferId, _: &[f32]) -> Result<(), Error> {
        Ok(())
    }

    fn fill(&mut self, _: BufferId, _: f32) -> Result<(), Error> {
        Ok(())
    }

    fn download(&mut self, buffer: BufferId) -> Result<Tensor, Error> {
        self.store.get(buffer)?;
        Tensor::new(Vec::new(), vec![f32::NAN])
    }

    fn release(&mut self, buffer: BufferId) -> Result<(), Error> {
        self.store.remove(buffer).map(|_| ())
    }
}
