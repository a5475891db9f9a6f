//! Answers about a point: the nearest admitted sizes, the place where a refusal comes from, and the records of an
//! exporter.

use crate::large::Writer;
use lozenge_gradual_solver::{Answer, Given, Options, Point, Relax, Sizes, written};
use lozenge_gradual_vocabulary::conditions;
use lozenge_graph::Limits;
use lozenge_graph_vocabulary::{Argument, BodyId, DeclaredSize, ElementType, Node, Operator, Type};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

fn answer(model: &str, options: &Options) -> Answer {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(model);
    let graph = lozenge_graph::read_file(&path, &Limits::default()).expect("the model is read");
    Sizes::of(Arc::new(graph), options)
}

fn detector() -> Answer {
    answer("models/detector.onnx", &Options::default())
}

fn image(sizes: [u64; 4]) -> Point {
    Point::from([("image".to_owned(), Given::Sizes(sizes.to_vec()))])
}

/// Returns the nearest sizes of each axis, by its name.
fn nearest(answer: &mut Answer, point: &Point) -> Vec<(String, Option<i128>, Option<i128>)> {
    let near = answer.nearest(point).into_iter();
    near.map(|near| (near.axis, near.below, near.above))
        .collect()
}

/// By hand: heights and widths are 3 or 0 modulo 4.
#[test]
fn two_axes_that_are_wrong_have_nearest_sizes_each() {
    let mut answer = detector();
    let both = image([1, 3, 30, 41]);
    let expected = [
        ("h".to_owned(), Some(28), Some(31)),
        ("w".to_owned(), Some(40), Some(43)),
    ];
    assert_eq!(nearest(&mut answer, &both), expected);
    let [change] = &answer.changes(&both)[..] else {
        panic!("height and width change together");
    };
    assert!(change.together.is_empty(), "each choice is admitted");
    for (h, w) in [(28, 40), (28, 43), (31, 40), (31, 43)] {
        assert_eq!(answer.admits(&image([1, 3, h, w])), Some(true), "{h} {w}");
    }
    // One axis is enough, and no other is named.
    let one = nearest(&mut answer, &image([1, 3, 30, 40]));
    assert_eq!(one, [("h".to_owned(), Some(28), Some(31))]);
}

/// Twelve elements in rows that an input counts: 4 and 6 rows are beside 5. onnxruntime takes these and refuses 5. The
/// letter of a list's element is given as the answer names it, and what is no element is refused.
#[test]
fn elements_of_a_list_are_given_and_have_nearest_values() {
    let records = crate::recorded::read("values.jsonl.gz");
    let record = records.iter().find(|record| record.name == "reshapelist");
    let graph = Arc::new(record.expect("it is recorded").graph());
    let mut answer = Sizes::of(graph, &Options::default());
    let point = |elements: &[(&str, i64)]| {
        let elements = elements
            .iter()
            .map(|(name, number)| ((*name).to_owned(), Given::Number(*number)));
        let x = ("x".to_owned(), Given::Sizes(vec![2, 6]));
        elements.chain([x]).collect::<Point>()
    };
    for (rows, is_admitted) in [(4, true), (5, false), (6, true)] {
        let at = point(&[("t(0)", rows), ("t(1)", -1)]);
        assert_eq!(answer.admits(&at), Some(is_admitted), "{rows}");
        assert_eq!(answer.set_holds(&at), Some(is_admitted), "{rows}");
    }
    let near = nearest(&mut answer, &point(&[("t(0)", 5), ("t(1)", -1)]));
    let rows = near.iter().find(|near| near.0 == "t(0)");
    assert_eq!(rows, Some(&("t(0)".to_owned(), Some(4), Some(6))));
    let at = answer.at(&point(&[("t(2)", 1)]));
    assert_eq!(at.admitted, Some(false));
    assert!(at.refusals[0].words.contains("is no element"), "{at:?}");
    let number = Point::from([("x".to_owned(), Given::Number(3))]);
    assert!(
        answer.at(&number).refusals[0]
            .words
            .contains("is not one integer")
    );
}

/// The last layer takes 196 numbers of 4 by 4 pixels each: no height goes with a width of 20, and each has a width of
/// its own.
#[test]
fn sizes_that_belong_together_are_told_together() {
    let mut answer = answer("models/classifier.onnx", &Options::default());
    let point = image([1, 1, 10, 20]);
    let changes = answer.changes(&point);
    let [change] = &changes[..] else {
        panic!("height and width change together: {changes:?}");
    };
    assert!(!change.together.is_empty(), "{change:?}");
    for together in &change.together {
        let sizes: Vec<u64> = together.iter().map(|(_, size)| *size as u64).collect();
        let point = image([1, 1, sizes[0], sizes[1]]);
        assert_eq!(answer.admits(&point), Some(true), "{}", written(&point));
    }
    for near in &change.axes {
        for size in [near.below, near.above].into_iter().flatten() {
            let is_told =
                |together: &Vec<(String, i128)>| together.contains(&(near.axis.clone(), size));
            assert!(
                change.together.iter().any(is_told),
                "{} = {size}",
                near.axis
            );
        }
    }
}

#[test]
fn a_declared_number_has_to_change_too() {
    let mut answer = detector();
    let expected = [("image[1]".to_owned(), Some(3), None)];
    assert_eq!(nearest(&mut answer, &image([1, 4, 32, 32])), expected);
    let both = nearest(&mut answer, &image([1, 4, 30, 32]));
    assert_eq!(both.len(), 2, "{both:?}");
    let rank = Point::from([("image".to_owned(), Given::Sizes(vec![1, 3, 32]))]);
    assert_eq!(nearest(&mut answer, &rank), []);
}

#[test]
fn a_refusal_names_the_axis_from_which_it_comes_and_the_way_there() {
    let answer = detector();
    let point = image([1, 3, 30, 40]);
    let [refusal] = &answer.at(&point).refusals[..] else {
        panic!("one layer refuses");
    };
    let [origin] = &refusal.from[..] else {
        panic!("the height alone is the reason: {refusal:?}");
    };
    assert_eq!(
        (origin.axis.as_str(), origin.input.as_str()),
        ("h", "image")
    );
    assert_eq!((origin.at, origin.given), (Some(2), Some(30)));
    let steps = answer.story(refusal, Some(&point));
    assert_eq!(steps[0].name, "image");
    assert_eq!(steps[0].sizes, Some(vec![1, 3, 30, 40]));
    let last = steps.last().expect("there are steps");
    assert_eq!(
        last.sizes.as_ref().map(|sizes| sizes[2]),
        Some(16),
        "{steps:?}"
    );
}

#[test]
fn conditions_that_leave_no_size_are_named_with_the_nodes() {
    let conditions = lozenge_gradual_vocabulary::conditions("w > 2, h % 4 = 1, h > 4").unwrap();
    let options = Options {
        conditions,
        ..Options::default()
    };
    let answer = answer("models/detector.onnx", &options);
    let words: Vec<&str> = answer.core().iter().map(|one| one.words.as_str()).collect();
    let nodes: Vec<&str> = answer.core().iter().map(|one| one.node.as_str()).collect();
    assert_eq!(
        words[..2],
        ["the condition `h % 4 = 1`", "the condition `h > 4`"]
    );
    assert_eq!(nodes, ["", "", "merge"]);
}

/// The exporter recorded heights from 33; by PyTorch 2.15 the model runs at 1 by 1, which a guard excludes.
#[test]
fn a_recorded_set_is_held_against_the_own_one() {
    let mut answer = answer("torch_export/resnet18.pt2", &Options::default());
    let recorded = answer.recorded().expect("the file has guards");
    assert!(recorded.is_decided);
    assert_eq!(recorded.only_recorded, None);
    let point = recorded.only_graph.expect("the graph takes more");
    assert_eq!(answer.admits(&point), Some(true), "{}", written(&point));
    let not_needed = recorded
        .conditions
        .iter()
        .filter(|one| one.excludes.is_some());
    assert!(not_needed.count() > 10, "no guard on the size is needed");
    let text = answer.text();
    assert!(text.contains("taken, not recorded: "), "{text}");
    // Nothing is recorded in an ONNX file.
    assert_eq!(detector().recorded(), None);
    let relaxed = Options {
        relax: Relax::All,
        ..Options::default()
    };
    let mut answer = self::answer("torch_export/bert.pt2", &relaxed);
    let recorded = answer.recorded().expect("the file has guards");
    let mut ends = BTreeMap::from([(" >= 2", 0), (" <= 512", 0)]);
    for one in &recorded.conditions {
        for (end, count) in ends.iter_mut().filter(|(end, _)| one.text.ends_with(**end)) {
            // Positions end at 512, and a single word is a sentence.
            assert_eq!(one.excludes.is_some(), *end == " >= 2", "{}", one.text);
            *count += 1;
        }
    }
    assert!(ends.values().all(|count| *count > 0), "{recorded:?}");
}

/// Where the rank is not declared, the reason and the sizes are those of the rank that is asked about.
#[test]
fn a_refusal_is_told_in_the_letters_of_its_rank() {
    let text = r#"{"nodes": [
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "kwargs": {}},
        {"name": "v", "op": "call_method", "target": "view", "args": [{"node": "x"}, -1, 7], "kwargs": {}},
        {"name": "output", "op": "output", "target": "output", "args": [{"node": "v"}], "kwargs": {}}]}"#;
    let graph = lozenge_graph::read(text.as_bytes().to_vec(), &Limits::default());
    let answer = Sizes::of(
        Arc::new(graph.expect("the graph is read")),
        &Options::default(),
    );
    let found = answer.at(&Point::from([("x".to_owned(), Given::Sizes(vec![2, 3]))]));
    let [refusal] = &found.refusals[..] else {
        panic!("{found:?}")
    };
    let general = "x[0]*x[1] elements are not a multiple of 7";
    assert_eq!(refusal.general.as_deref(), Some(general));
    let from: Vec<&str> = refusal.from.iter().map(|one| one.axis.as_str()).collect();
    assert_eq!(from, ["x[0]", "x[1]"]);
}

/// Six axes are equal or stretched, each by itself: 729 alternatives, which the set keeps as six conditions. None of
/// them is left out.
#[test]
fn a_set_of_too_many_alternatives_keeps_every_condition() {
    let mut writer = Writer::new();
    let names = |input: char| -> Vec<String> { (0..6).map(|at| format!("{input}{at}")).collect() };
    let inputs = ["x", "z"].map(|name| {
        let sizes = names(if name == "x" { 'a' } else { 'b' });
        let sizes: Vec<&str> = sizes.iter().map(String::as_str).collect();
        writer.input(name, &sizes)
    });
    let last = writer.node("Add", &inputs, &[]);
    let mut answer = Sizes::of(writer.finish(last), &Options::default());
    let point = |at: usize, sizes: [u64; 2]| -> Point {
        let each = ["x", "z"].into_iter().zip(sizes).map(|(name, size)| {
            let mut all = vec![4; 6];
            all[at] = size;
            (name.to_owned(), Given::Sizes(all))
        });
        each.collect()
    };
    for at in 0..6 {
        for (sizes, admitted) in [
            ([2, 3], false),
            ([1, 3], true),
            ([3, 1], true),
            ([5, 5], true),
        ] {
            let asked = point(at, sizes);
            assert_eq!(
                answer.set_holds(&asked),
                Some(admitted),
                "axis {at}: {sizes:?}"
            );
            assert_eq!(
                answer.admits(&asked),
                Some(admitted),
                "axis {at}: {sizes:?}"
            );
        }
        let text = answer.text();
        assert!(text.contains(&format!("a{at} = b{at} or")), "{text}");
    }
}

/// The convolution of [b, 3, h, 9] with a window of 3 and stride 2 has 16 rows for heights 33 and 34 only. onnxruntime
/// runs other heights, whatever the file declares for the output.
#[test]
fn an_output_that_is_declared_otherwise_is_told() {
    let told = |heights: &str| {
        let mut writer = Writer::new();
        let x = writer.input("x", &["b", "3", "h", "9"]);
        let kernel = writer.weight(&[8, 3, 3, 3]);
        let mut node = Node::new("conv", Operator::new("onnx", "Conv", Some(20)));
        node.arguments = vec![Argument::Value(x), Argument::Value(kernel)];
        let twos = Argument::List(vec![Argument::Int(2); 2]);
        node.attributes = vec![("strides".to_owned(), twos)];
        let named = DeclaredSize::Named("b".to_owned());
        let known = [8, 16].map(DeclaredSize::Known);
        let sizes = [named].into_iter().chain(known).chain([DeclaredSize::Free]);
        let declared = Type::tensor(Some(ElementType::Float32), Some(sizes.collect()));
        let output = [Some(("y".to_owned(), declared))];
        let (_, outputs) = writer.builder.node(BodyId::MAIN, node, output);
        let options = Options {
            conditions: conditions(heights).expect("conditions"),
            ..Options::default()
        };
        let mut answer = Sizes::of(writer.finish(outputs[0].expect("an output")), &options);
        let warnings = answer.warnings().into_iter();
        warnings.map(|warning| warning.words).collect::<Vec<_>>()
    };
    assert_eq!(told("h >= 33, h <= 34"), Vec::<String>::new());
    assert_eq!(
        told("h >= 33, h <= 35"),
        ["`out` is declared as [b, 8, 16, ?], and the graph gives [b, 8, ceil(h/2) - 1, 4]"]
    );
}
