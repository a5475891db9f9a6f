//! The form in which a value of the graph is held while the program is written.

use lozenge_graph_vocabulary::ConstantId;

/// A value of the graph.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// A tensor of the program.
    Tensor(Tensor),
    /// Numbers that are known here: integers, from which sizes are computed, or few real numbers.
    Known(Known),
    /// Numbers that stay in the file.
    Stored(ConstantId, Vec<u64>),
    /// One number in every cell.
    Filled(Vec<u64>, f64),
    /// Nothing: its node has no lines, or leaves this output out for the reason that is told.
    Nothing(Option<String>),
}

/// A tensor of the program.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    /// The name in the program.
    pub name: String,
    /// The size of each axis.
    pub sizes: Vec<u64>,
}

/// Numbers that are known here, in the order of rows.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// The size of each axis.
    pub sizes: Vec<u64>,
    /// The numbers.
    pub numbers: Numbers,
}

/// Numbers of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Numbers {
    /// Integers, or truth values as 0 and 1.
    Integers(Vec<i64>),
    /// Real numbers.
    Reals(Vec<f64>),
}

impl Known {
    /// Makes a list of integers.
    pub fn list(numbers: Vec<i64>) -> Self {
        Self {
            sizes: vec![numbers.len() as u64],
            numbers: Numbers::Integers(numbers),
        }
    }

    /// Gives the integers.
    pub fn integers(&self) -> Option<&[i64]> {
        match &self.numbers {
            Numbers::Integers(numbers) => Some(numbers),
            Numbers::Reals(_) => None,
        }
    }

    /// Gives the number, if there is one alone and it is real.
    pub fn real(&self) -> Option<f64> {
        match &self.numbers {
            Numbers::Reals(numbers) if numbers.len() == 1 => Some(numbers[0]),
            _ => None,
        }
    }
}

impl Held {
    /// Gives the sizes, if the value is there.
    pub fn sizes(&self) -> Option<&[u64]> {
        match self {
            Self::Tensor(tensor) => Some(&tensor.sizes),
            Self::Known(known) => Some(&known.sizes),
            Self::Stored(_, sizes) | Self::Filled(sizes, _) => Some(sizes),
            Self::Nothing(_) => None,
        }
    }
}
