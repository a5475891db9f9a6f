//! The most bytes that a function holds at one time, as a term over the names of its type.
//!
//! Inputs are held from the beginning to the end, the value of a call from there to its last use, and results to the
//! end. What a function that is called holds inside is its own: `--at` counts it at given sizes.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::nodes::Inference;
use super::print::Printer;
use super::types::{Renaming, Type, TypeId};
use crate::syntax::{FunctionId, NameId, NodeId, NodeKind, Pattern, Program};

/// The number of nodes of a function above which no term is made.
const LARGEST: usize = 2_000;

/// The number of sums, none of which is always the smaller one, above which no term is made.
const MOST_SUMS: usize = 8;

/// A sum of bytes: for each product of sizes how many bytes there are of it.
type Sum = BTreeMap<String, u64>;

/// Returns the term; none where it would be too large, or where no tensor is held.
pub(super) fn term(
    inference: &mut Inference<'_>,
    function: FunctionId,
    renaming: &mut Renaming,
    printer: &mut Printer,
) -> Option<String> {
    let program = inference.program;
    let made = &program.functions[function];
    if made.body.len() > LARGEST {
        return None;
    }
    let nodes = own_nodes(program, function);
    let lives = lives(program, &nodes, made.result);
    let mut held = Sum::new();
    for parameter in &made.parameters {
        if let Some(super::nodes::Bound::Plain(found)) = inference.names[parameter.name].clone() {
            change(&mut held, &bytes(inference, found, renaming, printer), true);
        }
    }
    let mut sums = vec![held.clone()];
    let mut ends: FxHashMap<NodeId, Vec<Sum>> = FxHashMap::default();
    for node in nodes {
        if let (Some(end), Some(found)) = (lives.get(&node), inference.values[node]) {
            let own = bytes(inference, found, renaming, printer);
            change(&mut held, &own, true);
            ends.entry(*end).or_default().push(own);
            add(&mut sums, &held);
            if sums.len() > MOST_SUMS {
                return None;
            }
        }
        for gone in ends.remove(&node).unwrap_or_default() {
            change(&mut held, &gone, false);
        }
    }
    let shown: Vec<String> = sums
        .iter()
        .filter(|sum| !sum.is_empty())
        .map(shown)
        .collect();
    match shown.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        many => Some(format!("max({})", many.join(", "))),
    }
}

/// Returns the nodes of a function in order, without those of functions inside it.
fn own_nodes(program: &Program, function: FunctionId) -> Vec<NodeId> {
    let body = program.functions[function].body.clone();
    let (mut nodes, mut node) = (Vec::new(), body.start);
    while node < body.end {
        match program.nodes[node].kind {
            NodeKind::Enter(inner) => node = program.functions[inner].body.end,
            _ => {
                nodes.push(node);
                node += 1;
            }
        }
    }
    nodes
}

/// Returns for each call the last node at which its value is used; the end of the function for what its result holds.
fn lives(program: &Program, nodes: &[NodeId], result: NodeId) -> FxHashMap<NodeId, NodeId> {
    let mut holds: FxHashMap<NodeId, FxHashSet<NodeId>> = FxHashMap::default();
    let mut names: FxHashMap<NameId, FxHashSet<NodeId>> = FxHashMap::default();
    let mut lives = FxHashMap::default();
    for &node in nodes {
        let of = |parts: &[NodeId]| -> FxHashSet<NodeId> {
            let held = parts.iter().filter_map(|part| holds.get(part));
            held.flatten().copied().collect()
        };
        let (used, held) = match &program.nodes[node].kind {
            NodeKind::Call { callee, arguments } => {
                let mut parts = arguments.clone();
                parts.push(*callee);
                lives.insert(node, node);
                (of(&parts), FxHashSet::from_iter([node]))
            }
            NodeKind::Name(name) => {
                let held = names.get(name).cloned().unwrap_or_default();
                (held.clone(), held)
            }
            NodeKind::Tuple(parts) => (of(parts), of(parts)),
            NodeKind::Function(function) => {
                let captured = program.functions[*function].captured.iter();
                let held = captured.filter_map(|name| names.get(name));
                let held: FxHashSet<NodeId> = held.flatten().copied().collect();
                (held.clone(), held)
            }
            NodeKind::Bind(pattern, value) => {
                let held = of(&[*value]);
                bind(pattern, &held, &mut names);
                (held, FxHashSet::default())
            }
            _ => Default::default(),
        };
        for call in used {
            lives.insert(call, node);
        }
        holds.insert(node, held);
    }
    for call in holds.remove(&result).unwrap_or_default() {
        lives.insert(call, NodeId::MAX);
    }
    lives
}

fn bind(
    pattern: &Pattern,
    held: &FxHashSet<NodeId>,
    names: &mut FxHashMap<NameId, FxHashSet<NodeId>>,
) {
    let mut waiting = vec![pattern];
    while let Some(pattern) = waiting.pop() {
        match pattern {
            Pattern::Name(name) => drop(names.insert(*name, held.clone())),
            Pattern::Ignored(_) => {}
            Pattern::Tuple(parts, _) => waiting.extend(parts),
        }
    }
}

/// Returns the bytes of the tensors of a type.
fn bytes(
    inference: &mut Inference<'_>,
    found: TypeId,
    renaming: &mut Renaming,
    printer: &mut Printer,
) -> Sum {
    let found = inference.types.copied(found, renaming);
    let mut tensors = Vec::new();
    if !matches!(inference.types.get(found), Type::Function(..)) {
        super::checks::tensors(&inference.types, String::new(), found, &mut tensors);
    }
    let mut sum = Sum::new();
    for (_, tensor) in tensors {
        let Some((count, product)) = printer.product(&mut inference.types, tensor) else {
            continue;
        };
        *sum.entry(product).or_default() += count;
    }
    sum
}

fn change(held: &mut Sum, by: &Sum, is_more: bool) {
    for (product, count) in by {
        let own = held.entry(product.clone()).or_default();
        *own = match is_more {
            true => own.saturating_add(*count),
            false => own.saturating_sub(*count),
        };
    }
    held.retain(|_, count| *count > 0);
}

/// Adds a sum, and leaves out those that are never larger than another one.
fn add(sums: &mut Vec<Sum>, new: &Sum) {
    let is_below = |one: &Sum, other: &Sum| {
        let mut products = one.iter();
        products.all(|(product, count)| other.get(product).is_some_and(|more| more >= count))
    };
    if sums.iter().any(|sum| is_below(new, sum)) {
        return;
    }
    sums.retain(|sum| !is_below(sum, new));
    sums.push(new.clone());
}

fn shown(sum: &Sum) -> String {
    let parts = sum
        .iter()
        .map(|(product, count)| match (product.as_str(), count) {
            ("", count) => count.to_string(),
            (product, 1) => product.to_string(),
            (product, count) => format!("{count}*{product}"),
        });
    parts.collect::<Vec<_>>().join(" + ")
}
