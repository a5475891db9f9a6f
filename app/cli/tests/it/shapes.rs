//! `lozenge solve`, `check` and `batch` about equations of shapes.

use crate::validated;

use std::fs;

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::tempdir;

/// Returns the status of `lozenge` about a text in a `.shapes` file, and what it writes on standard output and standard
/// error.
fn run(text: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.shapes");
    fs::write(&path, text).unwrap();
    let mut command = Command::cargo_bin("lozenge").unwrap();
    let output = command.args(args).arg(&path).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn answer(text: &str, args: &[&str]) -> (Option<i32>, Value) {
    let args = [args, &["--format", "json"]].concat();
    let (status, text, _) = run(text, &args);
    (status, validated::answer(&text))
}

const BATCH: &str = "s@[d1,d2] = [7,2,3]\ns@[d2,d3] = [7,3,4]\ns@[d1,d3] = r\n";

#[test]
fn a_solution_says_what_is_forced() {
    let (status, text, _) = run(BATCH, &["solve"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("r = [7,2,4], in every solution\n"), "{text}");
    let (_, found) = answer("[3]@s = s@[3]\n(/ d 2) = 3\ne = 4\n", &["solve"]);
    assert_eq!(found["verdict"], "sat");
    assert_eq!(found["forced"], json!({"e": 4}));
    assert!(found["solution"]["s"].is_array() && found["solution"]["d"].is_number());
    let (_, found) = answer(BATCH, &["solve"]);
    let forced = json!({"d1": 2, "d2": 3, "d3": 4, "r": [7, 2, 4], "s": [7]});
    assert_eq!(found["forced"], forced);
}

#[test]
fn a_refusal_cites_lines() {
    let text = "# batches of 7 and 6\n\ns@[d1,d2] = [7,2,3]\ns@[d2,d3] = [6,3,4]\nx = [1]\n";
    let (status, told, _) = run(text, &["solve"]);
    assert_eq!(status, Some(1), "{told}");
    assert!(told.starts_with("unsat: 7 = 6\n"), "{told}");
    assert!(
        told.contains("line 3: s@[d1,d2]") && told.contains("line 4: "),
        "{told}"
    );
    assert!(!told.contains("line 5"), "{told}");
    let (_, refused) = answer(text, &["solve"]);
    assert_eq!(refused["refused"]["equations"][0]["line"], 3);
    assert_eq!(refused["refused"]["is_minimal"], true);
}

#[test]
fn what_nobody_decides_is_unknown_and_what_cannot_be_read_has_a_place() {
    let open = "(+ (* x (* x x)) (* y (* y y))) = (* z (* z z))\n";
    let (status, unknown) = answer(open, &["solve"]);
    assert_eq!((status, &unknown["verdict"]), (Some(3), &json!("unknown")));
    assert!(unknown["limit"].is_string());
    let (status, _, error) = run("d = 3\ns = [3\n", &["solve"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("a.shapes:2:"), "{error}");
    let (status, _, error) = run("n = [3]\n[n] = s\n", &["solve"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("`n`"), "{error}");
    let (status, _, error) = run("e = (* d (* 4294967296 4294967296))\n", &["solve"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("does not fit 64 bits"), "{error}");
    let (status, _, _) = run("d = 3\n", &["solve", "--close"]);
    assert_eq!(status, Some(2));
}

#[test]
fn the_printed_rules_are_run_step_by_step() {
    let (status, text, _) = run(BATCH, &["solve", "--by", "spec"]);
    assert_eq!(status, Some(3), "{text}");
    let unit = ["solve", "--by", "spec", "--reading", "unit", "--trace"];
    let (status, steps) = answer(BATCH, &unit);
    assert_eq!(status, Some(0));
    let rules = steps["steps"].as_array().unwrap().iter();
    let rules: Vec<&Value> = rules.map(|step| &step["rule"]).collect();
    assert_eq!(rules[0], "append_left");
    assert!(rules.iter().any(|rule| *rule == "last_axes"), "{rules:?}");
    assert!(
        steps["last"]
            .as_array()
            .unwrap()
            .contains(&json!("r = [7,2,4]"))
    );
    let (status, text, _) = run("3 = 4\n", &["solve", "--by", "spec"]);
    assert_eq!(
        (status, text.as_str()),
        (Some(1), "unsat: FAIL by constants_differ\n")
    );
}

#[test]
fn every_party_is_asked() {
    let (status, text, _) = run(BATCH, &["check"]);
    assert_eq!(status, Some(0), "{text}");
    for wanted in [
        "verdicts on 3 equations",
        "no printed rule matches",
        "forced    r = [7,2,4]",
        "agree, but for printed rules that stop short",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
    let (_, checked) = answer(BATCH, &["check"]);
    assert_eq!(checked["class"], "stops-short");
    assert_eq!(checked["oracle"], "sat");
    let line = json!({"id": 7, "shapes": "s@s = [1,2,3]"}).to_string();
    let mut command = Command::cargo_bin("lozenge").unwrap();
    let output = command
        .args(["batch", "-"])
        .write_stdin(line)
        .output()
        .unwrap();
    let answered: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&answered["id"], &answered["solver"]),
        (&json!(7), &json!("unsat"))
    );
    assert_eq!(answered["oracle"], "unsat");
}
