//! The operator graph of a model, whatever file it came from: a vocabulary without a rule.
//!
//! A [`Graph`] is what the readers of `.onnx`, `.pt2` and torch.fx files produce and what a procedure that asks about
//! sizes consumes. It says which node applies which [`Operator`] to which [`Argument`]s, which sizes the file declares,
//! and where each node comes from. It does not say what an operator means.
//!
//! All values, constants and bodies of a graph lie in lists, and an id is a place in such a list. So an `If` whose
//! branch holds another `If` is no nested data, and nobody who walks a graph needs recursion over a depth that a file
//! decides.
//!
//! Graphs of this kind are the programs of *Generalizing Shape Analysis with Gradual Types* (ECOOP 2024) as people have
//! them: Python behind, operators by the hundred, and inputs of which nobody wrote down the sizes.
//!
//! ```
//! use lozenge_graph_vocabulary::{Argument, DeclaredSize, Format, GraphBuilder, Node, Operator, Type, BodyId};
//!
//! let mut builder = GraphBuilder::new(Format::Onnx);
//! let sizes = vec![DeclaredSize::Named("b".into()), DeclaredSize::Known(3)];
//! let x = builder.input(BodyId::MAIN, "x", Type::tensor(None, Some(sizes)));
//! let mut node = Node::new("relu1", Operator::new("onnx", "Relu", Some(14)));
//! node.arguments.push(Argument::Value(x));
//! let (_, outputs) = builder.node(BodyId::MAIN, node, [Some(("y".into(), Type::Any))]);
//! builder.output(BodyId::MAIN, "y", Argument::Value(outputs[0].unwrap()));
//! let graph = builder.finish();
//! assert_eq!(
//!     graph.to_string(),
//!     "onnx\ninput x : ?[b,3]\nrelu1: y = onnx.Relu@14(x)\noutput y = y\n"
//! );
//! ```

mod builder;
mod constant;
mod element;
mod graph;
mod id;
mod node;
mod recorded;
mod text;
mod value;

pub use builder::GraphBuilder;
pub use constant::{Constant, Data};
pub use element::ElementType;
pub use graph::{Body, Format, Graph, Output};
pub use id::{BodyId, ConstantId, NodeId, ValueId};
pub use node::{Argument, Module, Node, Operator, Place, Source};
pub use recorded::{Recorded, RecordedInteger, RecordedRange};
pub use value::{DeclaredSize, Origin, Type, Value};
