//! The torch.fx graphs that carry the shapes of runs in PyTorch: every recorded value is found by a run on numbers.

use flate2::read::GzDecoder;
use lozenge_gradual_solver::{Given, Options, Point, Relax, Replayed, Sizes, Verdict, replay};
use lozenge_graph_vocabulary::{Graph, Origin};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fx");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(".json.gz"))
        .collect();
    files.sort();
    files
}

pub(crate) fn content(path: &Path) -> Vec<u8> {
    let mut content = Vec::new();
    GzDecoder::new(std::fs::File::open(path).expect("the file is there"))
        .read_to_end(&mut content)
        .expect("it is gzip");
    content
}

pub(crate) fn graph(content: Vec<u8>) -> Graph {
    lozenge_graph::read(content, &lozenge_graph::Limits::default()).expect("the graph is read")
}

/// Returns the value that the file records, in the words of a run.
fn recorded(json: &Json) -> Replayed {
    let list = |json: &Json| {
        json.as_array()
            .expect("a list")
            .iter()
            .map(recorded)
            .collect::<Vec<_>>()
    };
    match json["kind"].as_str() {
        Some("tensor") => Replayed::Tensor(
            json["shape"]
                .as_array()
                .expect("sizes")
                .iter()
                .map(|size| size.as_i64().expect("a size").into())
                .collect(),
        ),
        Some("size") => {
            let sizes = json
                .get("value")
                .or_else(|| json.get("shape"))
                .and_then(Json::as_array)
                .expect("sizes");
            Replayed::List(
                sizes
                    .iter()
                    .map(|size| Replayed::Integer(size.as_i64().expect("a size").into()))
                    .collect(),
            )
        }
        Some("int") => Replayed::Integer(json["value"].as_i64().expect("a number").into()),
        Some("bool") => Replayed::Truth(json["value"].as_bool().expect("a truth value")),
        Some("tuple" | "list") => Replayed::List(list(
            json.get("items")
                .or_else(|| json.get("value"))
                .expect("items"),
        )),
        _ => Replayed::Unknown,
    }
}

fn point(graph: &Graph, inputs: &Json) -> Point {
    let names = graph.main().inputs.iter().map(|id| graph[*id].name.clone());
    let given = inputs
        .as_array()
        .expect("a list of inputs")
        .iter()
        .map(|input| match recorded(input) {
            Replayed::Tensor(sizes) => Given::Sizes(
                sizes
                    .into_iter()
                    .map(|size| u64::try_from(size).expect("a size"))
                    .collect(),
            ),
            Replayed::Integer(number) => Given::Number(i64::try_from(number).expect("a number")),
            other => panic!("an input is {other:?}"),
        });
    names.zip(given).collect()
}

#[test]
fn every_recorded_value_of_every_node_and_run_is_found() {
    let mut compared = 0;
    for path in files() {
        let content = content(&path);
        let json: Json = serde_json::from_slice(&content).expect("the file is JSON");
        let graph = graph(content);
        let further = json["runs"].as_array().cloned().unwrap_or_default();
        let runs = std::iter::once((
            json["sample_input"].clone(),
            json["shapes"].clone(),
            json["error"].clone(),
        ));
        let runs = runs.chain(further.into_iter().map(|run| {
            (
                run["inputs"].clone(),
                run["shapes"].clone(),
                run["error"].clone(),
            )
        }));
        for (inputs, shapes, error) in runs {
            let point = point(&graph, &inputs);
            let run = replay(&graph, &point);
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            assert_eq!(
                run.refusal.is_some(),
                error.is_string(),
                "{name} at {point:?}: {:?}, recorded {error}",
                run.refusal
            );
            assert!(!run.is_open, "{name} at {point:?}");
            if let (Some(refusal), Some(error)) = (&run.refusal, error.as_str()) {
                assert!(
                    error.contains(&format!("%{} ", refusal.node)),
                    "{name}: `{}` is refused, recorded {error}",
                    refusal.node
                );
            }
            for (id, value) in graph.values.iter().enumerate() {
                let Some(expected) = shapes
                    .get(&value.name)
                    .map(recorded)
                    .filter(|expected| *expected != Replayed::Unknown)
                else {
                    continue;
                };
                if matches!(value.origin, Origin::Constant(_)) {
                    continue;
                }
                let found = run.value(lozenge_graph_vocabulary::ValueId(
                    u32::try_from(id).expect("a place"),
                ));
                // An input that no node uses is not looked at.
                if found.is_none() && matches!(value.origin, Origin::Input { .. }) {
                    continue;
                }
                assert_eq!(
                    found,
                    Some(&expected),
                    "{name} at {point:?}: `{}`",
                    value.name
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 40_000, "{compared} values were compared");
}

/// Returns the sets of all graphs, by the name of the file.
fn answer(name: &str) -> lozenge_gradual_solver::Answer {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/fx")
        .join(format!("{name}.json.gz"));
    Sizes::of(Arc::new(graph(content(&path))), &Options::default())
}

#[test]
fn no_graph_is_unknown_and_two_are_refused() {
    let mut verdicts: BTreeMap<String, Verdict> = BTreeMap::new();
    for path in files() {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .replace(".json.gz", "");
        let answer = answer(&name);
        assert_eq!(answer.unknown_operators(), [], "{name}");
        assert_eq!(answer.limits(), [], "{name}");
        verdicts.insert(name, answer.verdict());
    }
    // BmmExample is refused with the sizes of its annotations; ConvExample with all.
    let refused: Vec<&String> = verdicts
        .iter()
        .filter(|(_, verdict)| **verdict != Verdict::Sat)
        .map(|(name, _)| name)
        .collect();
    assert_eq!(refused, ["BmmExample", "ConvExample"], "{verdicts:?}");
    let free = Options {
        relax: Relax::All,
        ..Options::default()
    };
    for (name, expected) in [
        ("BmmExample", Verdict::Sat),
        ("ConvExample", Verdict::Unsat),
    ] {
        let path = files()
            .into_iter()
            .find(|path| path.to_string_lossy().contains(&format!("/{name}.")));
        let graph = graph(content(&path.expect("the file is there")));
        assert_eq!(
            Sizes::of(Arc::new(graph), &free).verdict(),
            expected,
            "{name}"
        );
    }
}

/// Both sides of the printed bounds, by running.
#[test]
fn a_bert_takes_512_tokens_and_a_resnet_takes_one_pixel() {
    for (name, inside, outside) in [
        ("Bert", [vec![1, 1], vec![7, 512]], [vec![1, 513], vec![4]]),
        (
            "ResNet50",
            [vec![1, 3, 1, 1], vec![2, 3, 500, 8]],
            [vec![3, 1, 1], vec![1, 4, 9, 9]],
        ),
        (
            "VGG11",
            [vec![1, 3, 32, 32], vec![2, 3, 33, 100]],
            [vec![1, 3, 31, 32], vec![1, 3, 32, 31]],
        ),
        (
            "AlexNet",
            [vec![1, 3, 63, 63], vec![2, 3, 64, 100]],
            [vec![1, 3, 62, 63], vec![1, 3, 63, 62]],
        ),
    ] {
        let answer = answer(name);
        let input = if name == "Bert" { "input_ids" } else { "x" };
        for (points, expected) in [(inside, true), (outside, false)] {
            for sizes in points {
                let point = Point::from([(input.to_owned(), Given::Sizes(sizes))]);
                assert_eq!(answer.admits(&point), Some(expected), "{name} at {point:?}");
                assert_eq!(
                    answer.set_holds(&point),
                    Some(expected),
                    "the set of {name} at {point:?}"
                );
            }
        }
    }
}
