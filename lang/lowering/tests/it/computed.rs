//! Running the program of a graph on the interpreter.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use lozenge::backend::{Device, Tensor};
use lozenge::vocabulary::program::{Source, Values};
use lozenge_graph::{Graph, Limits};
use lozenge_graph_program::{Given, Lowered, lower};

/// A tensor with its sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub sizes: Vec<u64>,
    pub values: Vec<f64>,
}

/// Reads a model.
pub fn graph(content: &[u8]) -> Graph {
    lozenge_graph::read(content.to_vec(), &Limits::default()).expect("the model is read")
}

/// Infers and runs the program of a model. The inputs give the sizes that it leaves free.
pub fn outputs(
    content: &[u8],
    inputs: &BTreeMap<String, Array>,
    device: &mut dyn Device,
) -> BTreeMap<String, Array> {
    outputs_of(&graph(content), content, inputs, device)
}

/// Returns the same for the graph of a model, whose weights are in the content of its file.
pub fn outputs_of(
    graph: &Graph,
    content: &[u8],
    inputs: &BTreeMap<String, Array>,
    device: &mut dyn Device,
) -> BTreeMap<String, Array> {
    let places = inputs.iter().flat_map(|(name, array)| {
        let sizes = array.sizes.iter().enumerate();
        sizes.map(move |(axis, size)| (format!("{name}[{axis}]"), *size))
    });
    let free: Given = places.filter(|(place, _)| is_free(graph, place)).collect();
    let lowered = lower(graph, &free).unwrap_or_else(|refusal| panic!("{refusal}"));
    let results = run(graph, content, &lowered, inputs, device);
    let outputs = lowered.outputs.iter().map(|output| {
        let found = results.iter().find(|(name, _)| **name == *output.tensor);
        let values = found
            .expect("the program has the output")
            .1
            .wide_values()
            .into_owned();
        (
            output.name.clone(),
            Array {
                sizes: output.sizes.clone(),
                values,
            },
        )
    });
    outputs.collect()
}

/// Tells whether the model leaves the size of an axis free.
fn is_free(graph: &Graph, place: &str) -> bool {
    match lower(graph, &Given::new()) {
        Err(lozenge_graph_program::Refusal::Free(axes)) => axes
            .iter()
            .any(|axis| format!("{}[{}]", axis.input, axis.axis) == place),
        _ => false,
    }
}

fn run(
    graph: &Graph,
    content: &[u8],
    lowered: &Lowered,
    inputs: &BTreeMap<String, Array>,
    device: &mut dyn Device,
) -> Vec<(String, Tensor)> {
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut file = Cursor::new(content);
    for weight in &lowered.weights {
        let numbers = lozenge_graph::read_numbers(&mut file, &graph[weight.constant]);
        values.insert(&weight.tensor, numbers.expect("the weights are read"));
    }
    for input in &lowered.inputs {
        values.insert(&input.tensor, inputs[&input.name].values.clone());
    }
    let text = &lowered.text;
    let mut program = lozenge::parse(text).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    for tensor in &mut program.tensors {
        if let Some(values) = values.remove(&*tensor.name) {
            tensor.source = Source::Data(Values::Listed(values));
        }
    }
    let inference = lozenge::infer(&program, &lozenge::Options::default());
    let inference = inference.unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let messages = lozenge::refusals(&program, text, &inference, &lozenge::Options::default());
    assert!(messages.is_empty(), "{}\n{text}", messages[0]);
    let data =
        lozenge::load(&program, Path::new("")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let tensors = lozenge::run(&program, &inference, &data, device)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let names = program.tensors.iter().map(|tensor| tensor.name.to_string());
    names.zip(tensors).collect()
}

/// Gives the largest difference, as a part of the largest finite value that was expected. Values that are not finite
/// have to be the same.
pub fn difference(expected: &[f64], found: &[f64]) -> f64 {
    assert_eq!(expected.len(), found.len());
    let (mut largest, mut apart) = (0f64, 0f64);
    for (&expected, &found) in expected.iter().zip(found) {
        match expected.is_finite() && found.is_finite() {
            true => {
                largest = largest.max(expected.abs());
                apart = apart.max((expected - found).abs());
            }
            false => assert!(
                expected == found || expected.is_nan() && found.is_nan(),
                "{expected} and {found}"
            ),
        }
    }
    match apart == 0.0 {
        true => 0.0,
        false => apart / largest.max(f64::MIN_POSITIVE),
    }
}
