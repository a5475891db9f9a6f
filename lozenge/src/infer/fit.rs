//! The check that shapes and loop nests are those of a program.

use lozenge_backend::{Error, LoopNest};
use lozenge_vocabulary::program::Program;

use super::shapes::Shapes;

/// Checks that the numbers in a program refer to its own things, and that there is a shape for each tensor and a loop
/// nest for each operation. Shapes and loop nests of another program that has the same numbers of them are found by the
/// device, which compares each buffer with its slot.
pub(crate) fn fit(program: &Program, shapes: &Shapes, nests: &[LoopNest]) -> Result<(), Error> {
    program.check().map_err(Error::Foreign)?;
    same_number("tensors", program.tensors.len(), shapes.len())?;
    same_number("operations", program.steps.len(), nests.len())
}

fn same_number(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    match expected == found {
        true => Ok(()),
        false => Err(Error::OtherProgram {
            what,
            expected,
            found,
        }),
    }
}
