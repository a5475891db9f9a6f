//! Sizes and values that are given for inputs in a question.

use serde::Serialize;
use std::collections::BTreeMap;

/// The part of a question that concerns one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Given {
    /// The sizes of the axes.
    Sizes(Vec<u64>),
    /// The value of an input that is one integer.
    Number(i64),
}

/// Sizes of inputs, by the names of the inputs. An input that is left out is free.
pub type Point = BTreeMap<String, Given>;

/// Returns a point as the command line takes it: `x=[1,3,40,64], sr=16000`.
#[must_use]
pub fn written(point: &Point) -> String {
    let parts = point.iter().map(|(name, given)| match given {
        Given::Number(number) => format!("{name}={number}"),
        Given::Sizes(sizes) => {
            let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
            format!("{name}=[{}]", sizes.join(","))
        }
    });
    parts.collect::<Vec<_>>().join(", ")
}
