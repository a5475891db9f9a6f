//! The agreement of several answers: the line at the end of `check`.

use std::fmt;

use serde::Serialize;

use crate::outcome::Outcome;

/// The relation between the answers. The order is from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// All agree about satisfiability.
    Agree,
    /// Policy refuses a satisfiable set, in both policy solvers or in one of them (they commit in different orders).
    PolicyGap,
    /// The printed rules of a document stop short, in a way that has a name, or accept what is refused.
    StopsShort,
    /// A party reached a limit, and no two parties contradict each other. This never counts as agreement.
    Unknown,
    /// A defect in one of the parties.
    Disagree,
}

impl Agreement {
    /// Says whether the verdicts are consistent; `None` when a limit was reached before that could be decided.
    pub fn consistent(self) -> Option<bool> {
        match self {
            Agreement::Agree | Agreement::PolicyGap | Agreement::StopsShort => Some(true),
            Agreement::Unknown => None,
            Agreement::Disagree => Some(false),
        }
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Agreement::Agree => "agree",
            Agreement::PolicyGap => "agree, with a policy gap",
            Agreement::StopsShort => "agree, but for printed rules that stop short",
            Agreement::Unknown => "unknown",
            Agreement::Disagree => "disagree",
        })
    }
}

/// A named difference is a gap of policy.
impl From<&Outcome> for Agreement {
    fn from(outcome: &Outcome) -> Agreement {
        match outcome {
            Outcome::Agree => Agreement::Agree,
            Outcome::Differ(_) => Agreement::PolicyGap,
            Outcome::Unknown(_) => Agreement::Unknown,
            Outcome::Disagree(_) => Agreement::Disagree,
        }
    }
}
