//! Models that others made, where `.ci/setup` has loaded them, against the records of onnxruntime.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lozenge::backend::{Device, Engine, Interpreter, open};
use lozenge_graph_program::{Given, Refusal, lower};
use lozenge_graph_vocabulary::{
    Argument, BodyId, DeclaredSize, ElementType, Graph, NodeId, Origin, Output, Type,
};
use serde_json::Value as Json;

use crate::computed::{Array, difference, graph, outputs_of};
use crate::recorded::array;

/// Returns the folder of the models, or nothing, which is said, where they were not loaded.
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

/// The largest difference, as a part of the largest recorded value. It grows with the number of layers, each of which
/// rounds.
const BOUND: f64 = 1e-4;

/// The models that the interpreter computes in some seconds; a network of photographs takes billions of products.
const SMALL: [&str; 4] = [
    "ch_ppocr_mobile_v2.0_cls_infer",
    "nmp",
    "light_shufflenet",
    "light_squeezenet",
];

/// The networks of photographs that take minutes together: they are computed where `LOZENGE_ALL_MODELS` is set.
const LARGE: [&str; 6] = [
    "light_densenet121",
    "light_inception_v1",
    "light_inception_v2",
    "light_resnet50",
    "light_vgg19",
    "light_zfnet512",
];

/// Makes an array of numbers from -1/2 to 1/2 without a pattern, times a factor and added to another number, as
/// `tests/models/record.py` has them.
fn spread(sizes: &[u64], factor: f64, plus: f64) -> Array {
    let count: u64 = sizes.iter().product();
    let number = |cell: u64| {
        let mut mixed = (cell as u32).wrapping_mul(2_654_435_761);
        mixed ^= mixed >> 15;
        mixed = mixed.wrapping_mul(2_246_822_519);
        mixed ^= mixed >> 13;
        let spread = f64::from(mixed) / 2f64.powi(32) - 0.5;
        f64::from((plus + spread * factor) as f32)
    };
    Array {
        sizes: sizes.to_vec(),
        values: (0..count).map(number).collect(),
    }
}

/// Returns the numbers of a tensor that a light model fills with one number.
fn weights(sizes: &[u64]) -> Array {
    match sizes {
        [] | [_] => spread(sizes, 1.0, 1.0),
        [_, read @ ..] => {
            let read: u64 = read.iter().product();
            spread(sizes, 2.0 * (6.0 / read as f64).sqrt(), 0.0)
        }
    }
}

/// Makes inputs of the tensors that a light model fills, and an output of what its `Softmax` takes. Returns the sizes
/// of the inputs.
fn with_weights(graph: &mut Graph) -> BTreeMap<String, Vec<u64>> {
    let mut filled = BTreeMap::new();
    let nodes = std::mem::take(&mut graph.bodies[0].nodes);
    for node in nodes {
        let argument = node.arguments.first().and_then(Argument::as_value);
        if node.operator.name == "ConstantOfShape" {
            let Origin::Constant(sizes) = graph[argument.expect("it has sizes")].origin else {
                panic!("{}: the sizes are constant", node.name());
            };
            let sizes = graph[sizes].integers().expect("the sizes are read").iter();
            let sizes: Vec<u64> = sizes
                .map(|size| u64::try_from(*size).expect("a size"))
                .collect();
            let output = node.outputs[0].expect("it has an output");
            let body = &mut graph.bodies[0];
            body.inputs.push(output);
            let position = body.inputs.len() as u32 - 1;
            let value = &mut graph.values[output.index()];
            value.origin = Origin::Input {
                body: BodyId::MAIN,
                position,
            };
            let declared = sizes.iter().map(|size| DeclaredSize::Known(*size));
            value.declared = Type::tensor(Some(ElementType::Float32), Some(declared.collect()));
            filled.insert(value.name.clone(), sizes);
            continue;
        }
        if node.operator.name == "Softmax" {
            let value = argument.expect("it has an argument");
            let name = graph[value].name.clone();
            graph.bodies[0].outputs.push(Output {
                name,
                argument: Argument::Value(value),
            });
        }
        let index = graph.bodies[0].nodes.len() as u32;
        for (place, output) in node.outputs.iter().enumerate() {
            if let Some(output) = output {
                graph.values[output.index()].origin = Origin::Node {
                    node: NodeId {
                        body: BodyId::MAIN,
                        index,
                    },
                    output: place as u32,
                };
            }
        }
        graph.bodies[0].nodes.push(node);
    }
    filled
}

/// Compares what a device computes of a model with each recorded run, and returns the largest difference.
fn apart(folder: &Path, name: &str, runs: &Json, device: &mut dyn Device) -> f64 {
    let is_light = name.starts_with("light_");
    let folder = match is_light {
        true => folder.join("../onnx/onnx/backend/test/data/light"),
        false => folder.to_path_buf(),
    };
    let content = std::fs::read(folder.join(format!("{name}.onnx"))).expect("the model is there");
    let mut graph = graph(&content);
    let filled = match is_light {
        true => with_weights(&mut graph),
        false => BTreeMap::new(),
    };
    let mut most = 0f64;
    for run in runs.as_array().expect("runs") {
        let given: BTreeMap<String, Vec<u64>> =
            serde_json::from_value(run["inputs"].clone()).expect("sizes");
        let mut inputs: BTreeMap<String, Array> = given
            .into_iter()
            .map(|(name, sizes)| (name, spread(&sizes, 1.0, 0.0)))
            .collect();
        for (name, sizes) in &filled {
            inputs.insert(name.clone(), weights(sizes));
        }
        let found = outputs_of(&graph, &content, &inputs, device);
        let expected = run["outputs"].as_object().expect("outputs");
        assert_eq!(found.len(), expected.len(), "{name}");
        for (output, expected) in expected {
            let step = expected["step"].as_u64().expect("a step");
            let largest = expected["largest"].as_f64().expect("a number");
            let expected = array(expected);
            assert_eq!(found[output].sizes, expected.sizes, "{name}: {output}");
            let values = found[output].values.iter().step_by(step as usize);
            let mut values: Vec<f64> = values.copied().collect();
            // The largest value of the whole output is the measure, not that of the recorded part.
            let mut expected = expected.values;
            expected.push(largest);
            values.push(largest);
            most = most.max(difference(&expected, &values));
        }
    }
    most
}

fn agree(device: &mut dyn Device, is_asked: impl Fn(&str) -> bool) {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(crate::recorded::folder().join("models.json"))
        .expect("the records are there");
    let recorded: Json = serde_json::from_str(&text).expect("they are JSON");
    let mut wrong = Vec::new();
    for (name, runs) in recorded["models"].as_object().expect("models") {
        if !is_asked(name) {
            continue;
        }
        let started = std::time::Instant::now();
        let apart = apart(&folder, name, runs, device);
        println!("{name}: {apart:e} in {:?}", started.elapsed());
        if apart > BOUND {
            wrong.push(format!("{name}: {apart:e}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn small_models_compute_what_onnxruntime_computes() {
    let mut interpreter = Interpreter::new(Default::default());
    agree(&mut interpreter, |name| SMALL.contains(&name));
}

#[test]
fn models_compute_on_opencl_what_onnxruntime_computes() {
    match open(Engine::OpenCl, Default::default()) {
        Ok(mut device) => {
            let all = std::env::var_os("LOZENGE_ALL_MODELS").is_some();
            agree(device.as_mut(), |name| all || !LARGE.contains(&name));
        }
        Err(error) => {
            let required = std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_some();
            assert!(!required, "LOZENGE_REQUIRE_OPENCL is set, but {error}");
            eprintln!("left out: {error}");
        }
    }
}

/// Each model that others made, with sizes that it takes for the axes that it leaves free, in their order.
const OTHERS: [(&str, &[u64]); 12] = [
    ("ch_PP-OCRv4_det_infer", &[1, 64, 64]),
    ("ch_PP-OCRv4_rec_infer", &[1, 48, 64]),
    ("ch_ppocr_mobile_v2.0_cls_infer", &[1, 48, 192]),
    ("silero_vad", &[1, 512, 1]),
    ("silero_vad_16k_sequence", &[4]),
    ("standard_v3_3", &[1]),
    ("nmp", &[1]),
    ("modelA_paper", &[1, 16]),
    ("captcha_crnn", &[1]),
    ("encoder", &[1, 8]),
    ("decoder", &[1, 3, 8]),
    ("yolo_cls", &[]),
];

/// Tells what a model lacks to be a program: operators, and inputs of other numbers.
fn lacks(graph: &Graph, sizes: &[u64]) -> String {
    let mut given = Given::new();
    if let Err(Refusal::Free(axes)) = lower(graph, &given) {
        let mut names: Vec<String> = axes.into_iter().map(|axis| axis.name).collect();
        names.dedup();
        let mut sizes = sizes.iter();
        for name in names {
            let mut next = || *sizes.next().expect("each free axis has a size");
            given.entry(name).or_insert_with(&mut next);
        }
    }
    let nodes = match lower(graph, &given) {
        Ok(_) => return "nothing: it is a program".to_owned(),
        Err(Refusal::Lacking(nodes)) => nodes,
        Err(other) => panic!("{other}"),
    };
    let mut lacking = std::collections::BTreeSet::new();
    for node in nodes {
        lacking.insert(match node.operator.split(['.', '@']).nth(1) {
            Some(operator) => format!("`{operator}`: {}", node.why),
            None => node.why.clone(),
        });
    }
    let lacking: Vec<String> = lacking.into_iter().collect();
    lacking.join("; ")
}

/// The table of the documents: `LOZENGE_WRITE=1` writes it.
#[test]
fn the_documents_say_what_each_model_lacks_to_be_a_program() {
    let Some(folder) = folder() else { return };
    let mut table = String::from("| model | lacks |\n|---|---|\n");
    for (name, sizes) in OTHERS {
        let content = std::fs::read(folder.join(format!("{name}.onnx"))).expect("it is there");
        table += &format!("| {name} | {} |\n", lacks(&graph(&content), sizes));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/models.md");
    let text = std::fs::read_to_string(&path).expect("the document is there");
    let (start, end) = ("<!-- made from the models -->\n", "<!-- end -->\n");
    let from = text.find(start).expect("the table has a place") + start.len();
    let to = from + text[from..].find(end).expect("the table has an end");
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        let written = text[..from].to_owned() + &table + &text[to..];
        std::fs::write(&path, written).expect("the document can be written");
        return;
    }
    assert_eq!(text[from..to], table, "LOZENGE_WRITE=1 writes the table");
}
