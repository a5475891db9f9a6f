//! Words about the sizes of models that parties share, and no rule: conditions on sizes and ranks, with their notation. They are what
//! *Generalizing Shape Analysis with Gradual Types* (ECOOP 2024) calls arithmetic constraints.
//!
//! A condition is a comparison of sums of sizes. The same language stands behind `--where` of the command line, in `.grad` files and in Python:
//!
//! ```
//! use lozenge_gradual_vocabulary::conditions;
//!
//! let read = conditions("5 < x[0] < 20, x.rank = 4, h % 32 == 0, conv1[-1] <= 2*(w - 1)").unwrap();
//! let texts: Vec<String> = read.iter().map(ToString::to_string).collect();
//! assert_eq!(texts, ["5 < x[0]", "x[0] < 20", "x.rank = 4", "h % 32 = 0", "conv1[-1] <= 2*w - 2"]);
//! ```

mod condition;
mod name;
mod reader;

pub use condition::{Condition, Quantity, Relation, Sum};
pub use reader::{ConditionError, conditions};
