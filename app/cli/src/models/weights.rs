//! The weights of a model against a file of weights: names and sizes, from the header of the file alone.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use lozenge_graph_vocabulary::Graph;
use safetensors::tensor::Metadata;

use crate::report::Problem;

/// The bytes that a header may have, as the crate `safetensors` limits them.
const LONGEST_HEADER: u64 = 100_000_000;

/// A constant of a model that a file of weights does not have as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The name of the constant.
    pub name: String,
    /// The sizes that the model has.
    pub sizes: Vec<u64>,
    /// The difference, in words.
    pub words: String,
}

/// Reads the names and sizes of a safetensors file. Its values are not read.
///
/// # Errors
/// When the file cannot be read, or its header is not one.
pub fn header(path: &Path) -> Result<BTreeMap<String, Vec<u64>>, Problem> {
    let name = path.display();
    let unreadable =
        |error: std::io::Error| Problem::new(format!("--weights: {name} cannot be read: {error}"));
    let is_none =
        |what: &str| Problem::new(format!("--weights: {name} is no safetensors file: {what}"));
    let mut file = File::open(path).map_err(unreadable)?;
    let mut bytes = vec![0; 8];
    file.read_exact(&mut bytes)
        .map_err(|_| is_none("it has fewer than 8 bytes"))?;
    let length = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"));
    if length > LONGEST_HEADER {
        return Err(is_none("its header is too long"));
    }
    let mut header = Vec::new();
    file.take(length)
        .read_to_end(&mut header)
        .map_err(unreadable)?;
    let metadata: Metadata =
        serde_json::from_slice(&header).map_err(|error| is_none(&error.to_string()))?;
    let tensors = metadata.tensors();
    let sizes = |shape: &[usize]| shape.iter().map(|size| *size as u64).collect();
    Ok(tensors
        .into_iter()
        .map(|(name, info)| (name, sizes(&info.shape)))
        .collect())
}

/// Returns the constants with a name that a file of weights has with other sizes or not at all, in the order of the
/// graph.
///
/// A constant that is missing and has the sizes of exactly one entry that the model does not use is probably renamed.
pub fn differences(graph: &Graph, file: &BTreeMap<String, Vec<u64>>) -> Vec<Difference> {
    let named = graph
        .constants
        .iter()
        .filter(|constant| is_weight(constant));
    let known: Vec<&str> = named
        .clone()
        .map(|constant| constant.name.as_str())
        .collect();
    let unused: Vec<(&String, &Vec<u64>)> = file
        .iter()
        .filter(|(name, _)| !known.contains(&name.as_str()))
        .collect();
    let found = named.filter_map(|constant| {
        let words = match file.get(&constant.name) {
            Some(sizes) if *sizes == constant.sizes => return None,
            Some(sizes) if is_turned(sizes, &constant.sizes) => {
                format!(
                    "the file has {}, the same turned round: transpose it",
                    listed(sizes)
                )
            }
            Some(sizes) => format!("the file has {}", listed(sizes)),
            None => missing(&constant.sizes, &unused),
        };
        Some(Difference {
            name: constant.name.clone(),
            sizes: constant.sizes.clone(),
            words,
        })
    });
    found.collect()
}

/// Tells whether a constant is one that a file of weights would have: it has a name, axes, and real numbers.
fn is_weight(constant: &lozenge_graph_vocabulary::Constant) -> bool {
    let is_real = constant
        .element
        .is_some_and(lozenge_graph_vocabulary::ElementType::is_float);
    !constant.name.is_empty() && !constant.sizes.is_empty() && is_real
}

fn is_turned(one: &[u64], other: &[u64]) -> bool {
    one.len() == 2 && one.iter().eq(other.iter().rev())
}

/// Says that a constant is missing, and which unused entry it may be.
fn missing(sizes: &[u64], unused: &[(&String, &Vec<u64>)]) -> String {
    let mut alike = unused
        .iter()
        .filter(|(_, other)| *other == sizes || is_turned(other, sizes));
    match (alike.next(), alike.next()) {
        (Some((name, other)), None) if *other == sizes => {
            format!(
                "the file has no entry of this name: `{name}` has these sizes, and the model does not use it"
            )
        }
        (Some((name, other)), None) => {
            format!(
                "the file has no entry of this name: `{name}` has {}, and the model does not use it",
                listed(other)
            )
        }
        _ => "the file has no entry of this name".to_string(),
    }
}

/// Returns a list of sizes as it is written.
pub fn listed(sizes: &[u64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    format!("[{}]", sizes.join(", "))
}
