//! The reason for which a question has no answer.

use std::fmt;

/// The reason for which Z3 was stopped, or stopped by itself, before it had an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The time limit was reached.
    Time,
    /// Z3 reached the memory limit.
    Memory,
    /// Somebody interrupted the question.
    Interrupted,
    /// Z3 gave up for another reason, in its words.
    Solver(String),
}

impl Stopped {
    /// Reads the words of Z3, for a question that had time left.
    pub(crate) fn from_words(said: String) -> Stopped {
        if said.contains("mem") {
            Stopped::Memory
        } else if said.contains("timeout") || said.contains("canceled") {
            Stopped::Time
        } else {
            Stopped::Solver(said)
        }
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Time => f.write_str("the time limit was reached"),
            Stopped::Memory => f.write_str("the memory limit was reached"),
            Stopped::Interrupted => f.write_str("interrupted"),
            Stopped::Solver(said) => write!(f, "Z3 gave up: {said}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_z3_are_reasons() {
        let own = "(incomplete quantifiers)";
        for (said, told) in [
            ("max. memory exceeded", Stopped::Memory),
            ("memout", Stopped::Memory),
            ("timeout", Stopped::Time),
            ("canceled", Stopped::Time),
            (own, Stopped::Solver(own.to_owned())),
            ("", Stopped::Solver(String::new())),
        ] {
            assert_eq!(Stopped::from_words(said.to_owned()), told, "{said}");
        }
    }
}
