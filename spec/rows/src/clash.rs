//! The ways in which a rule can fail. Messages are built here only, so that rules return data.

use std::fmt;

use lozenge_vocabulary::alignment::Flank;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::rule;
use lozenge_vocabulary::term::{DimVar, RowTerm, RowVar, Var};

/// The contradiction on which a rule fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clash {
    /// Two different constants would have to be equal.
    Unequal(Dim, Dim),
    /// A constant would have to be below an atom that differs from it.
    NotBelow {
        /// The axis of the result.
        result: Dim,
        /// The axis of the operand.
        operand: Dim,
    },
    /// Two closed rows of different ranks would have to be equal.
    Ranks(usize, usize),
    /// An open row has more axes than the closed row to which it would have to be equal.
    Overflow {
        /// The axes written out in the open row.
        open: usize,
        /// The axes of the closed row.
        closed: usize,
    },
    /// A row variable would have to equal a row that contains it and further axes.
    LongerThanItself(RowVar),
    /// A flank of a closed result is shorter than the operand's.
    Short {
        /// The flank.
        flank: Flank,
        /// Its length in the result.
        result: usize,
        /// Its length in the operand.
        operand: usize,
    },
    /// A closed result has fewer axes than the operand (one-shot).
    FewAxes {
        /// The axes of the result.
        result: usize,
        /// The axes written out in the operand.
        operand: usize,
    },
    /// A flank of a row would have to be longer than itself, by the rank facts.
    Cycle {
        /// The row.
        row: RowVar,
        /// The flank.
        flank: Flank,
    },
    /// Sizes that do not fit, in words (§8).
    Sizes(String),
    /// The constraints do not determine the size of an axis (§8).
    OpenSize(DimVar),
    /// A part of a parameter's shape that nothing determines.
    Undetermined(Var),
}

impl Clash {
    /// Returns the first flank on which a result is shorter than the operand.
    pub(crate) fn short(result: &RowTerm, operand: &RowTerm) -> Clash {
        let leads = result.leading.len() < operand.leading.len();
        let (flank, result, operand) = match leads {
            true => (Flank::Leading, &result.leading, &operand.leading),
            false => (Flank::Trailing, &result.trailing, &operand.trailing),
        };
        Clash::Short {
            flank,
            result: result.len(),
            operand: operand.len(),
        }
    }

    /// Returns a constant that is not below the other.
    pub(crate) fn not_below(result: &Dim, operand: &Dim) -> Clash {
        Clash::NotBelow {
            result: result.clone(),
            operand: operand.clone(),
        }
    }

    /// Returns an open row with more axes than the closed row.
    pub(crate) fn overflow(open: &RowTerm, closed: &RowTerm) -> Clash {
        Clash::Overflow {
            open: open.explicit(),
            closed: closed.explicit(),
        }
    }

    /// Tells whether the clash shows that there is no solution, rather than that policy refuses to guess.
    pub fn is_semantic(&self) -> bool {
        !matches!(self, Clash::Undetermined(_) | Clash::OpenSize(_))
    }

    /// Returns the constraint to report for a failed closing step, which consumes none: a trivial one about the
    /// variable.
    pub(crate) fn about(&self) -> Constraint {
        match self {
            Clash::Undetermined(Var::Dim(var)) => {
                Constraint::DimLe(Dim::Unit.into(), var.clone().into())
            }
            Clash::OpenSize(var) => Constraint::DimLe(Dim::Unit.into(), var.clone().into()),
            Clash::Undetermined(Var::Row(row))
            | Clash::LongerThanItself(row)
            | Clash::Cycle { row, .. } => Constraint::RowLe(row.clone().into(), row.clone().into()),
            _ => Constraint::RowLe(RowTerm::default(), RowTerm::default()),
        }
    }
}

fn side(flank: Flank) -> &'static str {
    match flank {
        Flank::Leading => "in front of",
        Flank::Trailing => "behind",
    }
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Clash::Unequal(a, b) => f.write_str(&rule::unequal(a, b)),
            Clash::NotBelow { result, operand } => f.write_str(&rule::not_below(result, operand)),
            Clash::Ranks(a, b) => write!(f, "one row has {a} axes, the other {b}"),
            Clash::Overflow { open, closed } => write!(
                f,
                "the open row has at least {open} axes, the closed one {closed}"
            ),
            Clash::LongerThanItself(row) => {
                write!(f, "{row} would have to be longer than itself")
            }
            Clash::Short {
                flank,
                result,
                operand,
            } => write!(
                f,
                "the result has {result} axes {} its marker, the operand needs {operand}",
                side(*flank)
            ),
            Clash::FewAxes { result, operand } => write!(
                f,
                "the result has {result} axes, the operand needs {operand}"
            ),
            Clash::Cycle { row, flank } => write!(
                f,
                "{row} would need more axes {} its marker than itself",
                side(*flank)
            ),
            Clash::Sizes(words) => f.write_str(words),
            Clash::OpenSize(var) => write!(f, "nothing says how long {var} is"),
            Clash::Undetermined(var) => {
                let what = match var {
                    Var::Dim(_) => "its size",
                    Var::Row(_) => "its axes",
                };
                write!(
                    f,
                    "{var} belongs to a parameter and nothing determines {what}: an unspecified hidden dimension"
                )
            }
        }
    }
}
