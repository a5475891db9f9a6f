//! The contract of the JSON answers: one envelope, the same for bad input; lines; numbers that are not finite.

use crate::validated;

use std::fs::File;
use std::io::Read;
use std::process::{Command, Output, Stdio};

use assert_cmd::Command as Assert;
use serde_json::{Value, json};

fn on(arguments: &[&str], input: &str) -> Output {
    let mut command = Assert::cargo_bin("lozenge").unwrap();
    command.args(arguments).write_stdin(input).output().unwrap()
}

fn answer(arguments: &[&str], input: &str) -> (Value, Option<i32>) {
    let output = on(arguments, input);
    let text = String::from_utf8(output.stdout).unwrap();
    (validated::answer(&text), output.status.code())
}

/// The envelope's keys come first, whatever the command and whatever the answer.
#[test]
fn every_answer_has_the_envelope() {
    let cases = [
        (&["solve", "-"][..], "3 <= a", json!("sat"), 0),
        (&["solve", "-"], "3 = 5", json!("unsat"), 1),
        (
            &["solve", "-", "--by", "complete"],
            "3 <= a",
            json!("sat"),
            0,
        ),
        (&["trace", "-"], "3 <= a", json!("sat"), 0),
        (&["oracle", "-"], "3 = 5", json!("unsat"), 1),
        (&["explain", "-", "--var", "a"], "3 <= a", json!(null), 0),
        (&["check", "-"], "3 <= a", json!(null), 0),
        (
            &["bench", "--family", "rows-down", "--up-to", "100"],
            "",
            json!(null),
            0,
        ),
        (&["campaign", "--list"], "", json!(null), 0),
        (&["solve", "-"], "3 <= ", json!(null), 2),
        (&["solve", "no-such-file"], "", json!(null), 2),
        (&["solve", "--no-such-flag"], "", json!(null), 2),
    ];
    for (arguments, input, verdict, status) in cases {
        let (answer, code) = answer(&[arguments, &["--format", "json"]].concat(), input);
        let keys: Vec<&String> = answer.as_object().unwrap().keys().take(4).collect();
        assert_eq!(
            keys,
            ["schema", "command", "verdict", "errors"],
            "{arguments:?}"
        );
        assert_eq!(answer["schema"], "lozenge/1");
        assert_eq!(answer["command"], arguments[0]);
        // Commands that compare several parties have the verdicts in their bodies.
        if !verdict.is_null() {
            assert_eq!(answer["verdict"], verdict, "{arguments:?}");
        }
        let errors = answer["errors"].as_array().unwrap();
        assert_eq!(errors.is_empty(), status != 2, "{arguments:?}: {errors:?}");
        assert_eq!(code, Some(status), "{arguments:?}: {answer}");
    }
}

#[test]
fn bad_input_names_its_place() {
    let (answer, _) = answer(&["solve", "-", "--format", "json"], "a = 3\n<r> ~ [3, 5\n");
    let error = &answer["errors"][0];
    assert_eq!(
        (&error["file"], &error["severity"]),
        (&json!("<stdin>"), &json!("error"))
    );
    let place = json!({"line": 2, "column": 7, "end_line": 2, "end_column": 8, "text": "expected `]` on the same line"});
    assert_eq!(error["places"], json!([place]));
    let (early, _) = self::answer(&["--format", "json", "solve", "--no-such-flag"], "");
    assert_eq!(early["command"], "solve");
    let (unknown, _) = self::answer(&["--format=json", "solv", "-"], "");
    assert!(
        unknown["errors"][0]["message"]
            .as_str()
            .unwrap()
            .contains("solv"),
        "{unknown}"
    );
}

#[test]
fn lines_hold_what_the_document_holds() {
    let input = "3 <= a\na <= b";
    let (document, _) = answer(&["trace", "-", "--format", "json"], input);
    let lines = on(&["trace", "-", "--format", "jsonl"], input).stdout;
    let lines: Vec<Value> = String::from_utf8(lines)
        .unwrap()
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let (last, items) = lines.split_last().unwrap();
    let steps: Vec<&Value> = items.iter().map(|line| &line["item"]).collect();
    assert!(steps.len() > 1 && items.iter().all(|line| line["list"] == "steps"));
    assert_eq!(document["steps"], json!(steps));
    let mut rest = document.clone();
    rest.as_object_mut().unwrap().shift_remove("steps");
    assert_eq!(*last, rest);
}

/// Each variable of a solution is a line, with the footing of its value; footings and bounds are those of the document.
#[test]
fn a_solution_is_a_line_a_variable() {
    let input = "a = 3\n4 <= b\nb <= c\n<r> ~ [a, 5]\n<t> <= [2 <> 7]";
    for by in ["solver", "complete", "spec"] {
        let arguments = ["solve", "-", "--by", by];
        let (document, _) = answer(&[&arguments[..], &["--format", "json"]].concat(), input);
        let lines = on(&[&arguments[..], &["--format", "jsonl"]].concat(), input).stdout;
        let lines: Vec<Value> = String::from_utf8(lines)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let (last, items) = lines.split_last().unwrap();
        let of = |list: &'static str| {
            let items = items.iter().filter(move |line| line["list"] == list);
            items.map(|line| &line["item"])
        };
        let values: std::collections::BTreeMap<&str, &str> = of("solution")
            .map(|item| {
                (
                    item["variable"].as_str().unwrap(),
                    item["value"].as_str().unwrap(),
                )
            })
            .collect();
        assert_eq!(json!(values), sorted(&document["solution"]), "{by}");
        assert_eq!(of("solution").count(), values.len(), "{by}: each once");
        assert_eq!(
            (&last["verdict"], &last["solution"]),
            (&json!("sat"), &Value::Null)
        );
        for word in ["placed", "chosen", "free"] {
            let on = |item: &&Value| by == "solver" && item["rests_on"] == word;
            let names: Vec<&Value> = of("solution")
                .filter(on)
                .map(|item| &item["variable"])
                .collect();
            let listed = document["rests_on"][word].as_array();
            assert_eq!(names.len(), listed.map_or(0, Vec::len), "{by} {word}");
            assert!(
                names.iter().all(|name| listed.unwrap().contains(name)),
                "{by} {word}"
            );
        }
        for item in of("solution").filter(|item| !item["bounds"].is_null()) {
            let name = item["variable"].as_str().unwrap();
            assert_eq!(
                item["bounds"], document["rests_on"]["bounds"][name],
                "{by} {name}"
            );
        }
        let choices: Vec<&Value> = of("choices").collect();
        if by == "solver" {
            assert_eq!(json!(choices), document["rests_on"]["choices"]);
            assert!(of("solution").any(|item| !item["bounds"].is_null()));
            assert!(!choices.is_empty(), "the set has a choice");
        }
    }
}

/// Returns an object with its keys in alphabetical order.
fn sorted(object: &Value) -> Value {
    let keys: std::collections::BTreeMap<&String, &Value> =
        object.as_object().unwrap().iter().collect();
    json!(keys)
}

#[test]
fn numbers_that_are_not_finite_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.loz");
    std::fs::write(
        &file,
        "data a : 3 = [0, 1, 2]\nlet b = log(a)\nlet c = a / a\nlet d = neg(b)\n",
    )
    .unwrap();
    let arguments = [
        "run",
        file.to_str().unwrap(),
        "--device",
        "interpreter",
        "--format",
        "json",
    ];
    let (answer, code) = answer(&arguments, "");
    assert_eq!(code, Some(0), "{answer}");
    let values = |name: &str| {
        answer["tensors"][name]["values"]
            .as_array()
            .unwrap()
            .clone()
    };
    assert_eq!(
        (&values("b")[0], &values("b")[1]),
        (&json!("-inf"), &json!(0.0))
    );
    assert_eq!(
        (&values("c")[0], &values("d")[0]),
        (&json!("NaN"), &json!("inf"))
    );
}

/// A closed pipe is not a failure; a full disk is one, and is reported.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_is_quiet_and_a_full_disk_is_said() {
    let lines: String = (0..50_000).map(|i| format!("3 <= a{i}\n")).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.rows");
    std::fs::write(&file, lines).unwrap();
    let lozenge = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lozenge"));
        command.args(["solve"]).arg(&file).stderr(Stdio::piped());
        command
    };
    let mut child = lozenge().stdout(Stdio::piped()).spawn().unwrap();
    let mut start = [0; 8];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));

    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = lozenge().stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard output cannot be written"));

    for word in ["--help", "--version"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_lozenge"));
        let output = command.arg(word).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{word}");
    }
}
