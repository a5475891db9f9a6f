//! Models that others made, where `.ci/setup` has loaded them, against the records of running onnxruntime at many
//! sizes.

use flate2::read::GzDecoder;
use lozenge_gradual_solver::{Answer, Branches, Given, Options, Point, Relax, Sizes, Verdict};
use lozenge_graph_vocabulary::{Argument, BodyId, Graph};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the folder of the models, or nothing, which is said, where they were not loaded.
fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.libs/models");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("LOZENGE_REQUIRE_MODELS").is_none(),
        "{} is not there, and LOZENGE_REQUIRE_MODELS is set",
        folder.display()
    );
    eprintln!(
        "left out: {} is not there; .ci/setup fills it",
        folder.display()
    );
    None
}

/// Returns the recorded runs of a model, a line each.
fn records(name: &str) -> Vec<Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../app/cli/tests/models/sweeps")
        .join(format!("{name}.json.gz"));
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).expect("the records are there"))
        .read_to_string(&mut text)
        .expect("they are gzip");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

fn point(at: &Json) -> Point {
    let given = at
        .as_object()
        .expect("inputs")
        .iter()
        .map(|(name, given)| match given {
            Json::Array(sizes) => (
                name.clone(),
                Given::Sizes(
                    sizes
                        .iter()
                        .map(|size| size.as_u64().expect("a size"))
                        .collect(),
                ),
            ),
            number => (
                name.clone(),
                Given::Number(number.as_i64().expect("a number")),
            ),
        });
    given.collect()
}

fn names() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../app/cli/tests/models/sweeps");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .replace(".json.gz", "")
        })
        .collect();
    names.sort();
    names
}

fn graph(folder: &Path, name: &str) -> Graph {
    let path = folder.join(format!("{name}.onnx"));
    lozenge_graph::read_file(&path, &lozenge_graph::Limits::default()).expect("the model is read")
}

fn answer(folder: &Path, name: &str, relax: Relax) -> Answer {
    Sizes::of(
        Arc::new(graph(folder, name)),
        &Options {
            relax,
            ..Options::default()
        },
    )
}

fn has_zero(point: &Point) -> bool {
    point
        .values()
        .any(|given| matches!(given, Given::Sizes(sizes) if sizes.contains(&0)))
}

/// Tells whether a node lies in a body of another one, which onnxruntime names in its place.
fn lies_in(graph: &Graph, inner: &str, outer: &str) -> bool {
    let named = |name: &str| {
        graph
            .nodes()
            .find(|(_, node)| node.name() == name)
            .map(|(id, _)| id)
    };
    let (Some(inner), Some(outer)) = (named(inner), named(outer)) else {
        return false;
    };
    let holder = |body: BodyId| {
        graph.nodes().find(|(_, node)| {
            let mut given = node.attributes.iter().map(|(_, argument)| argument);
            given.any(|argument| *argument == Argument::Body(body))
        })
    };
    let mut at = inner;
    while let Some((id, _)) = holder(at.body) {
        if id == outer {
            return true;
        }
        at = id;
    }
    false
}

/// The set, and a run on numbers, admit what onnxruntime ran, with its outputs; where it refused, the node that it
/// names is told.
#[test]
fn sets_and_runs_agree_with_onnxruntime() {
    let Some(folder) = folder() else { return };
    let (mut compared, mut refused, mut named) = (0, 0, 0);
    let (mut zeros, mut silent) = (0, 0);
    let mut others: BTreeMap<String, usize> = BTreeMap::new();
    let mut graphs: BTreeMap<String, Graph> = BTreeMap::new();
    for name in names() {
        graphs.insert(name.clone(), graph(&folder, &name));
        let answers: BTreeMap<bool, Answer> = [false, true]
            .into_iter()
            .map(|relax| {
                (
                    relax,
                    answer(
                        &folder,
                        &name,
                        if relax { Relax::All } else { Relax::Nothing },
                    ),
                )
            })
            .collect();
        for (relax, answer) in &answers {
            assert_eq!(answer.limits(), [], "{name}, relaxed: {relax}");
            assert_eq!(answer.unknown_operators(), [], "{name}");
        }
        for record in records(&name) {
            let answer = &answers[&record["relax"].as_bool().expect("a truth value")];
            let point = point(&record["at"]);
            // A refusal that is the runtime's own is no matter of the graph: it trusts declared names when it shares
            // buffers.
            if record["because"] == "buffer" {
                continue;
            }
            let admitted = record["admitted"].as_bool();
            let found = answer.at(&point);
            // At size 0 the text may be silent. The sets are those of sizes from 1 on.
            if has_zero(&point) {
                zeros += 1;
                assert!(
                    found.admitted.is_none() || found.admitted == admitted,
                    "{name} at {point:?}: {found:?}"
                );
                silent += usize::from(found.admitted.is_none());
                continue;
            }
            assert_eq!(found.admitted, admitted, "{name} at {point:?}: {found:?}");
            if !found.refusals.iter().any(|refusal| refusal.node.is_empty()) {
                assert_eq!(
                    answer.set_holds(&point),
                    admitted,
                    "the set of {name} at {point:?}"
                );
            }
            compared += 1;
            if let Some(outputs) = record["outputs"].as_object() {
                for (output, sizes) in &found.outputs {
                    let expected: Vec<i128> = outputs[output]
                        .as_array()
                        .expect("sizes")
                        .iter()
                        .map(|size| size.as_i64().expect("a size").into())
                        .collect();
                    assert_eq!(
                        sizes.as_ref(),
                        Some(&expected),
                        "`{output}` of {name} at {point:?}"
                    );
                }
            }
            if let Some(node) = record["node"].as_str() {
                refused += 1;
                let mut told = found.refusals.iter().chain(&found.also);
                let graph = &graphs[&name];
                if told.any(|refusal| {
                    refusal
                        .nodes
                        .iter()
                        .any(|told| told == node || lies_in(graph, told, node))
                }) {
                    named += 1;
                } else {
                    *others.entry(format!("{name}: `{node}`")).or_insert(0) += 1;
                }
            }
        }
    }
    assert_eq!(others, BTreeMap::new(), "nodes that are not told");
    // A convolution of an axis of size 0, which onnxruntime refuses.
    assert_eq!((zeros, silent), (20, 9));
    eprintln!("{compared} points compared, {refused} refused by a node, which is named in {named}");
    assert!(compared > 5_000, "{compared} points were compared");
}

/// A model without conditions that some input runs has nothing left open about its conditions.
#[test]
fn a_model_without_conditions_names_no_limit() {
    let Some(folder) = folder() else { return };
    for name in ["ch_PP-OCRv4_rec_infer", "ch_PP-OCRv4_det_infer", "encoder"] {
        let found = Branches::of(&graph(&folder, name), &Options::default());
        assert_eq!(found.verdict, Verdict::Sat, "{name}");
        assert_eq!((found.branches.len(), found.limits), (0, vec![]), "{name}");
    }
}
