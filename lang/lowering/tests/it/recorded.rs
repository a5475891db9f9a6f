//! The outputs of small models, each of one operator in one use, against those that onnxruntime computed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lozenge::backend::Interpreter;
use serde_json::Value as Json;

use crate::computed::{Array, difference, outputs};

/// The largest difference, as a part of the largest value: some roundings of numbers of 32 bits.
const BOUND: f64 = 4e-6;

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

pub fn array(json: &Json) -> Array {
    let list = |name: &str| json[name].as_array().expect("a list").clone();
    let value = |json: &Json| match json {
        Json::String(word) => word.parse().expect("a word for a number"),
        number => number.as_f64().expect("a number"),
    };
    Array {
        sizes: list("sizes")
            .iter()
            .map(|size| size.as_u64().expect("a size"))
            .collect(),
        values: list("values").iter().map(value).collect(),
    }
}

pub fn arrays(json: &Json) -> BTreeMap<String, Array> {
    let all = json.as_object().expect("an object").iter();
    all.map(|(name, json)| (name.clone(), array(json)))
        .collect()
}

#[test]
fn each_operator_computes_what_onnxruntime_computes() {
    let text =
        std::fs::read_to_string(folder().join("recorded.json")).expect("the records are there");
    let recorded: Json = serde_json::from_str(&text).expect("they are JSON");
    let cases = recorded["cases"].as_object().expect("cases");
    let mut wrong = Vec::new();
    for (name, case) in cases {
        let content =
            std::fs::read(folder().join(format!("{name}.onnx"))).expect("the model is there");
        let mut interpreter = Interpreter::new(Default::default());
        let found = outputs(&content, &arrays(&case["inputs"]), &mut interpreter);
        for (output, expected) in arrays(&case["outputs"]) {
            let found = &found[&output];
            assert_eq!(found.sizes, expected.sizes, "{name}");
            let apart = difference(&expected.values, &found.values);
            if apart > BOUND {
                wrong.push(format!(
                    "{name}: {apart:e}\n  {:?}\n  {:?}",
                    expected.values, found.values
                ));
            }
        }
    }
    assert!(
        cases.len() > 110,
        "the records are those of {} models",
        cases.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
