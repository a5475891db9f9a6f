//! The effort of a search: a test run, the whole table, or a long survey.

use serde::{Deserialize, Serialize};

/// The time that a search may take. Each search states its own scope at each effort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// The test run: a minute or so in the development profile.
    Quick,
    /// The whole table, within 10 minutes on two cores.
    #[default]
    Full,
    /// Days.
    Long,
}

impl Effort {
    /// Returns the word for it, as in the names of files.
    pub fn word(self) -> &'static str {
        match self {
            Effort::Quick => "quick",
            Effort::Full => "full",
            Effort::Long => "long",
        }
    }

    /// Returns the number of random instances, larger than those of the survey, that are tried.
    pub fn samples(self) -> u64 {
        match self {
            Effort::Quick => 5_000,
            Effort::Full => 100_000,
            Effort::Long => 1_000_000,
        }
    }
}
