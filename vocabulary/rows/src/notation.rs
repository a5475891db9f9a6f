//! The constraint notation of `.rows` files: one reader, one printer, and errors that say where and how to fix them.
//!
//! [`read`] is the only implementation of the grammar. It calls a [`Build`], which makes this crate's terms ([`parse`])
//! or the interned terms of another program. Printed text parses back to the same value.

mod composites;
mod error;
mod json;
mod printer;
mod reader;
mod terms;
mod windows;

pub use error::NotationError;
pub use reader::{Build, Relation, VarName, read};
pub use terms::parse;
