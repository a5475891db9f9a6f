//! Def. 3.4: when a ground substitution satisfies a constraint.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::constraint::Constraint;
use crate::dim::Dim;
use crate::row::Row;
use crate::term::{DimTerm, DimVar, RowTerm, RowVar, Var};
use crate::verdict::Order;

/// A ground substitution γ on finitely many variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Ground {
    /// The values of dimension variables.
    pub dims: BTreeMap<DimVar, Dim>,
    /// The values of row variables, with their markers.
    pub rows: BTreeMap<RowVar, Row>,
}

impl Ground {
    /// The value of a dimension term; `None` when a variable of it has no value.
    pub fn dim(&self, term: &DimTerm) -> Option<Dim> {
        match term {
            DimTerm::Var(var) => self.dims.get(var).cloned(),
            DimTerm::Const(dim) => Some(dim.clone()),
        }
    }

    /// The value of a row term, spliced at the marker (Def. 3.2); `None` when a variable of it has no value.
    pub fn row(&self, term: &RowTerm) -> Option<Row> {
        let flank = |terms: &[DimTerm]| {
            terms
                .iter()
                .map(|t| self.dim(t))
                .collect::<Option<Vec<Dim>>>()
        };
        let mut row = Row::new(flank(&term.leading)?, Vec::new());
        let trailing = flank(&term.trailing)?;
        if let Some(var) = &term.var {
            let value = self.rows.get(var)?;
            row.leading.extend_from_slice(&value.leading);
            row.trailing.extend_from_slice(&value.trailing);
        }
        row.trailing.extend(trailing);
        Some(row)
    }

    /// Whether the constraint holds (Def. 3.4, §8); `None` when a variable of it has no value.
    pub fn satisfies(&self, constraint: &Constraint, order: Order) -> Option<bool> {
        Some(match constraint {
            Constraint::DimEq(a, b) => self.dim(a)? == self.dim(b)?,
            Constraint::DimLe(a, b) => self.dim(a)?.below(&self.dim(b)?),
            Constraint::RowEq(a, b) => self.row(a)?.flat_equivalent(&self.row(b)?),
            Constraint::RowLe(a, b) => match order {
                Order::Marked => self.row(a)?.below(&self.row(b)?),
                Order::OneShot => self.row(a)?.below_one_shot(&self.row(b)?),
            },
            Constraint::Window(window) => window.ground(|term| self.dim(term))?.holds(),
            Constraint::Composite(composite) => composite.ground(|term| self.dim(term))?.holds(),
            Constraint::Elements(elements) => elements
                .ground(|term| self.dim(term), |row| self.row(row))?
                .holds(),
            Constraint::AtLeast { dim, size } => self.dim(dim)?.size() >= size.get(),
        })
    }

    /// The place of the first constraint that does not hold or has a variable without a value; `None` when γ ∈ Sol(Φ).
    pub fn first_violated(&self, constraints: &[Constraint], order: Order) -> Option<usize> {
        constraints
            .iter()
            .position(|c| self.satisfies(c, order) != Some(true))
    }
}

/// One `variable = value` a line, rows with their markers.
impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.dims
            .iter()
            .try_for_each(|(var, dim)| writeln!(f, "{var} = {dim}"))?;
        self.rows
            .iter()
            .try_for_each(|(var, row)| writeln!(f, "{var} ~ {row}"))
    }
}

/// A JSON object from variables (`"a"`, `"<r>"`) to values in the notation.
impl Serialize for Ground {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let dims = self
            .dims
            .iter()
            .map(|(var, dim)| (var.to_string(), dim.to_string()));
        let rows = self
            .rows
            .iter()
            .map(|(var, row)| (var.to_string(), row.to_string()));
        serializer.collect_map(dims.chain(rows))
    }
}

impl<'de> Deserialize<'de> for Ground {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Ground, D::Error> {
        use serde::de::Error;
        let mut ground = Ground::default();
        for (var, value) in BTreeMap::<Var, String>::deserialize(deserializer)? {
            match var {
                Var::Dim(var) => {
                    ground
                        .dims
                        .insert(var, value.parse().map_err(D::Error::custom)?);
                }
                Var::Row(var) => {
                    ground
                        .rows
                        .insert(var, value.parse().map_err(D::Error::custom)?);
                }
            }
        }
        Ok(ground)
    }
}
