//! Files whose graph is not one: each is refused with the node or the value where it goes wrong.

use lozenge_graph::{Limits, ModelError, Where, read};
use prost::Message;

use crate::messages::{
    AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto,
    TensorProto, TensorShapeProto, TypeProto, ValueInfoProto, attribute_proto, tensor_proto,
    tensor_shape_proto, type_proto,
};

/// Makes a node with these inputs and outputs, each a list with spaces between.
pub(crate) fn node(name: &str, operator: &str, inputs: &str, outputs: &str) -> NodeProto {
    let list = |names: &str| names.split_whitespace().map(str::to_string).collect();
    NodeProto {
        name: Some(name.to_string()),
        op_type: Some(operator.to_string()),
        input: list(inputs),
        output: list(outputs),
        ..NodeProto::default()
    }
}

/// Makes an input of these sizes.
pub(crate) fn input(name: &str, sizes: &[i64]) -> ValueInfoProto {
    let dim = sizes.iter().map(|&size| tensor_shape_proto::Dimension {
        value: Some(tensor_shape_proto::dimension::Value::DimValue(size)),
    });
    let tensor = type_proto::Tensor {
        elem_type: Some(tensor_proto::DataType::Float as i32),
        shape: Some(TensorShapeProto { dim: dim.collect() }),
    };
    ValueInfoProto {
        name: Some(name.to_string()),
        r#type: Some(TypeProto {
            value: Some(type_proto::Value::TensorType(tensor)),
        }),
    }
}

pub(crate) fn graph(
    nodes: &[NodeProto],
    inputs: &[ValueInfoProto],
    outputs: &[&str],
) -> GraphProto {
    let outputs = outputs.iter().map(|name| ValueInfoProto {
        name: Some(name.to_string()),
        r#type: None,
    });
    GraphProto {
        node: nodes
            .iter()
            .map(|node| node.encode_to_vec().into())
            .collect(),
        input: inputs
            .iter()
            .map(|input| input.encode_to_vec().into())
            .collect(),
        output: outputs
            .map(|output| output.encode_to_vec().into())
            .collect(),
        ..GraphProto::default()
    }
}

pub(crate) fn model(graph: GraphProto) -> ModelProto {
    ModelProto {
        ir_version: Some(9),
        opset_import: vec![OperatorSetIdProto {
            domain: None,
            version: Some(17),
        }],
        graph: Some(graph),
        ..ModelProto::default()
    }
}

pub(crate) fn refused(model: &ModelProto) -> ModelError {
    read(model.encode_to_vec(), &Limits::default()).expect_err("the model is refused")
}

fn refused_nodes(nodes: &[NodeProto]) -> ModelError {
    refused(&model(graph(nodes, &[input("x", &[2])], &[])))
}

fn at(name: &str) -> Where {
    Where::Node(name.to_string())
}

#[test]
fn a_value_that_nothing_makes_is_named_with_its_user() {
    let error = refused_nodes(&[
        node("a", "Relu", "x", "y"),
        node("b", "Add", "y nothing", "z"),
    ]);
    assert_eq!(
        error.to_string(),
        "node `b`: `nothing` is used, and nothing before makes it"
    );
}

#[test]
fn a_value_that_is_made_later_is_a_forward_reference() {
    let error = refused_nodes(&[node("a", "Relu", "y", "z"), node("b", "Relu", "x", "y")]);
    assert_eq!(
        error.to_string(),
        "node `a`: `y` is used before node `b` makes it"
    );
    assert!(error.help.is_some());
    // A node without a name is told by what it makes.
    let error = refused_nodes(&[node("", "Relu", "y", "z"), node("", "Relu", "x", "y")]);
    assert_eq!(
        error.to_string(),
        "node `z`: `y` is used before node `y` makes it"
    );
}

#[test]
fn a_cycle_is_called_one() {
    let nodes = [
        node("a", "Add", "x z", "y"),
        node("b", "Relu", "y", "w"),
        node("c", "Relu", "w", "z"),
    ];
    let error = refused_nodes(&nodes);
    assert_eq!(error.place, at("a"));
    assert!(error.message.ends_with("a cycle"), "{error}");
    let alone = refused_nodes(&[node("a", "Relu", "y", "y")]);
    assert!(alone.message.ends_with("a cycle"), "{alone}");
}

#[test]
fn a_value_with_two_makers_is_refused() {
    let error = refused_nodes(&[node("a", "Relu", "x", "y"), node("b", "Relu", "x", "y")]);
    assert_eq!(
        error.to_string(),
        "node `b`: it makes `y`, which has a maker already"
    );
    assert_eq!(
        refused_nodes(&[node("a", "Split", "x", "y y")]).place,
        at("a")
    );
    assert_eq!(refused_nodes(&[node("a", "Relu", "x", "x")]).place, at("a"));
    let twice = refused(&model(graph(&[], &[input("x", &[]), input("x", &[])], &[])));
    assert_eq!(twice.place, Where::Value("x".to_string()));
}

#[test]
fn an_output_that_nothing_makes_is_refused() {
    let error = refused(&model(graph(&[], &[], &["y"])));
    assert_eq!(error.place, Where::Value("y".to_string()));
}

#[test]
fn a_size_below_zero_is_refused_and_minus_one_is_free() {
    let declared = |size| model(graph(&[], &[input("x", &[3, size])], &[]));
    let error = refused(&declared(-2));
    assert_eq!(
        error.to_string(),
        "value `x`: the declared size of axis 1 is -2, which is below 0"
    );
    let free = read(declared(-1).encode_to_vec(), &Limits::default()).expect("-1 is free");
    assert!(
        free.to_string().contains("input x : float32[3,·]"),
        "{free}"
    );
    let large =
        read(declared(i64::MAX).encode_to_vec(), &Limits::default()).expect("the size is a size");
    assert!(
        large.to_string().contains("[3,9223372036854775807]"),
        "{large}"
    );
}

fn with_constant(constant: &TensorProto) -> ModelProto {
    let mut graph = graph(&[], &[], &[]);
    graph.initializer.push(constant.encode_to_vec().into());
    model(graph)
}

#[test]
fn a_constant_with_fewer_values_than_it_declares_is_refused() {
    let constant = |dims: &[i64]| TensorProto {
        name: Some("w".to_string()),
        dims: dims.to_vec(),
        data_type: Some(tensor_proto::DataType::Float as i32),
        ..TensorProto::default()
    };
    let error = refused(&with_constant(&constant(&[1_000_000_000])));
    assert_eq!(
        error.to_string(),
        "value `w`: its sizes need 1000000000 values, and the file stores 0"
    );
    let huge = refused(&with_constant(&constant(&[i64::MAX, i64::MAX])));
    assert!(huge.message.contains("2^64"), "{huge}");
    let negative = refused(&with_constant(&constant(&[2, -7])));
    assert!(negative.message.contains("axis 1 is -7"), "{negative}");
    let mut raw = constant(&[2]);
    raw.raw_data = Some(vec![0; 7].into());
    assert!(
        refused(&with_constant(&raw))
            .message
            .contains("need 8 bytes, and the file stores 7")
    );
}

/// Files of the first versions list every constant among the inputs too.
#[test]
fn an_input_that_has_a_value_is_a_constant() {
    let constant = TensorProto {
        name: Some("w".to_string()),
        dims: vec![2],
        data_type: Some(tensor_proto::DataType::Float as i32),
        float_data: vec![1.0, 2.0],
        ..TensorProto::default()
    };
    let inputs = [input("x", &[2]), input("w", &[2])];
    let mut graph = graph(&[node("a", "Add", "x w", "y")], &inputs, &["y"]);
    graph.initializer.push(constant.encode_to_vec().into());
    let read = read(model(graph).encode_to_vec(), &Limits::default()).expect("the model is whole");
    assert_eq!(read.main().inputs.len(), 1);
    assert_eq!(read.constants[0].floats(), Some(&[1.0, 2.0][..]));
}

fn attribute(name: &str, body: &GraphProto) -> AttributeProto {
    AttributeProto {
        name: Some(name.to_string()),
        r#type: Some(attribute_proto::AttributeType::Graph as i32),
        g: Some(body.encode_to_vec().into()),
        ..AttributeProto::default()
    }
}

pub(crate) fn with_body(mut node: NodeProto, body: &GraphProto) -> NodeProto {
    node.attribute
        .push(attribute("then_branch", body).encode_to_vec().into());
    node
}

#[test]
fn a_body_does_not_see_what_its_own_node_makes() {
    let body = graph(&[node("inner", "Relu", "y", "r")], &[], &["r"]);
    let error = refused_nodes(&[with_body(node("outer", "If", "x", "y"), &body)]);
    assert_eq!(error.place, at("inner"), "{error}");
}

#[test]
fn a_body_does_not_see_the_values_of_its_sibling() {
    let first = graph(&[node("one", "Relu", "x", "inside")], &[], &["inside"]);
    let second = graph(&[node("two", "Relu", "inside", "r")], &[], &["r"]);
    let mut outer = with_body(node("outer", "If", "x", "y"), &first);
    outer
        .attribute
        .push(attribute("else_branch", &second).encode_to_vec().into());
    assert_eq!(refused_nodes(&[outer]).place, at("two"));
}

pub(crate) fn function(
    name: &str,
    nodes: &[NodeProto],
    inputs: &[&str],
    outputs: &[&str],
) -> FunctionProto {
    FunctionProto {
        name: Some(name.to_string()),
        domain: Some("local".to_string()),
        input: inputs.iter().map(|name| name.to_string()).collect(),
        output: outputs.iter().map(|name| name.to_string()).collect(),
        node: nodes
            .iter()
            .map(|node| node.encode_to_vec().into())
            .collect(),
        ..FunctionProto::default()
    }
}

pub(crate) fn call(name: &str, function: &str, inputs: &str, outputs: &str) -> NodeProto {
    NodeProto {
        domain: Some("local".to_string()),
        ..node(name, function, inputs, outputs)
    }
}

pub(crate) fn with_functions(mut model: ModelProto, functions: &[FunctionProto]) -> ModelProto {
    model.functions = functions
        .iter()
        .map(|function| function.encode_to_vec().into())
        .collect();
    model
}

fn refused_call(node: NodeProto, functions: &[FunctionProto]) -> ModelError {
    let model = model(graph(&[node], &[input("x", &[2])], &[]));
    refused(&with_functions(model, functions))
}

#[test]
fn functions_that_call_themselves_are_refused() {
    let direct = function("F", &[call("again", "F", "a", "b")], &["a"], &["b"]);
    let error = refused_call(call("start", "F", "x", "y"), &[direct]);
    assert_eq!(
        error.to_string(),
        "node `start/again`: function `local.F` calls itself"
    );
    let first = function("F", &[call("to_g", "G", "a", "b")], &["a"], &["b"]);
    let second = function("G", &[call("to_f", "F", "a", "b")], &["a"], &["b"]);
    let error = refused_call(call("start", "F", "x", "y"), &[first, second]);
    assert_eq!(error.place, at("start/to_g/to_f"), "{error}");
}

/// A body that is given to a function may use that function: nothing calls itself then.
#[test]
fn a_function_may_occur_in_a_body_that_is_given_to_it() {
    let body = graph(&[call("inside", "F", "x", "r")], &[], &["r"]);
    let function = function("F", &[node("n", "Relu", "a", "b")], &["a"], &["b"]);
    let model = model(graph(
        &[with_body(call("outside", "F", "x", "y"), &body)],
        &[input("x", &[2])],
        &["y"],
    ));
    read(
        with_functions(model, &[function]).encode_to_vec(),
        &Limits::default(),
    )
    .expect("nothing calls itself");
}

#[test]
fn calls_that_do_not_fit_their_function_are_refused() {
    let relu = node("n", "Relu", "a", "b");
    let one = function("F", std::slice::from_ref(&relu), &["a"], &["b"]);
    let more = refused_call(call("c", "F", "x x", "y"), std::slice::from_ref(&one));
    assert!(more.message.contains("gives 2 inputs"), "{more}");
    let outputs = refused_call(call("c", "F", "x", "y z"), std::slice::from_ref(&one));
    assert!(outputs.message.contains("fewer outputs"), "{outputs}");
    let unmade = function("F", &[relu], &["a"], &["elsewhere"]);
    let error = refused_call(call("c", "F", "x", "y"), &[unmade]);
    assert!(
        error.message.contains("does not make its output"),
        "{error}"
    );
    let twice = refused_call(call("c", "F", "x", "y"), &[one.clone(), one]);
    assert!(twice.message.contains("defined twice"), "{twice}");
}

/// A function sees its inputs, and nothing of the graph around its call.
#[test]
fn a_function_does_not_see_the_values_of_its_caller() {
    let function = function("F", &[node("n", "Add", "a x", "b")], &["a"], &["b"]);
    assert_eq!(
        refused_call(call("c", "F", "x", "y"), &[function]).place,
        at("c/n")
    );
}

#[test]
fn torch_fx_graphs_are_held_to_the_same() {
    let refused = |nodes: &str| {
        let text = format!("{{\"nodes\":[{nodes}]}}");
        read(text.into_bytes(), &Limits::default()).expect_err("the graph is refused")
    };
    let call = |name: &str, uses: &str| {
        format!(
            r#"{{"name":"{name}","op":"call_method","target":"relu","args":[{{"node":"{uses}"}}],"kwargs":{{}}}}"#
        )
    };
    let later = refused(&[call("a", "b"), call("b", "c")].join(","));
    assert_eq!(
        later.to_string(),
        "node `a`: `b` is used before node `b` makes it"
    );
    let cycle = refused(&[call("a", "b"), call("b", "a")].join(","));
    assert!(cycle.message.ends_with("a cycle"), "{cycle}");
    let nothing = refused(&call("a", "b"));
    assert!(
        nothing.message.ends_with("nothing before makes it"),
        "{nothing}"
    );
    let input = r#"{"name":"x","op":"placeholder","target":"x"}"#;
    assert!(
        refused(&[input, input].join(","))
            .message
            .contains("two nodes have the name")
    );
    assert!(
        refused(r#"{"name":"x","op":"jump","target":"x"}"#)
            .message
            .contains("no kind of node")
    );
}
