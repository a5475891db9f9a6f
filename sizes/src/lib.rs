//! Arithmetic of sizes.

mod atom;
mod bands;
mod constraint;
mod elimination;
mod fact;
mod form;
mod interval;
mod limit;
mod linear;
mod model;
mod number;
mod origin;
mod product;
mod question;
mod reason;
mod search;
mod shadow;
mod store;
mod term;

pub use fact::Fact;
pub use limit::{Limit, Limits};
pub use model::Model;
pub use reason::{Reason, Reasons};
pub use store::{Entailment, Snapshot, StaleSnapshot, Store, Value, Verdict};
pub use term::Term;
