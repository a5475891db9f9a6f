//! Generators of inputs, and comparisons of what the parties answer: the one place where `spec`, `solver` and `oracle`
//! meet. Tests, campaigns and the command line use the same code.

pub mod agreement;
pub mod generate;
pub mod parties;
