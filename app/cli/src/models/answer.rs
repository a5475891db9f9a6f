//! The answer of `lozenge sizes` for programs.

use std::collections::BTreeMap;

use lozenge_gradual_solver as gradual;
use lozenge_gradual_solver::Point;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer of `sizes`: the set of admitted sizes or, with `--at`, what holds at the points.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Body {
    /// The set: cases with the shapes of inputs and outputs in input symbols, and the values of these. Only without
    /// `--at`.
    #[serde(flatten)]
    pub(super) set: Option<gradual::Report>,
    /// The type of each value of the graph in input symbols, where all admitted sizes give it the same one. Only
    /// without `--at`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nodes: Option<BTreeMap<String, String>>,
    /// The differences from the set that was written down. Only with `--against`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) against: Option<Vec<gradual::LockDifference>>,
    /// The points, in the order in which they were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) points: Option<Vec<PointBody>>,
    /// That of the only point.
    #[serde(flatten)]
    pub(super) only: Option<Held>,
}

/// The answer about one point.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PointBody {
    /// The sizes of each input that was given, or the value of an integer.
    pub(super) at: Point,
    #[serde(flatten)]
    pub(super) held: Held,
    /// The refusals: who refuses it, what it wants there, and the sizes of inputs from which that comes; nothing where
    /// it is admitted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) why: Vec<gradual::Refusal>,
    /// Other layers that refuse the same sizes, whatever the first one does: a runtime may come to one of them first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) also: Vec<gradual::Refusal>,
    /// Layers that refuse the point where data decide otherwise, of a point that some data let pass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unless: Vec<gradual::Refusal>,
    /// The admitted sizes below and above, of each axis that has to change: one alone where that is enough, else as few
    /// as possible together. Nothing where the point is admitted.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) nearest: BTreeMap<String, [Option<i128>; 2]>,
}

/// The answer at a point.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Held {
    /// True if it is admitted; `null` where that is unknown or not specified.
    pub(super) admitted: Option<bool>,
    /// The sizes of each output; `null` where they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) outputs: Option<BTreeMap<String, Option<Vec<i128>>>>,
    /// The names of nodes that together refuse it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) core: Option<Vec<String>>,
}

impl Body {
    /// Makes the answer to `--against`.
    pub(super) fn of_differences(differences: Vec<gradual::LockDifference>) -> Body {
        Body {
            against: Some(differences),
            ..Body::default()
        }
    }
}
