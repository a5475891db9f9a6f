//! The tables of the signatures of operators.
//!
//! A table is a text, in which a line is an operator with its type. Names of a line are its own; `?S` stands for any
//! type.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// A table of signatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Table {
    /// The one from which the types that the paper prints follow, except that of its convolution.
    #[default]
    Paper,
    /// The signatures as the paper prints them: its convolution keeps the channels of its input, and `concat` doubles.
    Printed,
    /// Pointwise operators take a right side that lacks outer axes of the left one, as `-` and `/` always do.
    Broadcast,
}

impl Table {
    /// Every table.
    pub const ALL: [Table; 3] = [Table::Paper, Table::Printed, Table::Broadcast];

    /// Returns the names of all operators, in the order of the tables.
    pub fn operators() -> impl Iterator<Item = &'static str> {
        names()
    }

    /// Returns the name of the table.
    pub fn name(self) -> &'static str {
        match self {
            Table::Paper => "paper",
            Table::Printed => "printed",
            Table::Broadcast => "broadcast",
        }
    }

    /// Returns the text of the table.
    pub fn text(self) -> &'static str {
        match self {
            Table::Paper => include_str!("signatures/paper.sig"),
            Table::Printed => include_str!("signatures/printed.sig"),
            Table::Broadcast => include_str!("signatures/broadcast.sig"),
        }
    }
}

/// Returns the name and the type of each line of a table.
pub(crate) fn lines(table: Table) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = table.text().lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(" : "))
}

/// Returns the names of all operators, in the order of the tables.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    lines(Table::Paper).map(|(name, _)| name)
}

/// Tells whether a word names an operator.
pub(crate) fn is_operator(text: &str) -> bool {
    static NAMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| names().collect());
    NAMES.contains(text)
}
