//! The answers of `oracle`: those of the package `oracle`, gathered for a command that asks several questions.

use std::collections::BTreeMap;

use lozenge_oracle::{Answered, Limited, OracleReport, Reason, Second};
use lozenge_vocabulary::Ground;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer of `oracle`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Oracle {
    /// One question about a constraint set.
    Answered(Box<Answered>),
    /// Several questions about a constraint set.
    Several {
        /// An answer for each.
        answers: Vec<OracleReport>,
    },
    /// The shapes of a program can be completed.
    Completed {
        /// A completion.
        first: Ground,
        /// The values that all completions share, of the rows of written tensors.
        forced: BTreeMap<String, String>,
        /// Another completion, or why it is not known whether there is one; `null` where there is none.
        second: Second,
    },
    /// The shapes of a program cannot be completed.
    Excluded {
        /// The lines that exclude each other.
        core: Vec<String>,
        /// The reason why fewer may do.
        doubt: Option<Reason>,
    },
    /// Nothing is known of a program.
    Undecided(Limited),
}

impl Oracle {
    /// Returns the answers to questions about a set, of which at least one was asked.
    pub fn of_set(mut answers: Vec<OracleReport>) -> Oracle {
        match answers.len() {
            1 => Oracle::Answered(Box::new(answers.remove(0).answered)),
            _ => Oracle::Several { answers },
        }
    }
}
