//! The arguments of nodes: objects whose one key says what they are.

use lozenge_graph_vocabulary::{Argument, ElementType, ValueId};
use serde_json::Value as Json;

use crate::ModelError;

/// Reads an argument that is no graph. A kind that no one knows is carried by its name.
pub(super) fn read(
    json: &Json,
    find: &impl Fn(&str) -> Result<ValueId, ModelError>,
) -> Result<Argument, ModelError> {
    let (kind, content) = single(json)?;
    let list = |of: &dyn Fn(&Json) -> Result<Argument, ModelError>| {
        let elements = content
            .as_array()
            .ok_or_else(|| unexpected(kind, content))?;
        elements
            .iter()
            .map(of)
            .collect::<Result<Vec<_>, _>>()
            .map(Argument::List)
    };
    let tensor = |json: &Json| match json["name"].as_str() {
        Some(name) => Ok(Argument::Value(find(name)?)),
        None => Err(unexpected(kind, json)),
    };
    let number = |json: &Json| scalar(json).ok_or_else(|| unexpected(kind, json));
    match kind {
        "as_none" => Ok(Argument::None),
        "as_tensor" => tensor(content),
        "as_tensors" => list(&tensor),
        "as_nested_tensors" => {
            list(&|inner| read(&serde_json::json!({ "as_tensors": inner }), find))
        }
        "as_optional_tensors" => list(&|inner| read(inner, find)),
        "as_optional_tensor" => read(content, find),
        "as_int" | "as_bool" | "as_float" => number(content),
        "as_ints" | "as_bools" | "as_floats" => list(&number),
        "as_int_lists" => list(&|inner| read(&serde_json::json!({ "as_ints": inner }), find)),
        "as_float_lists" => list(&|inner| read(&serde_json::json!({ "as_floats": inner }), find)),
        "as_string" => match content {
            Json::String(text) => Ok(Argument::String(text.clone())),
            _ => Err(unexpected(kind, content)),
        },
        "as_strings" => list(&|inner| {
            Ok(Argument::String(
                inner.as_str().unwrap_or_default().to_string(),
            ))
        }),
        "as_sym_int" | "as_sym_bool" | "as_sym_float" => symbolic(content, find),
        "as_sym_ints" | "as_sym_bools" | "as_sym_floats" => list(&|inner| symbolic(inner, find)),
        "as_scalar_type" => Ok(match content.as_i64().and_then(element) {
            Some(element) => Argument::ElementType(element),
            None => Argument::Opaque(format!("dtype {content}")),
        }),
        "as_device" => Ok(Argument::Opaque(
            content["type"].as_str().unwrap_or("device").to_string(),
        )),
        "as_operator" => Ok(Argument::Opaque(
            content.as_str().unwrap_or("operator").to_string(),
        )),
        "as_string_to_argument" => {
            let entries = content
                .as_object()
                .ok_or_else(|| unexpected(kind, content))?;
            let entries = entries
                .iter()
                .map(|(key, entry)| Ok((key.clone(), read(entry, find)?)));
            Ok(Argument::Dictionary(
                entries.collect::<Result<_, ModelError>>()?,
            ))
        }
        other => Ok(Argument::Opaque(
            other.trim_start_matches("as_").to_string(),
        )),
    }
}

/// Reads a number that may be the result of a node.
fn symbolic(
    json: &Json,
    find: &impl Fn(&str) -> Result<ValueId, ModelError>,
) -> Result<Argument, ModelError> {
    match single(json)? {
        ("as_name", Json::String(name)) => Ok(Argument::Value(find(name)?)),
        (kind, content) => scalar(content).ok_or_else(|| unexpected(kind, content)),
    }
}

/// Reads a number or a truth value. JSON has no infinite numbers, so they are texts.
fn scalar(json: &Json) -> Option<Argument> {
    match json {
        Json::Bool(truth) => Some(Argument::Bool(*truth)),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Some(Argument::Int(number)),
            None => number.as_f64().map(Argument::Float),
        },
        Json::String(text) => text.parse().ok().map(Argument::Float),
        _ => None,
    }
}

/// Gives the names of the values that an argument uses or an output makes, in order. An output that is left out is
/// nothing.
pub(super) fn names(json: &Json) -> Vec<Option<String>> {
    let mut found = Vec::new();
    let mut waiting = vec![json];
    while let Some(json) = waiting.pop() {
        match json {
            Json::Array(elements) => waiting.extend(elements.iter().rev()),
            Json::Object(entries) => {
                let name = entries.get("name").or(entries.get("as_name"));
                match name.and_then(Json::as_str) {
                    Some(name) => found.push(Some(name.to_string())),
                    None if entries.contains_key("as_none") => found.push(None),
                    None => waiting.extend(entries.values().rev()),
                }
            }
            _ => {}
        }
    }
    found
}

/// Gives the one entry of an object.
pub(super) fn single(json: &Json) -> Result<(&str, &Json), ModelError> {
    let entries = json.as_object().filter(|entries| entries.len() == 1);
    let entry = entries.and_then(|entries| entries.iter().next());
    entry
        .map(|(key, content)| (key.as_str(), content))
        .ok_or_else(|| unexpected("an argument", json))
}

fn unexpected(kind: &str, json: &Json) -> ModelError {
    let mut text = json.to_string();
    if let Some((end, _)) = text.char_indices().nth(80) {
        text.truncate(end);
        text.push('…');
    }
    ModelError::new(format!("{kind} is not expected to be {text}"))
}

/// Gives the type of elements of a number in a program.
pub(super) fn element(written: i64) -> Option<ElementType> {
    Some(match written {
        1 => ElementType::Uint8,
        2 => ElementType::Int8,
        3 => ElementType::Int16,
        4 => ElementType::Int32,
        5 => ElementType::Int64,
        6 => ElementType::Float16,
        7 => ElementType::Float32,
        8 => ElementType::Float64,
        10 => ElementType::Complex64,
        11 => ElementType::Complex128,
        12 => ElementType::Bool,
        13 => ElementType::Bfloat16,
        28 => ElementType::Uint16,
        29 => ElementType::Float8e4m3fn,
        30 => ElementType::Float8e5m2,
        31 => ElementType::Float8e4m3fnuz,
        32 => ElementType::Float8e5m2fnuz,
        33 => ElementType::Float8e8m0,
        34 => ElementType::Uint32,
        35 => ElementType::Uint64,
        _ => return None,
    })
}
