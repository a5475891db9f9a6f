//! `lozenge sizes` about models that others made: at each size of the recorded sweeps it says what onnxruntime did.
//!
//! The sweeps are in `app/cli/tests/models/sweeps`, and `sweep.py` beside them says how they were made. `.ci/setup`
//! loads the models.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use lozenge_graph_vocabulary::{Argument, Graph, NodeId, Origin, ValueId};
use serde_json::Value as Json;

use crate::terminal::{lozenge, text};

/// The number of points that one process is asked about.
const AT_ONCE: usize = 400;

/// Gives the folder of the models, or nothing, which is said, where they were not loaded.
fn models() -> Option<PathBuf> {
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

/// Gives the points of the sweep of a model, but for those with a size 0, which are no part of the claim for sizes from
/// 1 on, and those that the runtime refuses for a reason of its own.
fn recorded(name: &str) -> Vec<Json> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/sweeps");
    let file = File::open(folder.join(format!("{name}.json.gz"))).expect("the sweep is recorded");
    let lines = BufReader::new(flate2::read::GzDecoder::new(file)).lines();
    let points = lines.map(|line| {
        serde_json::from_str(&line.expect("the file is whole")).expect("the line is JSON")
    });
    points
        .filter(|point: &Json| point["because"].is_null() && point["admitted"].is_boolean())
        .filter(|point| {
            let given = point["at"]
                .as_object()
                .expect("the point has inputs")
                .values();
            !given
                .filter_map(Json::as_array)
                .flatten()
                .any(|size| size == 0)
        })
        .collect()
}

/// Writes a point as `--at` takes it.
fn at(point: &Json) -> String {
    let given = point["at"]
        .as_object()
        .expect("the point has inputs")
        .iter();
    given
        .map(|(name, given)| format!("{name}={given}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Asks the command about points, and gives its answers in the same order.
fn answers(model: &Path, points: &[&Json], relax: bool) -> Vec<Json> {
    let model = model.to_str().expect("the path is text");
    let mut answers = Vec::new();
    for points in points.chunks(AT_ONCE) {
        let written: Vec<String> = points.iter().map(|point| at(point)).collect();
        let mut arguments = vec!["sizes", model, "--format", "json"];
        if relax {
            arguments.push("--relax");
        }
        arguments.extend(written.iter().flat_map(|at| ["--at", at]));
        let output = lozenge(&arguments);
        let answer: Json = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
        answers.extend(
            answer["points"]
                .as_array()
                .expect("there are points")
                .iter()
                .cloned(),
        );
    }
    answers
}

/// Compares the command with the runtime at every point of the sweep of a model.
fn agrees(name: &str, least: usize) {
    agrees_but_for(name, least, 0);
}

/// Does the same, where a number of refusals tell another node than the runtime: several are true of such a point, and
/// it names the first that it comes to. The number may only fall.
fn agrees_but_for(name: &str, least: usize, other_stories: usize) {
    let Some(folder) = models() else { return };
    let model = folder.join(format!("{name}.onnx"));
    let graph = lozenge_graph::read_file(&model, &lozenge_graph::Limits::default())
        .expect("the model is read");
    let recorded = recorded(name);
    assert!(recorded.len() >= least, "only {} points", recorded.len());
    let (mut wrong, mut stories) = (Vec::new(), 0);
    for relax in [false, true] {
        let points: Vec<&Json> = recorded
            .iter()
            .filter(|point| point["relax"] == relax)
            .collect();
        let answers = answers(&model, &points, relax);
        assert_eq!(answers.len(), points.len());
        for (point, answer) in points.iter().zip(&answers) {
            match disagreement(&graph, point, answer) {
                Some(Disagreement::Story(_)) if stories < other_stories => stories += 1,
                Some(Disagreement::Story(what) | Disagreement::Set(what)) => {
                    wrong.push(format!("relaxed {relax}, {}: {what}", at(point)));
                }
                None => {}
            }
        }
    }
    let shown: Vec<&String> = wrong.iter().take(10).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} points: {shown:#?}",
        wrong.len(),
        recorded.len()
    );
}

/// A difference between the command and the runtime at a point.
enum Disagreement {
    /// The point is admitted by one alone, or the outputs have other sizes.
    Set(String),
    /// Both refuse, and the story tells neither the node that failed nor one on which it depends.
    Story(String),
}

fn disagreement(graph: &Graph, point: &Json, answer: &Json) -> Option<Disagreement> {
    if answer["admitted"] != point["admitted"] {
        return Some(Disagreement::Set(format!(
            "the runtime says {}, and the answer is {answer}",
            point["admitted"]
        )));
    }
    if answer["admitted"] == true {
        return (answer["outputs"] != point["outputs"]).then(|| {
            Disagreement::Set(format!(
                "the outputs are {}, and the answer is {answer}",
                point["outputs"]
            ))
        });
    }
    let failed = point["node"].as_str()?;
    let told = answer["core"].as_array().into_iter().flatten();
    let told: BTreeSet<&str> = told.filter_map(Json::as_str).collect();
    let story = || format!("`{failed}` fails, and {told:?} are told");
    (!tells(graph, &told, failed)).then(|| Disagreement::Story(story()))
}

/// Tells whether a story names the node that failed, or one on which it depends.
fn tells(graph: &Graph, told: &BTreeSet<&str>, failed: &str) -> bool {
    let names: BTreeMap<&str, NodeId> = graph.nodes().map(|(id, node)| (node.name(), id)).collect();
    let Some(&id) = names.get(failed) else {
        return false;
    };
    let mut seen = BTreeSet::from([id]);
    let mut waiting = vec![id];
    while let Some(id) = waiting.pop() {
        if told.contains(graph[id].name()) {
            return true;
        }
        let used: Vec<ValueId> = graph[id]
            .all_arguments()
            .flat_map(|argument| argument.values())
            .collect();
        // A node with bodies fails where a node of them does, and the runtime names the outer one.
        let bodies = graph[id]
            .all_arguments()
            .filter_map(|argument| match argument {
                Argument::Body(body) => Some(*body),
                _ => None,
            });
        for body in bodies {
            let inside = (0..).zip(&graph[body].nodes);
            let inside: Vec<NodeId> = inside.map(|(index, _)| NodeId { body, index }).collect();
            waiting.extend(inside.into_iter().filter(|node| seen.insert(*node)));
        }
        for value in used {
            if let Origin::Node { node, .. } = graph[value].origin
                && seen.insert(node)
            {
                waiting.push(node);
            }
        }
    }
    false
}

#[test]
fn a_text_detector_takes_the_sizes_that_the_runtime_takes() {
    agrees("ch_PP-OCRv4_det_infer", 560);
}

#[test]
fn a_text_recogniser_takes_the_sizes_that_the_runtime_takes() {
    agrees("ch_PP-OCRv4_rec_infer", 260);
}

#[test]
fn a_text_classifier_takes_the_sizes_that_the_runtime_takes() {
    agrees("ch_ppocr_mobile_v2.0_cls_infer", 350);
}

#[test]
fn a_voice_detector_takes_the_sizes_that_the_runtime_takes() {
    agrees("silero_vad", 1690);
}

#[test]
fn a_voice_detector_of_sequences_takes_the_sizes_that_the_runtime_takes() {
    agrees("silero_vad_16k_sequence", 1170);
}

#[test]
fn a_file_classifier_takes_the_sizes_that_the_runtime_takes() {
    agrees("standard_v3_3", 180);
}

#[test]
fn a_pitch_detector_takes_the_sizes_that_the_runtime_takes() {
    agrees("nmp", 100);
}

#[test]
fn a_seizure_detector_takes_the_sizes_that_the_runtime_takes() {
    agrees("modelA_paper", 160);
}

#[test]
fn a_captcha_reader_takes_the_sizes_that_the_runtime_takes() {
    agrees_but_for("captcha_crnn", 100, 41);
}

#[test]
fn an_encoder_of_names_takes_the_sizes_that_the_runtime_takes() {
    agrees("encoder", 250);
}

#[test]
fn a_decoder_of_names_takes_the_sizes_that_the_runtime_takes() {
    agrees_but_for("decoder", 360, 72);
}

#[test]
fn a_table_classifier_takes_the_sizes_that_the_runtime_takes() {
    agrees("yolo_cls", 110);
}

/// Sizes at which a model was broken on purpose: the message names the axis of the input, and a layer unless a
/// declaration refuses them.
#[test]
fn planted_sizes_are_told_with_the_axis_of_the_input_from_which_they_come() {
    let Some(models) = models() else { return };
    for (model, point, said) in [
        (
            "ch_PP-OCRv4_det_infer",
            "x=[1,3,40,64]",
            "h = 40 (axis 2 of `x`)\n  admitted with h = 32 or 61\n",
        ),
        (
            "ch_PP-OCRv4_rec_infer",
            "x=[1,3,96,320]",
            "h = 96 (axis 2 of `x`)",
        ),
        (
            "silero_vad",
            "input=[1,100], state=[2,1,128], sr=16000",
            "n = 100 (axis 1 of `input`)\n  admitted with n = 192\n",
        ),
        (
            "silero_vad",
            "input=[1,512], state=[2,3,128], sr=16000",
            "state[1] = 3 (axis 1 of `state`)",
        ),
        (
            "yolo_cls",
            "images=[2,3,640,640]",
            "axis 0 of `images` is declared as 1",
        ),
        (
            "encoder",
            "src=[2,7], src_mask=[2,5]",
            "src_mask[1] = 5 (axis 1 of `src_mask`)",
        ),
    ] {
        let path = models.join(format!("{model}.onnx"));
        let path = path.to_str().expect("the path is text");
        let output = lozenge(&["sizes", path, "--at", point]);
        let told = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(said), "{told}");
    }
}
