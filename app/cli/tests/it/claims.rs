//! `lozenge claims` as a program: one claim in full, its fields, kept results, and a long survey that is killed and
//! resumed.

use crate::validated;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

fn lozenge() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lozenge"));
    // Without a cache folder, results are kept only where a test asks for it.
    command
        .arg("claims")
        .env("XDG_CACHE_HOME", "/dev/null")
        .env("HOME", "/dev/null");
    command
}

fn json(args: &[&str]) -> Vec<Value> {
    let output = lozenge()
        .args(args)
        .args(["--format", "json"])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answer = validated::answer(&String::from_utf8_lossy(&output.stdout));
    answer["entries"].as_array().unwrap().clone()
}

#[test]
fn one_claim_is_shown_with_its_parts_and_repairs() {
    let output = lozenge()
        .args(["show", "2.14", "--quick"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    let starts: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("Rem."))
        .collect();
    assert_eq!(
        starts,
        ["Rem. 2.14", "Rem. 2.14(costs)", "Rem. 2.14(costs) repaired"]
    );
    assert!(text.contains("falsified") && text.contains("repaired by Rem. 2.14(costs) repaired"));
}

#[test]
fn a_claim_in_json_has_the_fields_that_are_promised() {
    let shown = json(&["show", "Prop. 1.4", "--quick"]);
    let ids: Vec<&str> = shown.iter().filter_map(|e| e["id"].as_str()).collect();
    assert_eq!(ids, ["Prop. 1.4", "Prop. 1.4 repaired"]);
    for entry in &shown {
        let mut fields: Vec<&String> = entry.as_object().unwrap().keys().collect();
        fields.sort();
        let promised = [
            "bounds",
            "evidence",
            "id",
            "instances",
            "readings",
            "repaired_by",
            "repairs",
            "rules",
            "scope",
            "seconds",
            "section",
            "statement",
            "why",
            "witness",
        ];
        assert_eq!(fields, promised);
        assert!(entry["instances"].is_u64() && entry["seconds"].is_f64());
        assert!(entry["statement"].is_string() && entry["scope"].is_string());
    }
    assert_eq!(shown[0]["evidence"], "falsified");
    assert_eq!(shown[0]["witness"], "1\n2\n3");
    assert_eq!(shown[0]["repaired_by"], "Prop. 1.4 repaired");
    assert_eq!(shown[1]["evidence"], "mechanised");
    assert!(shown[1]["witness"].is_null() && shown[1]["repaired_by"].is_null());
}

#[test]
fn an_unknown_claim_and_an_impossible_scope_are_named() {
    for (args, message) in [
        (&["show", "9.9"][..], "there is no claim `9.9`"),
        (&["--long", "--survey", "--scope", "2,1"], "four numbers"),
        (
            &["--long", "--survey", "--scope", "9,1,1,1"],
            "1 to 3 constraints",
        ),
        (
            &["--long", "--survey", "--scope", "3,4,3,3"],
            "at most 5000000",
        ),
        (&["--survey"], "--long"),
    ] {
        let output = lozenge().args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(message), "{args:?}: {error}");
    }
}

#[test]
fn what_a_proof_is_bounded_by_is_a_field() {
    let shown = json(&["show", "Conj. 8.4(a)(modes)", "--quick"]);
    assert_eq!(shown[0]["evidence"], "proved");
    assert_eq!(shown[0]["bounds"], "strides and dilations up to 3");
    let mechanised = json(&["show", "Def. 4.3(a)", "--quick"]);
    assert_eq!(mechanised[0]["evidence"], "mechanised");
    assert!(mechanised[0]["bounds"].is_null());
}

/// The entries are decided once: the second run shows the times of the first, read from the file, and does not change
/// the file. An entry is decided again, with a message, if its result was edited or comes from other sources.
#[test]
fn a_result_is_kept_and_decided_again_only_when_it_has_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("kept.json");
    let shown = |more: &[&str]| {
        let results = results.to_str().unwrap();
        let args = ["show", "2.14", "--quick", "--results", results];
        let output = lozenge()
            .args([&args, more].concat())
            .args(["--format", "json"])
            .output()
            .unwrap();
        let answer = validated::answer(&String::from_utf8_lossy(&output.stdout));
        let said = String::from_utf8(output.stderr).unwrap();
        (answer["entries"].clone(), said)
    };
    let (first, said) = shown(&[]);
    assert_eq!(said, "");
    let text = fs::read_to_string(&results).unwrap();
    assert_eq!(shown(&[]), (first.clone(), String::new()));
    assert_eq!(fs::read_to_string(&results).unwrap(), text);

    let depends = |text: &str| {
        let file: Value = serde_json::from_str(text).unwrap();
        let row = &file["rows"]["Rem. 2.14"];
        row["depends"].as_str().unwrap().to_string()
    };
    let key = depends(&text);
    // All three entries are of one section.
    for (edited, stale) in [
        (text.replacen("rigid rows", "kept rows", 1), "1 of 3"),
        (text.replace(&key, "other sources"), "3 of 3"),
    ] {
        assert_ne!(edited, text);
        fs::write(&results, edited).unwrap();
        let (again, said) = shown(&[]);
        assert!(
            said.starts_with(&format!("{stale} entries are decided again")),
            "{said}"
        );
        assert_eq!(again[0]["scope"], first[0]["scope"]);
        assert_eq!(depends(&fs::read_to_string(&results).unwrap()), key);
        assert_eq!(shown(&[]), (again, String::new()));
    }
    assert_eq!(shown(&["--again"]).1, "");
}

#[test]
fn a_file_that_cannot_be_written_is_found_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing/page.html");
    let letter = folder.path().join("letter.txt");
    fs::write(&letter, "Dear all").unwrap();
    for (flag, path, what) in [
        ("--html", &missing, "cannot be written"),
        ("--results", &letter, "is not a file of results"),
    ] {
        let mut command = lozenge();
        let output = command.arg(flag).arg(path).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(what), "{error}");
        assert!(output.stdout.is_empty(), "{flag}: rows before the error");
    }
    assert_eq!(fs::read_to_string(&letter).unwrap(), "Dear all");
}

#[test]
fn a_page_is_written_with_the_entries_that_were_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let mut command = lozenge();
    let command = command
        .args(["show", "1.4", "--quick", "--html"])
        .arg(&path);
    assert!(command.status().unwrap().success());
    let page = fs::read_to_string(&path).unwrap();
    for part in [
        "<!DOCTYPE html>",
        "id=\"Prop-1-4\"",
        "id=\"Prop-1-4-repaired\"",
        "quick run",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<article ").count(), 2);
}

/// Returns the number of sets that are done according to the notes.
fn noted(notes: &Path) -> u64 {
    let text = fs::read_to_string(notes).unwrap_or_default();
    let notes: Option<Value> = serde_json::from_str(&text).ok();
    notes.and_then(|n| n["done"].as_u64()).unwrap_or(0)
}

/// Starts a survey, kills it after its first note, and resumes it.
#[test]
fn a_survey_that_is_killed_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    let scope = ["--long", "--survey", "--scope", "2,1,2,0"];
    let with_notes = |command: &mut Command| {
        command
            .args(scope)
            .args(["--format", "json", "--notes"])
            .arg(&notes);
    };
    let mut first = lozenge();
    with_notes(&mut first);
    let mut running = first
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while noted(&notes) == 0 && begun.elapsed() < Duration::from_secs(120) {
        sleep(Duration::from_millis(5));
    }
    running.kill().unwrap();
    assert!(
        !running.wait().unwrap().success(),
        "it was over before it was killed"
    );
    let done = noted(&notes);
    assert!(done > 0, "nothing was noted");

    let mut again = lozenge();
    with_notes(&mut again);
    let output = again.output().unwrap();
    let lines = String::from_utf8(output.stderr).unwrap();
    let first = lines.lines().next().unwrap_or_default();
    assert!(
        first.starts_with(&format!("{done} of ")),
        "it went on from `{first}`, not {done}"
    );
    let last = lines.lines().last().unwrap_or_default();
    let (at, total) = last.split_once(" of ").unwrap();
    assert!(total.starts_with(at), "the last line is `{last}`");
    let answer = validated::answer(&String::from_utf8_lossy(&output.stdout));
    let resumed: Vec<Value> = answer["entries"].as_array().unwrap().clone();
    assert!(resumed.len() > 40, "{} claims", resumed.len());
    assert_eq!(resumed, json(&scope), "another answer than in one go");
}
