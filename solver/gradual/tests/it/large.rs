//! Graphs that are large or deep, and branches on data: work is linear in the layers.

use lozenge_gradual_solver::{Answer, Given, Options, Point, Sizes, Verdict};
use lozenge_graph_vocabulary::{
    Argument, BodyId, Constant, Data, DeclaredSize, ElementType, Format, Graph, GraphBuilder, Node,
    Operator, Type, ValueId,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A graph of ONNX that is written node by node.
pub struct Writer {
    pub builder: GraphBuilder,
    count: usize,
}

impl Writer {
    /// Begins a graph.
    pub fn new() -> Self {
        let builder = GraphBuilder::new(Format::Onnx);
        Self { builder, count: 0 }
    }

    /// Adds an input. A size that is a number is one, and others are names.
    pub fn input(&mut self, name: &str, sizes: &[&str]) -> ValueId {
        let sizes = sizes.iter().map(|size| match size.parse() {
            Ok(number) => DeclaredSize::Known(number),
            Err(_) => DeclaredSize::Named((*size).to_owned()),
        });
        let declared = Type::tensor(Some(ElementType::Float32), Some(sizes.collect()));
        self.builder.input(BodyId::MAIN, name, declared)
    }

    /// Adds a weight.
    pub fn weight(&mut self, sizes: &[u64]) -> ValueId {
        let constant = Constant {
            name: String::new(),
            element: Some(ElementType::Float32),
            sizes: sizes.to_vec(),
            data: Data::Unread(None),
        };
        let name = format!("w{}", self.builder_name());
        self.builder.constant_value(BodyId::MAIN, name, constant)
    }

    fn builder_name(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// Adds a node, and gives its result.
    pub fn node(
        &mut self,
        name: &str,
        arguments: &[ValueId],
        attributes: &[(&str, Argument)],
    ) -> ValueId {
        let at = self.builder_name();
        let mut node = Node::new(format!("n{at}"), Operator::new("onnx", name, Some(20)));
        node.arguments = arguments.iter().copied().map(Argument::Value).collect();
        node.attributes = attributes
            .iter()
            .map(|(name, argument)| ((*name).to_owned(), argument.clone()))
            .collect();
        let output = Some((format!("v{at}"), Type::Any));
        let (_, outputs) = self.builder.node(BodyId::MAIN, node, [output]);
        outputs[0].expect("an output")
    }

    /// Ends the graph with its output.
    pub fn finish(mut self, output: ValueId) -> Arc<Graph> {
        self.builder
            .output(BodyId::MAIN, "out", Argument::Value(output));
        Arc::new(self.builder.finish())
    }
}

fn answer(graph: &Arc<Graph>) -> Answer {
    Sizes::of(graph.clone(), &Options::default())
}

fn at(sizes: &[u64]) -> Point {
    Point::from([("x".to_owned(), Given::Sizes(sizes.to_vec()))])
}

/// Returns a network of blocks with a skip: two convolutions with their activations, and a sum.
fn blocks(count: usize) -> Arc<Graph> {
    let mut writer = Writer::new();
    let mut last = writer.input("x", &["b", "8", "h", "w"]);
    let kernel = writer.weight(&[8, 8, 3, 3]);
    let pads = ("pads", Argument::List(vec![Argument::Int(1); 4]));
    for _ in 0..count {
        let first = writer.node("Conv", &[last, kernel], std::slice::from_ref(&pads));
        let first = writer.node("Relu", &[first], &[]);
        let second = writer.node("Conv", &[first, kernel], std::slice::from_ref(&pads));
        last = writer.node("Add", &[second, last], &[]);
    }
    writer.finish(last)
}

#[test]
fn the_work_for_a_layer_does_not_grow_with_the_layers() {
    let times: Vec<Duration> = [2_500, 25_000]
        .into_iter()
        .map(|count| {
            let graph = blocks(count);
            let start = Instant::now();
            let mut found = answer(&graph);
            let text = found.text();
            let time = start.elapsed();
            assert_eq!(found.limits(), []);
            assert!(text.contains("out : [b, 8, h, w]"), "{text}");
            assert_eq!(found.admits(&at(&[2, 8, 1, 7])), Some(true));
            assert_eq!(found.admits(&at(&[2, 9, 1, 7])), Some(false));
            time
        })
        .collect();
    eprintln!("{times:?}");
    // Ten times as many layers take about ten times as long. Other programs may disturb that, and a square would be a
    // hundred.
    assert!(times[1] < times[0] * 40, "{times:?}");
}

/// Each layer halves an axis.
#[test]
fn a_deep_staircase_is_one_class_or_ends_at_a_limit() {
    for count in [1_usize, 3, 6, 200] {
        let mut writer = Writer::new();
        let mut last = writer.input("x", &["b", "8", "n"]);
        let kernel = writer.weight(&[8, 8, 2]);
        let strides = ("strides", Argument::List(vec![Argument::Int(2)]));
        for _ in 0..count {
            last = writer.node("Conv", &[last, kernel], std::slice::from_ref(&strides));
        }
        let graph = writer.finish(last);
        let found = answer(&graph);
        if let Some(least) = 2_u64.checked_pow(u32::try_from(count).expect("a number")) {
            assert_eq!(found.limits(), [], "{count}");
            assert_eq!(found.set_holds(&at(&[1, 8, least])), Some(true), "{count}");
            assert_eq!(
                found.set_holds(&at(&[1, 8, least - 1])),
                Some(false),
                "{count}"
            );
        } else {
            assert_eq!(found.verdict(), Verdict::Unknown);
            assert!(!found.limits().is_empty());
        }
    }
}

#[test]
fn both_branches_on_data_are_followed() {
    let mut writer = Writer::new();
    let x = writer.input("x", &["b", "n"]);
    let condition = writer.input("c", &[]);
    let cast = ("to", Argument::Int(9));
    let condition = writer.node("Cast", &[condition], &[cast]);
    let branches = ["then_branch", "else_branch"].map(|name| {
        let body = writer.builder.body(name, BodyId::MAIN);
        let (operator, inputs) = match name {
            "then_branch" => ("Relu", vec![x]),
            _ => ("MatMul", vec![x, x]),
        };
        let node = Node {
            arguments: inputs.into_iter().map(Argument::Value).collect(),
            ..Node::new(name, Operator::new("onnx", operator, Some(20)))
        };
        let output = Some((format!("{name}.y"), Type::Any));
        let (_, outputs) = writer.builder.node(body, node, [output]);
        let value = Argument::Value(outputs[0].expect("an output"));
        writer.builder.output(body, "y", value);
        (name, Argument::Body(body))
    });
    let last = writer.node("If", &[condition], &branches);
    let mut found = answer(&writer.finish(last));
    assert_eq!(found.unknown_operators(), []);
    let text = found.text();
    assert!(!text.contains("upper bound"), "{text}");
    let truth = "data decide v1: 1 takes the first branch, 0 the second";
    assert_eq!(found.assumptions(), [(truth.to_owned(), "n2".to_owned())]);
    let asked = |rows, columns| {
        Point::from([
            ("x".to_owned(), Given::Sizes(vec![rows, columns])),
            ("c".to_owned(), Given::Sizes(vec![])),
        ])
    };
    // The product of a matrix with itself asks for a square; the other branch takes everything.
    for (rows, columns, refused) in [(2, 3, true), (3, 3, false)] {
        let told = found.at(&asked(rows, columns));
        assert_eq!(told.admitted, Some(true));
        let unless: Vec<&str> = told.unless.iter().map(|one| one.node.as_str()).collect();
        assert_eq!(!unless.is_empty(), refused, "{unless:?}");
        assert!(unless.iter().all(|node| *node == "else_branch"));
        assert_eq!(found.set_holds(&asked(rows, columns)), Some(true));
    }
}
