//! The JSON of a torch.fx graph with decided conditions replaced by truth values.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::content::Rewritten;
use crate::{ModelError, json};

/// Takes out the nodes that compute decided conditions, and writes their values where they were used. The rest of the
/// file stays as it is.
pub(crate) fn with_decided(
    text: &[u8],
    decided: &BTreeMap<String, bool>,
) -> Result<Rewritten, ModelError> {
    let mut file: Json = json::read(text)?;
    let Some(nodes) = file.get_mut("nodes").and_then(Json::as_array_mut) else {
        return Err(ModelError::new("the JSON has no `nodes`"));
    };
    let before = nodes.len();
    nodes.retain(|node| {
        let is_call = node["op"]
            .as_str()
            .is_some_and(|op| op.starts_with("call_"));
        !(is_call && value_of(&node["name"], decided).is_some())
    });
    let replaced = before - nodes.len();
    for node in nodes.iter_mut() {
        for key in ["args", "kwargs"] {
            if let Some(arguments) = node.get_mut(key) {
                replace(arguments, decided);
            }
        }
    }
    let left = nodes.len();
    if let Some(count) = file.get_mut("num_nodes") {
        *count = left.into();
    }
    if let Some(branches) = file.get_mut("branches").and_then(Json::as_array_mut) {
        branches.retain(|branch| value_of(&branch["node"], decided).is_none());
    }
    let content = serde_json::to_vec(&file)
        .map_err(|error| ModelError::new(format!("the graph cannot be written: {error}")))?;
    Ok(Rewritten { content, replaced })
}

fn value_of(name: &Json, decided: &BTreeMap<String, bool>) -> Option<bool> {
    decided.get(name.as_str()?).copied()
}

/// Writes the values of conditions in place of the conditions.
fn replace(arguments: &mut Json, decided: &BTreeMap<String, bool>) {
    let mut waiting = vec![arguments];
    while let Some(json) = waiting.pop() {
        let own = match json {
            Json::Object(entries) if entries.len() == 1 => {
                entries.get("node").and_then(|name| value_of(name, decided))
            }
            _ => None,
        };
        match (own, json) {
            (Some(value), json) => *json = Json::Bool(value),
            (None, Json::Array(elements)) => waiting.extend(elements),
            (None, Json::Object(entries)) => waiting.extend(entries.values_mut()),
            (None, _) => {}
        }
    }
}
