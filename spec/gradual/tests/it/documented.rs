//! Shape functions held to the documentation of PyTorch, by hand: what the recorded calls and runs do not tell apart.

use lozenge_gradual_spec::shape_functions::{Value, run_graph};
use lozenge_graph::{Limits, read};
use serde_json::{Value as Json, json};

/// Runs nodes behind inputs `t0`, `t1` of these shapes, and gives the value of the last one; nothing where one fails.
fn last(shapes: &[&[u64]], nodes: &[Json]) -> Option<Value> {
    let inputs = (0..shapes.len()).map(|place| {
        json!({"name": format!("t{place}"), "op": "placeholder", "target": "t", "args": []})
    });
    let all: Vec<Json> = inputs.chain(nodes.iter().cloned()).collect();
    let name = nodes
        .last()
        .and_then(|node| node["name"].as_str())
        .expect("a name");
    let text = json!({ "nodes": all }).to_string();
    let graph = read(text.into_bytes(), &Limits::default()).expect("a graph");
    let values: Vec<Value> = shapes
        .iter()
        .map(|shape| Value::Tensor(shape.to_vec()))
        .collect();
    let run = run_graph(&graph, &values);
    assert!(run.unknown.is_empty(), "{:?}", run.unknown);
    run.values.get(name).cloned()
}

fn function(name: &str, target: &str, args: Json) -> Json {
    json!({"name": name, "op": "call_function", "target": target, "args": args, "kwargs": {}})
}

fn method(name: &str, target: &str, args: Json) -> Json {
    json!({"name": name, "op": "call_method", "target": target, "args": args, "kwargs": {}})
}

fn tensor(shape: &[u64]) -> Option<Value> {
    Some(Value::Tensor(shape.to_vec()))
}

/// A stride has a number for each side: rows 0, 2, 4 and 6 of eight, and every column.
#[test]
fn a_stride_has_two_sides() {
    let node = json!({
        "name": "conv", "op": "call_module", "target": "conv", "args": [{"node": "t0"}],
        "module": "torch.nn.modules.conv.Conv2d",
        "params": {"in_channels": 1, "out_channels": 1, "kernel_size": [1, 1], "stride": [2, 1], "padding": [0, 0], "dilation": [1, 1]},
    });
    assert_eq!(last(&[&[1, 1, 8, 8]], &[node]), tensor(&[1, 1, 4, 8]));
}

#[test]
fn the_last_axis_that_is_flattened_has_a_name() {
    let mut node = function("flat", "torch.flatten", json!([{"node": "t0"}]));
    node["kwargs"] = json!({"end_dim": 1});
    assert_eq!(last(&[&[2, 3, 4]], &[node]), tensor(&[6, 4]));
}

/// Lists of sizes are compared entry by entry, the fourth as well.
#[test]
fn lists_of_sizes_are_compared() {
    let compared = |operator: &str, other: &[u64]| {
        let size = method("size", "size", json!([{"node": "t0"}]));
        let node = function(
            "result",
            operator,
            json!([{"node": "size"}, {"tuple": other}]),
        );
        last(&[&[1, 2, 3, 4]], &[size, node])
    };
    for (other, equal) in [
        (&[1, 2, 3, 4][..], true),
        (&[1, 2, 3, 5], false),
        (&[1, 2, 3], false),
    ] {
        assert_eq!(compared("_operator.eq", other), Some(Value::Truth(equal)));
        assert_eq!(compared("_operator.ne", other), Some(Value::Truth(!equal)));
    }
}

#[test]
fn tensors_of_rank_5_broadcast() {
    let node = function(
        "sum",
        "_operator.add",
        json!([{"node": "t0"}, {"node": "t1"}]),
    );
    let found = last(&[&[2, 1, 1, 1, 3], &[4, 1, 1, 1]], &[node]);
    assert_eq!(found, tensor(&[2, 4, 1, 1, 3]));
}

/// All elements are kept: 6 do not become 3, though 3 divides 6.
#[test]
fn a_view_drops_no_element() {
    let node = method("view", "view", json!([{"node": "t0"}, 3]));
    assert_eq!(last(&[&[2, 3]], &[node]), None);
}

#[test]
fn a_shape_is_an_attribute() {
    let node = function("shape", "getattr", json!([{"node": "t0"}, "shape"]));
    assert_eq!(last(&[&[2, 3]], &[node]), Some(Value::sizes(&[2, 3])));
}

/// The other tensor gives its element type alone.
#[test]
fn a_type_is_taken_from_a_tensor_of_any_shape() {
    let node = method("typed", "type_as", json!([{"node": "t0"}, {"node": "t1"}]));
    assert_eq!(last(&[&[2, 3], &[7]], &[node]), tensor(&[2, 3]));
}
