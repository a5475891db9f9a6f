//! Programs of the gradual tensor calculus for tests of several packages: drawn from bytes, and made smaller.

mod drawn;
mod smaller;

pub use drawn::program;
pub use smaller::smaller;
