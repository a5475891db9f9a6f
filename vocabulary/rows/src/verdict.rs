//! The words with which every party answers, and the two readings of `<=` between rows.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The answer to "is there a solution?".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The set has a solution.
    Sat,
    /// The set has no solution: no policy step lies upstream of the failure.
    Unsat,
    /// A policy commitment cannot be extended; the set may be satisfiable.
    Rejected,
    /// A stated limit was reached. This never counts as agreement.
    Unknown,
}

impl Verdict {
    /// Returns the word that stands for it in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Sat => "sat",
            Verdict::Unsat => "unsat",
            Verdict::Rejected => "rejected",
            Verdict::Unknown => "unknown",
        }
    }

    /// Returns the verdict of a word; `None` where there is none of that word.
    pub fn from_word(word: &str) -> Option<Verdict> {
        let all = [
            Verdict::Sat,
            Verdict::Unsat,
            Verdict::Rejected,
            Verdict::Unknown,
        ];
        all.into_iter().find(|verdict| verdict.word() == word)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The meaning of `<=` between rows. The two are never mixed in one question.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The marked row order of Def. 2.3.
    #[default]
    Marked,
    /// The one-shot relation of Rem. 2.15(ii): the result is read by its flat content.
    OneShot,
}
