//! `lozenge solve --by complete`: what is shown of a solution.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn lozenge(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lozenge"))
        .args(args)
        .current_dir(root())
        .output()
        .expect("it runs")
}

fn shown(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn what_every_solution_shares_is_set_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = folder.path().join("set.rows");
    let set = set.to_str().expect("a plain name");
    std::fs::write(set, "c = 5\nc <= d\n<s> <= [c]\n[c] <= <s>\n").expect("it can be written");
    let solved = lozenge(&["solve", set, "--by", "complete", "--forced"]);
    let expected = "sat, a solution of least rank\nthe same in every solution\n  c = 5\n  <s> ~ [5]\nanother solution has another value\n  d = 1_\n";
    assert_eq!(shown(&solved), expected);
    let policy = lozenge(&["solve", set, "--forced"]);
    assert_eq!(policy.status.code(), Some(2));
}

/// Rows whose markers stand at opposite edges double what lies below both.
#[test]
fn equal_axes_of_long_rows_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = folder.path().join("set.rows");
    let set = set.to_str().expect("a plain name");
    let text =
        "<a> ~ [3, 3]\n<b> ~ <a>\n[5 <a>] <= <a>\n[<b> 5] <= <b>\n<r> <= <a>\n<r> <= <b>\nd <= 3\n";
    std::fs::write(set, text).expect("it can be written");
    let spelled = lozenge(&["solve", set, "--by", "complete"]);
    assert!(
        shown(&spelled).contains("<r> ~ [3, 3 <> 3, 3]"),
        "{}",
        shown(&spelled)
    );
    let counted = lozenge(&["solve", set, "--by", "complete", "--rank", "1"]);
    assert_eq!(counted.status.code(), Some(0));
    let head = "sat, a solution of least rank, 8 axes in all; its rows are too long to be spelled out (--rank raises that limit), so that equal axes are counted\n";
    let rows = "d = 3\n<a> ~ [3 × 2]\n<b> ~ [3 × 2 <>]\n<r> ~ [3 × 2 <> 3 × 2]\n";
    assert_eq!(shown(&counted), format!("{head}{rows}"));
}
