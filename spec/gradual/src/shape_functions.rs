//! Effects of the operators of models on shapes, by the documentation of PyTorch: the run reading of torch.fx graphs. A
//! file holds a family, and a function an operator: from the values of its arguments to the value of its result, or to
//! the reason why it fails.
//!
//! These are the operators of the graphs with which the paper was evaluated. Of tensors the shape is known and nothing
//! else; strides are not modelled, so `view` is `reshape`.

mod axes;
mod call;
mod creation;
mod indexing;
mod joining;
mod kept;
mod linear;
mod normalisation;
mod observation;
mod pointwise;
mod reshaping;
mod value;
mod windows;

use std::collections::BTreeMap;

use lozenge_graph_vocabulary::{Graph, Node};

pub use call::Call;
pub use value::Value;

/// A shape function.
pub type Function = fn(&Call) -> Result<Value, String>;

/// Every shape function, by the name of its operator.
pub const FUNCTIONS: &[&[(&str, Function)]] = &[
    axes::FUNCTIONS,
    creation::FUNCTIONS,
    indexing::FUNCTIONS,
    joining::FUNCTIONS,
    kept::FUNCTIONS,
    linear::FUNCTIONS,
    normalisation::FUNCTIONS,
    observation::FUNCTIONS,
    pointwise::FUNCTIONS,
    reshaping::FUNCTIONS,
    windows::FUNCTIONS,
];

/// The result of running a graph on some inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphRun {
    /// The value of each input, constant and node that was reached, by name.
    pub values: BTreeMap<String, Value>,
    /// The node that failed, if one did, with the reason. Nothing is computed behind it.
    pub failure: Option<(String, String)>,
    /// The operators without a shape function that were met. The values of their nodes are unknown.
    pub unknown: Vec<String>,
}

/// Runs a graph of one body, as torch.fx has it, on values of its inputs in order.
#[must_use]
pub fn run_graph(graph: &Graph, inputs: &[Value]) -> GraphRun {
    let main = graph.main();
    let mut values: Vec<Option<Value>> = vec![None; graph.values.len()];
    for (id, value) in main.inputs.iter().zip(inputs) {
        values[id.index()] = Some(value.clone());
    }
    for id in &main.constants {
        if let lozenge_graph_vocabulary::Origin::Constant(constant) = graph[*id].origin {
            values[id.index()] = Some(Value::Tensor(graph[constant].sizes.clone()));
        }
    }
    let mut run = GraphRun {
        values: BTreeMap::new(),
        failure: None,
        unknown: Vec::new(),
    };
    for node in &main.nodes {
        let result = match function(node) {
            Some(function) => {
                let call = Call::of(node, &values);
                // The result of an operator without a shape function may be anything.
                match call.has_unknown() {
                    true => Ok(Value::Unknown),
                    false => function(&call),
                }
            }
            None => {
                run.unknown.push(node.operator.to_string());
                Ok(Value::Unknown)
            }
        };
        match result {
            Ok(value) => {
                let outputs = node.outputs.iter().flatten();
                outputs.for_each(|id| values[id.index()] = Some(value.clone()));
            }
            Err(why) => {
                run.failure = Some((node.name().to_string(), why));
                break;
            }
        }
    }
    let named = graph.values.iter().zip(values);
    let named = named.filter_map(|(declared, value)| Some((declared.name.clone(), value?)));
    run.values = named.collect();
    run
}

/// Finds the shape function of a node.
#[must_use]
pub fn function(node: &Node) -> Option<Function> {
    let name = match node.operator.domain.as_str() {
        "fx" => node.operator.name.as_str(),
        _ => return None,
    };
    let mut all = FUNCTIONS.iter().copied().flatten();
    all.find(|(known, _)| *known == name)
        .map(|(_, function)| *function)
}
