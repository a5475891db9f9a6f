//! The arguments of torch.fx nodes in JSON. JSON that nests more than 128 levels deep is not read, so recursion over it
//! is safe.

use lozenge_graph_vocabulary::{Argument, ElementType, ValueId};
use serde_json::Value as Json;

use crate::ModelError;

/// Reads an argument. An object of one of the keys of the encoding is what that key says, any other is a dictionary.
pub(super) fn read(
    json: &Json,
    find: &impl Fn(&str) -> Result<ValueId, ModelError>,
) -> Result<Argument, ModelError> {
    let list = |elements: &[Json]| {
        elements
            .iter()
            .map(|element| read(element, find))
            .collect::<Result<Vec<_>, _>>()
    };
    Ok(match json {
        Json::Null => Argument::None,
        Json::Bool(truth) => Argument::Bool(*truth),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => Argument::Int(number),
            (None, Some(float)) if number.is_f64() => Argument::Float(float),
            _ => Argument::Opaque(number.to_string()),
        },
        Json::String(text) => Argument::String(text.clone()),
        Json::Array(elements) => Argument::List(list(elements)?),
        Json::Object(entries) => match single(entries) {
            Some(("node", Json::String(name))) => Argument::Value(find(name)?),
            Some(("tuple", Json::Array(elements))) => Argument::Tuple(list(elements)?),
            Some(("slice", Json::Array(parts))) => match <[Argument; 3]>::try_from(list(parts)?) {
                Ok(parts) => Argument::Slice(Box::new(parts)),
                Err(_) => return Err(ModelError::new("a slice has a start, an end and a step")),
            },
            Some(("dtype", Json::String(name))) => match element(name) {
                Some(element) => Argument::ElementType(element),
                None => Argument::Opaque(name.clone()),
            },
            Some(("device", Json::String(name))) => Argument::Opaque(name.clone()),
            Some(("ellipsis", _)) => Argument::Ellipsis,
            Some(("float", Json::String(name))) => match name.parse() {
                Ok(float) => Argument::Float(float),
                Err(_) => {
                    return Err(ModelError::new(format!(
                        "`{}` is no number",
                        name.escape_debug()
                    )));
                }
            },
            Some(("dict", Json::Object(entries))) => {
                Argument::Dictionary(dictionary(entries, find)?)
            }
            _ => Argument::Dictionary(dictionary(entries, find)?),
        },
    })
}

fn dictionary(
    entries: &serde_json::Map<String, Json>,
    find: &impl Fn(&str) -> Result<ValueId, ModelError>,
) -> Result<Vec<(String, Argument)>, ModelError> {
    let entries = entries.iter();
    entries
        .map(|(key, entry)| Ok((key.clone(), read(entry, find)?)))
        .collect()
}

/// Gives the one entry of an object.
fn single(entries: &serde_json::Map<String, Json>) -> Option<(&str, &Json)> {
    let (key, entry) = entries.iter().next()?;
    (entries.len() == 1).then_some((key, entry))
}

/// Gives the names of the nodes that an argument uses.
pub(super) fn names(json: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![json];
    while let Some(json) = waiting.pop() {
        match json {
            Json::Array(elements) => waiting.extend(elements),
            Json::Object(entries) => match single(entries) {
                Some(("node", Json::String(name))) => found.push(name.clone()),
                _ => waiting.extend(entries.values()),
            },
            _ => {}
        }
    }
    found
}

/// Gives the type of elements that PyTorch calls by the name, such as `torch.float32`.
pub(super) fn element(name: &str) -> Option<ElementType> {
    Some(match name.strip_prefix("torch.")? {
        "bool" => ElementType::Bool,
        "uint8" => ElementType::Uint8,
        "int8" => ElementType::Int8,
        "int16" => ElementType::Int16,
        "int32" => ElementType::Int32,
        "int64" => ElementType::Int64,
        "uint16" => ElementType::Uint16,
        "uint32" => ElementType::Uint32,
        "uint64" => ElementType::Uint64,
        "float16" => ElementType::Float16,
        "bfloat16" => ElementType::Bfloat16,
        "float32" => ElementType::Float32,
        "float64" => ElementType::Float64,
        "complex64" => ElementType::Complex64,
        "complex128" => ElementType::Complex128,
        "float8_e4m3fn" => ElementType::Float8e4m3fn,
        "float8_e5m2" => ElementType::Float8e5m2,
        "float8_e4m3fnuz" => ElementType::Float8e4m3fnuz,
        "float8_e5m2fnuz" => ElementType::Float8e5m2fnuz,
        "float8_e8m0fnu" => ElementType::Float8e8m0,
        _ => return None,
    })
}
