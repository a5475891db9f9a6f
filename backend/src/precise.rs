//! Single loop nests in `f64`, to measure the errors of the arithmetic in `f32` and to compare gradients with finite
//! differences. A program runs in `f64` on [`Interpreter::wide`](crate::Interpreter::wide).

use crate::call::{self, Symbols};
use crate::error::Error;
use crate::interpreter::execute;
use crate::loop_nest::LoopNest;
use crate::progress::Progress;
use crate::shape::element_count;

/// Runs one loop nest on the host in `f64`. `written` holds the tensor of slot 0, `operands` those of the others.
///
/// # Errors
/// [`Error::BufferCount`] and [`Error::DataLength`] if the tensors do not fit the loop nest, and errors about symbols.
pub fn run(
    nest: &LoopNest,
    written: &mut [f64],
    operands: &[&[f64]],
    symbols: &Symbols,
) -> Result<(), Error> {
    let found = operands.len() + 1;
    if found != nest.slots().len() {
        let expected = nest.slots().len();
        return Err(Error::BufferCount { expected, found });
    }
    let lengths = [written.len()]
        .into_iter()
        .chain(operands.iter().map(|operand| operand.len()));
    for (slot, found) in nest.slots().iter().zip(lengths) {
        let expected = element_count(&slot.sizes)?;
        if found != expected {
            let shape = slot.sizes.to_vec();
            return Err(Error::DataLength {
                shape,
                expected,
                found,
            });
        }
    }
    let positions = (0..found)
        .map(|slot| call::positions(nest, slot, symbols))
        .collect::<Result<Vec<_>, _>>()?;
    execute(nest, &positions, written, operands, &Progress::default())
}
