//! Graphs that become no program: the message names what is lacking, by node.

use lozenge_graph_program::{Given, Refusal, lower};
use lozenge_graph_vocabulary::{
    Argument, BodyId, DeclaredSize, ElementType, Format, Graph, GraphBuilder, Node, Operator, Type,
};

/// Returns a graph of nodes in a row, each of which has the output of the one before it as its only argument.
fn chain(sizes: &[DeclaredSize], element: ElementType, operators: &[&str]) -> Graph {
    let mut builder = GraphBuilder::new(Format::Onnx);
    let main = BodyId::MAIN;
    let mut last = builder.input(main, "x", Type::tensor(Some(element), Some(sizes.to_vec())));
    for (place, name) in operators.iter().enumerate() {
        let mut node = Node::new(format!("node {place}"), Operator::new("onnx", *name, 17));
        node.arguments.push(Argument::Value(last));
        let (_, outputs) = builder.node(main, node, [Some((format!("v{place}"), Type::Any))]);
        last = outputs[0].expect("an output");
    }
    builder.output(main, "y", Argument::Value(last));
    builder.finish()
}

fn refusal(graph: &Graph, given: &[(&str, u64)]) -> String {
    let given: Given = given
        .iter()
        .map(|(name, size)| (name.to_string(), *size))
        .collect();
    lower(graph, &given)
        .expect_err("it becomes no program")
        .to_string()
}

const TWO: [DeclaredSize; 2] = [DeclaredSize::Known(2), DeclaredSize::Known(3)];

#[test]
fn every_missing_operator_is_named_and_no_node_behind_it() {
    let graph = chain(
        &TWO,
        ElementType::Float32,
        &["Relu", "Hardmax", "Tanh", "TopK"],
    );
    assert_eq!(
        refusal(&graph, &[]),
        "node `node 1` (onnx.Hardmax@17): this operator is missing"
    );
}

#[test]
fn free_sizes_are_asked_for_and_never_guessed() {
    let named = |name: &str| DeclaredSize::Named(name.into());
    let graph = chain(
        &[named("batch"), DeclaredSize::Free],
        ElementType::Float32,
        &["Relu"],
    );
    assert_eq!(
        refusal(&graph, &[]),
        "the model leaves sizes free: axis 0 of `x`, axis 1 of `x`"
    );
    let Err(Refusal::Free(axes)) = lower(&graph, &Given::from([("batch".into(), 2)])) else {
        panic!("one size is free");
    };
    assert_eq!(axes[0].name, "x[1]");
    assert_eq!(
        refusal(&graph, &[("bach", 2), ("x[1]", 3)])
            .split(':')
            .next(),
        Some("`bach` is no size that the model leaves free")
    );
    let lowered = lower(
        &graph,
        &Given::from([("batch".into(), 2), ("x[1]".into(), 3)]),
    );
    assert!(
        lowered
            .expect("all sizes are given")
            .text
            .contains("data x : 2, 3\n")
    );
}

#[test]
fn inputs_of_other_numbers_and_empty_tensors_are_refused() {
    let graph = chain(&TWO, ElementType::Int64, &["Relu"]);
    assert_eq!(
        refusal(&graph, &[]),
        "input `x`: it has elements of int64, and a program computes in float32"
    );
    let graph = chain(&[DeclaredSize::Known(0)], ElementType::Float32, &["Relu"]);
    assert_eq!(
        refusal(&graph, &[]),
        "input `x`: a tensor has a size 0, and a program has no empty axes"
    );
    let graph = chain(
        &[DeclaredSize::Known(1 << 40)],
        ElementType::Float32,
        &["Relu"],
    );
    assert_eq!(
        refusal(&graph, &[]),
        "input `x`: a tensor has more than 2147483648 cells"
    );
}

#[test]
fn sizes_that_contradict_an_operator_are_told_at_its_node() {
    let mut builder = GraphBuilder::new(Format::Onnx);
    let main = BodyId::MAIN;
    let of = |sizes: [u64; 2]| {
        Type::tensor(
            Some(ElementType::Float32),
            Some(sizes.map(DeclaredSize::Known).to_vec()),
        )
    };
    let (a, b) = (
        builder.input(main, "a", of([2, 3])),
        builder.input(main, "b", of([2, 4])),
    );
    for (name, operator) in [("sum", "Add"), ("product", "MatMul")] {
        let mut node = Node::new(name, Operator::new("onnx", operator, 17));
        node.arguments = vec![Argument::Value(a), Argument::Value(b)];
        builder.node(main, node, [Some((name.to_string(), Type::Any))]);
    }
    assert_eq!(
        refusal(&builder.finish(), &[]),
        "node `sum` (onnx.Add@17): the sizes 3 and 4 meet in one axis\n\
         node `product` (onnx.MatMul@17): the left factor has 3 columns and the right one 2 rows"
    );
}

#[test]
fn names_of_the_model_become_names_of_the_language() {
    let names = ["max", "a/b:0", "a.b:0", "7", "", "\n# x"];
    let mut builder = GraphBuilder::new(Format::Onnx);
    let main = BodyId::MAIN;
    for name in names {
        let declared = Type::tensor(Some(ElementType::Float32), Some(TWO.to_vec()));
        builder.input(main, name, declared);
    }
    let lowered = lower(&builder.finish(), &Given::new()).expect("it has no nodes");
    let found: Vec<&str> = lowered
        .inputs
        .iter()
        .map(|input| input.tensor.as_str())
        .collect();
    assert_eq!(found, ["max_", "a_b_0", "a_b_0_2", "t_7", "t_", "t____x"]);
    lozenge::parse(&lowered.text).expect("the text is a program");
}
