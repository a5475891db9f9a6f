//! The commands that work for every kind of file: `check`, `batch`, `explain`, `oracle` and `campaign --replay`.

use crate::validated;

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use serde_json::json;
use tempfile::{TempDir, tempdir};

fn file(name: &str, text: &str) -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    (folder, path)
}

/// Returns the status of a command, and what it writes on standard output and standard error.
fn run(args: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("lozenge").unwrap();
    let output = command.args(args).write_stdin(input).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn every_party_of_facts_is_asked() {
    let (_folder, path) = file("a.facts", "v0 >= 1\n2 divides v0\nv0 < 3\n");
    let path = path.to_str().unwrap();
    let (status, text, _) = run(&["check", path], "");
    assert_eq!(status, Some(0), "{text}");
    for wanted in [
        "verdicts on 2 facts",
        "arithmetic sat",
        "oracle    sat",
        "agree",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
    let (_, answer, _) = run(&["check", path, "--format", "json"], "");
    let answer = validated::answer(&answer);
    assert_eq!(answer["arithmetic"], "sat");
    assert_eq!(answer["agree"], true);
    let (status, text, _) = run(&["campaign", "--replay", path], "");
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("sizes            sat, agree"), "{text}");
}

#[test]
fn a_refusal_of_facts_is_explained() {
    let (_folder, path) = file("a.facts", "v0 >= 1\nv1 >= 0\nv0 = v1\nv1 < 1\nv0 = 7\n");
    let (status, text, _) = run(&["explain", path.to_str().unwrap()], "");
    assert_eq!(status, Some(0), "{text}");
    let wanted = "these exclude each other:";
    assert!(
        text.contains(wanted) && text.contains("fact 2: v1 < 1"),
        "{text}"
    );
}

#[test]
fn a_mistake_has_its_place_and_another_command_is_named() {
    let (_folder, path) = file("a.facts", "v0 >= 1\nv0 = v1\n");
    let path = path.to_str().unwrap();
    let (status, _, error) = run(&["check", path], "");
    assert_eq!(status, Some(2));
    assert!(
        error.contains("a.facts: line 2: expected a variable below v1"),
        "{error}"
    );
    let (status, _, error) = run(&["solve", path], "");
    assert_eq!(status, Some(2));
    let wanted = format!(
        "is a system of facts about integers, and this command takes a constraint set: try `lozenge check {path}`"
    );
    assert!(error.contains(&wanted), "{error}");
}

#[test]
fn a_line_of_batch_may_hold_any_input() {
    let lines = [
        json!({"id": 1, "facts": "v0 >= 1\nv0 = 0"}),
        json!({"id": 2, "projections": "slot 2 3\nslot 2\n0.0 = 1.0\niter 0.1"}),
        json!({"id": 3, "facts": "v0 = 1"}),
        json!({"id": 4, "facts": "", "rows": ""}),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (status, text, _) = run(&["batch", "-"], &input);
    assert_eq!(status, Some(2));
    let answers: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers[0]["arithmetic"], "unsat");
    assert_eq!(answers[1]["union-find"], "solved");
    let message = |at: usize| answers[at]["error"]["message"].as_str().unwrap();
    assert!(message(2).contains("expected a variable below v0"));
    assert!(message(3).contains("`facts` and `rows` are two inputs"));
}

/// The rules of the paper and the native procedure are asked about a program of the gradual calculus.
#[test]
fn every_party_of_a_gradual_program_is_asked() {
    let text = "x : [?, ?, ?, ?]\nreturn add(conv2d(2, 1, (1, 1), x), conv2d(4, 1, (1, 1), x))\n";
    let (_folder, path) = file("a.grad", text);
    let path = path.to_str().unwrap();
    let (status, text, _) = run(&["check", path], "");
    assert_eq!(status, Some(0), "{text}");
    for wanted in [
        "verdicts on 5 expressions",
        "spec      typable",
        "solver    never",
        "agree",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
    let (_, answer, _) = run(&["check", path, "--format", "json"], "");
    let answer = validated::answer(&answer);
    assert_eq!(
        (&answer["spec"], &answer["solver"]),
        (&json!("typable"), &json!("never"))
    );
    let (_, text, _) = run(&["explain", path], "");
    assert!(
        text.contains("conv2d(2, 1, (1, 1), x) : [?, 1, ?, ?]"),
        "{text}"
    );
    let (status, text, _) = run(&["campaign", "--replay", path], "");
    assert_eq!(status, Some(0), "{text}");
    assert!(
        text.contains("gradual_points") && text.contains("agree"),
        "{text}"
    );
    let (_folder, path) = file("b.grad", "x : [3]\nreturn reshape(y, [3])\n");
    let (status, _, error) = run(&["check", path.to_str().unwrap()], "");
    assert_eq!(status, Some(2));
    assert!(error.contains("b.grad: line 2, column 16: "), "{error}");
}
