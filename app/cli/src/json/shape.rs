//! Dimensions, rows and shapes as data.

use lozenge_vocabulary::operation::{Kind, Shape};
use lozenge_vocabulary::{Dim, Row};
use schemars::JsonSchema;
use serde::Serialize;

/// An axis: `{"size": 3, "basis": "rgb"}`, and `{"size": 1, "basis": null}` for the claim-free unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Axis", deny_unknown_fields)]
pub struct AxisData {
    /// The size of the axis.
    pub size: u64,
    /// Its basis; `null` for the claim-free unit, which broadcasts.
    pub basis: Option<String>,
}

/// A row: its axes, and where the marker stands among them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Row", deny_unknown_fields)]
pub struct RowData {
    /// The axes, from the front.
    pub axes: Vec<AxisData>,
    /// The number of axes before the marker.
    pub marker: usize,
}

/// The shape of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Shape", deny_unknown_fields)]
pub struct ShapeData {
    /// The axes of independent instances.
    pub batch: RowData,
    /// The axes that a linear map reads.
    pub input: RowData,
    /// The axes that it writes, and all axes of a tensor that is no linear map.
    pub output: RowData,
}

impl From<&Dim> for AxisData {
    fn from(dim: &Dim) -> AxisData {
        AxisData {
            size: dim.size(),
            basis: match dim {
                Dim::Unit => None,
                Dim::Atom { basis, .. } => Some(basis.name().to_string()),
            },
        }
    }
}

impl From<&Row> for RowData {
    fn from(row: &Row) -> RowData {
        RowData {
            axes: row.flat().iter().map(AxisData::from).collect(),
            marker: row.leading.len(),
        }
    }
}

impl From<&Shape<Row>> for ShapeData {
    fn from(shape: &Shape<Row>) -> ShapeData {
        let row = |kind| RowData::from(shape.row(kind));
        ShapeData {
            batch: row(Kind::Batch),
            input: row(Kind::Input),
            output: row(Kind::Output),
        }
    }
}
