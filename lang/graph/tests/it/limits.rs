//! Files that are large, deep or grow: each is refused by a limit that the error names, in little time.

use std::time::{Duration, Instant};

use bytes::Bytes;
use lozenge_graph::{Graph, Limits, ModelError, read};
use prost::Message;

use crate::bad_files::archive;
use crate::bad_graphs::{call, function, graph, input, model, node, with_body, with_functions};

/// The time that a file may take. Tests run hardly optimised beside others, so it is far more than the second that a
/// user waits.
const PATIENCE: Duration = Duration::from_secs(300);

fn timed(content: Vec<u8>, limits: &Limits) -> Result<Graph, ModelError> {
    let start = Instant::now();
    let result = read(content, limits);
    assert!(start.elapsed() < PATIENCE, "it took {:?}", start.elapsed());
    result
}

fn limit(content: Vec<u8>) -> &'static str {
    let error = timed(content, &Limits::default()).expect_err("the file is refused");
    let limit = error
        .limit
        .unwrap_or_else(|| panic!("a limit is reached: {error}"));
    assert!(
        error.help.as_ref().is_some_and(|help| help.contains(limit)),
        "{error:?}"
    );
    limit
}

#[test]
fn a_hundred_thousand_nodes_are_read() {
    let mut nodes = vec![node("n0", "Relu", "x", "v0")];
    nodes.extend((1..100_000).map(|at| {
        node(
            &format!("n{at}"),
            "Relu",
            &format!("v{}", at - 1),
            &format!("v{at}"),
        )
    }));
    let model = model(graph(&nodes, &[input("x", &[2])], &["v99999"]));
    let graph = timed(model.encode_to_vec(), &Limits::default()).expect("the model is whole");
    assert_eq!(graph.node_count(), 100_000);
}

#[test]
fn more_nodes_than_the_limit_are_refused() {
    let empty = Bytes::from(node("", "Relu", "", "").encode_to_vec());
    let mut graph = graph(&[], &[], &[]);
    graph.node = vec![empty; 600_000];
    assert_eq!(limit(model(graph).encode_to_vec()), "max_nodes");
}

#[test]
fn bodies_that_nest_ten_thousand_deep_are_refused() {
    let mut body = graph(&[node("innermost", "Relu", "x", "r")], &[], &["r"]);
    for level in 0..10_000 {
        body = graph(
            &[with_body(
                node(&format!("if{level}"), "If", "x", "r"),
                &body,
            )],
            &[],
            &["r"],
        );
    }
    body.input = graph(&[], &[input("x", &[2])], &[]).input;
    assert_eq!(limit(model(body.clone()).encode_to_vec()), "max_levels");
    // No depth is too deep for the stack: with another limit the file is read.
    let limits = Limits {
        max_levels: 20_000,
        ..Limits::default()
    };
    let graph = timed(model(body).encode_to_vec(), &limits).expect("the model is whole");
    assert_eq!(graph.bodies.len(), 10_001);
    assert_eq!(
        graph.to_string().lines().count(),
        1 + 1 + 10_000 + 10_001 + 10_001
    );
}

/// Thirty functions that each call the next one ten times would be 10^30 nodes.
#[test]
fn functions_that_multiply_are_refused() {
    let calls = |next: &str| -> Vec<_> {
        (0..10)
            .map(|at| call("", next, "a", &format!("b{at}")))
            .collect()
    };
    let mut functions: Vec<_> = (0..30)
        .map(|at| {
            function(
                &format!("F{at}"),
                &calls(&format!("F{}", at + 1)),
                &["a"],
                &["b0"],
            )
        })
        .collect();
    functions.push(function("F30", &[], &["a"], &["a"]));
    let model = model(graph(
        &[call("start", "F0", "x", "y")],
        &[input("x", &[2])],
        &["y"],
    ));
    assert_eq!(
        limit(with_functions(model, &functions).encode_to_vec()),
        "max_nodes"
    );
}

/// A function with one long attribute is small in the file, and large where it is called often.
#[test]
fn functions_that_are_large_where_they_are_called_are_refused() {
    let long = node(&"n".repeat(1_000_000), "Relu", "a", "b");
    let functions = [function("F", &[long], &["a"], &["b"])];
    let calls: Vec<_> = (0..100_000)
        .map(|at| call("", "F", "x", &format!("y{at}")))
        .collect();
    let model = model(graph(&calls, &[input("x", &[2])], &[]));
    assert_eq!(
        limit(with_functions(model, &functions).encode_to_vec()),
        "max_file_bytes"
    );
}

#[test]
fn calls_that_nest_too_deep_are_refused() {
    let mut functions: Vec<_> = (0..1000)
        .map(|at| {
            function(
                &format!("F{at}"),
                &[call("", &format!("F{}", at + 1), "a", "b")],
                &["a"],
                &["b"],
            )
        })
        .collect();
    functions.push(function(
        "F1000",
        &[node("", "Relu", "a", "b")],
        &["a"],
        &["b"],
    ));
    let model = model(graph(
        &[call("start", "F0", "x", "y")],
        &[input("x", &[2])],
        &["y"],
    ));
    assert_eq!(
        limit(with_functions(model, &functions).encode_to_vec()),
        "max_levels"
    );
}

#[test]
fn an_input_of_rank_a_million_is_refused() {
    let model = model(graph(&[], &[input("x", &vec![2; 1_000_000])], &[]));
    assert_eq!(limit(model.encode_to_vec()), "max_values");
}

#[test]
fn a_file_that_is_too_long_is_refused() {
    let limits = Limits {
        max_file_bytes: 1000,
        ..Limits::default()
    };
    let model = model(graph(
        &[node(&"n".repeat(2000), "Relu", "x", "y")],
        &[input("x", &[2])],
        &[],
    ));
    let content = model.encode_to_vec();
    assert_eq!(
        read(content.clone(), &limits).unwrap_err().limit,
        Some("max_file_bytes")
    );
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, content).expect("the file can be written");
    assert_eq!(
        lozenge_graph::read_file(&path, &limits).unwrap_err().limit,
        Some("max_file_bytes")
    );
    let text = format!("{{\"nodes\":[],\"model\":\"{}\"}}", "n".repeat(200));
    assert_eq!(
        read(text.into_bytes(), &limits).unwrap_err().limit,
        Some("max_file_bytes")
    );
}

/// A few kilobytes of archive hold a gigabyte of program.
#[test]
fn a_program_that_unpacks_to_more_than_the_limit_is_refused() {
    let limits = Limits {
        max_file_bytes: 8 << 20,
        ..Limits::default()
    };
    let content = archive(&[("x/models/model.json", &vec![b' '; 2 << 20])]);
    assert!(content.len() < 10_000);
    assert_eq!(
        timed(content, &limits).unwrap_err().limit,
        Some("max_file_bytes")
    );
}

#[test]
fn an_archive_of_a_hundred_thousand_entries_is_read_or_refused_at_once() {
    let names: Vec<String> = (0..100_000).map(|at| format!("x/{at}")).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    timed(archive(&entries), &Limits::default()).expect_err("there is no program");
}

/// JSON nests as deep as one likes; whatever it is, nothing overflows.
#[test]
fn json_that_nests_deep_is_refused() {
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    let node = format!(r#"{{"name":"x","op":"call_method","target":"t","args":{deep}}}"#);
    timed(
        format!("{{\"nodes\":[{node}]}}").into_bytes(),
        &Limits::default(),
    )
    .expect_err("the argument is too deep");
    let program = format!(r#"{{"schema_version":{{"major":8}},"graph_module":{deep}}}"#);
    let content = archive(&[("x/models/model.json", program.as_bytes())]);
    timed(content, &Limits::default()).expect_err("the program is too deep");
}

/// A type that nests: sequence of sequence of sequence.
#[test]
fn types_that_nest_deep_are_refused() {
    let mut kind: Vec<u8> = Vec::new();
    for _ in 0..5000 {
        // Field 4 of a type is a sequence, whose field 1 is a type.
        for field in [0x0a, 0x22] {
            let mut outer = vec![field];
            prost::encoding::encode_varint(kind.len() as u64, &mut outer);
            outer.extend_from_slice(&kind);
            kind = outer;
        }
    }
    let mut declared = vec![0x0a, 1, b'x', 0x12];
    prost::encoding::encode_varint(kind.len() as u64, &mut declared);
    declared.extend_from_slice(&kind);
    let mut graph = graph(&[], &[], &[]);
    graph.input.push(declared.into());
    let error =
        timed(model(graph).encode_to_vec(), &Limits::default()).expect_err("the type is too deep");
    assert!(error.message.contains("recursion"), "{error}");
}
