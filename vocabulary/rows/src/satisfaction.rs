//! Def. 3.4: when a ground substitution satisfies a constraint.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::composite::Composition;
use crate::constraint::{Constraint, ConstraintSet};
use crate::dim::Dim;
use crate::row::Row;
use crate::term::{DimTerm, DimVar, RowTerm, RowVar, Var};
use crate::verdict::Order;

/// The printed form of the value 0.
pub const ZERO: &str = "0";

/// A ground substitution γ on finitely many variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Ground {
    /// The values of dimension variables.
    pub dims: BTreeMap<DimVar, Dim>,
    /// The values of row variables, with their markers.
    pub rows: BTreeMap<RowVar, Row>,
    /// The dimension variables that are 0 (§8), which is no dimension. They have no value in `dims`.
    pub zeros: BTreeSet<DimVar>,
}

impl Ground {
    /// Returns the value of a dimension term; `None` when a variable of it has no value.
    pub fn dim(&self, term: &DimTerm) -> Option<Dim> {
        match term {
            DimTerm::Var(var) => self.dims.get(var).cloned(),
            DimTerm::Const(dim) => Some(dim.clone()),
        }
    }

    /// Returns the value of a row term, spliced at the marker (Def. 3.2); `None` when a variable of it has no value.
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

    /// Tells whether a term is 0.
    fn is_zero(&self, term: &DimTerm) -> bool {
        matches!(term, DimTerm::Var(var) if self.zeros.contains(var))
    }

    /// Tells whether every variable that is 0 is declared to be one that may be.
    pub fn has_zeros_of(&self, set: &ConstraintSet) -> bool {
        self.zeros.is_subset(&set.summands)
    }

    /// Tells whether a constraint with a 0 in it holds (§8). 0 is equal to and below itself, and neither equal to, nor
    /// below, nor above anything else. A part that is 0 is left out of a concatenation. Nothing else may be 0. `None`
    /// when a variable has no value, or nothing in the constraint is 0.
    fn satisfies_with_zero(&self, constraint: &Constraint) -> Option<bool> {
        let is_zero = |var: Var| matches!(var, Var::Dim(var) if self.zeros.contains(&var));
        if !constraint.occurrences().into_iter().any(is_zero) {
            return None;
        }
        match constraint {
            Constraint::DimEq(a, b) | Constraint::DimLe(a, b) => {
                Some(self.is_zero(a) && self.is_zero(b))
            }
            Constraint::Composite(composite)
                if composite.composition == Composition::Concat
                    && !self.is_zero(&composite.whole) =>
            {
                let mut present = composite.clone();
                present.parts.retain(|part| !self.is_zero(part));
                Some(present.ground(|term| self.dim(term))?.holds())
            }
            _ => Some(false),
        }
    }

    /// Tells whether the constraint holds (Def. 3.4, §8); `None` when a variable of it has no value.
    pub fn satisfies(&self, constraint: &Constraint, order: Order) -> Option<bool> {
        if !self.zeros.is_empty()
            && let Some(holds) = self.satisfies_with_zero(constraint)
        {
            return Some(holds);
        }
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
            Constraint::Flat(flat) => flat.holds(|term| self.dim(term), |row| self.row(row))?,
            Constraint::AtLeast { dim, size } => self.dim(dim)?.size() >= size.get(),
        })
    }

    /// Returns the place of the first constraint that does not hold or has a variable without a value; `None` when γ ∈
    /// Sol(Φ).
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
        self.zeros
            .iter()
            .try_for_each(|var| writeln!(f, "{var} = {ZERO}"))?;
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
        let zeros = self.zeros.iter();
        let zeros = zeros.map(|var| (var.to_string(), ZERO.to_string()));
        serializer.collect_map(dims.chain(zeros).chain(rows))
    }
}

/// An object from variables (`a`, `<r>`) to values in the notation.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for Ground {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Ground".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        BTreeMap::<String, String>::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for Ground {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Ground, D::Error> {
        use serde::de::Error;
        let mut ground = Ground::default();
        for (var, value) in BTreeMap::<Var, String>::deserialize(deserializer)? {
            match var {
                Var::Dim(var) if value.trim() == ZERO => {
                    ground.zeros.insert(var);
                }
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
