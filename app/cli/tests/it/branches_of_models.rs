//! `lozenge migrate`, `lozenge branches` and `lozenge bench gradual` on the models that the repository carries.

use std::path::Path;

use serde_json::{Value, json};

use crate::terminal::{folder, json_of, lozenge, root, status, text};

/// Runs a command on a file of the examples as JSON, held against its schema, and returns its status with the answer.
fn answer(command: &str, model: &str, more: &[&str]) -> (i32, Value) {
    let model = root().join("examples").join(model);
    let model = model.to_str().expect("the path is text");
    let output = lozenge(&[&[command, model, "--format", "json"], more].concat());
    (status(&output), json_of(&output))
}

/// Returns the verdicts of all conditions, in order.
fn verdicts(answer: &Value) -> Vec<&str> {
    let branches = answer["branches"].as_array().expect("a list");
    let verdicts = branches.iter().map(|branch| branch["verdict"].as_str());
    verdicts.map(|verdict| verdict.expect("a word")).collect()
}

/// By hand: a convolution takes rank 3 or 4, a kernel of 3 takes 3 columns, and 103 columns become 101.
#[test]
fn conditions_are_decided_for_all_inputs_at_once() {
    let (status, free) = answer("branches", "models/branches.json", &[]);
    assert_eq!(status, 0);
    assert_eq!(verdicts(&free), ["depends", "never", "depends", "always"]);
    let wide = &free["branches"][2];
    assert_eq!(wide["node"], "is_wide");
    assert_eq!(wide["witnesses"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        wide["true_if"],
        json!(["x[2] >= 103, x.rank <= 3", "x[3] >= 103"])
    );
    let (_, at_5) = answer(
        "branches",
        "models/branches.json",
        &["--where", "x.rank = 5"],
    );
    assert_eq!(at_5["verdict"], "unsat");
    assert_eq!(verdicts(&at_5), ["unreachable"; 4]);
    let (status, _) = answer("branches", "models/branches.json", &["--where", "y = 1"]);
    assert_eq!(status, 2);
}

/// The model that is written has the conditions that are left, and the same annotations.
#[test]
fn decided_conditions_are_taken_out_of_a_model() {
    for (model, conditions, before, after) in [
        ("models/branches.json", "x.rank = 4", 4, 1),
        ("onnx/branches.onnx", "rate = 16000, second = 1", 2, 0),
        ("onnx/branches.onnx", "rate = 8000", 2, 0),
    ] {
        let folder = folder(&[]);
        let written = folder.path().join("written");
        let path = written.to_str().expect("the path is text");
        let asked = ["--where", conditions, "--emit", path];
        let (status, found) = answer("branches", model, &asked);
        assert_eq!(status, 0, "{model}");
        assert_eq!(verdicts(&found).len(), before, "{model}");
        let (status, left) = answer("branches", path, &[]);
        assert_eq!(status, 0, "{model}");
        assert_eq!(verdicts(&left).len(), after, "{model}: {left}");
        let types = |model: &str| {
            let (status, found) = answer("migrate", model, &["--where", conditions]);
            assert_eq!(status, 0, "{model}");
            found["inputs"].clone()
        };
        if model.ends_with(".json") {
            assert_eq!(types(model), types(path), "{model}");
        }
    }
}

#[test]
fn a_model_is_not_written_over_itself() {
    let model = root().join("examples/models/branches.json");
    let folder = folder(&[("model.json", &std::fs::read_to_string(model).unwrap())]);
    let path = folder.path().join("model.json");
    let path = path.to_str().unwrap();
    let output = lozenge(&["branches", path, "--emit", path]);
    assert_eq!(status(&output), 2);
    let (_, found) = answer("branches", path, &[]);
    assert_eq!(verdicts(&found).len(), 4);
}

/// By hand: two strides of 2 leave 7 of 27 to 30 rows.
#[test]
fn annotations_have_ranges_with_what_refuses_the_next_size() {
    let (status, found) = answer("migrate", "models/classifier.onnx", &["--where", "h = w"]);
    assert_eq!(status, 0);
    assert_eq!(found["standing"], "runs");
    let class = &found["inputs"][0]["classes"][0];
    assert_eq!(class["rank"], 4);
    assert_eq!(class["dims"][2]["range"], json!([27, 30]));
    assert_eq!(class["dims"][0]["below"]["node"], "flatten");
    let (status, none) = answer(
        "migrate",
        "models/branches.json",
        &["--where", "x.rank = 5"],
    );
    assert_eq!(status, 1);
    assert_eq!(none["standing"], "ill-typed");
    assert_eq!(none["core"], json!(["conv"]));
}

/// Shows that the demands of a program bind: its conditional is decided by them.
#[test]
fn a_program_of_the_calculus_is_asked_with_its_demands() {
    let text = "x : ?\nwhere x.rank = 4, x[0] > 5\n\
                return if dim(conv2d(2, 4, (3, 3), x)) = 4 then x else reshape(x, [?])\n";
    let folder = folder(&[("a.grad", text)]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (_, found) = answer("branches", &path("a.grad"), &["--emit", &path("b.grad")]);
    assert_eq!(verdicts(&found), ["always"]);
    let written = std::fs::read_to_string(path("b.grad")).unwrap();
    assert_eq!(written, "x : ?\nwhere x.rank = 4, x[0] > 5\nreturn x\n");
    let (_, found) = answer("migrate", &path("a.grad"), &[]);
    assert_eq!(found["inputs"][0]["classes"][0]["dims"][0]["range"][0], 6);
}

/// By hand: the sizes of a rank of a million have the product 6, and nobody reads a million of them.
#[test]
fn a_large_rank_is_told_by_its_ends() {
    let text_of = |program: &str| {
        let folder = folder(&[("a.grad", program)]);
        let path = folder.path().join("a.grad");
        let output = lozenge(&["migrate", path.to_str().unwrap()]);
        let json = json_of(&lozenge(&[
            "migrate",
            path.to_str().unwrap(),
            "--format",
            "json",
        ]));
        (text(&output.stdout), json)
    };
    let (said, found) = text_of("x : ?\nwhere x.rank = 1000000\nreturn reshape(x, [6])\n");
    let annotation = "x : [?, ?, ?, …, ?, ?, ?], of rank 1000000\n";
    assert!(
        said.starts_with(annotation) && said.len() < 2_000,
        "{said:.2000}"
    );
    assert_eq!(said.matches("of rank 1000000\n").count(), 2, "{said}");
    let example = found["example"]["x"].as_array().expect("sizes");
    let product: u64 = example.iter().filter_map(Value::as_u64).product();
    assert_eq!((example.len(), product), (1_000_000, 6));
    // All sizes of what has one element are 1, those that are not told apart too.
    let (said, _) = text_of("x : ?\nwhere x.rank = 100\nreturn reshape(x, [])\n");
    let between = "x : [1, 1, 1, …, 1, 1, 1], of rank 100\n  x[3]*…*x[-4] = 1\n";
    assert!(said.starts_with(between), "{said}");
    let (said, _) = text_of("x : [?, ?]\nwhere x.rank = 4\nreturn x\n");
    assert!(
        said.starts_with("why: `x.rank = 4` does not hold\n"),
        "{said}"
    );
}

/// The answers of the paper, but for its times, and one branch that no input decides otherwise.
#[test]
fn the_tables_of_the_paper_have_our_answers_beside() {
    let output = lozenge(&[
        "bench",
        "gradual",
        "--runs",
        "1",
        "--only",
        "AlexNet",
        "--only",
        "XGLM",
        "--only",
        "BmmExample",
    ]);
    let said = text(&output.stdout);
    assert_eq!(status(&output), 0, "{said}");
    for line in [
        "AlexNet               24/24       1/1        0/0",
        "XGLM                  5/5          4/3        0/0",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert!(
        said.contains("`ne_1`: the other tool says depends, and it is never"),
        "{said}"
    );
    assert!(!said.contains("difference: the paper prints"), "{said}");
}

/// Asks onnxruntime whether two models compute the same at points, where it was loaded.
fn compute_the_same(model: &Path, other: &Path, points: &[Value]) {
    let judge = root().join(".libs/onnx");
    if !judge.is_dir() {
        eprintln!(
            "left out: {} is not there; .ci/setup fills it",
            judge.display()
        );
        return;
    }
    let mut command = std::process::Command::new("python3");
    command
        .arg(root().join("app/cli/tests/models/same.py"))
        .args([model, other])
        .args(points.iter().map(Value::to_string))
        .env("PYTHONPATH", judge);
    let output = command.output().expect("python3 runs");
    let said = text(&output.stdout) + &text(&output.stderr);
    let expected = format!("{} points, the same outputs\n", points.len());
    assert_eq!(said, expected, "{}", model.display());
}

#[test]
fn a_rewritten_onnx_model_computes_the_same() {
    let folder = folder(&[]);
    let written = folder.path().join("written.onnx");
    let path = written.to_str().expect("the path is text");
    let asked = ["--where", "rate = 16000", "--emit", path];
    let (_, found) = answer("branches", "onnx/branches.onnx", &asked);
    assert_eq!(verdicts(&found), ["always", "depends"]);
    let point = |rows: u64, second: bool| json!({"x": [rows, 4], "rate": 16000, "second": second});
    let points = [
        point(1, true),
        point(1, false),
        point(5, true),
        point(5, false),
    ];
    compute_the_same(
        &root().join("examples/onnx/branches.onnx"),
        &written,
        &points,
    );
}

/// A voice detector with 25 branches: at 16 kHz only three of those to which it comes are left, and they ask for the
/// length.
#[test]
fn a_rewritten_voice_detector_computes_the_same() {
    let model = root().join(".libs/models/silero_vad.onnx");
    if !model.exists() {
        eprintln!(
            "left out: {} is not there; .ci/setup fills it",
            model.display()
        );
        return;
    }
    let folder = folder(&[]);
    let written = folder.path().join("written.onnx");
    let path = written.to_str().expect("the path is text");
    let name = model.to_str().expect("the path is text");
    let asked = ["--where", "sr = 16000, input[0] >= 1", "--emit", path];
    let (status, found) = answer("branches", name, &asked);
    assert_eq!(status, 0, "{found}");
    let count = |verdict: &str| {
        verdicts(&found)
            .into_iter()
            .filter(|one| *one == verdict)
            .count()
    };
    assert_eq!(
        ["always", "never", "depends", "unreachable"].map(count),
        [3, 1, 3, 18]
    );
    assert_eq!(found["replaced"], 4);
    let point = |batch: u64, length: u64| json!({"input": [batch, length], "state": [2, batch, 128], "sr": 16000});
    let points = [point(1, 192), point(1, 512), point(2, 640), point(3, 703)];
    compute_the_same(&model, &written, &points);
}
