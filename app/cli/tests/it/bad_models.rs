//! Model files that are damaged, hostile or large, as a user meets them: each is answered within a second and a
//! gigabyte, with the place.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::cargo_bin;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::terminal::{json_of, lozenge, root, text};

/// A file, the exit status of `lozenge sizes` about it, and what its message has to contain.
type Case = (&'static str, Vec<u8>, i32, &'static [&'static str]);

/// Writes a field of a message of ONNX that is a text or a message.
fn field(number: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = varint(u64::from(number << 3 | 2));
    bytes.extend(varint(content.len() as u64));
    bytes.extend(content);
    bytes
}

/// Writes a field that is a number.
fn number(number: u32, value: i64) -> Vec<u8> {
    let mut bytes = varint(u64::from(number << 3));
    bytes.extend(varint(value as u64));
    bytes
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn node(name: &str, operator: &str, inputs: &[&str], outputs: &[&str]) -> Vec<u8> {
    let inputs = inputs.iter().flat_map(|input| field(1, input.as_bytes()));
    let outputs = outputs
        .iter()
        .flat_map(|output| field(2, output.as_bytes()));
    let mut node: Vec<u8> = inputs.chain(outputs).collect();
    node.extend(field(3, name.as_bytes()));
    node.extend(field(4, operator.as_bytes()));
    node
}

/// Writes the declaration of an input of numbers.
fn declared(name: &str, sizes: impl IntoIterator<Item = i64>) -> Vec<u8> {
    let shape: Vec<u8> = sizes
        .into_iter()
        .flat_map(|size| field(1, &number(1, size)))
        .collect();
    let tensor = [number(1, 1), field(2, &shape)].concat();
    [field(1, name.as_bytes()), field(2, &field(1, &tensor))].concat()
}

/// Writes a graph: its nodes, other fields, and the names of its outputs.
fn graph<'a>(
    nodes: impl IntoIterator<Item = Vec<u8>>,
    more: &[Vec<u8>],
    outputs: impl IntoIterator<Item = &'a str>,
) -> Vec<u8> {
    let mut graph: Vec<u8> = nodes.into_iter().flat_map(|node| field(1, &node)).collect();
    graph.extend(field(2, b"graph"));
    graph.extend(more.concat());
    graph.extend(
        outputs
            .into_iter()
            .flat_map(|output| field(12, &field(1, output.as_bytes()))),
    );
    graph
}

fn model(graph: &[u8], more: &[Vec<u8>]) -> Vec<u8> {
    let set = field(8, &number(2, 17));
    [number(1, 9), field(7, graph), set, more.concat()].concat()
}

/// Writes a model with an input `x` of sizes 2 and 3.
fn model_of(nodes: &[Vec<u8>], output: &str) -> Vec<u8> {
    let input = field(11, &declared("x", [2, 3]));
    model(&graph(nodes.to_vec(), &[input], [output]), &[])
}

fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in entries {
        writer.start_file(*name, options).expect("the entry is new");
        writer.write_all(content).expect("memory takes it");
    }
    writer.finish().expect("memory takes it").into_inner()
}

fn example(name: &str) -> Vec<u8> {
    fs::read(root().join("examples").join(name)).expect("the example is there")
}

/// Files that are none or no more.
fn files() -> Vec<Case> {
    let detector = example("models/detector.onnx");
    let mut damaged = detector.clone();
    damaged[..40].fill(0xff);
    let truncated = detector[..detector.len() / 2].to_vec();
    let mut lying = example("torch_export/counter.pt2");
    let is_entry =
        |bytes: &[u8]| bytes.starts_with(b"PK\x01\x02") && bytes.ends_with(b"/models/model.json");
    let length = 46 + "counter/models/model.json".len();
    let directory = lying.windows(length).position(is_entry);
    let directory = directory.expect("the archive has the program in its directory");
    lying[directory + 20..directory + 28].fill(0xff);
    let names: Vec<String> = (0..100_000).map(|at| format!("x/{at}")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    let version = br#"{"graph_module":{},"schema_version":{"major":9,"minor":0}}"#;
    vec![
        ("empty.onnx", Vec::new(), 2, &["the file is empty"]),
        ("truncated.onnx", truncated, 2, &["byte"]),
        ("damaged.onnx", damaged, 2, &["no file of a known kind"]),
        ("lying.pt2", lying, 2, &["archive"]),
        ("many.pt2", archive(&many), 2, &["models/NAME.json"]),
        (
            "pickle.pt2",
            archive(&[("model/data.pkl", b"\x80\x02.")]),
            2,
            &["torch.export.save"],
        ),
        (
            "version.pt2",
            archive(&[("x/models/model.json", version)]),
            2,
            &["9", "8"],
        ),
        (
            "cut.json",
            b"{\"nodes\":[".to_vec(),
            2,
            &["byte 9: the JSON"],
        ),
    ]
}

/// Graphs that are none.
fn graphs() -> Vec<Case> {
    let cycle = [
        node("first", "Relu", &["b"], &["a"]),
        node("second", "Relu", &["a"], &["b"]),
    ];
    let forward = [
        node("early", "Relu", &["late"], &["a"]),
        node("later", "Relu", &["x"], &["late"]),
    ];
    let twice = [
        node("one", "Relu", &["x"], &["y"]),
        node("two", "Relu", &["x"], &["y"]),
    ];
    let mut body = graph([node("innermost", "Relu", &["x"], &["r"])], &[], ["r"]);
    for level in 0..10_000 {
        let branch = [field(1, b"then_branch"), field(6, &body), number(20, 5)].concat();
        let mut outer = node(&format!("if{level}"), "If", &["x"], &["r"]);
        outer.extend(field(5, &branch));
        body = graph([outer], &[], ["r"]);
    }
    body.extend(field(11, &declared("x", [2])));
    let mut call = node("call", "F", &["a"], &["b"]);
    call.extend(field(7, b"local"));
    let own = [
        field(1, b"F"),
        field(4, b"a"),
        field(5, b"b"),
        field(7, &call),
        field(10, b"local"),
    ]
    .concat();
    let mut start = node("start", "F", &["x"], &["y"]);
    start.extend(field(7, b"local"));
    let calling = graph([start], &[field(11, &declared("x", [2]))], ["y"]);
    let chain = |at: usize| match at {
        0 => "x".to_owned(),
        _ => format!("v{}", at - 1),
    };
    let long: Vec<Vec<u8>> = (0..100_000)
        .map(|at| {
            node(
                &format!("n{at}"),
                "Relu",
                &[&chain(at)],
                &[&format!("v{at}")],
            )
        })
        .collect();
    vec![
        (
            "cycle.onnx",
            model_of(&cycle, "b"),
            2,
            &["`first`", "cycle"],
        ),
        (
            "forward.onnx",
            model_of(&forward, "a"),
            2,
            &["`early`", "`late`"],
        ),
        ("twice.onnx", model_of(&twice, "y"), 2, &["`two`", "`y`"]),
        ("deep.onnx", model(&body, &[]), 2, &["`if", "--max-levels"]),
        (
            "self.onnx",
            model(&calling, &[field(25, &own)]),
            2,
            &["node `start/call`: function", "itself"],
        ),
        (
            "long.onnx",
            model_of(&long, "v99999"),
            0,
            &["v99999 : [2, 3]"],
        ),
    ]
}

/// Sizes and constants that no machine has.
fn sizes() -> Vec<Case> {
    let sized = |sizes: &[i64]| {
        let input = field(11, &declared("x", sizes.iter().copied()));
        model(
            &graph([node("n", "Relu", &["x"], &["y"])], &[input], ["y"]),
            &[],
        )
    };
    let dims = number(1, 1_000_000_000);
    let constant = [dims, number(2, 7), field(8, b"w")].concat();
    let reshape = node("reshape", "Reshape", &["x", "w"], &["y"]);
    let input = field(11, &declared("x", [2, 3]));
    let empty = model(&graph([reshape], &[input, field(5, &constant)], ["y"]), &[]);
    let rank = field(11, &declared("x", vec![2; 1_000_000]));
    let rank = model(
        &graph([node("n", "Relu", &["x"], &["y"])], &[rank], ["y"]),
        &[],
    );
    vec![
        // The largest number that the form holds.
        (
            "large.onnx",
            sized(&[i64::MAX]),
            0,
            &["9223372036854775807"],
        ),
        ("negative.onnx", sized(&[2, -7]), 2, &["`x`", "-7"]),
        ("stored.onnx", empty, 2, &["`w`", "1000000000"]),
        ("rank.onnx", rank, 2, &["`x`", "--max-values"]),
    ]
}

/// Runs the command within a gigabyte and a time of the processor.
fn limited(folder: &Path, name: &str) -> (Option<i32>, String) {
    let shell = format!("ulimit -v 1048576; ulimit -t {SECONDS}; exec \"$0\" sizes {name}");
    let output = Command::new("bash")
        .args(["-c", &shell])
        .arg(cargo_bin("lozenge"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("bash runs");
    let said = text(&output.stdout) + &text(&output.stderr);
    (output.status.code(), said)
}

/// The seconds that a file may take. Users wait one; what tests run is hardly optimised.
const SECONDS: u32 = 4;

#[test]
fn bad_models_are_answered_with_their_place_within_a_second_and_a_gigabyte() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut wrong = Vec::new();
    for (name, content, expected, words) in [files(), graphs(), sizes()].concat() {
        fs::write(folder.path().join(name), content).expect("the file can be written");
        let (status, said) = limited(folder.path(), name);
        let is_told = words.iter().all(|word| said.contains(word));
        if status != Some(expected) || !is_told {
            wrong.push(format!(
                "{name}: {status:?}, not {expected} with {words:?}:\n{}",
                &said[..said.len().min(600)]
            ));
        }
        if expected == 2 && !said.starts_with(&format!("error: {name}")) {
            wrong.push(format!("{name}: the file is not named: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A model is known by its bytes, whatever its name.
#[test]
fn other_commands_say_which_ones_take_a_model() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let model = folder.path().join("model.txt");
    fs::write(&model, example("models/detector.onnx")).expect("the file can be written");
    for command in ["solve", "trace", "constraints"] {
        let output = Command::new(cargo_bin("lozenge"))
            .arg(command)
            .arg(&model)
            .output()
            .expect("lozenge runs");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert!(
            said.contains("is a model") && said.contains("lozenge sizes "),
            "{command}: {said}"
        );
    }
}

/// A node of a model has no line: JSON names it where a text has a line and a column, and so do the words.
#[test]
fn messages_about_nodes_name_them_as_places() {
    let nodes = [
        node("first", "Relu", &["x"], &["a"]),
        node("second", "Hardmax", &["a"], &["b"]),
        node("third", "Frobnicate", &["a"], &["y"]),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("model.onnx");
    fs::write(&file, model_of(&nodes, "y")).expect("the model is written");
    let file = file.to_str().expect("the path is text");
    let output = lozenge(&["infer", file]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    for line in ["\n  node `second`: onnx.Hardmax@17: ", "\n  node `third`: "] {
        assert!(said.contains(line), "{said}");
    }
    let answer = json_of(&lozenge(&["infer", file, "--format", "json"]));
    let places = answer["errors"][0]["places"].as_array();
    let named: Vec<_> = places
        .into_iter()
        .flatten()
        .map(|place| &place["node"])
        .collect();
    assert_eq!(named, ["second", "third"], "{answer}");
}
