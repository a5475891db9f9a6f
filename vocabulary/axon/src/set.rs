//! Sets of equations.

use crate::dim::Pool;
use crate::name::{DimId, Variable};
use crate::word::Word;

/// An equation of two shapes or of two dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Equation {
    /// Two shapes are equal: they have one rank, and equal sizes at each axis.
    Shapes(Word, Word),
    /// Two dimensions are equal.
    Dims(DimId, DimId),
}

impl Equation {
    /// Returns all names, in order of appearance; a name may repeat.
    pub fn variables(&self, pool: &Pool) -> Vec<Variable> {
        match self {
            Equation::Shapes(left, right) => {
                let mut variables = left.variables(pool);
                variables.extend(right.variables(pool));
                variables
            }
            Equation::Dims(left, right) => [left, right]
                .into_iter()
                .flat_map(|dim| pool.variables(*dim))
                .map(Variable::Dim)
                .collect(),
        }
    }

    /// Returns the dimensions that are axes or sides, each of which has to be at least 1.
    pub fn dims(&self) -> Vec<DimId> {
        match self {
            Equation::Shapes(left, right) => left.dims().chain(right.dims()).collect(),
            Equation::Dims(left, right) => vec![*left, *right],
        }
    }
}

/// A set of equations with the pool of its names and terms. Its notation is that of `.shapes` files.
#[derive(Clone, Debug, Default)]
pub struct Set {
    /// The names and the terms.
    pub pool: Pool,
    /// The equations, in the order of their lines.
    pub equations: Vec<Equation>,
    /// The line of each equation in the text that was read, from 1.
    pub lines: Vec<u32>,
}

impl Set {
    /// Adds an equation on the next line.
    pub fn push(&mut self, equation: Equation) {
        self.equations.push(equation);
        self.lines
            .push(self.lines.last().map_or(1, |line| line + 1));
    }
}
