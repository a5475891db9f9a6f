//! `lozenge solve --certificate` and `lozenge verify`.

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
fn a_certificate_is_written_and_verified_for_its_set_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("why.json");
    let path = path.to_str().expect("a plain name");
    let set = "examples/periods.rows";
    let solved = lozenge(&["solve", set, "--by", "complete", "--certificate", path]);
    assert_eq!(solved.status.code(), Some(1), "{}", shown(&solved));
    let verified = lozenge(&["verify", path, set]);
    assert_eq!(shown(&verified), "unsat: the certificate is accepted\n");
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
        assert_eq!(refused.status.code(), Some(3), "{}", shown(&refused));
        assert!(shown(&refused).contains(why), "{}", shown(&refused));
    }
    let rules = lozenge(&["solve", set, "--by", "spec", "--certificate", path]);
    assert_eq!(rules.status.code(), Some(2));
}

#[test]
fn a_refusal_by_propagation_has_a_certificate_and_one_by_policy_has_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let [set, path] = ["set.rows", "why.json"].map(|name| folder.path().join(name));
    let [set, path] = [&set, &path].map(|path| path.to_str().expect("a plain name"));
    std::fs::write(set, "b = 7\n3 <= a\n<r> ~ [b]\na = 4\n").expect("it can be written");
    let refused = lozenge(&["solve", set, "--certificate", path]);
    assert_eq!(refused.status.code(), Some(1), "{}", shown(&refused));
    let verified = lozenge(&["verify", path, set]);
    assert_eq!(shown(&verified), "unsat: the certificate is accepted\n");
    // A solution by policy is one.
    let model = lozenge(&["solve", "examples/alternating.rows", "--certificate", path]);
    assert_eq!(model.status.code(), Some(0), "{}", shown(&model));
    let verified = lozenge(&["verify", path, "examples/alternating.rows"]);
    assert_eq!(shown(&verified), "sat: the certificate is accepted\n");
    // A rejection by policy is no `unsat`.
    let before = std::fs::read_to_string(path).expect("it is there");
    let rejected = lozenge(&[
        "solve",
        "examples/rows/rotational.rows",
        "--certificate",
        path,
    ]);
    assert!(
        shown(&rejected).starts_with("rejected"),
        "{}",
        shown(&rejected)
    );
    assert!(
        shown(&rejected).ends_with("no certificate was written\n"),
        "{}",
        shown(&rejected)
    );
    assert_eq!(std::fs::read_to_string(path).expect("it stays"), before);
}

#[test]
fn what_holds_in_every_solution_is_told_and_verified() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("follows.json");
    let path = path.to_str().expect("a plain name");
    let set = "examples/alternating.rows";
    let holds = lozenge(&["entails", set, "2 <= a", "--certificate", path]);
    assert_eq!(holds.status.code(), Some(0), "{}", shown(&holds));
    assert!(
        shown(&holds).contains("line 3: [2, 3 <r>] ~ [<r> 2, 3]"),
        "{}",
        shown(&holds)
    );
    let verified = lozenge(&["verify", path, set]);
    assert_eq!(
        shown(&verified),
        "`2 <= a` holds in every solution: the certificate is accepted\n"
    );
    assert_eq!(verified.status.code(), Some(0));
    // The same refutations are none of another constraint.
    let written = std::fs::read_to_string(path).expect("it was written");
    std::fs::write(path, written.replace("2 <= a", "2 <= b")).expect("it can be written");
    let refused = lozenge(&["verify", path, set]);
    assert_eq!(refused.status.code(), Some(3), "{}", shown(&refused));

    let fails = lozenge(&["entails", set, "a = 2"]);
    assert_eq!(fails.status.code(), Some(1), "{}", shown(&fails));
    assert!(shown(&fails).contains("a = 1_"), "{}", shown(&fails));
    let limited = lozenge(&["entails", set, "2 <= a", "--work", "10"]);
    assert_eq!(limited.status.code(), Some(3), "{}", shown(&limited));
    assert!(
        shown(&limited).contains("--work raises it"),
        "{}",
        shown(&limited)
    );
    for bad in ["a = 2; b = 3", "a == 2", "param a", ""] {
        let bad = lozenge(&["entails", set, bad]);
        assert_eq!(bad.status.code(), Some(2), "{}", shown(&bad));
    }
}

#[test]
fn the_certificate_of_a_set_with_a_solution_is_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.json");
    let path = path.to_str().expect("a plain name");
    let set = "examples/rows/remark-2.11.rows";
    let solved = lozenge(&["solve", set, "--by", "complete", "--certificate", path]);
    assert_eq!(solved.status.code(), Some(0), "{}", shown(&solved));
    let verified = lozenge(&["verify", path, set]);
    assert_eq!(shown(&verified), "sat: the certificate is accepted\n");
    assert_eq!(verified.status.code(), Some(0));
    // The certificate includes the value of the row.
    let written = std::fs::read_to_string(path).expect("it was written");
    for (value, other) in [("[3 <> 5]", "[3, 5 <>]"), ("<r>", "<s>")] {
        assert!(written.contains(value), "{written}");
        std::fs::write(path, written.replace(value, other)).expect("it can be written");
        let refused = lozenge(&["verify", path, set]);
        assert_eq!(refused.status.code(), Some(3), "{}", shown(&refused));
    }
}

#[test]
fn where_there_is_no_certificate_there_is_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let [path, empty] = ["none.json", "empty.json"].map(|name| folder.path().join(name));
    let set = "examples/periods.rows";
    let solve = |path: &Path| {
        let path = path.to_str().expect("a plain name");
        let limit = ["--branches", "1", "--certificate", path];
        lozenge(&[&["solve", set, "--by", "complete"], &limit[..]].concat())
    };
    let open = solve(&path);
    assert_eq!(open.status.code(), Some(3), "{}", shown(&open));
    let message = "unknown: the limit of 1 branches was reached; --branches raises it\nno certificate was written\n";
    assert_eq!(shown(&open), message);
    assert!(!path.exists());
    std::fs::write(&empty, "").expect("it can be written");
    solve(&empty);
    assert_eq!(std::fs::read_to_string(&empty).expect("it stays"), "");
    let verified = lozenge(&["verify", empty.to_str().expect("a plain name"), set]);
    assert_eq!(
        shown(&verified),
        "unknown: the certificate is not accepted: it is empty\n"
    );
}
