//! Makes libz3 findable when `lozenge` is started without cargo (with cargo, see `oracle/smt/build.rs`), and records
//! the commit of a release build.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    let oracle = env::var_os("CARGO_FEATURE_ORACLE").is_some();
    if let (true, Ok(folder)) = (oracle, env::var("Z3_LIBRARY_PATH_OVERRIDE")) {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
    // Only in a release build, since the commit would make development builds rebuild this package after each commit.
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        commit();
    }
}

/// Sets the commit of the working tree, with a `+` if files differ from it; nothing outside a repository.
fn commit() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_string())
    };
    let Some(commit) = git(&["rev-parse", "--short=10", "HEAD"]) else {
        return;
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    let mark = if changed.is_some_and(|files| !files.is_empty()) {
        "+"
    } else {
        ""
    };
    println!("cargo::rustc-env=LOZENGE_COMMIT={commit}{mark}");
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    println!("cargo::rerun-if-changed=src");
}
