//! Inference: from a program to its shapes and loop nests.

mod asserted;
mod fit;
mod growing;
mod grown;
mod nest_text;
mod nests;
mod result;
mod shapes;

pub use asserted::Asserted;
pub use growing::{Closed, Growing, GrowingError};
pub use grown::{Grown, grown};
pub use nest_text::nest_text;
pub use nests::infer;
pub use result::{Contraction, Inference};
pub use shapes::{Shapes, axis_words, shape_text, sizes};

pub(crate) use fit::fit;
pub(crate) use nests::{infer_shapes, nest, nests, value};
