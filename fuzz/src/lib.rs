//! Generators of inputs, and comparisons of what the parties answer: the one place where `spec`, `solver` and `oracle`
//! meet. Tests, campaigns and the command line use the same code. The claims table gets its evidence here.

pub mod agreement;
pub mod claims;
pub mod generate;
pub mod parties;
