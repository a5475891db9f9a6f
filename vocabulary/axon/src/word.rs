//! Shapes: words whose letters are dimensions and whose variables are names of shapes.

use crate::dim::Pool;
use crate::name::{DimId, ShapeVar, Variable};

/// A part of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// One axis.
    Axis(DimId),
    /// The axes of a name.
    Shape(ShapeVar),
}

/// A shape: the appending of its pieces, the outermost first. Without pieces it is that of a scalar.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word(pub Vec<Piece>);

impl Word {
    /// Returns the shape of a scalar.
    pub fn empty() -> Word {
        Word::default()
    }

    /// Returns the shape that a name stands for.
    pub fn name(variable: ShapeVar) -> Word {
        Word(vec![Piece::Shape(variable)])
    }

    /// Returns a shape of known rank.
    pub fn list(axes: impl IntoIterator<Item = DimId>) -> Word {
        Word(axes.into_iter().map(Piece::Axis).collect())
    }

    /// Returns `self@other`.
    pub fn append(mut self, other: &Word) -> Word {
        self.0.extend_from_slice(&other.0);
        self
    }

    /// Returns the axes if the rank is known.
    pub fn axes(&self) -> Option<Vec<DimId>> {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Axis(dim) => Some(*dim),
                Piece::Shape(_) => None,
            })
            .collect()
    }

    /// Returns the dimensions that are written.
    pub fn dims(&self) -> impl DoubleEndedIterator<Item = DimId> + '_ {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Axis(dim) => Some(*dim),
            Piece::Shape(_) => None,
        })
    }

    /// Returns the names of shapes that are written, in order, as often as written.
    pub fn shapes(&self) -> impl DoubleEndedIterator<Item = ShapeVar> + '_ {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Axis(_) => None,
            Piece::Shape(variable) => Some(*variable),
        })
    }

    /// Returns all names, in order of appearance; a name may repeat.
    pub fn variables(&self, pool: &Pool) -> Vec<Variable> {
        let mut variables = Vec::new();
        for piece in &self.0 {
            match piece {
                Piece::Axis(dim) => {
                    variables.extend(pool.variables(*dim).into_iter().map(Variable::Dim));
                }
                Piece::Shape(variable) => variables.push(Variable::Shape(*variable)),
            }
        }
        variables
    }
}
