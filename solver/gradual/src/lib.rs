//! Sizes of inputs that a model accepts: the inverse image of shape inference, exactly, as a short formula.
//!
//! Every size inside a model is a function of the sizes of its inputs. So one forward pass computes it as a term over
//! input symbols, and collects what each node demands. The conditions on the symbols of
//! the inputs that are left are solved, as boxes of periodic sets with relations between symbols.
//!
//! The questions are those of *Generalizing Shape Analysis with Gradual Types* (ECOOP 2024), in the reading in which a
//! program runs: variables range over shapes, and each operator is a partial function on them.
//!
//! ```
//! use lozenge_gradual_solver::{Given, Options, Point, Sizes};
//! use lozenge_graph_vocabulary::{Argument, BodyId, DeclaredSize, Format, GraphBuilder, Node, Operator, Type};
//!
//! // A window of 4 rows that moves by 4, over an input of any length.
//! let mut builder = GraphBuilder::new(Format::Onnx);
//! let sizes = vec![DeclaredSize::Named("b".into()), DeclaredSize::Known(3), DeclaredSize::Named("n".into())];
//! let x = builder.input(BodyId::MAIN, "x", Type::tensor(None, Some(sizes)));
//! let mut pool = Node::new("pool", Operator::new("onnx", "MaxPool", 12));
//! pool.arguments.push(Argument::Value(x));
//! pool.attributes = vec![
//!     ("kernel_shape".into(), Argument::List(vec![Argument::Int(4)])),
//!     ("strides".into(), Argument::List(vec![Argument::Int(4)])),
//! ];
//! let (_, outputs) = builder.node(BodyId::MAIN, pool, [Some(("y".into(), Type::Any))]);
//! let mut add = Node::new("add", Operator::new("onnx", "Add", 14));
//! add.arguments = vec![Argument::Value(outputs[0].unwrap()), Argument::Value(x)];
//! let (_, outputs) = builder.node(BodyId::MAIN, add, [Some(("z".into(), Type::Any))]);
//! builder.output(BodyId::MAIN, "z", Argument::Value(outputs[0].unwrap()));
//!
//! // The pool gives one row for each four, and only a single row is stretched to the input's.
//! let mut answer = Sizes::of(builder.finish().into(), &Options::default());
//! assert!(answer.text().contains("n : 1..7"), "{}", answer.text());
//! let eight = Point::from([("x".to_owned(), Given::Sizes(vec![1, 3, 8]))]);
//! assert_eq!(answer.admits(&eight), Some(false));
//! assert_eq!(answer.at(&eight).refusals[0].node, "add");
//! assert_eq!(answer.nearest(&eight)[0].below, Some(7));
//! ```
//!
//! # What is decided
//!
//! | conditions | answer |
//! |---|---|
//! | on one symbol: sums, products, quotients by numbers, minima, branches | exact, as a set that is periodic beyond a bound |
//! | equalities and broadcasts between sizes of different axes | exact, by replacement and splitting |
//! | a number as a product of functions of different symbols | exact, by its divisors |
//! | other relations between products of symbols | kept as relations; membership of a point is still decided |
//!
//! Where a [`Limit`] is reached, the answer says which. Operators that no shape function knows give values of which
//! nothing is known, and the set is then an upper bound.
//!
//! # Evidence
//!
//! A point is decided by a forward pass on its numbers, with the same shape functions and without the set; tests hold
//! both against each other, against recorded runs of PyTorch, and against onnxruntime at every size of a grid.

mod answer;
mod branches;
mod guard;
mod integers;
mod limit;
mod migration;
mod pass;
mod replay;
mod residual;
mod shape_functions;
mod term;
mod unary;
mod value;

pub use answer::{
    Against, Answer, BoxReport, CaseReport, Cause, Change, Given, Lock, LockDifference, LockError,
    Nearest, Options, Origin, Point, PointAnswer, RecordedCondition, RecordedSet, Refusal, Relax,
    Report, ShapeReport, Sizes, Step, SymbolReport, Verdict, Warning, WarningKind, written,
};
pub use branches::{Branch, BranchVerdict, BranchWitness, Branches};
pub use integers::Integers;
pub use limit::Limit;
pub use migration::{Annotation, Dimension, End, Migration, RankClass};
pub use replay::{Replayed, Run, replay};
pub use term::{Formula, Int, Stored, Symbol, Term, Terms};
