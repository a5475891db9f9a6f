//! `lozenge solve --certificate` and `lozenge verify`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn lozenge(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lozenge"))
        .args(args)
        .current_dir(root())
        .output()
        .expect("it runs")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_certificate_is_written_and_verified_for_its_set_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("why.json");
    let path = path.to_str().expect("a plain name");
    let set = "examples/periods.rows";
    let solved = lozenge(&["solve", set, "--by", "complete", "--certificate", path]);
    assert_eq!(solved.status.code(), Some(1), "{}", told(&solved));
    let verified = lozenge(&["verify", path, set]);
    assert_eq!(told(&verified), "unsat: the certificate is accepted\n");
    assert_eq!(verified.status.code(), Some(1));
    for (args, why) in [
        (
            vec!["verify", path, "examples/rows/rotational.rows"],
            "clash 0",
        ),
        (
            vec!["verify", path, set, "--order", "one-shot"],
            "another order",
        ),
    ] {
        let refused = lozenge(&args);
        assert_eq!(refused.status.code(), Some(3), "{}", told(&refused));
        assert!(told(&refused).contains(why), "{}", told(&refused));
    }
    let policy = lozenge(&["solve", set, "--certificate", path]);
    assert_eq!(policy.status.code(), Some(2));
}
