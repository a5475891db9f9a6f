//! Shape and projection inference for tensor programs: the library to embed.
//!
//! A program is written without shapes. [`parse`] reads it, [`infer`] finds the shape of every tensor, or says which of the
//! program's operations cannot hold together.
//!
//! ```
//! let program = lozenge::parse(
//!     "data x : 8|->3 = range(24)
//!      data t : 8|->5 = range(40)
//!      param w
//!      let y = w * x
//!      let e = y - t",
//! ).map_err(|errors| errors[0].to_string())?;
//! let inference = lozenge::infer(&program, &lozenge::Options::default())?;
//! let shapes: Vec<String> = program.tensors.iter().zip(&inference.shapes)
//!     .map(|(tensor, shape)| format!("{} : {}", tensor.name, lozenge::shape_text(shape)))
//!     .collect();
//! assert_eq!(shapes, ["x : 8|->3", "t : 8|->5", "w : 3->5", "y : 8|->5", "e : 8|->5"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod asserted;
mod execute;
mod infer;
mod inference;
mod message;
mod options;
mod refusal;

pub use asserted::Asserted;
pub use execute::{run, sizes};
pub use infer::infer;
pub use inference::{Inference, shape_text};
pub use options::Options;
pub use refusal::{Because, Limit, Reason, Refusal, ShapeConflict};

pub use lozenge_backend as backend;
pub use lozenge_lang::{Diagnostic, LoadError, load, parse};
pub use lozenge_solver as solver;
pub use lozenge_vocabulary as vocabulary;
