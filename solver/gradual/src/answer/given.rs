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

/// The number of sizes of one input up to which all are written.
const MAX_WRITTEN: usize = 64;

/// Returns a point as the command line takes it: `x=[1,3,40,64], sr=16000`. Of a shape that is longer than anybody
/// reads only both ends are written, with the rank.
#[must_use]
pub fn written(point: &Point) -> String {
    let parts = point.iter().map(|(name, given)| match given {
        Given::Number(number) => format!("{name}={number}"),
        Given::Sizes(sizes) => {
            let text = |sizes: &[u64]| {
                let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
                sizes.join(",")
            };
            match sizes.len() {
                0..=MAX_WRITTEN => format!("{name}=[{}]", text(sizes)),
                rank => {
                    let (first, last) = (text(&sizes[..3]), text(&sizes[rank - 3..]));
                    format!("{name}=[{first},…,{last}] of rank {rank}")
                }
            }
        }
    });
    parts.collect::<Vec<_>>().join(", ")
}
