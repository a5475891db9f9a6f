//! Words of *Generalizing Shape Analysis with Gradual Types* (ECOOP 2024) that parties share, and no rule: gradual
//! types, programs of the calculus, and the arithmetic constraints on sizes and ranks, with their notation.
//!
//! A condition is a comparison of sums of sizes. The same language stands behind `--where` of the command line, in
//! `.grad` files and in Python:
//!
//! ```
//! use lozenge_gradual_vocabulary::conditions;
//!
//! let read = conditions("5 < x[0] < 20, x.rank = 4, h % 32 == 0, conv1[-1] <= 2*(w - 1)").unwrap();
//! let texts: Vec<String> = read.iter().map(ToString::to_string).collect();
//! assert_eq!(texts, ["5 < x[0]", "x[0] < 20", "x.rank = 4", "h % 32 = 0", "conv1[-1] <= 2*w - 2"]);
//! ```
//!
//! A program of the paper's calculus has a text of its own, which `.grad` files hold:
//!
//! ```
//! let text = "x : [?, 2]\ny : ?\nwhere x[0] > 5, x[0] static\nreturn add(conv2d(2, 4, (3, 3), x), reshape(y, [2, ?]))\n";
//! let (program, _) = lozenge_gradual_vocabulary::grad::read(text).unwrap();
//! assert_eq!(program.to_string(), text);
//! ```

mod blanks;
mod condition;
pub mod grad;
mod name;
mod program;
mod reader;
mod types;

pub use condition::{Condition, Quantity, Relation, Sum};
pub use program::{
    Body, Comparison, Declaration, Expression, ExpressionId, Observation, Program, Restriction,
};
pub use reader::{ConditionError, conditions};
pub use types::{Dimension, LARGEST_SIZE, Type};
