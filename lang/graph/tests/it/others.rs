//! Models that others made: those of the acceptance test, and those of the `onnx` package, which says what they hold.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lozenge_graph::Graph;
use lozenge_graph_vocabulary::{Argument, DeclaredSize, Type};
use serde_json::{Value as Json, json};

use crate::examples::example_file;

/// Gives a folder that `.ci/setup` fills, or nothing where it did not, which is said.
fn folder(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../.libs")
        .join(name);
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

#[test]
fn the_models_of_the_acceptance_test_are_read() {
    let Some(folder) = folder("models") else {
        return;
    };
    let listed = fs::read(folder.join("models.json")).expect("the list is beside the models");
    let listed: Json = serde_json::from_slice(&listed).expect("the list is JSON");
    for (name, model) in listed.as_object().expect("the list is an object") {
        let graph = example_file(&folder.join(format!("{name}.onnx")));
        assert_eq!(
            graph.node_count() as u64,
            model["nodes"].as_u64().unwrap(),
            "{name}"
        );
        let standard = graph
            .operator_sets
            .iter()
            .find(|(domain, _)| domain == "onnx");
        assert_eq!(
            standard.map(|(_, version)| *version),
            model["operator_set"].as_i64(),
            "{name}"
        );
        assert!(graph.to_string().len() > 1000, "{name}");
    }
}

/// Gives the models in a folder of test data.
fn models_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("the entry is there").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "onnx")
            {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn the_networks_and_converted_models_of_the_onnx_package_are_read() {
    let Some(folder) = folder("onnx") else { return };
    let data = folder.join("onnx/backend/test/data");
    for (kind, least) in [
        ("light", 9),
        ("pytorch-converted", 82),
        ("pytorch-operator", 35),
        ("simple", 23),
    ] {
        let models = models_below(&data.join(kind));
        assert!(models.len() >= least, "{kind}: {} models", models.len());
        for model in models {
            assert!(example_file(&model).node_count() > 0, "{}", model.display());
        }
    }
}

/// All node tests of the package are read, and hold what the package itself reads in them: inputs with their declared
/// sizes, constants with theirs, outputs, and the nodes with their operators, inputs, outputs and attributes.
#[test]
fn node_tests_hold_what_the_onnx_package_reads_in_them() {
    let Some(folder) = folder("onnx") else { return };
    let models = tempfile::tempdir().expect("a folder can be made");
    let written = Command::new("python3")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node_tests.py"))
        .arg(models.path())
        .env("PYTHONPATH", &folder)
        .output()
        .expect("Python runs");
    assert!(
        written.status.success(),
        "{}",
        String::from_utf8_lossy(&written.stderr)
    );
    let summary = fs::read(models.path().join("summary.json")).expect("the script wrote it");
    let summary: Json = serde_json::from_slice(&summary).expect("it is JSON");
    let summary = summary.as_object().expect("it is an object");
    for (name, expected) in summary {
        let graph = example_file(&models.path().join(format!("{name}.onnx")));
        assert_eq!(&summarised(&graph), expected, "{name}");
    }
    assert!(summary.len() >= 1884, "only {} tests", summary.len());
}

/// Says of a graph what the script says of a model.
fn summarised(graph: &Graph) -> Json {
    let main = graph.main();
    let inputs = main
        .inputs
        .iter()
        .map(|&id| json!([graph[id].name, sizes(&graph[id].declared)]));
    let mut constants: Vec<_> = main
        .constants
        .iter()
        .map(|&id| (&graph[id].name, sizes(&graph[id].declared)))
        .collect();
    constants.sort_by_key(|(name, _)| name.as_str());
    let name_of =
        |argument: &Argument| argument.as_value().map_or("", |id| graph[id].name.as_str());
    let nodes = main.nodes.iter().map(|node| {
        let inputs: Vec<_> = node.arguments.iter().map(name_of).collect();
        let outputs: Vec<_> = node
            .outputs
            .iter()
            .map(|output| output.map_or("", |id| graph[id].name.as_str()))
            .collect();
        let mut attributes: Vec<_> = node.attributes.iter().map(|(name, _)| name).collect();
        attributes.sort();
        json!([node.operator.name, inputs, outputs, attributes])
    });
    json!({
        "inputs": inputs.collect::<Vec<_>>(),
        "constants": constants,
        "outputs": main.outputs.iter().map(|output| &output.name).collect::<Vec<_>>(),
        "nodes": nodes.collect::<Vec<_>>(),
    })
}

fn sizes(declared: &Type) -> Json {
    let sizes = declared.sizes().map(|sizes| {
        let sizes = sizes.iter().map(|size| match size {
            DeclaredSize::Known(size) => json!(size),
            DeclaredSize::Named(name) | DeclaredSize::Expression(name) => json!(name),
            DeclaredSize::Free => Json::Null,
        });
        sizes.collect::<Vec<_>>()
    });
    json!(sizes)
}
