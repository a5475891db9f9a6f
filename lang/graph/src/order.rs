//! Reasons why a value that a node uses is not there.

use std::collections::{HashMap, HashSet};

use crate::ModelError;
use crate::error::quoted;

/// A node with the names of what it uses and makes.
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) inputs: Vec<String>,
    pub(crate) outputs: Vec<String>,
}

/// Explains why a value is not there when a node uses it: it lies on a cycle, is made later, or never. The node is the
/// first of the `steps`.
pub(crate) fn explain(value: &str, steps: &[Step]) -> ModelError {
    let used = quoted(value);
    let makers: HashMap<&str, usize> = (0..)
        .zip(steps)
        .flat_map(|(maker, step)| {
            step.outputs
                .iter()
                .map(move |output| (output.as_str(), maker))
        })
        .collect();
    let Some(&maker) = makers.get(value) else {
        return ModelError::new(format!("{used} is used, and nothing before makes it"));
    };
    let name = quoted(&steps[maker].name);
    if maker == 0 || reaches_first(steps, &makers, maker) {
        let message = format!(
            "{used} is used, and node {name}, which makes it, uses what comes of it: a cycle"
        );
        return ModelError::new(message);
    }
    ModelError::new(format!("{used} is used before node {name} makes it")).with_help(
        "the nodes of a model file stand in an order in which each uses only what was made before",
    )
}

/// Tells whether a step uses, through others, an output of the first one.
fn reaches_first(steps: &[Step], makers: &HashMap<&str, usize>, from: usize) -> bool {
    let mut seen = HashSet::from([from]);
    let mut waiting = vec![from];
    while let Some(place) = waiting.pop() {
        for input in &steps[place].inputs {
            match makers.get(input.as_str()) {
                Some(0) => return true,
                Some(&maker) if seen.insert(maker) => waiting.push(maker),
                _ => {}
            }
        }
    }
    false
}
