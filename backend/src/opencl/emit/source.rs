//! The way from a loop nest to the source of its kernels.
//!
//! No name of the program occurs in a kernel. So two operations that do the same have the same text, and no name can
//! clash with a keyword of OpenCL C.

use std::sync::Arc;

use super::expression::helpers;
use super::kernel::Kernel;
use super::pocl_vector_moves::moves;
use super::templates::kernels;
use crate::loop_nest::LoopNest;
use crate::opencl::check::candidates::Choose;
use crate::opencl::check::defect::{Check, Defect};
use crate::opencl::check::verify::verify;
use crate::opencl::pins::pinned::PlanText;
use crate::opencl::pins::plan_text::KernelPlan;
use crate::opencl::pins::planning::Planning;
use crate::opencl::plan::job::Job;
use crate::opencl::plan::schedule::Profile;
use crate::opencl::plan::steps::Plan;
use crate::precision::Precision;
use crate::rules::Arithmetic;
use crate::rules::Numerics;

/// The kernels of one loop nest. They are called with the buffers of their arguments, followed by the symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelSource {
    /// The kernels, in the order in which they run. If the nest initialises, each written cell starts from the neutral
    /// element. If the left-hand map is not surjective either, the caller fills the written buffer first, for the cells
    /// that no point writes.
    pub kernels: Vec<Kernel>,
    /// The sizes, in values, of the buffers that one kernel fills for the next.
    pub scratch: Vec<u64>,
    /// The precision of the values in these buffers.
    pub precision: Precision,
    /// The symbols in the order of their arguments, each an `ulong`.
    pub symbols: Vec<Arc<str>>,
    /// The schedule, with a line for each step.
    pub schedule: Vec<String>,
    /// The plan of each computation: one, or several if it is the source of a group of loop nests.
    pub plans: Vec<PlanText>,
    /// A defect that verification found. Kernels with a defect are not launched.
    pub defect: Option<Defect>,
}

impl KernelSource {
    /// Writes the kernels of a loop nest for a kind of device, with exactly the interpreter's results.
    pub fn new(nest: &LoopNest, profile: Profile) -> KernelSource {
        KernelSource::with(nest, profile, Numerics::Exact)
    }

    /// Writes the kernels with these rules for rounding, in these precisions.
    pub fn with(
        nest: &LoopNest,
        profile: Profile,
        arithmetic: impl Into<Arithmetic>,
    ) -> KernelSource {
        KernelSource::planned(nest, &Planning::new(profile, arithmetic.into()))
    }

    /// Writes the kernels by plans that may be pinned.
    pub(crate) fn planned(nest: &LoopNest, planning: &Planning) -> KernelSource {
        let job = Job::new(nest, planning.arithmetic);
        let plan = planning.plan(&job);
        KernelSource::of_plan(nest, job, plan).within(planning)
    }

    /// Writes the kernels by a legal plan that is chosen by a function, and not the one that is expected to be the
    /// fastest.
    pub fn chosen(
        nest: &LoopNest,
        profile: Profile,
        arithmetic: impl Into<Arithmetic>,
        choose: Choose<'_>,
    ) -> KernelSource {
        let job = Job::new(nest, arithmetic.into());
        let plan = Plan::chosen(job.clone(), profile, choose);
        KernelSource::of_plan(nest, job, plan)
    }

    /// Checks that no kernel has more bytes of local memory than the device. More is a defect, which only a pinned plan
    /// can have, since the others are made for the device.
    pub(crate) fn within(mut self, planning: &Planning) -> KernelSource {
        let bytes = |kernel: &Kernel| kernel.local * kernel.precision.bytes();
        let most = self.kernels.iter().map(bytes).max().unwrap_or(0);
        let local = planning.local;
        if most > local && self.defect.is_none() {
            let mend = match planning.pins.is_empty() {
                true => "",
                false => ": pin another `schedule` for it, or none",
            };
            self.defect = Some(Defect {
                check: Check::Limits,
                detail: format!(
                    "{most} bytes of local memory, of which the device has {local}{mend}"
                ),
            });
        }
        self
    }

    /// Writes the kernels of a plan, which is verified.
    pub(super) fn of_plan(nest: &LoopNest, job: Job, plan: Plan) -> KernelSource {
        let elements = nest.slots().iter().map(|slot| slot.sizes.iter().product());
        KernelSource::of_job(job, elements.collect(), plan)
    }

    /// Does the same for a job with the sizes of its tensors.
    pub(crate) fn of_job(job: Job, elements: Vec<u64>, plan: Plan) -> KernelSource {
        let symbols = job.loops.symbols.clone();
        let defect = verify(&job, &elements, &plan).err();
        let schedule = plan.lines();
        let (kernels, scratch) = kernels(&plan);
        let precision = job.precision;
        let plan = KernelPlan {
            is_part: false,
            job,
            elements,
            plan,
        };
        KernelSource {
            kernels,
            scratch,
            precision,
            symbols,
            schedule,
            plans: vec![PlanText(Arc::new(plan))],
            defect,
        }
    }
}

/// Writes the text of a program with these kernels under their names, in OpenCL C 1.2 or later.
pub fn program(kernels: &[(String, &Kernel)]) -> String {
    let definitions = kernels.iter().map(|(name, kernel)| kernel.definition(name));
    text(definitions.collect())
}

/// Writes the same, where each buffer is followed by the place at which the tensor begins in it.
#[cfg(feature = "opencl")]
pub(crate) fn placed_program(kernels: &[(String, &Kernel)]) -> String {
    let definitions = kernels
        .iter()
        .map(|(name, kernel)| kernel.placed_definition(name));
    text(definitions.collect())
}

fn text(definitions: Vec<String>) -> String {
    let definitions = definitions.join("\n");
    // A product and a sum must not be contracted to one operation with one rounding, since the interpreter rounds
    // twice.
    let wide = match definitions.contains("double") {
        true => "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
        false => "",
    };
    format!(
        "{wide}#pragma OPENCL FP_CONTRACT OFF\n{}{}\n{definitions}",
        moves(&definitions),
        helpers(&definitions)
    )
}
