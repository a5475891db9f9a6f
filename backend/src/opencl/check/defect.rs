//! The findings of the verification of a plan: the checks, and a defect.

use std::fmt;

/// The checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// Every address lies in its buffer.
    Bounds,
    /// Every cell is written, once.
    Coverage,
    /// No cell is stored by two work-items.
    Races,
    /// Every value that is read was written before.
    Stages,
    /// The values that are combined in a cell are those of the loop nest.
    Points,
    /// Parts start from the neutral element and are combined by the operator.
    Values,
    /// A core has enough registers and local memory.
    Limits,
}

impl Check {
    /// Returns the name of the check.
    pub fn word(self) -> &'static str {
        match self {
            Check::Bounds => "bounds",
            Check::Coverage => "coverage",
            Check::Races => "races",
            Check::Stages => "stages",
            Check::Points => "points",
            Check::Values => "values",
            Check::Limits => "limits",
        }
    }
}

/// A defect of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The check that found it.
    pub check: Check,
    /// The finding of the check.
    pub detail: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check.word(), self.detail)
    }
}

/// Returns the error that a check has found this defect.
pub(crate) fn defect<T>(check: Check, detail: impl Into<String>) -> Result<T, Defect> {
    Err(Defect {
        check,
        detail: detail.into(),
    })
}
