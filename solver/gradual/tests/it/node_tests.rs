//! The node tests of the `onnx` package: single operators, and the bodies of functions, with recorded shapes of
//! outputs.

use crate::recorded::{Outcome, read};
use lozenge_gradual_solver::{Options, Sizes};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Every recorded shape is answered, or the operator is in the list of those that are not; none is answered wrong.
#[test]
fn the_shapes_of_node_tests() {
    let (mut answered, mut single, mut wrong) = (0, [0, 0], String::new());
    let mut open: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let records = read("node-tests.jsonl.gz");
    for record in &records {
        let operators = record.operators();
        let is_single = usize::from(operators.len() == 1);
        single[0] += is_single;
        for outcome in record.outcomes_at_points() {
            match outcome {
                Outcome::Agrees => {
                    answered += 1;
                    single[1] += is_single;
                }
                Outcome::Open(why) => {
                    let name = if is_single == 1 {
                        operators[0].clone()
                    } else {
                        record.name.clone()
                    };
                    open.entry(name).or_insert((0, why)).0 += 1;
                }
                Outcome::Wrong(why) => writeln!(wrong, "{}: {why}", record.name).unwrap(),
            }
        }
    }
    assert_eq!(wrong, "", "answered wrong");
    let mut text = format!(
        "{answered} of {} tests answered, {} of {} with one node\n\n",
        records.len(),
        single[1],
        single[0]
    );
    let mut names = Vec::new();
    for (name, (count, why)) in open {
        names.push(match why.as_str() {
            "no shape function" => format!("`{name}` ({count})"),
            _ => format!("`{name}` ({count}: {why})"),
        });
        writeln!(text, "{name}: {count}, {why}").unwrap();
    }
    insta::assert_snapshot!(text);
    in_document(&wrapped(&format!(
        "{answered} of {} node tests of the `onnx` package are answered, {} of the {} with one node; none is answered wrong. Open are: {}.\n",
        records.len(),
        single[1],
        single[0],
        names.join(", ")
    )));
}

/// Breaks a paragraph into lines that fit on a screen.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 120;
    let (mut out, mut width) = (String::new(), 0);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out.push('\n');
    out
}

/// Compares a part of the document on models, or writes it.
fn in_document(part: &str) {
    const MARKS: [&str; 2] = [
        "<!-- made from the node tests -->\n",
        "<!-- end of the node tests -->\n",
    ];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/models.md");
    let document = std::fs::read_to_string(&path).expect("the document is there");
    let (before, rest) = document.split_once(MARKS[0]).expect("the part begins");
    let (own, after) = rest.split_once(MARKS[1]).expect("the part ends");
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        let all = [before, MARKS[0], part, MARKS[1], after].concat();
        std::fs::write(&path, all).expect("the document is written");
        return;
    }
    assert_eq!(own, part, "LOZENGE_WRITE=1 writes it");
}

/// The question which sizes are admitted ends for every test, also where axes without end fall into more cases than are
/// looked at.
#[test]
fn the_sets_of_node_tests_end() {
    let hard = "test_attention_23_boolmask_fullymasked_row_nan_robustness_expanded";
    let mut open = Vec::new();
    for (at, record) in read("node-tests.jsonl.gz").iter().enumerate() {
        if at % 16 != 0 && record.name != hard {
            continue;
        }
        let mut answer = Sizes::of(Arc::new(record.graph()), &Options::default());
        let text = answer.text();
        assert!(
            answer.steps() < 8_000_000,
            "{}: {}",
            record.name,
            answer.steps()
        );
        if !answer.limits().is_empty() {
            assert!(text.contains("unknown: "), "{text}");
            open.push(format!("{}: {}", record.name, answer.limits()[0]));
        }
    }
    insta::assert_snapshot!(open.join("\n"));
}
