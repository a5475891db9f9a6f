//! From a loop nest to the source of its kernels.
//!
//! No name of the program occurs in a kernel, so that two operations that do the same have the same text, and no name can be a word
//! of the language.

use std::sync::Arc;

use super::expression::helpers;
use super::job::{Argument, Job};
use super::plan::Plan;
use super::schedule::Profile;
use crate::device::Numerics;
use crate::loop_nest::LoopNest;

/// A kernel without its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its parameters in their order: those of its arguments, then the symbols.
    pub parameters: Vec<String>,
    /// Its body.
    pub text: String,
    /// How many values of local memory it has, which its text calls `local_values`; 0 where it has none.
    pub local: u64,
    /// How many work-items to start: those that its schedule asks for, and some that return at once.
    pub work_items: u64,
    /// How many work-items make a group; none where the device may choose.
    pub group: Option<u64>,
    /// What its buffers are.
    pub arguments: Vec<Argument>,
    /// The functions that its text calls, `stage_0` and so on.
    pub stages: Vec<Stage>,
}

/// A kernel that is a function of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    parameters: Vec<String>,
    text: String,
}

impl Stage {
    /// A kernel as a function of its parameters and of the local memory that it uses.
    pub(super) fn new(kernel: Kernel) -> Stage {
        let mut parameters = kernel.parameters;
        if kernel.local > 0 {
            parameters.push("__local float *local_values".to_string());
        }
        Stage {
            parameters,
            text: kernel.text,
        }
    }
}

impl Kernel {
    /// What tells it from other kernels when it is compiled. Two kernels may have one text and different groups: the text does not
    /// hold how far the outermost loop runs.
    pub fn key(&self) -> (String, Option<u64>) {
        (self.definition("kernel0"), self.group)
    }

    /// The kernel as a definition with a name.
    pub fn definition(&self, name: &str) -> String {
        let group = match self.group {
            Some(group) => format!("__attribute__((reqd_work_group_size({group}, 1, 1))) "),
            None => String::new(),
        };
        let local = match self.local {
            0 => String::new(),
            values => format!("    __local float local_values[{values}];\n"),
        };
        let parameters = self.parameters.join(", ");
        if self.stages.is_empty() {
            let text = &self.text;
            return format!("__kernel {group}void {name}({parameters}) {{\n{local}{text}}}\n");
        }
        let stages = self.stages.iter().enumerate().map(|(number, stage)| {
            let parameters = stage.parameters.join(", ");
            let text = &stage.text;
            format!("inline void {name}_stage_{number}({parameters}) {{\n{text}}}\n")
        });
        let stages: String = stages.collect();
        let text = self.text.replace("stage_", &format!("{name}_stage_"));
        format!("{stages}__kernel {group}void {name}({parameters}) {{\n{local}{text}}}\n")
    }
}

/// The kernels of one loop nest, and how they want to be called: with the buffers of their arguments, then the symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSource {
    /// The kernels, in the order in which they run. Where the nest initialises, each written cell starts from the neutral
    /// element; where the left-hand map is not surjective besides, the caller fills the written buffer first, for the cells that
    /// no point writes.
    pub kernels: Vec<Kernel>,
    /// How many values each buffer holds that one kernel fills for the next.
    pub scratch: Vec<u64>,
    /// The symbols in the order of their arguments, each an `ulong`.
    pub symbols: Vec<Arc<str>>,
    /// How the cells are spread, a line for each step.
    pub schedule: Vec<String>,
}

impl KernelSource {
    /// The kernels of a loop nest for a kind of device, to the interpreter's bits.
    pub fn new(nest: &LoopNest, profile: Profile) -> KernelSource {
        KernelSource::with(nest, profile, Numerics::Exact)
    }

    /// The same with a choice of how values may be rounded.
    pub fn with(nest: &LoopNest, profile: Profile, numerics: Numerics) -> KernelSource {
        let job = Job::new(nest, numerics);
        let symbols = job.loops.symbols.clone();
        let plan = Plan::new(job, profile);
        let schedule = plan.lines();
        let (kernels, scratch) = plan.kernels();
        KernelSource {
            kernels,
            scratch,
            symbols,
            schedule,
        }
    }
}

/// The text of a program of kernels, OpenCL C 1.2 or later, each under its name.
pub fn program(kernels: &[(String, &Kernel)]) -> String {
    let definitions: Vec<String> = kernels
        .iter()
        .map(|(name, kernel)| kernel.definition(name))
        .collect();
    let definitions = definitions.join("\n");
    // A product and a sum are never contracted to one operation with one rounding: the interpreter rounds twice.
    format!(
        "#pragma OPENCL FP_CONTRACT OFF\n{}\n{definitions}",
        helpers(&definitions)
    )
}
