//! The settings by which plans are made: the kind of device, the rules for rounding, and the pinned plans.

use super::pinned::Pins;
use crate::opencl::plan::job::Job;
use crate::opencl::plan::schedule::Profile;
use crate::opencl::plan::steps::Plan;
use crate::rules::Arithmetic;

/// The settings on which the plans of kernels depend.
#[derive(Clone, Debug)]
pub(crate) struct Planning {
    /// The kind of device.
    pub profile: Profile,
    /// The order in which values are combined, their rounding, and their precisions.
    pub arithmetic: Arithmetic,
    /// The plans that are pinned.
    pub pins: Pins,
    /// The bytes of local memory that a kernel may have on the device.
    pub local: u64,
}

impl Planning {
    /// Creates settings in which nothing is pinned.
    pub fn new(profile: Profile, arithmetic: Arithmetic) -> Planning {
        Planning {
            profile,
            arithmetic,
            pins: Pins::default(),
            local: u64::MAX,
        }
    }

    /// Makes the plan of a job.
    pub fn plan(&self, job: &Job) -> Plan {
        let pinned = self.pins.plan(false, job);
        pinned.unwrap_or_else(|| {
            let plan = Plan::new(job.clone(), self.profile);
            match plan.local_bytes() <= self.local {
                true => plan,
                false => Plan::in_registers(job.clone(), self.profile),
            }
        })
    }

    /// Makes the plan of a job with an epilogue, if one is pinned, or if it has a schedule that computes epilogues.
    #[cfg(feature = "opencl")]
    pub fn with_epilogue(&self, job: &Job) -> Option<Plan> {
        let pinned = self.pins.plan(false, job);
        pinned.or_else(|| {
            let plan = Plan::with_epilogue(job, self.profile);
            plan.filter(|plan| plan.local_bytes() <= self.local)
        })
    }

    /// Chooses the schedule of a job as a part of a kernel, and the job as that part computes it.
    #[cfg(feature = "opencl")]
    pub fn scheduled(&self, job: Job) -> (Job, crate::opencl::plan::schedule::Schedule) {
        if let Some(plan) = self.pins.plan(true, &job)
            && let [step] = plan.steps.as_slice()
        {
            return step.clone();
        }
        // The other half is for the tensors that the parts pass on.
        crate::opencl::plan::steps::scheduled_part(job, self.profile, self.local / 2)
    }
}
