//! The constraint notation of `.rows` files: one reader, one printer, and errors with a place and a mend.
//!
//! The grammar is read once, by [`read`], into whatever a [`Build`] makes of it: this crate's terms
//! ([`parse`]), or another program's interned ones. What is printed parses back to the same thing.

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
