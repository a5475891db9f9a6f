//! Conditions on sums of loop variables: guards, by which points are skipped, and ties, by which points write a cell.

/// The variable of a loop of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    /// The variable of a free loop, by its place.
    Free(usize),
    /// The variable of a reduced loop, by its place.
    Reduced(usize),
}

impl Variable {
    /// Returns the name of the variable in a kernel. Loops along which tiles lie do not occur in conditions.
    pub fn name(self) -> String {
        match self {
            Variable::Free(number) => format!("i{number}"),
            Variable::Reduced(number) => format!("k{number}"),
        }
    }
}

/// A sum of loop variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    /// Coefficients, each at least 1, with their variables.
    pub terms: Vec<(u64, Variable)>,
    /// The constant that is added.
    pub offset: i64,
}

impl Sum {
    /// Returns the last reduced loop that the sum reads.
    pub fn last(&self) -> Option<usize> {
        let reduced = self
            .terms
            .iter()
            .filter_map(|(_, variable)| match variable {
                Variable::Reduced(number) => Some(*number),
                Variable::Free(_) => None,
            });
        reduced.max()
    }

    /// Returns the coefficient of a reduced loop; 0 if the sum does not contain it.
    pub fn coefficient(&self, number: usize) -> u64 {
        let own = self
            .terms
            .iter()
            .filter(|(_, variable)| *variable == Variable::Reduced(number));
        own.map(|(coefficient, _)| coefficient).sum()
    }
}

/// The condition that a sum is an index within an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guard {
    /// The index.
    pub sum: Sum,
    /// The size of the axis.
    pub size: u64,
    /// True if the axis is the written tensor's.
    pub written: bool,
}

/// The condition that a sum is the position of the cell along an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tie {
    /// The index.
    pub sum: Sum,
    /// The variable that holds the position.
    pub cell: Variable,
}
