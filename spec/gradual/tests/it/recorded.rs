//! The torch.fx graphs that carry the shapes of runs in PyTorch: every recorded value and every recorded failure is
//! found.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use lozenge_gradual_spec::shape_functions::{Value, run_graph};
use lozenge_graph::{Limits, read};
use serde_json::Value as Json;

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fx");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.to_string_lossy().ends_with(".json.gz"))
        .collect();
    files.sort();
    files
}

fn content(path: &Path) -> Vec<u8> {
    let mut content = Vec::new();
    let file = std::fs::File::open(path).expect("the file is there");
    let mut reader = GzDecoder::new(file);
    reader.read_to_end(&mut content).expect("it is gzip");
    content
}

/// Reads the record of a value, in the words of a run; nothing for what has no size.
fn recorded(json: &Json) -> Option<Value> {
    let sizes =
        |json: &Json| -> Option<Vec<u64>> { json.as_array()?.iter().map(Json::as_u64).collect() };
    Some(match json["kind"].as_str()? {
        "tensor" => Value::Tensor(sizes(&json["shape"])?),
        "size" => Value::sizes(&sizes(json.get("value").unwrap_or(&json["shape"]))?),
        "int" => Value::Integer(json["value"].as_i64()?.into()),
        "bool" => Value::Truth(json["value"].as_bool()?),
        "tuple" | "list" => {
            let items = json.get("items").unwrap_or(&json["value"]).as_array()?;
            Value::List(items.iter().map(recorded).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

#[test]
fn every_recorded_value_and_failure_is_found() {
    let (mut compared, mut failures) = (0, 0);
    for path in files() {
        let content = content(&path);
        let json: Json = serde_json::from_slice(&content).expect("the file is JSON");
        let graph = read(content, &Limits::default()).expect("the graph is read");
        let sample = serde_json::json!({"inputs": json["sample_input"], "shapes": json["shapes"], "error": json["error"]});
        let further = json["runs"].as_array().cloned().unwrap_or_default();
        for run in std::iter::once(sample).chain(further) {
            let inputs = run["inputs"].as_array().expect("inputs").iter();
            let inputs: Vec<Value> = inputs
                .map(|input| recorded(input).expect("a value"))
                .collect();
            let found = run_graph(&graph, &inputs);
            assert!(
                found.unknown.is_empty(),
                "{}: {:?}",
                path.display(),
                found.unknown
            );
            let shapes = run["shapes"].as_object().into_iter().flatten();
            for (node, shape) in shapes.filter(|(node, _)| *node != "output") {
                let Some(shape) = recorded(shape) else {
                    continue;
                };
                assert_eq!(
                    found.values.get(node),
                    Some(&shape),
                    "{}: {node}",
                    path.display()
                );
                compared += 1;
            }
            match &run["error"] {
                Json::Null => assert_eq!(found.failure, None, "{}", path.display()),
                error => {
                    let (node, why) = found.failure.expect("the run fails");
                    // The record stops right before the node that failed.
                    let reached = run["shapes"].as_object().map_or(0, serde_json::Map::len);
                    assert!(
                        reached == 0
                            || !run["shapes"]
                                .as_object()
                                .expect("shapes")
                                .contains_key(&node),
                        "{node}: {why}, {error}"
                    );
                    failures += 1;
                }
            }
        }
    }
    assert!(compared > 40_000, "only {compared} values");
    assert!(failures > 0, "no failure is recorded");
    println!("{compared} values, {failures} failures");
}
