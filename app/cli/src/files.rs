//! The files of a command line: what they are, how they are read, and how they are written.

pub mod distinct_files;
pub mod file_kind;
pub mod input;
pub mod output_file;
pub mod saved_tensor;
