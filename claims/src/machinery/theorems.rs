//! The theorems of Coq, as it states them: `proofs/statements.txt`.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Lines;
use std::sync::LazyLock;

/// A theorem of Coq.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theorem {
    /// The file without its folder and ending, and the name: `Row.row_le_refl`.
    pub name: String,
    /// The statement as Coq prints it.
    pub statement: String,
}

/// The list of theorems whose statements and axioms Coq is asked for, in that order.
const ASKED: &str = include_str!("../../../proofs/theories/Statements.v");

/// The answers of Coq: of each theorem its name, its type and its axioms.
const ANSWERED: &str = include_str!("../../../proofs/statements.txt");

static THEOREMS: LazyLock<BTreeMap<String, Theorem>> = LazyLock::new(|| {
    let read = theorems(ASKED, ANSWERED).unwrap_or_default();
    read.into_iter()
        .map(|theorem| (theorem.name.clone(), theorem))
        .collect()
});

/// Returns the statement of a theorem; `None` where there is none of this name.
pub fn statement(name: &str) -> Option<&'static str> {
    THEOREMS.get(name).map(|theorem| theorem.statement.as_str())
}

/// Reads the theorems from the questions that Coq was asked and its answers. Of each section of questions Coq is asked
/// for the axioms of all its theorems together.
///
/// # Errors
/// When they do not belong together, or a theorem depends on an axiom.
pub fn theorems(asked: &str, answered: &str) -> Result<Vec<Theorem>, String> {
    let mut answers = answered.lines().peekable();
    let (mut read, mut of_section) = (Vec::new(), Vec::new());
    for line in asked.lines() {
        if let Some(name) = line.strip_prefix("Check @") {
            let name = name.trim_end_matches('.');
            let statement = statement_of(name, &mut answers)?;
            of_section.push(name.to_string());
            read.push(Theorem {
                name: name.to_string(),
                statement,
            });
        } else if let Some(name) = line.strip_prefix("  @") {
            let name = name.trim_end_matches([',', ')', '.']);
            of_section.retain(|own| own != name);
        } else if line.starts_with("Print Assumptions ") {
            if let Some(name) = of_section.first() {
                return Err(format!("nobody asks for the axioms of {name}"));
            }
            match answers.next() {
                Some("Closed under the global context") => {}
                other => return Err(format!("a theorem depends on axioms: {other:?}")),
            }
        }
    }
    match (answers.next(), of_section.first()) {
        (None, None) => Ok(read),
        (Some(line), _) => Err(format!("{line:?} is the statement of no theorem asked for")),
        (None, Some(name)) => Err(format!("nobody asks for the axioms of {name}")),
    }
}

fn statement_of(name: &str, answers: &mut Peekable<Lines<'_>>) -> Result<String, String> {
    let own = name.rsplit('.').next().unwrap_or(name);
    // Coq prints a name with `@` where the theorem has an implicit argument.
    let begins = |line: &str| {
        let line = line.trim_start_matches('@');
        line == own || line.ends_with(&format!(".{own}"))
    };
    match answers.next() {
        Some(line) if begins(line) => {}
        line => return Err(format!("{line:?} stands where {name} is stated")),
    }
    let mut statement = Vec::new();
    while let Some(line) = answers.next_if(|line| line.starts_with(' ')) {
        statement.push(line.strip_prefix("     ").unwrap_or(line));
    }
    match statement.is_empty() {
        true => Err(format!("{name} has no statement")),
        false => Ok(statement.join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: &str = "Check @Row.refl.\nDefinition section_1 := (\n  @Row.refl).\nPrint Assumptions section_1.\n";

    #[test]
    fn a_statement_is_read_with_its_name() {
        let answer =
            "refl\n     : forall R : row,\n       le R R\nClosed under the global context\n";
        let read = theorems(QUESTION, answer).unwrap();
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].name, "Row.refl");
        assert_eq!(read[0].statement, ": forall R : row,\n  le R R");
    }

    #[test]
    fn axioms_other_theorems_and_missing_ones_are_errors() {
        let wrong = [
            "refl\n     : le\nAxioms:\nfunext : 1\n",
            "trans\n     : le\nClosed under the global context\n",
            "",
            "refl\n     : le\nClosed under the global context\nmore\n",
        ];
        for answer in wrong {
            assert!(theorems(QUESTION, answer).is_err(), "{answer}");
        }
        let unasked = QUESTION.replace("  @Row.refl", "  @Row.trans");
        let answer = "refl\n     : le\nClosed under the global context\n";
        assert!(theorems(QUESTION, answer).is_ok());
        assert!(theorems(&unasked, answer).is_err());
    }

    #[test]
    fn the_committed_statements_are_read() {
        assert!(!THEOREMS.is_empty());
    }
}
