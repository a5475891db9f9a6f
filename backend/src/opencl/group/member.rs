//! Members and groups: the stages of a call on its way to a kernel.
//!
//! | word | meaning |
//! |---|---|
//! | call | a loop nest with the buffers of its slots |
//! | item | a call, or a contraction with the operations around it as one job |
//! | member | the job of a call or of an item, with the properties that matter for groups |
//! | group | calls that run together, one after the other, in one kernel |
//! | unit | calls with their kernels, which are launched together |

use crate::call::reads_in_place;
use crate::device::Call;
use crate::loop_nest::LoopNest;
use crate::memory::BufferId;
use crate::opencl::check::verify_group::Accesses;
use crate::opencl::pins::planning::Planning;
use crate::opencl::plan::job::Job;
use crate::opencl::plan::schedule::{Profile, Schedule};
use crate::precision::Precision;

/// A call as a candidate for groups.
#[derive(Clone)]
pub(super) struct Member {
    /// Its job.
    pub job: Job,
    /// The buffers of its slots.
    pub buffers: Vec<BufferId>,
    /// The number of elements of each buffer.
    pub elements: Vec<u64>,
    /// True if every cell of the written buffer gets a value that does not depend on its previous one.
    pub overwrites: bool,
    /// The kind of device.
    pub profile: Profile,
    /// True if the call cannot be in a group, because something has to be copied or filled before it, other calls write
    /// the rest of its tensor, or it is a number.
    alone: bool,
}

impl Member {
    /// Determines the properties of a call that matter for groups.
    pub fn new(call: &Call, planning: &Planning) -> Member {
        let nest = &call.nest;
        let job = Job::new(nest, planning.arithmetic);
        let copied =
            |slot: &usize| call.buffers[*slot] == call.buffers[0] && !reads_in_place(nest, *slot);
        // Cells that no point writes are filled before, or other loop nests write them.
        let partial = nest.accumulator().erase && !nest.is_surjective();
        let elements = |slot: &crate::Slot| slot.sizes.iter().product();
        Member {
            alone: partial
                || is_number(nest, planning.arithmetic.tensors)
                || (1..call.buffers.len()).any(|slot| copied(&slot)),
            overwrites: nest.accumulator().erase && nest.is_surjective() && !nest.is_guarded(),
            elements: nest.slots().iter().map(elements).collect(),
            buffers: call.buffers.clone(),
            profile: planning.profile,
            job,
        }
    }

    /// Tells whether the call can be in a group.
    pub fn joins(&self) -> bool {
        !self.alone
    }

    /// Makes a member of a contraction with an epilogue in place of its own job and buffers, which runs alone. The last
    /// call of it is the operation of the epilogue.
    pub fn with_epilogue(
        job: Job,
        buffers: Vec<BufferId>,
        elements: Vec<u64>,
        last: &Member,
    ) -> Member {
        Member {
            job,
            buffers,
            elements,
            overwrites: last.overwrites,
            profile: last.profile,
            alone: true,
        }
    }

    pub fn accesses(&self) -> Accesses<'_> {
        Accesses {
            loops: &self.job.loops,
            buffers: &self.buffers,
            elements: &self.elements,
        }
    }

    pub fn points(&self) -> u64 {
        let loops = &self.job.loops;
        loops.cells().saturating_mul(loops.values_a_cell())
    }

    /// Tells whether the call takes less time on one core than a kernel launch.
    pub fn is_small(&self) -> bool {
        let most = match (self.profile, Schedule::of(&self.job, self.profile)) {
            (Profile::Cpu, Schedule::Cell) => 1 << 13,
            (Profile::Cpu, _) => 1 << 17,
            (Profile::Parallel, _) => 1 << 15,
        };
        self.points() <= most
    }
}

/// Calls that run together.
#[derive(Debug)]
pub(crate) struct Group {
    /// Their places in the recording, in order.
    pub calls: Vec<usize>,
    /// The number of ranges into which the written tensors are divided; 1 if one work-item does everything; 0 for a
    /// call by itself.
    pub ranges: u64,
}

/// Tells whether a loop nest stores one number in one cell. In a group it would need another kernel for each number.
fn is_number(nest: &LoopNest, precision: Precision) -> bool {
    let is_one = nest.points() == Some(1);
    is_one && nest.constant_in(precision).is_some()
}
