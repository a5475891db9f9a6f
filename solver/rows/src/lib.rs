//! The production solver: shapes of tensor programs by broadcast-aware inference, fast, incremental, explained.
//!
//! A [`Problem`] is a set of constraints between the axes and the shapes of tensors. A [`Solver`] brings it to a solved
//! form, one constraint or a million at a time, and closes what is left open. A [`Solution`] looks values up and says
//! what they rest on. A [`Refusal`] says which constraints cannot hold together. Where policy may not decide,
//! [`Solver::decide`] looks for rows of any length, and a [`Decider`] does so for a problem that grows.
//!
//! The shape of a tensor is a *row* of axes. A row variable such as `<x>` stands for any number of axes; `[m, <x>, k]`
//! has an axis on either side of it. `a <= b` says that the result `a` may be broadcast from the operand `b`, `a ~ b`
//! that two rows have the same axes.
//!
//! # Start here
//!
//! A matrix product, `y = x · w`, with a bias that is added to it. Nothing says how long the bias is:
//!
//! ```
//! use std::num::NonZeroU64;
//! use lozenge_solver::{Problem, RowVar, Solver, Standing, Tag, Var};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut problem = Problem::new();
//! let [n, m, k] = [32, 784, 10].map(|size| problem.size(NonZeroU64::new(size).unwrap()));
//! let inner = problem.dim("inner")?;
//!
//! // x has the axes n, m and w has m, k; the product contracts the axis `inner`.
//! let (x, w) = (problem.row(&[], None, &[n, m])?, problem.row(&[], None, &[m, k])?);
//! let (rows, columns) = (problem.fresh_dim("rows")?, problem.fresh_dim("columns")?);
//! let left = problem.row(&[], None, &[rows, inner])?;
//! let right = problem.row(&[], None, &[inner, columns])?;
//! let first = problem.equal_rows(x, left)?;
//! problem.label(first, "x, line 1")?;
//! problem.equal_rows(w, right)?;
//!
//! // The sum is below both of its operands: either of them may be broadcast.
//! let (product, bias) = (problem.row(&[], None, &[rows, columns])?, problem.row(&[], Some("bias"), &[])?);
//! let sum = problem.row(&[], Some("sum"), &[])?;
//! problem.below_rows(sum, product)?;
//! problem.below_rows(sum, bias)?;
//! problem.declare(&Var::Row(RowVar::new("bias")), Tag::Param).expect("declared once");
//!
//! let mut solver = Solver::new(problem);
//! solver.close()?;
//! assert_eq!(solver.solution().row_of(sum)?.to_string(), "[32, 10]");
//! assert_eq!(solver.solution().row_of(bias)?.to_string(), "[32, 10]");
//! assert_eq!(solver.solution().value_of(inner)?.to_string(), "784");
//! // The size of `inner` is forced; that the bias has all axes of the sum is what closing chose.
//! assert_eq!(solver.solution().standing(&"inner".parse()?), Some(Standing::Forced));
//! assert!(matches!(solver.solution().standing(&"<bias>".parse()?), Some(Standing::Chosen { .. })));
//!
//! // A constraint that contradicts the others is refused, with the constraints that it contradicts.
//! solver.snapshot();
//! let wrong = solver.problem_mut().equal_dims(inner, n)?;
//! let refusal = solver.close().unwrap_err();
//! assert!(refusal.chain.iter().any(|cited| cited.index == wrong.index()));
//! assert!(refusal.chain.iter().any(|cited| cited.label.as_deref() == Some("x, line 1")));
//! assert!(solver.rollback());
//! # Ok(())
//! # }
//! ```
//!
//! [`Problem::parse`] reads the same constraints from text. The definitions, lemmas and rules that the documentation
//! cites by number (Def. 4.3, DI-cap) are those of *The Formal Core of OCANNL's Shape and Projection Inference*,
//! working notes of the [OCANNL project](https://github.com/ahrefs/ocannl): the solver gives the answers of its solving
//! (§4), closing (§6) and projection rules (§7) by algorithms of its own.

mod arithmetic;
mod complete;
mod explain;
mod ids;
mod options;
mod policy;
mod problem;
pub mod project;
mod propagate;
mod questions;
mod solver;
mod state;
mod term;
mod tracked;
mod zero_cases;

pub use complete::decide::{Certificate, EntailmentCertificate};
pub use complete::decision::{Decision, FAILED_CHECK};
pub use explain::derivation::{Derivation, DerivationStep};
pub use explain::in_runs::{AxisRun, InRuns, RowInRuns};
pub use explain::known::Known;
pub use explain::refusal::{Cited, Involved, MINIMISING, PolicyStep, Refusal};
pub use explain::residual::Standing;
pub use explain::solution::Solution;
pub use explain::solved_form::SolvedForm;
pub use explain::sorter::Footing;
pub use explain::values::Values;
pub use options::{Limits, Options};
pub use problem::Problem;
pub use problem::handle::{ConstraintId, DimRef, ProblemError, RowRef};
pub use questions::decider::Decider;
pub use questions::entails::{Entailment, Forced};
pub use solver::{Solver, Statistics};

/// The types of the vocabulary that stand in this crate's interface.
pub use lozenge_vocabulary::notation::NotationError;
pub use lozenge_vocabulary::{
    Basis, Constraint, ConstraintSet, Dim, DimTerm, DimVar, Ground, Order, Row, RowTerm, RowVar,
    Rule, Tag, Var, Verdict,
};
