//! A campaign whose shards an engine of others distributes: `fuzz/cluster`. The engine is Dask, which `.ci/setup`
//! unpacks. Where it is not, the test is left out, unless `LOZENGE_REQUIRE_CLUSTER` is set.

use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

/// Returns the root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the folder with the engine, if it is there.
fn engine() -> Option<PathBuf> {
    let folder = root().join(".libs/cluster");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("LOZENGE_REQUIRE_CLUSTER").is_none(),
        "LOZENGE_REQUIRE_CLUSTER is set, and .libs/cluster is missing: run .ci/setup"
    );
    eprintln!("left out: .libs/cluster is missing (.ci/setup makes it)");
    None
}

/// Runs a command that succeeds and returns the tallies of the campaign that it reports on, without what depends on the
/// machine.
fn tallies(command: &mut Command) -> Value {
    let output = command.output().expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let mut answer: Value = serde_json::from_slice(&output.stdout).expect("an answer in JSON");
    let mut tallies = answer["tallies"].take();
    for tally in tallies
        .as_object_mut()
        .expect("a tally for each target")
        .values_mut()
    {
        let tally = tally.as_object_mut().expect("a tally");
        tally
            .remove("seconds")
            .expect("the time that the target took");
        tally.remove("samples").expect("the inputs after each time");
    }
    tallies
}

/// The shards on two workers have the counts of one run, also where their number does not divide that of the inputs.
#[test]
fn shards_on_a_cluster_have_the_counts_of_one_run() {
    let Some(engine) = engine() else { return };
    let arguments = [
        "closing", "order", "--count", "1001", "--seed", "5", "--format", "json",
    ];
    let whole = tallies(
        Command::new(cargo_bin!("lozenge"))
            .arg("campaign")
            .args(arguments),
    );
    let mut cluster = Command::new("python3");
    cluster
        .arg(root().join("fuzz/cluster/campaign.py"))
        .args(arguments)
        .args(["--shards", "5", "--workers", "2", "--binary"])
        .arg(cargo_bin!("lozenge"))
        .env("PYTHONPATH", engine);
    assert_eq!(tallies(&mut cluster), whole);
    assert_eq!(whole["closing"]["inputs"], 1001);
}
