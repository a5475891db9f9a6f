//! The compiled part of the Python package `lozenge`: a thin layer between Python and the library.
//!
//! The part that users see is written in Python (`python/lozenge`), with types and documentation. The code here reads
//! arguments, lets the library answer while other threads of Python run, and hands back text, numbers and JSON.

use pyo3::prelude::*;

mod array;
mod axon;
mod conditions;
mod errors;
mod linear;
mod lines;
mod matching;
mod model;
mod pattern;
mod point;
mod program;
mod proof;
mod run;
mod solving;
mod waiting;

/// The compiled part of the package `lozenge`. Its names are no interface: those of `lozenge` are.
#[pymodule]
mod _lozenge {
    #[pymodule_export]
    use super::array::address;
    #[pymodule_export]
    use super::axon::{Axon, Sized};
    #[pymodule_export]
    use super::command;
    #[pymodule_export]
    use super::matching::{Binding, Matcher};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::program::Text;
    #[pymodule_export]
    use super::solving::Constraints;
    #[pymodule_export]
    use super::waiting::panics;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}

/// Runs the command `lozenge` with the words of a command line, of which the first is the name of the program, and
/// returns its status.
#[pyfunction]
fn command(words: Vec<std::ffi::OsString>) -> u8 {
    lozenge_cli::main(words)
}
