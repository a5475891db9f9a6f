//! The readers of model files: each kind of file becomes one [`Graph`] of named nodes.
//!
//! [`read_file`] and [`read`] take `.onnx`, `.pt2` (the programs of `torch.export`), and the JSON of a torch.fx graph
//! that `examples/fx/export.py` writes, and the text of a program of the gradual tensor calculus (`.grad`). The first
//! bytes decide which it is, not the name. Neither onnx nor torch is needed, no pickle is opened, and no second file:
//! weights that lie outside stay there. [`read_numbers`] gives those that lie in an ONNX file, one constant at a time,
//! to whoever runs the model.
//!
//! A reader knows how a file says what it says, and nothing about what an operator means. An operator that nobody knows
//! is carried like any other. A reader refuses a file whose graph is not one: a value with two producers or with none,
//! a node that comes before what it uses, a function that calls itself, a constant with fewer values than it declares.
//! The [`ModelError`] names the node, the value or the byte. A file that is too large is refused by one of the
//! [`Limits`], whose name the error gives.
//!
//! The definition of ONNX is `proto/onnx.proto` (Apache-2.0) with its text on the intermediate representation; that of
//! `.pt2` is the schema of PyTorch's `torch._export.serde` at version 8. The torch.fx form is the one in which the
//! programs of *Generalizing Shape Analysis with Gradual Types* (ECOOP 2024) are kept here.
//!
//! ```
//! let text = br#"{"nodes":[
//!     {"name":"x","op":"placeholder","target":"x","args":[],"kwargs":{}},
//!     {"name":"flat","op":"call_function","target":"torch.flatten","args":[{"node":"x"},1],"kwargs":{}},
//!     {"name":"output","op":"output","target":"output","args":[{"node":"flat"}],"kwargs":{}}]}"#;
//! let graph = lozenge_graph::read(text.to_vec(), &lozenge_graph::Limits::default()).unwrap();
//! assert_eq!(graph.main().nodes[0].operator.to_string(), "fx.call_function.torch.flatten");
//! ```

mod content;
mod error;
mod file;
mod fx;
mod grad;
mod json;
mod limits;
mod names;
mod onnx;
mod order;
mod python_place;
mod rewritten;
mod torch_export;

pub use content::Rewritten;
pub use error::{ModelError, Where};
pub use file::{read, read_file};
pub use limits::Limits;
pub use lozenge_graph_vocabulary::Graph;
pub use onnx::read_numbers;
pub use rewritten::with_decided;
