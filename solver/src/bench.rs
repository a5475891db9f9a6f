//! Families of problems of any size, and what solving them costs.
//!
//! `cargo bench -p lozenge` prints the table; a command line can print it and write it as JSON.

mod families;
mod measure;

pub use families::{FAMILIES, Family};
pub use measure::{Measurement, Report, measure, read_pass, report};
