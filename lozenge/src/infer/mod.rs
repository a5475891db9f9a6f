//! Inference: from a program to its shapes and loop nests.
//!
//! [`asserted`] collects the constraints of the operations, [`solve`] closes them and reads the [`shapes`] off, and
//! [`nests`] builds a loop nest for each operation from its index maps. [`result`] keeps all of them with the solver,
//! which explains each value. [`growing`] does the same for a program that grows by one operation at a time.

mod asserted;
mod fit;
mod growing;
mod grown;
mod nest_text;
mod nests;
mod result;
mod shapes;
mod solve;

use lozenge_vocabulary::program::Program;

use crate::options::Options;
use crate::refusal::Refusal;

pub use asserted::Asserted;
pub use growing::{Closed, Growing, GrowingError};
pub use grown::{Grown, grown};
pub use nest_text::nest_text;
pub use result::{Contraction, Inference};
pub use shapes::{Shapes, axis_words, shape_text, sizes};

pub(crate) use fit::fit;
pub(crate) use nests::{nest, nests};
pub(crate) use solve::{infer_shapes, value};

/// Infers the shape of every tensor of a program, and the loop nest of every operation.
///
/// # Errors
/// The refusal: constraints that cannot hold together, an operation that has no loop nest, or a limit.
pub fn infer(program: &Program, options: &Options) -> Result<Inference, Box<Refusal>> {
    let mut inference = infer_shapes(program, options)?;
    inference.nests = nests(program, &inference)?;
    Ok(inference)
}
