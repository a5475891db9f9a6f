//! Models that others made, where `.ci/setup` has loaded them, against the records of onnxruntime.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lozenge::backend::Interpreter;
use serde_json::Value as Json;

use crate::computed::{Array, difference, outputs};
use crate::recorded::array;

/// The folder of the models, or nothing, which is said, where they were not loaded.
fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.libs/models");
    if folder.is_dir() {
        return Some(folder);
    }
    let required = std::env::var_os("LOZENGE_REQUIRE_MODELS").is_some();
    assert!(
        !required,
        "{} is not there, and LOZENGE_REQUIRE_MODELS is set",
        folder.display()
    );
    eprintln!(
        "left out: {} is not there; .ci/setup fills it",
        folder.display()
    );
    None
}

/// The largest difference, as a part of the largest recorded value.
const BOUND: f64 = 1e-5;

/// The numbers of an input: the sines of the numbers of its cells, as `tests/models/record.py` gives them to onnxruntime.
pub fn sines(sizes: &[u64]) -> Array {
    let count: u64 = sizes.iter().product();
    let values = (0..count).map(|cell| f64::from((cell as f64).sin() as f32));
    Array {
        sizes: sizes.to_vec(),
        values: values.collect(),
    }
}

#[test]
fn the_classifier_of_text_directions_computes_what_onnxruntime_computes() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(crate::recorded::folder().join("models.json"))
        .expect("the records are there");
    let recorded: Json = serde_json::from_str(&text).expect("they are JSON");
    let name = "ch_ppocr_mobile_v2.0_cls_infer";
    let content = std::fs::read(folder.join(format!("{name}.onnx"))).expect("the model is there");
    for run in recorded["models"][name].as_array().expect("runs") {
        let sizes: Vec<u64> = serde_json::from_value(run["inputs"]["x"].clone()).expect("sizes");
        let inputs = BTreeMap::from([("x".to_string(), sines(&sizes))]);
        let found = outputs(&content, &inputs, &mut Interpreter::new(Default::default()));
        for (output, expected) in run["outputs"].as_object().expect("outputs") {
            let (step, expected) = (expected["step"].as_u64().expect("a step"), array(expected));
            assert_eq!(found[output].sizes, expected.sizes);
            let values = found[output].values.iter().step_by(step as usize);
            let apart = difference(&expected.values, &values.copied().collect::<Vec<_>>());
            assert!(apart < BOUND, "{sizes:?}: {apart:e}");
        }
    }
}
