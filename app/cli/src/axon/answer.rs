//! The answers about Axon programs as data.

use std::collections::BTreeMap;

use lozenge::axon::Binding;
use schemars::JsonSchema;
use serde::Serialize;

use super::Loaded;

/// The answer of `infer` and `explain` about an Axon program.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "AxonAnswer")]
pub struct Body {
    /// The types of what the program binds at its top, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub bindings: Vec<BindingData>,
    /// With `--constraints`: the equations as a `.shapes` text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shapes: Option<String>,
    /// With `--by spec`: what the printed rules say of the equations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<crate::shapes::Answer>,
    /// With `--at`: the last function at the given shapes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<AtData>,
}

/// A name with its type.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AxonBinding", deny_unknown_fields)]
pub struct BindingData {
    /// The name.
    pub name: String,
    /// The line where it is bound, from 1.
    pub line: usize,
    /// The type in the form of the paper.
    #[serde(rename = "type")]
    pub shown: String,
    /// The equations that the type does not say.
    #[serde(rename = "where")]
    pub conditions: Vec<String>,
    /// The checks that are left to be made for each input.
    pub checks: Vec<CheckData>,
    /// The bytes of each input and result, as terms over the names of the type.
    pub bytes: BTreeMap<String, String>,
    /// The most bytes of inputs, results and values of calls that it holds at one time, as such a term.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak: Option<String>,
    /// The properties of an input on which a compiled form depends: inputs that agree in these share one.
    pub key: Vec<String>,
}

/// A condition on the sizes of inputs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AxonCheck", deny_unknown_fields)]
pub struct CheckData {
    /// The condition.
    pub condition: String,
    /// The reason why it has to hold.
    pub why: String,
    /// The line that needs it, from 1.
    pub line: usize,
    /// The time at which it can be decided.
    pub decided: &'static str,
}

/// A function at given shapes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AxonAt", deny_unknown_fields)]
pub struct AtData {
    /// The function.
    pub function: String,
    /// The shapes of its inputs.
    pub inputs: BTreeMap<String, Vec<u64>>,
    /// The shapes of its results, in their order.
    pub results: Vec<Vec<u64>>,
    /// The tensors, in the order in which they are computed.
    pub tensors: Vec<TensorData>,
    /// The loop nest of each operation. Of operations that repeat and differ in numbers alone, such as those of a loop,
    /// the first ones stand for all.
    pub nests: Vec<NestData>,
    /// The bytes of all tensors.
    pub bytes: u64,
    /// The most bytes of tensors that are needed at one time.
    pub peak_bytes: u64,
    /// The program at these shapes, as a `.loz` text.
    pub program: String,
}

/// A tensor at given shapes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AxonTensor", deny_unknown_fields)]
pub struct TensorData {
    /// The name in the program at these shapes.
    pub name: String,
    /// The shape.
    pub shape: Vec<u64>,
    /// The bytes.
    pub bytes: u64,
}

/// A loop nest.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AxonNest", deny_unknown_fields)]
pub struct NestData {
    /// The line of the Axon text from which it stems, from 1.
    pub line: usize,
    /// The nest.
    pub text: String,
    /// The number of nests that it stands for, itself counted: those that follow differ from it in numbers alone.
    #[serde(skip_serializing_if = "is_one")]
    #[schemars(default = "one")]
    pub times: usize,
}

fn is_one(times: &usize) -> bool {
    *times == 1
}

fn one() -> usize {
    1
}

impl BindingData {
    /// Makes the data of a binding.
    pub(super) fn of(loaded: &Loaded, binding: &Binding) -> BindingData {
        let checks = binding.checks.iter().map(|check| CheckData {
            condition: check.condition.clone(),
            why: check.why.clone(),
            line: loaded.line(&check.span),
            decided: check.decided,
        });
        BindingData {
            name: binding.name.clone(),
            line: loaded.line(&binding.span),
            shown: binding.shown.clone(),
            conditions: binding.conditions.clone(),
            checks: checks.collect(),
            bytes: binding.bytes.iter().cloned().collect(),
            peak: binding.peak.clone(),
            key: binding.key.clone(),
        }
    }
}

impl Body {
    /// Makes the data of all bindings.
    pub(super) fn of(loaded: &Loaded) -> Body {
        let bindings = loaded.inferred.bindings.iter();
        Body {
            bindings: bindings
                .map(|binding| BindingData::of(loaded, binding))
                .collect(),
            ..Body::default()
        }
    }
}
