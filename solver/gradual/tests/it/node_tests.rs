//! The node tests of the `onnx` package: single operators, and the bodies of functions, with recorded shapes of
//! outputs.

use crate::recorded::{Outcome, read};
use lozenge_gradual_solver::{Options, Sizes};
use std::collections::BTreeMap;
use std::fmt::Write;
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
    for (name, (count, why)) in open {
        writeln!(text, "{name}: {count}, {why}").unwrap();
    }
    insta::assert_snapshot!(text);
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
