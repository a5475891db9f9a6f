//! What a comparison says of one input.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::known_difference::KnownDifference;

/// Two answers that cannot both be right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// Which check failed, in a few words that do not depend on the input: minimisation keeps it.
    pub check: String,
    /// What each party said.
    pub answers: Vec<(String, String)>,
}

impl Disagreement {
    /// A failed check.
    pub fn new(check: &str) -> Disagreement {
        Disagreement {
            check: check.into(),
            answers: Vec::new(),
        }
    }

    /// Adds what a party said.
    #[must_use]
    pub fn answered(mut self, party: &str, answer: impl fmt::Display) -> Disagreement {
        self.answers.push((party.into(), answer.to_string()));
        self
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.check)?;
        for (party, answer) in &self.answers {
            writeln!(f, "{party} says")?;
            for line in answer.trim_end().lines() {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}

/// How the answers stand to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// They agree.
    Agree,
    /// They differ in a way that has a name and an argument.
    Differ(KnownDifference),
    /// A party reached a limit, and nobody contradicts anybody. Never counted as agreement.
    Unknown(String),
    /// A defect in one of the parties.
    Disagree(Box<Disagreement>),
}

impl Outcome {
    /// A word for it: what a minimisation has to keep.
    pub fn key(&self) -> String {
        match self {
            Outcome::Agree => "agree".into(),
            Outcome::Differ(class) => class.to_string(),
            Outcome::Unknown(_) => "unknown".into(),
            Outcome::Disagree(disagreement) => format!("disagree: {}", disagreement.check),
        }
    }
}

impl From<Disagreement> for Outcome {
    fn from(disagreement: Disagreement) -> Outcome {
        Outcome::Disagree(Box::new(disagreement))
    }
}

/// What a target found out about one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// How the answers stand to each other.
    pub outcome: Outcome,
    /// Whether the input got past the first step: no constraint of it is refused alone, the text is read.
    pub useful: bool,
    /// What was answered, in a word: a verdict, or how far a text came.
    pub answer: &'static str,
}
