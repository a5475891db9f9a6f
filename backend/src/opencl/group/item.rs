//! The items of a recording before groups are made: calls, and calls that run as one kernel without being a group.

use super::fused::Fused;
use super::member::Member;
use crate::device::Purpose;
use crate::opencl::check::defect::Defect;
use crate::opencl::emit::source::KernelSource;
use crate::opencl::plan::steps::Plan;

/// A call, or a contraction with the operations around it, as a candidate for groups.
pub(super) struct Item {
    /// The calls, by their places in the recording.
    pub calls: Vec<usize>,
    /// The computation of the calls.
    pub member: Member,
    /// The plan, if it is more than a call.
    pub plan: Option<Checked>,
}

/// A plan, and the defect that the check has found in the operations that it computes beside a contraction, if any.
pub(super) type Checked = (Plan, Option<Defect>);

impl Item {
    /// Returns the kernels of several calls; `None` for a single call.
    pub fn fused(&self) -> Option<Fused> {
        let (plan, defect) = self.plan.clone()?;
        let Member { job, elements, .. } = &self.member;
        let source = KernelSource::of_job(job.clone(), elements.clone(), plan);
        Some(Fused {
            source: KernelSource {
                defect: defect.or(source.defect),
                ..source
            },
            buffers: self.member.buffers.clone(),
        })
    }
}

/// Tells whether the result of a call is complete, new, and not needed afterwards.
pub(super) fn passes_on(writer: &Member, purpose: &Purpose) -> bool {
    let result = &writer.buffers[0];
    let is_new = writer.overwrites && !writer.buffers[1..].contains(result);
    is_new && writer.joins() && purpose.temporary.contains(result)
}
