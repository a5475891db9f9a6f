//! The operators of the language, with their types.

use std::sync::LazyLock;

use lozenge_diagnostic::Parsed;
use rustc_hash::FxHashMap;

use crate::parse::signature;
use crate::syntax::Type;
use crate::table::{Table, lines};

impl Table {
    /// Returns the signature of an operator.
    pub fn signature(self, operator: &str) -> Option<&'static Signature> {
        static PAPER: LazyLock<Signatures> = LazyLock::new(|| read(Table::Paper));
        static PRINTED: LazyLock<Signatures> = LazyLock::new(|| read(Table::Printed));
        static BROADCAST: LazyLock<Signatures> = LazyLock::new(|| read(Table::Broadcast));
        let signatures: &'static Signatures = match self {
            Table::Paper => &PAPER,
            Table::Printed => &PRINTED,
            Table::Broadcast => &BROADCAST,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::names;

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
