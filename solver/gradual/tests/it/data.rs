//! Sizes and branches that data decide. The values are those by hand, from the specifications of the operators.

use crate::large::Writer;
use lozenge_gradual_solver::{Given, Options, Point, Sizes, Verdict};
use lozenge_gradual_vocabulary::conditions;
use lozenge_graph_vocabulary::{Argument, BodyId, Node, Operator, Type, ValueId};

fn point(given: &[(&str, &[u64])]) -> Point {
    let each = given.iter();
    each.map(|(name, sizes)| ((*name).to_owned(), Given::Sizes(sizes.to_vec())))
        .collect()
}

/// Adds a condition on which data decide: whether an input of rank 0 is not 0.
fn truth(writer: &mut Writer) -> ValueId {
    let given = writer.input("c", &[]);
    writer.node("Cast", &[given], &[("to", Argument::Int(9))])
}

/// Adds a branch of one node on a value.
fn branch(
    writer: &mut Writer,
    name: &'static str,
    mut node: Node,
    on: &[ValueId],
) -> (&'static str, Argument) {
    let body = writer.builder.body(name, BodyId::MAIN);
    node.arguments = on.iter().copied().map(Argument::Value).collect();
    let output = Some((format!("{name}.y"), Type::Any));
    let (_, outputs) = writer.builder.node(body, node, [output]);
    let value = Argument::Value(outputs[0].expect("an output"));
    writer.builder.output(body, "y", value);
    (name, Argument::Body(body))
}

/// A mask finds at most as much as there is: three rows of a matrix want three found ones.
#[test]
fn no_more_is_found_than_there_is() {
    let mut writer = Writer::new();
    let (x, c) = (writer.input("x", &["n"]), writer.input("c", &["k"]));
    let z = writer.input("z", &["m", "5"]);
    let holds = writer.node("Cast", &[c], &[("to", Argument::Int(9))]);
    let found = writer.node("Compress", &[x, holds], &[("axis", Argument::Int(0))]);
    let last = writer.node("MatMul", &[found, z], &[]);
    let graph = writer.finish(last);
    let answer = Sizes::of(graph, &Options::default());
    for (n, k, m, expected) in [
        (3, 9, 3, true),
        (9, 3, 3, true),
        (2, 9, 3, false),
        (9, 2, 3, false),
    ] {
        let at = point(&[("x", &[n]), ("c", &[k]), ("z", &[m, 5])]);
        // More numbers of found ones are possible than are tried, where the set has no bound.
        assert_eq!(answer.set_holds(&at) == Some(true), expected, "{at:?}");
        assert_eq!(answer.admits(&at), Some(expected), "{at:?}");
    }
}

/// Two branches with results of different sizes: an output is told where both agree.
#[test]
fn an_output_is_told_where_all_data_agree() {
    let mut writer = Writer::new();
    let x = writer.input("x", &["b", "n"]);
    let condition = truth(&mut writer);
    let keep = Node::new("keep", Operator::new("onnx", "Relu", Some(20)));
    let mut flat = Node::new("flat", Operator::new("onnx", "Flatten", Some(20)));
    flat.attributes = vec![("axis".to_owned(), Argument::Int(0))];
    let branches = [
        branch(&mut writer, "then_branch", keep, &[x]),
        branch(&mut writer, "else_branch", flat, &[x]),
    ];
    let last = writer.node("If", &[condition], &branches);
    let answer = Sizes::of(writer.finish(last), &Options::default());
    for (rows, expected) in [(1, Some(vec![1, 3])), (2, None)] {
        let found = answer.at(&point(&[("x", &[rows, 3]), ("c", &[])]));
        assert_eq!(found.admitted, Some(true));
        assert_eq!(found.unless, []);
        assert_eq!(found.outputs[0].1, expected);
    }
}

/// `repeat` by two numbers takes ranks up to 2. That large ranks are not decided does not matter where a condition
/// excludes them.
#[test]
fn a_condition_on_the_rank_decides_what_ranks_without_end_do_not() {
    let text = r#"{"nodes": [
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "kwargs": {}},
        {"name": "r", "op": "call_method", "target": "repeat", "args": [{"node": "x"}, 2, 3], "kwargs": {}},
        {"name": "output", "op": "output", "target": "output", "args": [{"node": "r"}], "kwargs": {}}]}"#;
    let graph = lozenge_graph::read(text.as_bytes().to_vec(), &lozenge_graph::Limits::default());
    let graph = std::sync::Arc::new(graph.expect("the graph is read"));
    let verdict = |text: &str| {
        let conditions = conditions(text).expect("a condition");
        let options = Options {
            conditions,
            ..Options::default()
        };
        Sizes::of(graph.clone(), &options).verdict()
    };
    assert_eq!(verdict("x.rank = 2"), Verdict::Sat);
    assert_eq!(verdict("x.rank = 3"), Verdict::Unsat);
    assert_eq!(verdict("x.rank = 9"), Verdict::Unsat);
}

/// A normalisation by instances takes tensors with and without a batch; without weights it does not ask for its
/// channels, as PyTorch only warns.
#[test]
fn a_normalisation_by_instances_is_that_of_its_class() {
    let answer = |affine: bool| {
        let text = format!(
            r#"{{"nodes": [
            {{"name": "x", "op": "placeholder", "target": "x", "args": [], "kwargs": {{}}}},
            {{"name": "n", "op": "call_module", "target": "n", "module": "torch.nn.modules.instancenorm.InstanceNorm2d", "args": [{{"node": "x"}}],
              "kwargs": {{}}, "params": {{"num_features": 3, "affine": {affine}, "track_running_stats": false}}}},
            {{"name": "output", "op": "output", "target": "output", "args": [{{"node": "n"}}], "kwargs": {{}}}}]}}"#
        );
        let graph = lozenge_graph::read(text.into_bytes(), &lozenge_graph::Limits::default());
        Sizes::of(
            graph.expect("the graph is read").into(),
            &Options::default(),
        )
    };
    for (sizes, plain, affine) in [
        (&[2, 3, 4, 5][..], true, true),
        (&[3, 4, 5], true, true),
        (&[2, 4, 4, 5], true, false),
        (&[4, 1, 5], true, false),
        (&[2, 3, 1, 1], false, false),
        (&[4, 5], false, false),
        (&[1, 2, 3, 4, 5], false, false),
    ] {
        let at = point(&[("x", sizes)]);
        assert_eq!(answer(false).admits(&at), Some(plain), "{sizes:?}");
        assert_eq!(answer(true).admits(&at), Some(affine), "{sizes:?}");
    }
}

/// A loop that makes no trip asks nothing: its body adds a tensor of two rows, and with no trip there may be five.
#[test]
fn the_body_of_a_loop_without_a_trip_is_not_asked() {
    let records = crate::recorded::read("further.jsonl.gz");
    let record = records.iter().find(|record| record.name == "loopt");
    let graph = record.expect("the model is recorded").graph();
    let answer = Sizes::of(graph.into(), &Options::default());
    for (rows, trips, expected) in [(5, 0, true), (5, 1, false), (2, 1, true), (5, -1, true)] {
        let mut at = point(&[("x", &[rows, 3])]);
        at.insert("t".to_owned(), Given::Number(trips));
        assert_eq!(answer.set_holds(&at), Some(expected), "{at:?}");
    }
}

/// An ellipsis of ONNX stands for equally many axes in each operand, as its specification says.
#[test]
fn an_ellipsis_stands_for_equally_many_axes() {
    for (left, right, expected) in [
        (&["2", "3"][..], &["3", "4"][..], true),
        (&["5", "2", "3"], &["5", "3", "4"], true),
        (&["5", "2", "3"], &["3", "4"], false),
        (&["5", "2", "3"], &["6", "5", "3", "4"], false),
    ] {
        let mut writer = Writer::new();
        let operands = [writer.input("x", left), writer.input("z", right)];
        let equation = Argument::String("...ij,...jk->...ik".to_owned());
        let last = writer.node("Einsum", &operands, &[("equation", equation)]);
        let verdict = Sizes::of(writer.finish(last), &Options::default()).verdict();
        assert_eq!(verdict == Verdict::Sat, expected, "{left:?} {right:?}");
    }
}

/// `torch.index_select(x, 1, index)` of [2, 5, 7] and three indices is [2, 3, 7].
#[test]
fn a_selection_replaces_the_axis_that_is_asked_for() {
    let text = r#"{"nodes": [
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "kwargs": {}},
        {"name": "i", "op": "placeholder", "target": "i", "args": [], "kwargs": {}},
        {"name": "s", "op": "call_function", "target": "torch.index_select", "args": [{"node": "x"}, 1, {"node": "i"}], "kwargs": {}},
        {"name": "output", "op": "output", "target": "output", "args": [{"node": "s"}], "kwargs": {}}]}"#;
    let graph = lozenge_graph::read(text.as_bytes().to_vec(), &lozenge_graph::Limits::default());
    let answer = Sizes::of(
        graph.expect("the graph is read").into(),
        &Options::default(),
    );
    let found = answer.at(&point(&[("x", &[2, 5, 7]), ("i", &[3])]));
    assert_eq!(found.outputs[0].1, Some(vec![2, 3, 7]));
}
