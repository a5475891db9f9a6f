//! Answers in JSON, each held against the schema of its command in `docs/generated/schemas`.

use std::path::Path;

use serde_json::Value;

/// Returns an answer. It must be valid for the schema of the command that it names; a line of `batch` names none.
pub fn answer(text: &str) -> Value {
    let answer: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let command = answer["command"].as_str().unwrap_or("batch");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/schemas");
    let own = folder.join(format!("{command}.json"));
    let schema = match own.exists() {
        true => own,
        // A word that is no command can only be answered with an error.
        false => folder.join("error.json"),
    };
    let schema = std::fs::read_to_string(schema).expect("the schema");
    let schema = serde_json::from_str(&schema).expect("a schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let wrong: Vec<String> = validator
        .iter_errors(&answer)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{}\n{answer:#}", wrong.join("\n"));
    answer
}
