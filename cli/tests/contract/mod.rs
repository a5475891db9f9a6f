//! The contract of the JSON answers, for all tests that read one.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Fails unless an answer is what the schema of its command in docs/schema describes.
pub fn holds(answer: &Value) {
    let command = answer["command"]
        .as_str()
        .unwrap_or_else(|| panic!("no command in {answer}"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema");
    let path = folder.join(format!("{command}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let schema: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(answer)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{command}: {errors:#?} in {answer:#}");
}
