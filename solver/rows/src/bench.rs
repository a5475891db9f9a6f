//! Families of problems of any size, and what solving them costs.
//!
//! `lozenge bench` prints them as a table and writes JSON; `cargo bench -p lozenge-solver` runs them under divan.

mod counted;
mod families;
mod layers;
mod measure;

pub use families::{FAMILIES, Family};
pub use measure::{
    FamilyReport, Measurement, adding, measure, read_pass, read_vocabulary, reading, report,
};
