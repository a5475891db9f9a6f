//! Running the command line as a user does.

use crate::validated;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// Returns the workspace, in which examples are.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the command with these arguments.
pub fn lozenge(arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("lozenge").unwrap();
    command.current_dir(root()).env("NO_COLOR", "1");
    command.args(arguments).output().unwrap()
}

/// Returns the same with a text on standard input.
pub fn with_input(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::cargo_bin("lozenge").unwrap();
    command.args(arguments).write_stdin(input).output().unwrap()
}

/// Returns the written text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the answer as JSON, held against its schema.
pub fn json_of(output: &Output) -> Value {
    validated::answer(&text(&output.stdout))
}

/// Runs a constraint set through a command.
pub fn on(set: &str, command: &str, more: &[&str]) -> Output {
    let arguments: Vec<&str> = [command, "-"]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
    with_input(&arguments, set)
}

/// Returns the exit status.
pub fn status(output: &Output) -> i32 {
    output.status.code().expect("it is not killed by a signal")
}

/// Writes files into an empty folder.
pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// Runs the command in a folder.
pub fn in_folder(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("lozenge").unwrap();
    command
        .current_dir(folder.path())
        .args(arguments)
        .output()
        .unwrap()
}
