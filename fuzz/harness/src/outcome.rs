//! The outcome of a comparison on one input.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::known_difference::KnownDifference;

/// Two answers that cannot both be right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Disagreement {
    /// The check that failed, in a few words that do not depend on the input, since minimisation has to preserve it.
    pub check: String,
    /// The parties with their answers.
    pub answers: Vec<(String, String)>,
}

impl Disagreement {
    /// Returns a failed check.
    pub fn new(check: &str) -> Disagreement {
        Disagreement {
            check: check.into(),
            answers: Vec::new(),
        }
    }

    /// Adds the answer of a party.
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

/// The relation between the answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// They agree.
    Agree,
    /// They differ in a way that has a name and an argument.
    Differ(&'static KnownDifference),
    /// A party reached a limit, and no two parties contradict each other. This never counts as agreement.
    Unknown(String),
    /// A defect in one of the parties.
    Disagree(Box<Disagreement>),
}

impl Outcome {
    /// Returns a text that identifies the outcome, which minimisation has to preserve.
    pub fn key(&self) -> String {
        match self {
            Outcome::Agree => "agree".into(),
            Outcome::Differ(class) => class.name.into(),
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

/// The result of a target on one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The relation between the answers.
    pub outcome: Outcome,
    /// True if the input got past the first step: no constraint is refused alone, or the text can be read.
    pub useful: bool,
    /// The answer in a word: a verdict, or how far a text was processed.
    pub answer: &'static str,
}
