//! The kinds of refusals of closed shapes, and which of them are warnings.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of refusal of a program whose shapes are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Check {
    /// A result has an axis that no operand has.
    R1,
    /// A composition has an axis without a counterpart on the other side, or contracts no axis.
    R2,
    /// Nothing determines a row of a parameter, which was therefore closed to the empty row.
    R3,
    /// A result has more axes than any operand, because its operands are aligned from different ends.
    R4,
    /// A parameter has axes only because its update reads another parameter.
    R5,
    /// A function or a reduction is over the output axes of a tensor that has none.
    R6,
}

impl Check {
    /// Every check.
    pub const ALL: [Check; 6] = [
        Check::R1,
        Check::R2,
        Check::R3,
        Check::R4,
        Check::R5,
        Check::R6,
    ];

    /// Returns the condition that is refused, in one line.
    pub fn meaning(self) -> &'static str {
        match self {
            Check::R1 => "a result has an axis that no operand has",
            Check::R2 => {
                "a composition has an axis that meets none of the other side, or contracts none"
            }
            Check::R3 => "nothing determines the axes of a parameter",
            Check::R4 => {
                "operands are paired from different ends of a row, so that the result is longer than each"
            }
            Check::R5 => "a parameter has axes only because its update reads another parameter",
            Check::R6 => "something is over the output axes of a tensor that has none",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::str::FromStr for Check {
    type Err = String;

    fn from_str(name: &str) -> Result<Check, String> {
        let found = Check::ALL
            .into_iter()
            .find(|check| check.to_string() == name);
        found.ok_or_else(|| {
            let names: Vec<String> = Check::ALL.iter().map(Check::to_string).collect();
            let last = names.len() - 1;
            format!(
                "`{name}` is none of {} and {}",
                names[..last].join(", "),
                names[last]
            )
        })
    }
}

/// The checks that give warnings instead of errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowed(u8);

impl Allowed {
    /// Returns the same checks and one more.
    pub fn and(self, check: Check) -> Allowed {
        Allowed(self.0 | check.bit())
    }

    /// Tells whether a check gives only warnings.
    pub fn contains(self, check: Check) -> bool {
        self.0 & check.bit() != 0
    }
}
