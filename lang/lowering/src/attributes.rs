//! The attributes of a node of ONNX, with the values that they have where the file leaves them out.

use lozenge_graph_vocabulary::{Argument, Node};

use crate::refusal::Why;

/// Finds an integer.
pub(crate) fn integer(node: &Node, name: &str, default: i64) -> i64 {
    let found = node.attribute(name).and_then(Argument::as_int);
    found.unwrap_or(default)
}

/// Finds a list of integers.
pub(crate) fn integers(node: &Node, name: &str) -> Option<Vec<i64>> {
    node.attribute(name)?.as_ints()
}

/// Finds a real number.
pub(crate) fn real(node: &Node, name: &str, default: f64) -> f64 {
    match node.attribute(name) {
        Some(Argument::Float(value)) => *value,
        _ => default,
    }
}

/// Finds a text.
pub(crate) fn text<'n>(node: &'n Node, name: &str, default: &'n str) -> &'n str {
    let found = node.attribute(name).and_then(Argument::as_str);
    found.unwrap_or(default)
}

/// Gives the version of the operator set, which is the newest one where the file states none.
pub(crate) fn version(node: &Node) -> i64 {
    node.operator.version.unwrap_or(i64::MAX)
}

/// Turns the number of an axis, which counts from the end where it is negative, into its place.
pub(crate) fn axis(number: i64, rank: usize) -> Result<usize, Why> {
    let from_front = match number < 0 {
        true => number.saturating_add(rank as i64),
        false => number,
    };
    let place = usize::try_from(from_front)
        .ok()
        .filter(|&place| place < rank);
    place.ok_or_else(|| Why::Said(format!("axis {number} is none of a tensor of rank {rank}")))
}

/// Turns numbers of axes into places, in order and each once.
pub(crate) fn axes(numbers: &[i64], rank: usize) -> Result<Vec<usize>, Why> {
    let places = numbers.iter().map(|&number| axis(number, rank));
    let mut places = places.collect::<Result<Vec<_>, _>>()?;
    places.sort_unstable();
    match places.windows(2).any(|pair| pair[0] == pair[1]) {
        true => Err("an axis is named twice".into()),
        false => Ok(places),
    }
}
