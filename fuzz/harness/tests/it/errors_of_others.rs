//! Errors of other tools about the operators of models, each with what PyTorch's documentation says: the transcribed
//! shape functions and the native procedure both say so. P1 to P12 are errors of `migrate_gradual_types` that were
//! seen, N1 to N14 some that its code shows.

use std::sync::Arc;

use lozenge_gradual_solver::{Given, Point, Replayed, replay};
use lozenge_gradual_spec::shape_functions::{Value, run_graph};
use lozenge_graph::{Graph, Limits, read};
use serde_json::{Value as Json, json};

/// Returns a call on the inputs `t0`, `t1`, … in the form of a torch.fx graph.
fn call(op: &str, target: &str, args: Json, kwargs: Json) -> Json {
    json!({"name": "result", "op": op, "target": target, "args": args, "kwargs": kwargs})
}

fn method(target: &str, args: Json) -> Json {
    call("call_method", target, args, json!({}))
}

fn function(target: &str, args: Json) -> Json {
    call("call_function", target, args, json!({}))
}

fn module(class: &str, params: Json) -> Json {
    let mut node = call("call_module", "layer", json!([t(0)]), json!({}));
    node["module"] = json!(format!("torch.nn.modules.{class}"));
    node["params"] = params;
    node
}

fn t(place: usize) -> Json {
    json!({"node": format!("t{place}")})
}

/// Returns the node that another one reads, by its name.
fn named(name: &str, mut node: Json) -> Json {
    node["name"] = json!(name);
    node
}

/// The result that the documentation gives for the last node.
#[derive(Debug, PartialEq)]
enum Expected {
    Shape(Vec<u64>),
    Number(i128),
    Truth(bool),
    Refused,
}

use Expected::{Number, Refused, Truth};

fn shape(sizes: &[u64]) -> Expected {
    Expected::Shape(sizes.to_vec())
}

struct Case {
    error: &'static str,
    inputs: Vec<Vec<u64>>,
    nodes: Vec<Json>,
    expected: Expected,
}

fn case(error: &'static str, inputs: &[&[u64]], nodes: Vec<Json>, expected: Expected) -> Case {
    Case {
        error,
        inputs: inputs.iter().map(|sizes| sizes.to_vec()).collect(),
        nodes,
        expected,
    }
}

fn graph(case: &Case) -> Graph {
    let inputs = 0..case.inputs.len();
    let inputs = inputs.map(|at| json!({"name": format!("t{at}"), "op": "placeholder", "target": "t", "args": [], "kwargs": {}}));
    let mut nodes: Vec<Json> = inputs.collect();
    nodes.extend(case.nodes.iter().cloned());
    nodes.push(json!({"name": "output", "op": "output", "target": "output", "args": [{"node": "result"}], "kwargs": {}}));
    let text = json!({ "nodes": nodes }).to_string();
    read(text.into_bytes(), &Limits::default())
        .unwrap_or_else(|error| panic!("{}: {error}", case.error))
}

/// Runs the transcribed shape functions.
fn transcribed(case: &Case, graph: &Graph) -> Expected {
    let inputs: Vec<Value> = case.inputs.iter().cloned().map(Value::Tensor).collect();
    let run = run_graph(graph, &inputs);
    assert!(run.unknown.is_empty(), "{}: {:?}", case.error, run.unknown);
    match run.values.get("result") {
        Some(Value::Tensor(sizes)) => Expected::Shape(sizes.clone()),
        Some(Value::Integer(number)) => Number(*number),
        Some(Value::Truth(truth)) => Truth(*truth),
        Some(Value::List(list)) => {
            let sizes = list.iter().filter_map(Value::integer);
            Expected::Shape(sizes.map(|size| size as u64).collect())
        }
        None => Refused,
        other => panic!("{}: {other:?}", case.error),
    }
}

/// Runs the native procedure.
fn native(case: &Case, graph: &Graph) -> Expected {
    let points = case.inputs.iter().enumerate();
    let point: Point = points
        .map(|(at, sizes)| (format!("t{at}"), Given::Sizes(sizes.clone())))
        .collect();
    let run = replay(graph, &point);
    if run.refusal.is_some() {
        return Refused;
    }
    assert!(!run.is_open, "{}", case.error);
    let mut ids = (0u32..)
        .map(lozenge_graph_vocabulary::ValueId)
        .zip(&graph.values);
    let id = ids
        .find(|(_, value)| value.name == "result")
        .expect("the node is there")
        .0;
    let sizes = |sizes: &[i128]| Expected::Shape(sizes.iter().map(|size| *size as u64).collect());
    match run.value(id) {
        Some(Replayed::Tensor(of)) => sizes(of),
        Some(Replayed::Integer(number)) => Number(*number),
        Some(Replayed::Truth(truth)) => Truth(*truth),
        Some(Replayed::List(list)) => {
            let numbers = list.iter().map(|one| match one {
                Replayed::Integer(number) => *number,
                other => panic!("{}: {other:?}", case.error),
            });
            sizes(&numbers.collect::<Vec<_>>())
        }
        other => panic!("{}: {other:?}", case.error),
    }
}

fn decide(cases: Vec<Case>) {
    for case in cases {
        let graph = Arc::new(graph(&case));
        assert_eq!(
            transcribed(&case, &graph),
            case.expected,
            "{}: spec\n{graph}",
            case.error
        );
        assert_eq!(
            native(&case, &graph),
            case.expected,
            "{}: solver\n{graph}",
            case.error
        );
    }
}

fn size(axis: i64) -> Json {
    method("size", json!([t(0), axis]))
}

fn slice(start: Json, end: Json) -> Json {
    json!({"slice": [start, end, null]})
}

fn conv(channels: u64, kernel: Json, more: &[(&str, Json)]) -> Json {
    let mut params = json!({"in_channels": channels, "out_channels": 2, "kernel_size": kernel, "stride": 1, "padding": 0, "dilation": 1});
    for (name, value) in more {
        params[*name] = value.clone();
    }
    module("conv.Conv2d", params)
}

fn pool(kernel: u64, padding: u64, ceil: bool) -> Json {
    module(
        "pooling.MaxPool2d",
        json!({"kernel_size": kernel, "stride": kernel, "padding": padding, "dilation": 1, "ceil_mode": ceil}),
    )
}

#[test]
fn errors_that_were_seen() {
    let flatten = |args: Json, kwargs: Json| call("call_function", "torch.flatten", args, kwargs);
    let average = |size: Json| module("pooling.AdaptiveAvgPool2d", json!({ "output_size": size }));
    let softmax = |axis: i64| {
        call(
            "call_function",
            "torch.nn.functional.softmax",
            json!([t(0)]),
            json!({ "dim": axis }),
        )
    };
    decide(vec![
        case(
            "P1",
            &[&[2, 3, 4], &[2, 5, 6]],
            vec![function("torch.bmm", json!([t(0), t(1)]))],
            Refused,
        ),
        case(
            "P1",
            &[&[2, 3, 4], &[2, 4, 6]],
            vec![function("torch.bmm", json!([t(0), t(1)]))],
            shape(&[2, 3, 6]),
        ),
        case(
            "P2",
            &[&[2, 3]],
            vec![function("torch.cumsum", json!([t(0), -1]))],
            shape(&[2, 3]),
        ),
        case(
            "P2",
            &[&[2, 3]],
            vec![function("torch.cumsum", json!([t(0), -3]))],
            Refused,
        ),
        case(
            "P3",
            &[&[2, 3]],
            vec![flatten(json!([t(0)]), json!({}))],
            shape(&[6]),
        ),
        case(
            "P3",
            &[&[2, 3, 4]],
            vec![flatten(json!([t(0), -2]), json!({}))],
            shape(&[2, 12]),
        ),
        case(
            "P3",
            &[&[2, 3, 4]],
            vec![flatten(json!([t(0)]), json!({"start_dim": 1}))],
            shape(&[2, 12]),
        ),
        case(
            "P4",
            &[&[1, 1, 2, 2]],
            vec![conv(1, json!(3), &[])],
            Refused,
        ),
        case("P4", &[&[1, 1, 2, 2]], vec![pool(3, 0, false)], Refused),
        case(
            "P5",
            &[&[1, 1, 3, 3]],
            vec![pool(2, 0, true)],
            shape(&[1, 1, 2, 2]),
        ),
        case(
            "P5",
            &[&[1, 1, 3, 3]],
            vec![pool(2, 0, false)],
            shape(&[1, 1, 1, 1]),
        ),
        case(
            "P6",
            &[&[1, 3, 3]],
            vec![conv(1, json!(1), &[])],
            shape(&[2, 3, 3]),
        ),
        case(
            "P6",
            &[&[1, 4, 4]],
            vec![pool(2, 0, false)],
            shape(&[1, 2, 2]),
        ),
        case(
            "P7",
            &[&[1, 3, 2, 2]],
            vec![module("batchnorm.BatchNorm2d", json!({"num_features": 2}))],
            Refused,
        ),
        case(
            "P7",
            &[&[1, 2, 2, 2]],
            vec![module("batchnorm.BatchNorm2d", json!({"num_features": 2}))],
            shape(&[1, 2, 2, 2]),
        ),
        case(
            "P8",
            &[&[2, 3, 5, 5]],
            vec![average(json!(2))],
            shape(&[2, 3, 2, 2]),
        ),
        case(
            "P8",
            &[&[2, 3, 5, 5]],
            vec![average(json!([2, null]))],
            shape(&[2, 3, 2, 5]),
        ),
        case(
            "P9",
            &[&[1, 2, 3, 4, 5], &[5]],
            vec![function("_operator.add", json!([t(0), t(1)]))],
            shape(&[1, 2, 3, 4, 5]),
        ),
        case(
            "P10",
            &[&[1, 2, 3, 4]],
            vec![module(
                "sparse.Embedding",
                json!({"num_embeddings": 9, "embedding_dim": 7}),
            )],
            shape(&[1, 2, 3, 4, 7]),
        ),
        case(
            "P11",
            &[&[2, 3]],
            vec![
                named("size", size(0)),
                function("_operator.ne", json!([{"node": "size"}, 3])),
            ],
            Truth(true),
        ),
        case(
            "P11",
            &[&[2, 3]],
            vec![
                named("size", size(1)),
                function("_operator.ne", json!([{"node": "size"}, 3])),
            ],
            Truth(false),
        ),
        case(
            "P12",
            &[&[1, 1, 5, 5]],
            vec![conv(1, json!(2), &[("padding", json!("same"))])],
            shape(&[1, 2, 5, 5]),
        ),
        case(
            "P12",
            &[&[2, 3]],
            vec![function("getattr", json!([t(0), "shape"]))],
            shape(&[2, 3]),
        ),
        case(
            "P12",
            &[&[2, 3]],
            vec![function(
                "_operator.getitem",
                json!([t(0), {"tuple": [slice(json!(null), json!(null)), 0]}]),
            )],
            shape(&[2]),
        ),
        case(
            "P12",
            &[&[6]],
            vec![method("view", json!([t(0), {"tuple": [2, 3]}]))],
            shape(&[2, 3]),
        ),
        case(
            "P12",
            &[&[1, 3]],
            vec![method("expand", json!([t(0), 2, -1]))],
            shape(&[2, 3]),
        ),
        case("P12", &[&[2, 3]], vec![softmax(2)], Refused),
        case("P12", &[&[2, 3]], vec![softmax(-1)], shape(&[2, 3])),
    ]);
}

#[test]
fn errors_that_its_code_shows() {
    let add_one = function("_operator.add", json!([{"node": "size"}, 1]));
    let transposed = method("transpose", json!([t(0), -1, -2]));
    decide(vec![
        case(
            "N1",
            &[&[2, 3], &[5]],
            vec![method("type_as", json!([t(0), t(1)]))],
            shape(&[2, 3]),
        ),
        case(
            "N2",
            &[&[2, 1], &[2, 3]],
            vec![method("masked_fill_", json!([t(0), t(1), 1]))],
            Refused,
        ),
        case(
            "N2",
            &[&[2, 3], &[2, 1]],
            vec![method("masked_fill_", json!([t(0), t(1), 1]))],
            shape(&[2, 3]),
        ),
        case(
            "N3",
            &[&[3, 4]],
            vec![method("expand", json!([t(0), 1, 4]))],
            Refused,
        ),
        case(
            "N4",
            &[&[3, 4], &[2]],
            vec![method("index_select", json!([t(0), 1, t(1)]))],
            shape(&[3, 2]),
        ),
        // The rank of an input that is viewed as a matrix is not bounded.
        case(
            "N5",
            &[&[2, 1, 1, 1, 3]],
            vec![method("dim", json!([t(0)]))],
            Number(5),
        ),
        case(
            "N5",
            &[&[2, 1, 1, 1, 3]],
            vec![
                named("size", size(0)),
                method("view", json!([t(0), {"node": "size"}, -1])),
            ],
            shape(&[2, 3]),
        ),
        case(
            "N6",
            &[&[0, 4]],
            vec![
                named("size", size(0)),
                function("_operator.gt", json!([{"node": "size"}, 0])),
            ],
            Truth(false),
        ),
        case(
            "N6",
            &[&[0, 3]],
            vec![method("reshape", json!([t(0), 3, 0]))],
            shape(&[3, 0]),
        ),
        case(
            "N7",
            &[&[5]],
            vec![method("reshape", json!([t(0), 0, -1]))],
            Refused,
        ),
        case(
            "N8",
            &[&[1, 2, 3, 4]],
            vec![
                named("size", method("size", json!([t(0)]))),
                function(
                    "_operator.ne",
                    json!([{"node": "size"}, {"tuple": [1, 2, 3, 5]}]),
                ),
            ],
            Truth(true),
        ),
        case(
            "N8",
            &[&[1, 2, 3, 4]],
            vec![
                named("size", method("size", json!([t(0)]))),
                function(
                    "_operator.ne",
                    json!([{"node": "size"}, {"tuple": [1, 2, 3, 4]}]),
                ),
            ],
            Truth(false),
        ),
        case(
            "N9",
            &[&[4, 3]],
            vec![named("size", size(0)), add_one],
            Number(5),
        ),
        case("N10", &[&[7]], vec![size(0)], Number(7)),
        case(
            "N11",
            &[&[2, 3]],
            vec![function("torch.flatten", json!([t(0), -1]))],
            shape(&[2, 3]),
        ),
        case(
            "N12",
            &[&[2, 3]],
            vec![function("torch.ones", json!([{"tuple": [2, 3]}]))],
            shape(&[2, 3]),
        ),
        case(
            "N12",
            &[&[2, 3, 4]],
            vec![
                named("size", method("size", json!([t(0)]))),
                function(
                    "_operator.getitem",
                    json!([{"node": "size"}, slice(json!(null), json!(-1))]),
                ),
            ],
            shape(&[2, 3]),
        ),
        case(
            "N12",
            &[&[2, 3]],
            vec![
                named("size", method("size", json!([t(0)]))),
                function("_operator.add", json!([{"node": "size"}, {"tuple": [5]}])),
            ],
            shape(&[2, 3, 5]),
        ),
        case(
            "N12",
            &[&[5]],
            vec![function(
                "_operator.getitem",
                json!([t(0), slice(json!(1), json!(3))]),
            )],
            shape(&[2]),
        ),
        case(
            "N12",
            &[&[2, 3], &[3, 4]],
            vec![function("torch.matmul", json!([t(0), t(1)]))],
            shape(&[2, 4]),
        ),
        case(
            "N12",
            &[&[2, 3, 4]],
            vec![method("permute", json!([t(0), 2, 0, 1]))],
            shape(&[4, 2, 3]),
        ),
        case(
            "N13",
            &[&[1, 1, 5, 5]],
            vec![conv(1, json!(1), &[("stride", json!([2, 1]))])],
            shape(&[1, 2, 3, 5]),
        ),
        case(
            "N13",
            &[&[2, 3]],
            vec![method("reshape", json!([t(0), 3]))],
            Refused,
        ),
        case(
            "N13",
            &[&[3]],
            vec![module(
                "linear.Linear",
                json!({"in_features": 3, "out_features": 2}),
            )],
            shape(&[2]),
        ),
        case("N13", &[&[2, 3]], vec![transposed], shape(&[3, 2])),
        case("N14", &[&[1, 1, 5, 5]], vec![pool(3, 2, false)], Refused),
        case(
            "N14",
            &[&[]],
            vec![module("activation.ReLU", json!({}))],
            shape(&[]),
        ),
    ]);
}
