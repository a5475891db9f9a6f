//! Notes of answers about themselves: the choices that they rest on, the limits that were reached, the cost of a run.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn lozenge(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lozenge"));
    command.args(arguments).current_dir(folder);
    command.output().expect("lozenge runs")
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// `[3 <> 5]` is a solution as well, and neither is greater than the other.
#[test]
fn a_solution_with_a_chosen_marker_is_not_called_the_greatest() {
    let sets = [
        ("placed.rows", "<r> ~ [3, 5]"),
        ("stated.rows", "<r> <= [3, 5]"),
    ];
    let folder = folder(&sets);
    let solved = |name| {
        json(&lozenge(
            folder.path(),
            &["solve", name, "--format", "json"],
        ))
    };
    let placed = solved("placed.rows");
    assert_eq!(placed["note"], "a solution");
    assert_eq!(placed["rests_on"]["placed"], serde_json::json!(["<r>"]));
    let stated = solved("stated.rows");
    assert_eq!(stated["note"], "the greatest solution");
    assert_eq!(stated["rests_on"]["placed"], serde_json::json!([]));
}

/// Two rows of unknown lengths, which complete mode tries out.
const LENGTHS: &str = "[2 <a>] ~ [<b> 3]\n[<a> 4] ~ [2 <b>]\n";

#[test]
fn batch_and_check_say_which_limit_complete_mode_reached() {
    let question = serde_json::json!({"id": 1, "rows": LENGTHS}).to_string();
    let folder = folder(&[("l.rows", LENGTHS), ("l.jsonl", &question)]);
    let limit = ["--work", "9"];
    let batch = lozenge(folder.path(), &["batch", "l.jsonl", limit[0], limit[1]]);
    let answer = json(&batch);
    assert_eq!(answer["complete"], "unknown", "{answer}");
    let said = answer["limits"]["complete"].as_str().unwrap_or_default();
    assert!(said.contains("--work"), "{answer}");
    let check = ["check", "l.rows", "--format", "json", limit[0], limit[1]];
    let checked = json(&lozenge(folder.path(), &check)).to_string();
    assert!(checked.contains(said), "{checked}");
    let all = json(&lozenge(folder.path(), &["batch", "l.jsonl"]));
    assert!(
        all.get("limits").is_none() && all["complete"] != "unknown",
        "{all}"
    );
}

#[test]
fn a_fixed_position_of_a_new_result_needs_the_size_of_its_axis_alone() {
    let second = "data a : 3 = range(3)\nx =: a \"i => 1:2, i\"\nprint x\n";
    let without = "data a : 3 = range(3)\nx =: a \"i => 1, i\"\nprint x\n";
    let folder = folder(&[("s.loz", second), ("w.loz", without)]);
    let run = |name| lozenge(folder.path(), &["run", name, "--device", "interpreter"]);
    let ran = run("s.loz");
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert_eq!(ran.status.code(), Some(0), "{printed}");
    let numbers = printed
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty());
    let numbers: Vec<&str> = numbers.collect();
    assert!(
        numbers.ends_with(&["0", "0", "0", "0", "1", "2"]),
        "{printed}"
    );
    let refused = run("w.loz");
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("the second of two places is `1:2`"), "{said}");
}

#[test]
fn a_loop_of_ten_thousand_million_points_is_limited() {
    let program = "data a : 100000 = range(100000)\ndata b : 100000 = range(100000)\ns =:+ a * b \"i; j => \"\n";
    let folder = folder(&[("p.loz", program)]);
    let device = ["--device", "interpreter", "--max-points", "9999999999"];
    let output = lozenge(folder.path(), &[&["run", "p.loz"], &device[..]].concat());
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for part in ["10000000000 points", "p.loz:3:", "--max-points"] {
        assert!(said.contains(part), "{said}");
    }
}

/// A program that asks one question after the other waits for each answer. Release builds answer in some 0.1 ms.
#[test]
fn a_question_is_answered_before_the_next_one_is_read() {
    use std::io::{BufRead, BufReader, Write};
    use std::time::Instant;
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_lozenge"))
        .args(["batch", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut questions = child.stdin.take().expect("piped");
    let mut answers = BufReader::new(child.stdout.take().expect("piped"));
    let mut times = Vec::new();
    for number in 0..200 {
        let begin = Instant::now();
        writeln!(
            questions,
            "{{\"id\": {number}, \"rows\": \"3 <= a\\n<r> ~ [a, b]\"}}"
        )
        .expect("it is read");
        let mut answer = String::new();
        answers.read_line(&mut answer).expect("it is answered");
        times.push(begin.elapsed());
        assert!(
            answer.starts_with(&format!("{{\"id\":{number},")),
            "{answer}"
        );
    }
    drop(questions);
    assert!(child.wait().expect("it ends").success());
    times.sort();
    println!("median {:?}, longest {:?}", times[100], times[199]);
}
