//! Ground satisfaction: the definition of when values satisfy equations.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::dim::{DimNode, Pool};
use crate::name::{DimId, DimVar, Op, ShapeVar, Variable};
use crate::set::Equation;
use crate::word::{Piece, Word};

/// The reason for which an assignment neither satisfies nor violates a set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Undecided {
    /// A name has no value.
    #[error("`{0}` has no value")]
    NoValue(String),
    /// A number left 128 bits.
    #[error("`{0}` does not fit 128 bits")]
    TooLarge(String),
    /// A term holds a ragged dimension, which is no integer.
    #[error("`{0}` is ragged")]
    Ragged(String),
}

/// Values for names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Assignment {
    /// The values of dimensions.
    pub dims: BTreeMap<DimVar, i64>,
    /// The values of shapes.
    pub shapes: BTreeMap<ShapeVar, Vec<i64>>,
}

/// The values of terms; none for a term without value.
type Values = FxHashMap<DimId, Option<i128>>;

impl Assignment {
    /// Returns the assignment with a value for a dimension. A name that the pool does not have as a dimension changes
    /// nothing.
    pub fn with_dim(mut self, pool: &Pool, name: &str, value: i64) -> Assignment {
        if let Some(Variable::Dim(variable)) = pool.named(name) {
            self.dims.insert(variable, value);
        }
        self
    }

    /// Returns the assignment with a value for a shape. A name that the pool does not have as a shape changes nothing.
    pub fn with_shape(
        mut self,
        pool: &Pool,
        name: &str,
        value: impl IntoIterator<Item = i64>,
    ) -> Assignment {
        if let Some(Variable::Shape(variable)) = pool.named(name) {
            self.shapes.insert(variable, value.into_iter().collect());
        }
        self
    }

    /// Decides whether the values satisfy all equations. Every value that is given has to be at least 1.
    ///
    /// # Errors
    /// If a name has no value, a number leaves 128 bits, or a dimension is ragged.
    pub fn satisfies(&self, pool: &Pool, equations: &[Equation]) -> Result<bool, Undecided> {
        let is_positive = |value: &i64| *value >= 1;
        if !self.dims.values().all(is_positive) || !self.shapes.values().flatten().all(is_positive)
        {
            return Ok(false);
        }
        let dims = equations.iter().flat_map(Equation::dims);
        let values = self.values(pool, dims)?;
        for equation in equations {
            let (left, right) = match equation {
                Equation::Dims(left, right) => (vec![values[left]], vec![values[right]]),
                Equation::Shapes(left, right) => (
                    self.shape(pool, left, &values)?,
                    self.shape(pool, right, &values)?,
                ),
            };
            let is_shape =
                |axes: &[Option<i128>]| axes.iter().all(|axis| axis.is_some_and(|size| size >= 1));
            if left != right || !is_shape(&left) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Computes the value of a term; none if it divides by 0.
    ///
    /// # Errors
    /// If a name has no value, a number leaves 128 bits, or a dimension is ragged.
    pub fn value(&self, pool: &Pool, dim: DimId) -> Result<Option<i128>, Undecided> {
        Ok(self.values(pool, [dim])?[&dim])
    }

    fn values(
        &self,
        pool: &Pool,
        dims: impl IntoIterator<Item = DimId>,
    ) -> Result<Values, Undecided> {
        let mut values = Values::default();
        for dim in pool.with_parts(dims) {
            let value = match pool.node(dim) {
                DimNode::Number(number) => Some(i128::from(number)),
                DimNode::Var(variable) => match self.dims.get(&variable) {
                    Some(value) => Some(i128::from(*value)),
                    None => return Err(Undecided::NoValue(pool.dim_name(variable).to_string())),
                },
                DimNode::Ragged(_) => return Err(Undecided::Ragged(pool.show(dim).to_string())),
                DimNode::Op(op, left, right) => match (values[&left], values[&right]) {
                    (Some(_), Some(0)) if op == Op::Divide => None,
                    (Some(left), Some(right)) => match op.apply(left, right) {
                        Some(value) => Some(value),
                        None => return Err(Undecided::TooLarge(pool.show(dim).to_string())),
                    },
                    _ => None,
                },
            };
            values.insert(dim, value);
        }
        Ok(values)
    }

    fn shape(
        &self,
        pool: &Pool,
        word: &Word,
        values: &Values,
    ) -> Result<Vec<Option<i128>>, Undecided> {
        let mut axes = Vec::new();
        for piece in &word.0 {
            match piece {
                Piece::Axis(dim) => axes.push(values[dim]),
                Piece::Shape(variable) => match self.shapes.get(variable) {
                    Some(value) => axes.extend(value.iter().map(|size| Some(i128::from(*size)))),
                    None => {
                        return Err(Undecided::NoValue(pool.shape_name(*variable).to_string()));
                    }
                },
            }
        }
        Ok(axes)
    }
}
