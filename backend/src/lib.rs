//! The way from the index maps of one tensor operation to numbers.
//!
//! A [`LoopNest`] combines a product space with its index maps (Defs. 7.3 and 7.5 of *The Formal Core of OCANNL's Shape
//! and Projection Inference*, working notes of the [OCANNL project](https://github.com/ahrefs/ocannl)), an assignment
//! operator and a scalar function. By Prop. 7.6 it decides what has to be initialised and how cells are written. A
//! [`Device`] runs loop nests on the tensors that it holds: [`Interpreter`] is the reference, and the device of
//! [`opencl`] compiles and runs kernels.
//!
//! ```
//! use lozenge_backend::{Device, Interpreter, Limits, LoopNest, Symbols, Tensor};
//! use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
//! use lozenge_vocabulary::projections::{Index::Iter, IndexMap, Projections};
//!
//! // a;b=>c over a[i, j], b[j, k], c[i, k]
//! let matmul = Projections {
//!     factors: vec![2, 3, 2],
//!     maps: vec![
//!         IndexMap(vec![Iter(0), Iter(2)]),
//!         IndexMap(vec![Iter(0), Iter(1)]),
//!         IndexMap(vec![Iter(1), Iter(2)]),
//!     ],
//!     sizes: vec![vec![2, 2], vec![2, 3], vec![3, 2]],
//! };
//! let erase_and_add = Accumulator { erase: true, combine: Combine::Add };
//! let nest = LoopNest::new(&matmul, erase_and_add, Function::Multiply, &["c", "a", "b"])?;
//! assert_eq!(
//!     nest.to_string(),
//!     "\
//! ## j is reduced: it does not occur in the index map of c
//! c[*, *] = 0  # =:+ erases; a cell is written more than once
//! for i in 0..2:
//!   for j in 0..3:
//!     for k in 0..2:
//!       c[i, k] += a[i, j] * b[j, k]
//! "
//! );
//!
//! let mut device = Interpreter::new(Limits::default());
//! let a = device.upload(&Tensor::new(vec![2, 3], vec![1., 2., 3., 4., 5., 6.])?)?;
//! let b = device.upload(&Tensor::new(vec![3, 2], vec![1., 0., 0., 1., 1., 1.])?)?;
//! let c = device.allocate(&[2, 2], f32::NAN)?;
//! device.run(&nest, &[c, a, b], &Symbols::new())?;
//! assert_eq!(device.download(c)?.values(), [4., 5., 10., 11.]);
//! # Ok::<(), lozenge_backend::Error>(())
//! ```

pub mod agreement;
pub mod arithmetic;
mod call;
mod device;
mod engine;
mod error;
mod formula;
mod interpreter;
mod kernels;
mod loop_nest;
mod memory;
mod nest_text;
pub mod opencl;
pub mod precise;
mod precision;
mod progress;
mod rules;
mod shape;
mod tensor;
mod walk;

pub use call::Symbols;
pub use device::{Call, Device, Purpose};
pub use engine::{Engine, open, open_with};
pub use error::Error;
pub use interpreter::Interpreter;
pub use kernels::{KernelTime, Kernels};
pub use loop_nest::{Common, Factor, LoopNest, Slot, Write};
pub use memory::{BufferId, Limits, MemoryUse, RecordingId};
pub use precision::Precision;
pub use progress::Progress;
pub use rules::{Arithmetic, Numerics};
pub use shape::{element_count, strides};
pub use tensor::Tensor;
