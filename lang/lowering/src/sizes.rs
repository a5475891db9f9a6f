//! The sizes of the inputs: those that the model declares, and those that are given for the ones it leaves free.

use std::collections::BTreeMap;

use lozenge_graph_vocabulary::{DeclaredSize, Graph, ValueId};

use crate::{FreeAxis, Refusal};

/// Sizes that are given, by the name of an axis that the model declares, or by `INPUT[AXIS]`.
pub type Given = BTreeMap<String, u64>;

/// Finds the size of each axis of each input of the model.
///
/// # Errors
/// When a size is free and none is given, when a given one names no free axis, and when an input has no declared rank.
pub(crate) fn of_inputs(graph: &Graph, given: &Given) -> Result<Vec<(ValueId, Vec<u64>)>, Refusal> {
    let (mut found, mut free, mut known) = (Vec::new(), Vec::new(), Vec::new());
    for &input in &graph.main().inputs {
        let value = &graph[input];
        let Some(declared) = value.declared.sizes() else {
            let name = value.name.escape_debug();
            return Err(Refusal::Given(format!(
                "input `{name}`: the model declares no tensor with a number of axes"
            )));
        };
        let mut sizes = Vec::new();
        for (axis, size) in declared.iter().enumerate() {
            let place = format!("{}[{axis}]", value.name);
            let declared_name = match size {
                DeclaredSize::Known(size) => {
                    sizes.push(*size);
                    continue;
                }
                DeclaredSize::Named(name) if !name.is_empty() && name != "?" => Some(name),
                _ => None,
            };
            let by_name = declared_name.and_then(|name| given.get(name));
            match given.get(&place).or(by_name) {
                Some(size) => sizes.push(*size),
                None => free.push(FreeAxis {
                    input: value.name.clone(),
                    axis,
                    name: declared_name.unwrap_or(&place).clone(),
                }),
            }
            known.extend(declared_name.cloned());
            known.push(place);
        }
        found.push((input, sizes));
    }
    if let Some(name) = given.keys().find(|name| !known.contains(name)) {
        let known = match known.is_empty() {
            true => "the model leaves none free".to_string(),
            false => format!("free are {}", known.join(", ")),
        };
        return Err(Refusal::Given(format!(
            "`{name}` is no size that the model leaves free: {known}"
        )));
    }
    match free.is_empty() {
        true => Ok(found),
        false => Err(Refusal::Free(free)),
    }
}
