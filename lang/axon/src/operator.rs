//! The operators of the language and the tables of their signatures.
//!
//! A table is a text, in which a line is an operator with its type. Names of a line are its own; `?S` stands for any type.

use std::sync::LazyLock;

use lozenge_diagnostic::Parsed;
use rustc_hash::FxHashMap;

use crate::parse::signature;
use crate::syntax::Type;

/// A table of signatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Table {
    /// The one from which the types that the paper prints follow, except that of its convolution.
    #[default]
    Paper,
    /// The signatures as the paper prints them: its convolution keeps the channels of its input, and `concat` doubles.
    Printed,
}

impl Table {
    /// Every table.
    pub const ALL: [Table; 2] = [Table::Paper, Table::Printed];

    /// Returns the name of the table.
    pub fn name(self) -> &'static str {
        match self {
            Table::Paper => "paper",
            Table::Printed => "printed",
        }
    }

    /// Returns the text of the table.
    pub fn text(self) -> &'static str {
        match self {
            Table::Paper => include_str!("signatures/paper.sig"),
            Table::Printed => include_str!("signatures/printed.sig"),
        }
    }

    /// Returns the signature of an operator.
    pub fn signature(self, operator: &str) -> Option<&'static Signature> {
        static PAPER: LazyLock<Signatures> = LazyLock::new(|| read(Table::Paper));
        static PRINTED: LazyLock<Signatures> = LazyLock::new(|| read(Table::Printed));
        let signatures: &'static Signatures = match self {
            Table::Paper => &PAPER,
            Table::Printed => &PRINTED,
        };
        signatures.get(operator)
    }
}

type Signatures = FxHashMap<&'static str, Signature>;

/// The type of an operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The types of its arguments.
    pub parameters: Vec<Type>,
    /// The type of its result.
    pub result: Type,
    /// The signature as the table has it, behind the name.
    pub text: &'static str,
}

/// Returns the name and the type of each line of a table.
fn lines(table: Table) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = table.text().lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(" : "))
}

/// Reads a table. A line that is no signature would be missing from it, which a test of this module notices.
fn read(table: Table) -> Signatures {
    let read = |(name, text): (&'static str, &'static str)| -> Parsed<_> {
        let (parameters, result) = signature(text)?;
        let signature = Signature {
            parameters,
            result,
            text,
        };
        Ok((name, signature))
    };
    lines(table).filter_map(|line| read(line).ok()).collect()
}

/// Returns the names of all operators, in the order of the tables.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    lines(Table::Paper).map(|(name, _)| name)
}

/// Tells whether a word names an operator.
pub(crate) fn is_operator(text: &str) -> bool {
    Table::Paper.signature(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_table_is_a_signature_of_the_same_operators() {
        for table in Table::ALL {
            assert_eq!(lines(table).count(), names().count());
            for name in names() {
                assert!(
                    table.signature(name).is_some(),
                    "{} in {}",
                    name,
                    table.name()
                );
            }
        }
    }
}
