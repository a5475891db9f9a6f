//! The messages for a refused program: their flags, and the explanation of a rule.

use assert_cmd::Command;

fn lozenge(args: &[&str]) -> (String, Option<i32>) {
    let output = Command::cargo_bin("lozenge")
        .expect("the binary")
        .args(args)
        .output()
        .expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).expect("text"), output.status.code())
}

fn program(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new()
        .suffix(".loz")
        .tempfile()
        .expect("a file");
    std::fs::write(file.path(), text).expect("it is written");
    file
}

#[test]
fn a_refusal_of_shapes_that_fit_can_be_allowed() {
    let file = program("data w : 3->4 = range(12)\nlet half = w * 2\n");
    let path = file.path().to_str().expect("a path");
    let (text, code) = lozenge(&["infer", path]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("error[R2]") && text.contains("`w *. 2`"),
        "{text}"
    );
    let (text, code) = lozenge(&["infer", path, "--allow", "R2"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("warning[R2]") && text.contains("half  ->4"),
        "{text}"
    );
    let (text, code) = lozenge(&["infer", path, "--allow", "R9"]);
    assert_eq!(code, Some(2), "{text}");
}

#[test]
fn the_rule_is_shown_on_request() {
    let file = program(
        "data x : 100|->784 = range(78400)\ndata w : 768->10 = range(7680)\nlet y = w * x\n",
    );
    let path = file.path().to_str().expect("a path");
    let (text, code) = lozenge(&["infer", path]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("`w` takes 768 inputs, `x` gives 784"),
        "{text}"
    );
    assert!(!text.contains("di_ground"), "{text}");
    let (text, _) = lozenge(&["infer", path, "--why"]);
    assert!(text.contains("di_ground"), "{text}");
}

#[test]
fn a_rule_is_explained_by_its_name() {
    let (text, code) = lozenge(&["explain", "di_ground"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("Def. 4.2") && text.contains("784 <= 768"),
        "{text}"
    );
    for code in ["R1", "R2", "R3", "R4", "R5"] {
        let (text, status) = lozenge(&["explain", code]);
        assert_eq!(status, Some(0), "{text}");
        assert!(text.starts_with(&format!("{code} (")), "{text}");
        assert!(text.contains(&format!("--allow {code}")), "{text}");
    }
    let (text, code) = lozenge(&["explain", "rule"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("R1, R2, R3, R4, R5"), "{text}");
    let (text, code) = lozenge(&["explain", "di_gruond"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("did you mean `di_ground`?"), "{text}");
}
