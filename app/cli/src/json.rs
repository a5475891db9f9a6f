//! The form of every answer in JSON: one envelope for all commands, for refusals and for bad input.
//!
//! ```json
//! {"schema": "lozenge/1", "command": "solve", "verdict": "sat", "errors": [], …}
//! ```
//!
//! The keys after the first four depend on the command; `lozenge schema` prints their schemas.

mod bounds;
mod cited;
#[cfg(feature = "oracle")]
mod derivations;
pub mod lines;
mod message;
mod natural;
#[cfg(feature = "oracle")]
pub mod oracle;
mod page;
mod pretty;
pub mod program;
mod shape;
mod solution;
mod solved;
mod solved_text;
mod streamed;

use std::borrow::Cow;
use std::io::{self, Write};

use lozenge_backend::Tensor;
use lozenge_vocabulary::Verdict;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::args::Format;

pub use bounds::RestsOn;
pub use cited::{Involved, Policy, RefusalData, cited_in};
#[cfg(feature = "oracle")]
pub use derivations::PartyDerivations;
pub use lozenge_vocabulary::Cited;
pub use message::{Message, Place};
pub use page::Page;
pub use pretty::Pretty;
pub use shape::ShapeData;
pub use solution::Values;
pub use solved::Solved;

/// The version of the contract. It changes when a key is removed or changes its meaning, not when one is added.
pub const SCHEMA: &str = "lozenge/1";

/// The keys that every answer has, before those of the command.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Envelope<Body> {
    /// The version of the contract, `lozenge/1`.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    /// The command that answers.
    pub command: String,
    /// `sat`, `unsat`, `rejected` or `unknown`; `null` where the command gives no verdict, and for input that could not
    /// be used.
    pub verdict: Option<Verdict>,
    /// The errors in the input, with their places; empty when there are none.
    pub errors: Vec<Message>,
    /// The keys of the command. Input that could not be used has none.
    #[serde(flatten)]
    pub body: Body,
}

/// A body without keys.
#[derive(Serialize, JsonSchema)]
pub struct Empty {}

/// Returns the answer to input that could not be used.
pub fn of_bad_input(command: &str, errors: &[Message]) -> Value {
    json!(Envelope {
        schema: SCHEMA,
        command: command.into(),
        verdict: None,
        errors: errors.to_vec(),
        body: Empty {},
    })
}

/// Writes named values as an object, in their order.
///
/// # Errors
/// The errors of the serializer.
pub fn in_order<S: Serializer, Named: Serialize>(
    values: &[(String, Named)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(name, value)| (name, value)))
}

/// Writes an answer as a document (`json`) or as lines (`jsonl`).
///
/// Of the lines each is an object. Every element of a list of the answer is a line of its own,
/// `{"schema", "command", "list", "item"}`, where `list` is the key that holds the list; the last line is the answer
/// without these lists. `errors` stays in the last line.
pub fn write(out: &mut dyn Write, answer: &Value, format: Format) -> io::Result<()> {
    let Value::Object(answer) = answer else {
        return writeln!(out, "{answer}");
    };
    if format != Format::Jsonl {
        serde_json::to_writer_pretty(&mut *out, answer)?;
        return writeln!(out);
    }
    let is_list = |key: &str, value: &Value| value.is_array() && key != "errors";
    for (key, list) in answer.iter().filter(|(key, value)| is_list(key, value)) {
        for item in list.as_array().into_iter().flatten() {
            let line =
                json!({"schema": SCHEMA, "command": answer["command"], "list": key, "item": item});
            writeln!(out, "{line}")?;
        }
    }
    let rest: Map<String, Value> = answer
        .iter()
        .filter(|(key, value)| !is_list(key, value))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    writeln!(out, "{}", Value::Object(rest))
}

/// A number of a tensor. JSON has no infinity and no not-a-number: those are the strings `"inf"`, `"-inf"` and `"NaN"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Of 32 bits.
    Single(f32),
    /// Of 64 bits.
    Double(f64),
}

impl Number {
    /// Returns the numbers of a tensor in their order.
    pub fn all(tensor: &Tensor) -> Vec<Number> {
        match tensor.double_values() {
            Some(values) => values.iter().copied().map(Number::Double).collect(),
            None => tensor
                .values()
                .iter()
                .copied()
                .map(Number::Single)
                .collect(),
        }
    }

    /// Returns the number in 64 bits.
    pub fn value(self) -> f64 {
        match self {
            Number::Single(value) => value.into(),
            Number::Double(value) => value,
        }
    }
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A finite number, or a word for what is none.",
            "anyOf": [
                {"type": "number"},
                {"type": "string", "enum": ["NaN", "inf", "-inf"]},
            ],
        })
    }
}

impl Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Number::Single(value) if value.is_finite() => serializer.serialize_f32(value),
            Number::Double(value) if value.is_finite() => serializer.serialize_f64(value),
            Number::Single(value) => serializer.collect_str(&value),
            Number::Double(value) => serializer.collect_str(&value),
        }
    }
}
