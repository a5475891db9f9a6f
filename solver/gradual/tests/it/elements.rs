//! Operators whose operands have known elements: places, lengths, lists that are multiplied or split. The values are
//! those by hand, from the specifications of the operators.

use crate::large::Writer;
use lozenge_gradual_solver::{Answer, Given, Options, Point, Sizes};
use lozenge_graph_vocabulary::{
    Argument, BodyId, Constant, Data, ElementType, Node, Operator, Type, ValueId,
};

/// Adds integers of 64 bits.
fn integers(writer: &mut Writer, sizes: &[u64], elements: &[i64]) -> ValueId {
    let constant = Constant {
        name: String::new(),
        element: Some(ElementType::Int64),
        sizes: sizes.to_vec(),
        data: Data::Integers(elements.to_vec()),
    };
    let name = format!("{elements:?}");
    writer.builder.constant_value(BodyId::MAIN, name, constant)
}

fn answer(writer: Writer, output: ValueId) -> Answer {
    Sizes::of(writer.finish(output), &Options::default())
}

/// Asserts for sizes of the input `x` that they are admitted, or that they are not.
fn admits(answer: &Answer, all: &[(&[u64], bool)]) {
    for (sizes, expected) in all {
        let at = Point::from([("x".to_owned(), Given::Sizes(sizes.to_vec()))]);
        assert_eq!(answer.admits(&at), Some(*expected), "{sizes:?}");
        assert_eq!(answer.set_holds(&at), Some(*expected), "{sizes:?}");
    }
}

#[test]
fn a_row_is_written_only_where_there_is_one() {
    let mut writer = Writer::new();
    let x = writer.input("x", &["n", "3"]);
    let (places, row) = (integers(&mut writer, &[1, 1], &[2]), writer.weight(&[1, 3]));
    let last = writer.node("ScatterND", &[x, places, row], &[]);
    admits(
        &answer(writer, last),
        &[(&[3, 3], true), (&[2, 3], false), (&[9, 3], true)],
    );
}

#[test]
fn no_more_of_a_sequence_is_reversed_than_there_is() {
    let mut writer = Writer::new();
    let x = writer.input("x", &["t", "2"]);
    let lengths = integers(&mut writer, &[2], &[4, 1]);
    let last = writer.node("ReverseSequence", &[x, lengths], &[]);
    admits(
        &answer(writer, last),
        &[(&[4, 2], true), (&[3, 2], false), (&[7, 2], true)],
    );
}

/// 2·3·4 is 24, and their sum 9.
#[test]
fn a_product_of_a_list_is_a_size() {
    let mut writer = Writer::new();
    let x = writer.input("x", &["n"]);
    let list = integers(&mut writer, &[3], &[2, 3, 4]);
    let product = writer.node("ReduceProd", &[list], &[]);
    let last = writer.node("Reshape", &[x, product], &[]);
    admits(
        &answer(writer, last),
        &[(&[24], true), (&[9], false), (&[12], false)],
    );
}

/// The second half of (2, 3, 5, 7) is (5, 7).
#[test]
fn a_part_of_a_list_has_the_elements_of_its_place() {
    let mut writer = Writer::new();
    let x = writer.input("x", &["n"]);
    let list = integers(&mut writer, &[4], &[2, 3, 5, 7]);
    let mut node = Node::new("split", Operator::new("onnx", "Split", Some(20)));
    node.arguments = vec![Argument::Value(list)];
    node.attributes = vec![("num_outputs".to_owned(), Argument::Int(2))];
    let outputs = ["first", "second"].map(|name| Some((name.to_owned(), Type::Any)));
    let (_, parts) = writer.builder.node(BodyId::MAIN, node, outputs);
    let second = parts[1].expect("an output");
    let last = writer.node("Reshape", &[x, second], &[]);
    admits(&answer(writer, last), &[(&[35], true), (&[6], false)]);
}

/// A quantised convolution has its kernel at the fourth place, behind the scale of its input.
#[test]
fn a_quantised_convolution_wants_the_channels_of_its_kernel() {
    let mut writer = Writer::new();
    let x = writer.input("x", &["1", "c", "5", "5"]);
    let scales = [(); 2].map(|()| writer.weight(&[]));
    let kernel = writer.weight(&[8, 4, 3, 3]);
    let others = [(); 4].map(|()| writer.weight(&[]));
    let operands: Vec<ValueId> = [x]
        .into_iter()
        .chain(scales)
        .chain([kernel])
        .chain(others)
        .collect();
    let last = writer.node("QLinearConv", &operands, &[]);
    let answer = answer(writer, last);
    admits(&answer, &[(&[1, 4, 5, 5], true), (&[1, 5, 5, 5], false)]);
    let at = Point::from([("x".to_owned(), Given::Sizes(vec![1, 4, 5, 5]))]);
    assert_eq!(answer.at(&at).outputs[0].1, Some(vec![1, 8, 3, 3]));
}
