//! Shape and projection inference for tensor programs: the library to embed.
//!
//! A program is written without shapes. [`parse`] reads it, [`infer`] finds the shape of every tensor and the loop nest
//! of every operation, or says which operations contradict each other; [`run`] computes its tensors.
//!
//! ```
//! let program = lozenge::parse(
//!     "data x : 8|->3 = range(24)
//!      data t : 8|->5 = range(40)
//!      param w = 0.5
//!      let y = w * x
//!      let e = y - t
//!      total =:+ e \"n|->c => \"",
//! ).map_err(|errors| errors[0].to_string())?;
//! let inference = lozenge::infer(&program, &lozenge::Options::default())?;
//!
//! let shapes: Vec<String> = program.tensors.iter().zip(inference.shapes.iter())
//!     .map(|(tensor, shape)| format!("{} : {}", tensor.name, lozenge::shape_text(shape)))
//!     .collect();
//! assert_eq!(shapes, ["x : 8|->3", "t : 8|->5", "w : 3->5", "y : 8|->5", "e : 8|->5", "total : ->"]);
//!
//! // The operations are the filling of w, the composition, the subtraction and the sum.
//! assert_eq!(inference.nests[1].to_string(), "\
//! ## k is reduced: it does not occur in the index map of y
//! y[*, *] = 0  # =:+ erases; a cell is written more than once
//! for i in 0..8:
//!   for j in 0..5:
//!     for k in 0..3:
//!       y[i, j] += w[k, j] * x[i, k]
//! ");
//! assert!(inference.nests[3].to_string().contains("for n in 0..8:"), "labels name loops");
//!
//! let data = lozenge::load(&program, std::path::Path::new(""))?;
//! let mut device = lozenge::backend::Interpreter::new(Default::default());
//! let tensors = lozenge::run(&program, &inference, &data, &mut device)?;
//! assert_eq!(tensors[5].values(), [-90.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The calculus is that of *The Formal Core of OCANNL's Shape and Projection Inference*, working notes of the
//! [OCANNL project](https://github.com/ahrefs/ocannl); the numbers in the documentation (Def. 4.2, Thm. 7.4) are those
//! of that document.

pub mod axon;
mod check;
mod diagnose;
mod infer;
mod new_file;
mod options;
mod refusal;
mod run;

pub use check::{Allowed, Check};
pub use diagnose::{
    CheckEntry, Note, Reading, RuleEntry, Untried, diagnose, explain_check, explain_rule, notes,
    read, read_in, read_shapes, refusals, requirement_words, text_in,
};
pub use infer::{
    Asserted, Closed, Contraction, Growing, GrowingError, Grown, Inference, Shapes, axis_words,
    grown, infer, nest_text, shape_text, sizes,
};
pub use new_file::NewFile;
pub use options::{MAX_REFUSALS, Options};
pub use refusal::{Because, Limit, Reason, Refusal, ShapeConflict};
pub use run::{
    Begin, Checkpoint, CheckpointError, EpochReport, Identity, NoClass, Other, Part, Printed,
    Progress, RunError, Settings, Stopped, Watch, run, run_nests, run_precise, run_with, train,
};
#[cfg(feature = "opencl")]
pub use run::{PlannedKernel, PlannedOperation, PlannedPart, schedule};

pub use lozenge_backend as backend;
pub use lozenge_lang as lang;
pub use lozenge_lang::{Diagnostic, LoadError, load, load_wide, parse, parse_in};
pub use lozenge_solver as solver;
pub use lozenge_vocabulary as vocabulary;
pub use lozenge_vocabulary::program::Surroundings;
