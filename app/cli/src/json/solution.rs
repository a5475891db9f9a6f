//! Solutions as text and as data, in the natural order of names: a2 before a10.

use std::collections::BTreeMap;
use std::fmt;

use lozenge_vocabulary::{Dim, DimVar, Ground, Row, RowVar};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::natural::Natural;

/// A solution, to be shown: an object from variables (`a`, `<r>`) to values in the notation, dimensions first.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(with = "BTreeMap<String, String>")]
pub struct Values {
    /// `None` where the size is 0, which is no dimension.
    dims: Vec<(DimVar, Option<Dim>)>,
    rows: Vec<(RowVar, Row)>,
}

impl From<Ground> for Values {
    fn from(ground: Ground) -> Values {
        let zeros = ground.zeros.into_iter().map(|var| (var, None));
        let dims = ground.dims.into_iter().map(|(var, dim)| (var, Some(dim)));
        let mut dims: Vec<(DimVar, Option<Dim>)> = dims.chain(zeros).collect();
        let mut rows: Vec<(RowVar, Row)> = ground.rows.into_iter().collect();
        dims.sort_by(|(a, _), (b, _)| Natural::new(a.name()).cmp(&Natural::new(b.name())));
        rows.sort_by(|(a, _), (b, _)| Natural::new(a.name()).cmp(&Natural::new(b.name())));
        Values { dims, rows }
    }
}

impl Values {
    /// Lists each variable with its value, both in the notation.
    pub fn pairs(&self) -> impl Iterator<Item = (String, String)> {
        let dims = self.dims.iter();
        let rows = self.rows.iter();
        dims.map(|(var, dim)| (var.to_string(), shown(dim.as_ref())))
            .chain(rows.map(|(var, row)| (var.to_string(), row.to_string())))
    }

    /// Lists each variable in the notation, with the constraint that gives it its value.
    pub fn lines(&self) -> impl Iterator<Item = (String, String)> {
        let dims = self.dims.iter();
        let rows = self.rows.iter();
        dims.map(|(var, dim)| (var.to_string(), format!("{var} = {}", shown(dim.as_ref()))))
            .chain(rows.map(|(var, row)| (var.to_string(), format!("{var} ~ {row}"))))
    }
}

/// Returns a dimension, or 0.
fn shown(dim: Option<&Dim>) -> String {
    dim.map_or_else(|| "0".into(), Dim::to_string)
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (var, dim) in &self.dims {
            writeln!(f, "{var} = {}", shown(dim.as_ref()))?;
        }
        for (var, row) in &self.rows {
            writeln!(f, "{var} ~ {row}")?;
        }
        Ok(())
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.pairs())
    }
}
