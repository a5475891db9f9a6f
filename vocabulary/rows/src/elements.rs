//! Products of which some factors are rows (§8): `n = a * |<r>|`.
//!
//! A row as a factor stands for all of its axes, whatever their number. Once the row is known, this is a product of
//! axes ([`Composite`]), and the empty row counts 1.

use crate::composite::{Composite, Composition};
use crate::dim::Dim;
use crate::row::Row;
use crate::term::{DimTerm, RowTerm, Var};

/// A factor of a product. `T` is the representation of an axis, `R` that of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Factor<T = DimTerm, R = RowTerm> {
    /// One axis.
    Axis(T),
    /// All axes of a row, in order.
    Row(R),
}

/// `n = a * |<r>|`: the size of an axis is the product of the sizes of axes and of all axes of rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Elements<T = DimTerm, R = RowTerm> {
    /// The axis that is made of the factors.
    pub whole: T,
    /// Its factors, in order, of which at least one is a row.
    pub factors: Vec<Factor<T, R>>,
}

impl<T, R> Elements<T, R> {
    /// Returns the whole and the factors that are axes, from left to right.
    pub fn axes(&self) -> impl Iterator<Item = &T> {
        let axes = self.factors.iter().filter_map(|factor| match factor {
            Factor::Axis(axis) => Some(axis),
            Factor::Row(_) => None,
        });
        std::iter::once(&self.whole).chain(axes)
    }

    /// Returns the factors that are rows, from left to right.
    pub fn rows(&self) -> impl Iterator<Item = &R> {
        self.factors.iter().filter_map(|factor| match factor {
            Factor::Axis(_) => None,
            Factor::Row(row) => Some(row),
        })
    }

    /// Returns the product of the axes, with what a function says of the axes of each row; `None` where it says
    /// nothing.
    pub fn product<U>(
        &self,
        mut axis: impl FnMut(&T) -> Option<U>,
        mut row: impl FnMut(&R) -> Option<Vec<U>>,
    ) -> Option<Composite<U>> {
        let whole = axis(&self.whole)?;
        let mut parts = Vec::with_capacity(self.factors.len());
        for factor in &self.factors {
            match factor {
                Factor::Axis(own) => parts.push(axis(own)?),
                Factor::Row(own) => parts.extend(row(own)?),
            }
        }
        Some(Composite {
            composition: Composition::Product,
            whole,
            parts,
        })
    }
}

impl<T, R> Elements<T, R> {
    /// Returns the product over other axes and rows.
    pub fn map<U, S>(
        &self,
        mut axis: impl FnMut(&T) -> U,
        mut row: impl FnMut(&R) -> S,
    ) -> Elements<U, S> {
        Elements {
            whole: axis(&self.whole),
            factors: self
                .factors
                .iter()
                .map(|factor| match factor {
                    Factor::Axis(own) => Factor::Axis(axis(own)),
                    Factor::Row(own) => Factor::Row(row(own)),
                })
                .collect(),
        }
    }
}

impl Elements {
    /// Returns the whole, and every axis that is written, also in a row, from left to right.
    pub fn written(&self) -> impl Iterator<Item = &DimTerm> {
        let factors = self.factors.iter().flat_map(|factor| {
            let (axis, row) = match factor {
                Factor::Axis(axis) => (Some(axis), None),
                Factor::Row(row) => (None, Some(row)),
            };
            axis.into_iter()
                .chain(row.into_iter().flat_map(RowTerm::axes))
        });
        std::iter::once(&self.whole).chain(factors)
    }

    /// Returns the product of axes that it is once its rows are closed; `None` while a row is open.
    pub fn closed(&self) -> Option<Composite> {
        let axes = |row: &RowTerm| row.var.is_none().then(|| row.axes().cloned().collect());
        self.product(|axis| Some(axis.clone()), axes)
    }

    /// Returns every occurrence of a variable, from left to right.
    pub fn occurrences(&self) -> Vec<Var> {
        let mut all: Vec<Var> = self.whole.var().into_iter().collect();
        for factor in &self.factors {
            match factor {
                Factor::Axis(axis) => all.extend(axis.var()),
                Factor::Row(row) => all.extend(row.occurrences()),
            }
        }
        all
    }

    /// Returns the product of the values of its terms; `None` when a term has no value.
    pub fn ground(
        &self,
        dim: impl FnMut(&DimTerm) -> Option<Dim>,
        mut row: impl FnMut(&RowTerm) -> Option<Row>,
    ) -> Option<Composite<Dim>> {
        self.product(dim, |own| {
            let Row {
                leading, trailing, ..
            } = row(own)?;
            Some([leading, trailing].concat())
        })
    }
}
