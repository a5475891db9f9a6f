//! ONNX files.

use lozenge_graph::Graph;
use lozenge_graph_vocabulary::{Argument, Constant, Data, Origin};

use crate::examples::{example, names};

#[test]
fn the_example_files_become_these_graphs() {
    for name in names("onnx", ".onnx") {
        let graph = example(&format!("onnx/{name}.onnx"));
        insta::with_settings!({ snapshot_suffix => name }, {
            insta::assert_snapshot!("graph", graph.to_string());
        });
    }
}

fn constant<'a>(graph: &'a Graph, name: &str) -> &'a Constant {
    let found = graph
        .constants
        .iter()
        .find(|constant| constant.name == name);
    found.unwrap_or_else(|| panic!("{name} is there"))
}

#[test]
fn constants_have_the_values_that_numpy_wrote() {
    let graph = example("onnx/constants.onnx");
    for signed in ["int8", "int16", "int32", "int64"] {
        let constant = constant(&graph, &format!("raw_{signed}"));
        assert_eq!(constant.integers(), Some(&[-2, 1, 100][..]), "{signed}");
    }
    for unsigned in ["uint8", "uint16", "uint32", "uint64"] {
        let constant = constant(&graph, &format!("raw_{unsigned}"));
        assert_eq!(constant.integers(), Some(&[0, 1, 100][..]), "{unsigned}");
    }
    for float in ["float16", "float32", "float64"] {
        let constant = constant(&graph, &format!("raw_{float}"));
        assert_eq!(constant.floats(), Some(&[-2.0, 1.0, 100.0][..]), "{float}");
    }
    for float in ["float16", "bfloat16", "float32"] {
        let constant = constant(&graph, &format!("list_{float}"));
        assert_eq!(constant.floats(), Some(&[0.5, -1.0][..]), "{float}");
    }
    assert_eq!(constant(&graph, "raw_bool").integers(), Some(&[1, 0][..]));
    assert_eq!(constant(&graph, "list_bool").integers(), Some(&[1, 0][..]));
    assert_eq!(constant(&graph, "list_int4").integers(), Some(&[-3, 5][..]));
    assert_eq!(constant(&graph, "none").integers(), Some(&[][..]));
}

#[test]
fn constants_that_are_long_or_outside_are_left_where_they_are() {
    let graph = example("onnx/constants.onnx");
    assert_eq!(constant(&graph, "outside").data, Data::External);
    assert_eq!(constant(&graph, "outside").elements(), Some(1_000_000));
    let Data::Unread(Some(range)) = &constant(&graph, "long").data else {
        panic!("the long constant is not read");
    };
    assert!(
        range.end - range.start > 70_000,
        "the range holds the values: {range:?}"
    );
    // 2^63 does not fit into an integer of 64 bits with a sign.
    assert!(matches!(
        constant(&graph, "list_uint64").data,
        Data::Unread(Some(_))
    ));
    assert!(matches!(
        constant(&graph, "list_string").data,
        Data::Unread(Some(_))
    ));
}

#[test]
fn inner_bodies_use_values_of_outer_ones() {
    let graph = example("onnx/branches.onnx");
    let (_, add) = graph
        .nodes()
        .find(|(_, node)| node.name() == "add")
        .expect("the node is there");
    let used: Vec<_> = add
        .arguments
        .iter()
        .filter_map(Argument::as_value)
        .map(|id| &graph[id])
        .collect();
    assert!(matches!(used[0].origin, Origin::Input { position: 0, .. }));
    let Origin::Node { node, .. } = used[1].origin else {
        panic!("the value is made by a node");
    };
    assert_eq!(graph[node].name(), "double");
    assert_eq!(graph[graph[node].outputs[0].unwrap()].name, "doubled");
}

#[test]
fn a_function_has_the_operator_sets_that_it_imports() {
    let graph = example("onnx/functions.onnx");
    assert!(
        graph
            .nodes()
            .all(|(_, node)| node.operator.version == Some(18))
    );
    assert_eq!(
        graph.operator_sets,
        [("onnx".to_string(), 17), ("local".to_string(), 1)]
    );
}
