//! The reasons why a checkpoint cannot be written or used.

use std::path::PathBuf;

use crate::run::identity::Part;

/// A checkpoint that cannot be written or used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// A file that cannot be written or read.
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        message: String,
    },
    /// A file of another kind.
    #[error("{}: this is no checkpoint: {what}; {help}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The kind of the file, in words.
        what: String,
        /// The remedy.
        help: String,
    },
    /// A file that is damaged.
    #[error("{}: the file is damaged: {message}; copy or write it again, or begin anew without it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        message: String,
    },
    /// A parameter whose entry in the file is no tensor of numbers.
    #[error("`{name}` holds {what} in the file: write it as floats")]
    Unfit {
        /// The parameter.
        name: String,
        /// The content of the entry.
        what: String,
    },
    /// A parameter of the program that the checkpoint does not have.
    #[error("the checkpoint has no `{name}`: {}", listed(names))]
    Missing {
        /// The parameter.
        name: String,
        /// The names that the checkpoint has, the nearest first.
        names: Vec<String>,
    },
    /// A parameter with another shape.
    #[error(
        "`{name}` has the sizes {expected:?} in the program and {found:?} in the checkpoint{}",
        order(name, expected, found)
    )]
    Shape {
        /// The parameter.
        name: String,
        /// The sizes of its axes in the program.
        expected: Vec<u64>,
        /// The sizes in the checkpoint.
        found: Vec<u64>,
    },
    /// A checkpoint from which no run can be resumed.
    #[error(
        "the checkpoint does not say of which run it is and how far that was: start from it with --load in place of --resume"
    )]
    NoProgress,
    /// A checkpoint of a run that computes something else.
    #[error(
        "the checkpoint is of another run, and would not go on to the same bits: {}{}; undo that, or begin a new run with \
         its values by --load in place of --resume",
        differing(parts),
        unknown(unknown_names)
    )]
    OtherRun {
        /// The parts in which the runs differ.
        parts: Vec<Part>,
        /// The tensors of the checkpoint that the program does not have.
        unknown_names: Vec<String>,
    },
    /// A checkpoint of a run with more sections than the program has.
    #[error(
        "the checkpoint is of section {section}, and the program has {sections}: it is of another program"
    )]
    Section {
        /// The section, from 1.
        section: u64,
        /// The number of sections of the program.
        sections: usize,
    },
}

/// Returns the differences of two runs in words.
fn differing(parts: &[Part]) -> String {
    let words: Vec<&str> = parts.iter().map(|part| part.words()).collect();
    words.join("; ")
}

/// Names the tensors of a checkpoint that a program does not have.
fn unknown(names: &[String]) -> String {
    match names.is_empty() {
        true => String::new(),
        false => format!(
            "; of what the checkpoint holds, the program lacks {}",
            first_of(names)
        ),
    }
}

/// Returns the first names of the tensors that a checkpoint has.
fn listed(names: &[String]) -> String {
    match names.is_empty() {
        true => "it has no tensors".to_string(),
        false => format!("it has {}", first_of(names)),
    }
}

/// Returns the first names of a list, and how many more there are.
fn first_of(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{}, and {more} more", shown.join(", ")),
    }
}

/// Explains the order of the axes, if the sizes are the same ones in another order.
fn order(name: &str, expected: &[u64], found: &[u64]) -> String {
    if found.iter().rev().eq(expected) {
        return format!(
            ": its axes are in the opposite order, as PyTorch has them, outputs first; here inputs come before outputs: \
             --transpose {name} reads them so"
        );
    }
    let sorted = |sizes: &[u64]| {
        let mut sizes = sizes.to_vec();
        sizes.sort_unstable();
        sizes
    };
    match sorted(expected) == sorted(found) {
        true => ": these are the same sizes in another order; the order is batch, input, output"
            .to_string(),
        false => String::new(),
    }
}
