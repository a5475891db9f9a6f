//! From a loop nest to the source of its kernels.
//!
//! No name of the program occurs in a kernel, so that two operations that do the same have the same text, and no name can be a word
//! of the language.

use std::sync::Arc;

use super::expression::helpers;
use super::loops::Loops;
use super::schedule::{Profile, Schedule};
use super::text::Text;
use super::{cell, packed, tile};
use crate::loop_nest::LoopNest;

/// A kernel without its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its parameters and its body.
    pub text: String,
    /// How many work-items to start: those that its schedule asks for, and some that return at once.
    pub work_items: u64,
    /// How many work-items make a group; none where the device may choose.
    pub group: Option<u64>,
}

impl Kernel {
    /// What tells it from other kernels when it is compiled. Two kernels may have one text and different groups: the text does not
    /// hold how far the outermost loop runs.
    pub fn key(&self) -> (String, Option<u64>) {
        (self.text.clone(), self.group)
    }

    /// The kernel as a definition with a name.
    pub fn definition(&self, name: &str) -> String {
        let group = match self.group {
            Some(group) => format!("__attribute__((reqd_work_group_size({group}, 1, 1))) "),
            None => String::new(),
        };
        format!("__kernel {group}void {name}{}", self.text)
    }
}

/// The kernels of one loop nest, and how they want to be called: with the buffers of the slots in order, then the buffer that they
/// share, if there is one, then the symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSource {
    /// The kernels, in the order in which they run. Where the nest initialises, each written cell starts from the neutral
    /// element; where the left-hand map is not surjective besides, the caller fills the written buffer first, for the cells that
    /// no point writes.
    pub kernels: Vec<Kernel>,
    /// How many values the buffer holds that the first kernel fills for the second; 0 where there is none.
    pub shared: u64,
    /// The symbols in the order of their arguments, each an `ulong`.
    pub symbols: Vec<Arc<str>>,
}

impl KernelSource {
    /// The kernels of a loop nest for a kind of device.
    pub fn new(nest: &LoopNest, profile: Profile) -> KernelSource {
        let loops = Loops::new(nest);
        let text = || Text::new(nest, &loops);
        let operands = nest.slots().len() - 1;
        let schedule = Schedule::of(&loops, operands, profile, nest.is_compensated());
        let (kernels, shared) = match schedule {
            Schedule::Cell => (vec![cell::kernel(text())], 0),
            Schedule::Tile(tile) => (vec![tile::kernel(text(), tile)], 0),
            Schedule::Packed(packed) => packed::kernels(text, packed),
        };
        KernelSource {
            kernels,
            shared,
            symbols: loops.symbols,
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
