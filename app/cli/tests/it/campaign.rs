//! `lozenge campaign` and `lozenge corpus` from the command line.

use crate::validated;

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use lozenge_fuzz::subjects::targets;
use serde_json::Value;
use tempfile::tempdir;

fn lozenge(args: &[&str]) -> Output {
    let mut command = Command::cargo_bin("lozenge").unwrap();
    command.args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = lozenge(args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    validated::answer(&text(&output.stdout))
}

#[test]
fn a_campaign_is_the_same_on_any_number_of_threads() {
    let counts = |jobs: &str| {
        let mut state = json(&[
            "campaign",
            "closing",
            "projection",
            "--count",
            "600",
            "--jobs",
            jobs,
            "--format",
            "json",
        ]);
        for tally in state["tallies"].as_object_mut().unwrap().values_mut() {
            tally["seconds"] = Value::Null;
            tally["samples"] = Value::Null;
        }
        state["tallies"].clone()
    };
    let once = counts("1");
    assert_eq!(once["closing"]["inputs"], 600);
    assert_eq!(once, counts("3"));
}

#[test]
fn a_campaign_goes_on_where_it_was() {
    let folder = tempdir().unwrap();
    let (state, page) = (
        folder.path().join("state.json"),
        folder.path().join("page.html"),
    );
    let resume = |count: &str| {
        let args = [
            "campaign",
            "projection",
            "--count",
            count,
            "--resume",
            path(&state),
            "--html",
            path(&page),
        ];
        text(&lozenge(&args).stdout)
    };
    assert!(resume("100").contains("100 inputs"));
    assert!(resume("250").contains("250 inputs"));
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("<svg") && html.contains("projection") && !html.contains("http"));
    let other = lozenge(&["campaign", "--seed", "2", "--resume", path(&state)]);
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("has the seed 1, not 2"));
    fs::write(&state, "{}").unwrap();
    let broken = lozenge(&["campaign", "--resume", path(&state)]);
    assert_eq!(broken.status.code(), Some(2));
    assert!(text(&broken.stderr).contains("is not the state of a campaign"));
}

#[test]
fn one_input_is_replayed() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("gap.rows");
    fs::write(&file, "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>\n").unwrap();
    let outcomes = json(&["campaign", "--replay", path(&file), "--format", "json"]);
    assert_eq!(outcomes["outcomes"]["solver_oracle"], "gap-placement");
    assert_eq!(outcomes["outcomes"]["complete_oracle"], "agree");
    let wrong = lozenge(&["campaign", "json", "--replay", path(&file)]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("leave the targets out"));
    let none = lozenge(&["campaign", "--replay", "none.rows"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("none.rows: "));
}

#[test]
fn targets_are_listed_and_wrong_ones_named() {
    let list = text(&lozenge(&["campaign", "--list"]).stdout);
    assert!(targets().iter().all(|target| list.contains(target.name())));
    let wrong = lozenge(&["campaign", "spec"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        text(&wrong.stderr).contains("there is no target `spec`: the targets are spec_solver, ")
    );
    for time in ["0", "-1", "soon", "1e300"] {
        let wrong = lozenge(&["campaign", &format!("--time={time}")]);
        assert_eq!(wrong.status.code(), Some(2), "{time}");
    }
}

#[test]
fn a_corpus_goes_to_libfuzzer_and_comes_back() {
    let folder = tempdir().unwrap();
    let (corpus, out) = (folder.path().join("corpus"), folder.path().join("out"));
    let kept = |name: &str| {
        let mut names: Vec<String> = fs::read_dir(corpus.join(name))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let args = ["corpus", "--folder", path(&corpus)];
    json(&[&args[..], &["distil", "--count", "4", "--format", "json"]].concat());
    let counts = json(&[&args[..], &["export", path(&out), "--format", "json"]].concat());
    for name in ["order", "projection", "json", "program"] {
        let before = kept(name);
        assert!(!before.is_empty(), "{name}");
        assert_eq!(counts[name], before.len());
        // Importing into an empty corpus gives back what was exported.
        fs::remove_dir_all(corpus.join(name)).unwrap();
        let from = out.join(name);
        json(
            &[
                &args[..],
                &["import", name, path(&from), "--format", "json"],
            ]
            .concat(),
        );
        // A program keeps the comment that marks it, and therefore gets another file name.
        assert_eq!(kept(name).len(), before.len(), "{name}");
        if name != "program" {
            assert_eq!(kept(name), before);
        }
    }
    let wrong = lozenge(&[&args[..], &["import", "none", path(&out)]].concat());
    assert_eq!(wrong.status.code(), Some(2));
}
