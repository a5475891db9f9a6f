//! Small programs: the printed set against running all inputs of small ranks and sizes.

use lozenge_gradual_solver::{Given, Limit, Options, Point, Sizes, replay};
use lozenge_graph_vocabulary::Graph;
use serde_json::{Value as Json, json};
use std::sync::Arc;

fn call(name: &str, op: &str, target: &str, arguments: Json) -> Json {
    json!({"name": name, "op": op, "target": target, "args": arguments, "kwargs": {}})
}

fn module(name: &str, class: &str, input: &str, parameters: Json) -> Json {
    json!({"name": name, "op": "call_module", "target": name, "module": class, "args": [{"node": input}], "kwargs": {}, "params": parameters})
}

/// Returns the graph of some nodes over the inputs `x` and, if asked for, `y`.
fn graph(inputs: &[&str], nodes: &[Json]) -> Graph {
    let mut all: Vec<Json> = inputs
        .iter()
        .map(|name| call(name, "placeholder", name, json!([])))
        .collect();
    all.extend(nodes.iter().cloned());
    let last = nodes.last().expect("a node")["name"].clone();
    all.push(json!({"name": "output", "op": "output", "target": "output", "args": [{"node": last}], "kwargs": {}}));
    let text = json!({"nodes": all}).to_string();
    lozenge_graph::read(text.into_bytes(), &lozenge_graph::Limits::default())
        .expect("the graph is read")
}

/// Lists all lists of sizes with at most so many entries, each from 1 up to a bound.
fn shapes(rank: usize, bound: u64) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..rank {
        last = last
            .into_iter()
            .flat_map(|shape: Vec<u64>| {
                (1..=bound).map(move |size| shape.iter().copied().chain([size]).collect())
            })
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn agree(graph: Graph, points: impl Iterator<Item = Point>) -> usize {
    let graph = Arc::new(graph);
    let mut answer = Sizes::of(graph.clone(), &Options::default());
    let mut compared = 0;
    for point in points {
        let run = replay(&graph, &point);
        assert!(!run.is_open, "{graph}{point:?}");
        let held = answer.set_holds(&point);
        // A limit may have cut off a point that is not in the set; one that is in it is known.
        if held.is_none() {
            let is_cut = answer.limits().iter().any(|limit| *limit != Limit::Ranks);
            assert!(is_cut && run.refusal.is_some(), "{graph}{point:?}");
            compared += 1;
            continue;
        }
        assert_eq!(
            held,
            Some(run.refusal.is_none()),
            "{graph}{}{point:?}: {:?}",
            answer.text(),
            run.refusal
        );
        compared += 1;
    }
    compared
}

fn node(name: &str) -> Json {
    json!({"node": name})
}

/// Operators on one tensor, as a node after `input`.
fn unary(name: &str, input: &str) -> Vec<Json> {
    let x = || node(input);
    let method = |target: &str, arguments: Json| call(name, "call_method", target, arguments);
    let function = |target: &str, arguments: Json| call(name, "call_function", target, arguments);
    vec![
        method("view", json!([x(), -1])),
        method("view", json!([x(), -1, 2])),
        method("view", json!([x(), 3, -1])),
        method("view", json!([x(), 6])),
        method("view", json!([x(), 2, 2])),
        method("transpose", json!([x(), 0, 1])),
        method("transpose", json!([x(), -1, -2])),
        method("permute", json!([x(), 1, 0])),
        method("permute", json!([x(), 2, 0, 1])),
        method("unsqueeze", json!([x(), 0])),
        method("unsqueeze", json!([x(), -1])),
        method("squeeze", json!([x()])),
        method("squeeze", json!([x(), 0])),
        method("expand", json!([x(), 2, 3])),
        method("expand", json!([x(), 2, -1])),
        method("repeat", json!([x(), 1, 2])),
        method("sum", json!([x(), 1])),
        function("torch.flatten", json!([x(), 1])),
        function("torch.flatten", json!([x()])),
        function("torch.bmm", json!([x(), x()])),
        function("torch.matmul", json!([x(), x()])),
        function("torch.cat", json!([[x(), x()], 1])),
        function("torch.nn.functional.softmax", json!([x(), 1])),
        function("torch.nn.functional.pad", json!([x(), [1, -2]])),
        function("_operator.add", json!([x(), x()])),
        function(
            "_operator.getitem",
            json!([x(), {"tuple": [{"slice": [null, null, null]}, {"slice": [1, 3, null]}]}]),
        ),
        function(
            "_operator.getitem",
            json!([x(), {"tuple": [null, {"slice": [null, -1, null]}]}]),
        ),
        function("_operator.getitem", json!([x(), 1])),
        module(
            name,
            "torch.nn.modules.linear.Linear",
            input,
            json!({"in_features": 3, "out_features": 2}),
        ),
        module(
            name,
            "torch.nn.modules.normalization.LayerNorm",
            input,
            json!({"normalized_shape": [2]}),
        ),
        module(
            name,
            "torch.nn.modules.conv.Conv1d",
            input,
            json!({"in_channels": 2, "out_channels": 3, "kernel_size": [2], "stride": [1], "padding": [0], "dilation": [1], "groups": 1}),
        ),
        module(
            name,
            "torch.nn.modules.pooling.MaxPool1d",
            input,
            json!({"kernel_size": 2, "stride": 2, "padding": 1, "dilation": 1, "ceil_mode": true}),
        ),
        module(
            name,
            "torch.nn.modules.pooling.AdaptiveAvgPool1d",
            input,
            json!({"output_size": 2}),
        ),
    ]
}

/// Operators on two tensors.
fn binary(name: &str, left: &str, right: &str) -> Vec<Json> {
    let (x, y) = (|| node(left), || node(right));
    let function = |target: &str| call(name, "call_function", target, json!([x(), y()]));
    vec![
        function("_operator.add"),
        function("torch.bmm"),
        function("torch.matmul"),
        call(name, "call_function", "torch.cat", json!([[x(), y()], -1])),
        call(name, "call_method", "masked_fill_", json!([x(), y(), 0])),
        call(name, "call_method", "expand_as", json!([x(), y()])),
        call(name, "call_method", "view_as", json!([x(), y()])),
    ]
}

#[test]
fn the_set_of_one_operator_is_what_runs() {
    let mut compared = 0;
    let points: Vec<Point> = shapes(4, 4)
        .into_iter()
        .map(|sizes| Point::from([("x".to_owned(), Given::Sizes(sizes))]))
        .collect();
    for operator in unary("a", "x") {
        compared += agree(graph(&["x"], &[operator]), points.iter().cloned());
    }
    assert!(compared > 10_000, "{compared} points were compared");
}

#[test]
fn the_set_of_two_operators_is_what_runs() {
    let mut compared = 0;
    let points: Vec<Point> = shapes(3, 4)
        .into_iter()
        .map(|sizes| Point::from([("x".to_owned(), Given::Sizes(sizes))]))
        .collect();
    for first in unary("a", "x") {
        for second in unary("b", "a").into_iter().chain(binary("b", "a", "x")) {
            compared += agree(
                graph(&["x"], &[first.clone(), second]),
                points.iter().cloned(),
            );
        }
    }
    assert!(compared > 100_000, "{compared} points were compared");
}

#[test]
fn the_set_of_two_inputs_is_what_runs() {
    let mut compared = 0;
    let shapes = shapes(3, 3);
    let points: Vec<Point> = shapes
        .iter()
        .flat_map(|x| {
            shapes.iter().map(move |y| {
                Point::from([
                    ("x".to_owned(), Given::Sizes(x.clone())),
                    ("y".to_owned(), Given::Sizes(y.clone())),
                ])
            })
        })
        .collect();
    for first in binary("a", "x", "y") {
        compared += agree(
            graph(&["x", "y"], std::slice::from_ref(&first)),
            points.iter().cloned(),
        );
        for second in unary("b", "a") {
            compared += agree(
                graph(&["x", "y"], &[first.clone(), second]),
                points.iter().step_by(7).cloned(),
            );
        }
    }
    assert!(compared > 30_000, "{compared} points were compared");
}

#[test]
fn large_ranks_are_answered() {
    let add = call(
        "a",
        "call_function",
        "_operator.add",
        json!([node("x"), node("x")]),
    );
    let linear = module(
        "b",
        "torch.nn.modules.linear.Linear",
        "a",
        json!({"in_features": 3, "out_features": 2}),
    );
    let answer = Sizes::of(Arc::new(graph(&["x"], &[add, linear])), &Options::default());
    let point = |sizes: &[u64]| Point::from([("x".to_owned(), Given::Sizes(sizes.to_vec()))]);
    assert_eq!(answer.limits(), []);
    assert_eq!(
        answer.set_holds(&point(&[2, 1, 5, 1, 2, 7, 1, 2, 3])),
        Some(true)
    );
    assert_eq!(
        answer.set_holds(&point(&[2, 1, 5, 1, 2, 7, 1, 2, 4])),
        Some(false)
    );
    assert_eq!(
        answer.admits(&point(&[2, 1, 5, 1, 2, 7, 1, 2, 3])),
        Some(true)
    );
}

#[test]
fn every_node_that_refuses_by_itself_is_told() {
    let linear = |name: &str, input: &str, inputs: u64| {
        module(
            name,
            "torch.nn.modules.linear.Linear",
            input,
            json!({"in_features": inputs, "out_features": 4}),
        )
    };
    let nodes = [
        linear("first", "x", 3),
        linear("second", "x", 3),
        linear("third", "x", 5),
        linear("behind", "first", 9),
        call(
            "sum",
            "call_function",
            "operator.add",
            json!([{"node": "second"}, {"node": "third"}]),
        ),
    ];
    let answer = Sizes::of(Arc::new(graph(&["x"], &nodes)), &Options::default());
    let found = answer.at(&Point::from([("x".to_owned(), Given::Sizes(vec![2, 7]))]));
    let names = |refusals: &[lozenge_gradual_solver::Refusal]| {
        refusals
            .iter()
            .map(|refusal| refusal.nodes.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&found.refusals), [["first", "second"]]);
    assert_eq!(names(&found.also), [["third"]]);
}

/// A size is told to be 0 too beside the outputs that it has there: the first branch is taken from 3 on, so of 0 only
/// the second one tells. Where both branches give the same sizes, they are one case.
#[test]
fn a_size_0_belongs_to_the_branch_that_it_takes() {
    let zeros = |branch: &str| -> Vec<(String, Vec<Option<bool>>)> {
        let text = format!("x : [?, ?]\nreturn if size(x)[0] > 2 then x else {branch}");
        let graph = lozenge_graph::read(text.into_bytes(), &lozenge_graph::Limits::default());
        let graph = Arc::new(graph.expect("the program is read"));
        let report = Sizes::of(graph, &Options::default()).report();
        let cases = report.cases.iter().map(|case| {
            let symbols = case.boxes.iter().flat_map(|found| &found.symbols);
            let zeros = symbols.map(|symbol| symbol.zero).collect();
            (case.outputs[0].shape.clone(), zeros)
        });
        cases.collect()
    };
    let (yes, no) = (Some(true), Some(false));
    assert_eq!(
        zeros("reshape(x, [?])"),
        [
            ("[b, n]".to_owned(), vec![no, yes]),
            ("[b*n]".to_owned(), vec![yes, yes])
        ]
    );
    assert_eq!(zeros("x"), [("[b, n]".to_owned(), vec![yes, yes])]);
}

/// Vectors of equal lengths are added whatever these are, but a length of 0 goes only with a length of 1 beside it.
#[test]
fn a_size_0_of_a_sum_stands_beside_a_size_1() {
    let text = b"x : [?]\ny : [?]\nreturn add(x, y)".to_vec();
    let graph = lozenge_graph::read(text, &lozenge_graph::Limits::default());
    let graph = Arc::new(graph.expect("the program is read"));
    let mut zeros = 0;
    for case in Sizes::of(graph, &Options::default()).report().cases {
        for found in case.boxes {
            let [one, two] = &found.symbols[..] else {
                panic!("{found:?}")
            };
            for (own, other) in [(one, two), (two, one)] {
                let is_stretched = other.values == "1";
                assert_eq!(
                    own.zero,
                    Some(is_stretched && own.equals.is_none()),
                    "{found:?}"
                );
                zeros += usize::from(is_stretched);
            }
        }
    }
    assert_eq!(zeros, 2);
}
