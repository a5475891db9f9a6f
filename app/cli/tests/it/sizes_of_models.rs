//! `lozenge sizes` on the models that the repository carries.

use std::path::PathBuf;

use crate::terminal::{json_of, lozenge, root, text};

fn detector() -> PathBuf {
    root().join("examples/models/detector.onnx")
}

/// Runs `lozenge sizes` on a model, and returns its status and all that it said.
fn sizes(model: &std::path::Path, arguments: &[&str]) -> (Option<i32>, String) {
    let model = model.to_str().expect("the path is text");
    let output = lozenge(&[&["sizes", model], arguments].concat());
    (
        output.status.code(),
        text(&output.stdout) + &text(&output.stderr),
    )
}

/// By hand: 16 rows behind a stride of 2 come from 31 or 32 rows, and `ceil(h/4)` is 8 for both.
#[test]
fn a_condition_on_a_layer_is_solved_backwards() {
    let (status, said) = sizes(&detector(), &["--where", "merge[2] = 16, w = 7"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("  h : 31, 32\n"), "{said}");
    let (status, said) = sizes(&detector(), &["--where", "h % 4 = 1, h > 4"]);
    assert_eq!(status, Some(1), "{said}");
    let (status, said) = sizes(&detector(), &["--where", "rows = 3"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("the sizes b, h, w"), "{said}");
}

#[test]
fn a_refused_point_is_told_with_its_axis_and_its_neighbours() {
    let (status, said) = sizes(&detector(), &["--at", "image=[1,3,30,40]"]);
    assert_eq!(status, Some(1), "{said}");
    for part in [
        "`merge`",
        "from h = 30 (axis 2 of `image`)",
        "admitted with h = 28 or 31\n",
    ] {
        assert!(said.contains(part), "{said}");
    }
    // Both are wrong, and both have neighbours.
    let (_, said) = sizes(&detector(), &["--at", "image=[1,3,30,41]"]);
    let both = "admitted with h = 28 or 31 and w = 40 or 43\n";
    assert!(said.contains(both), "{said}");
    let (status, said) = sizes(&detector(), &["--at", "image=[1,4,32,32]"]);
    assert_eq!(status, Some(1), "{said}");
    let declared = "declared as 3, and 4 is given\n  admitted with image[1] = 3\n";
    assert!(said.contains(declared), "{said}");
}

/// Two reshapes of one tensor: 6 elements are divided neither by 7 nor by 4.
#[test]
fn further_layers_that_refuse_are_told() {
    let node = |name: &str, columns: u32| {
        format!(
            r#"{{"name": "{name}", "op": "call_method", "target": "view", "args": [{{"node": "x"}}, -1, {columns}], "kwargs": {{}}}}"#
        )
    };
    let graph = format!(
        r#"{{"nodes": [{{"name": "x", "op": "placeholder", "target": "x", "args": [], "kwargs": {{}}}}, {}, {},
        {{"name": "output", "op": "output", "target": "output", "args": [[{{"node": "left"}}, {{"node": "right"}}]], "kwargs": {{}}}}]}}"#,
        node("left", 7),
        node("right", 4)
    );
    let folder = crate::terminal::folder(&[("two.json", &graph)]);
    let model = folder.path().join("two.json");
    let (status, said) = sizes(&model, &["--at", "x=[2,3]"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("  `left` ("), "{said}");
    assert!(said.contains("  also `right` ("), "{said}");
    let (_, json) = sizes(&model, &["--at", "x=[2,3]", "--format", "json"]);
    assert!(json.contains("\"also\""), "{json}");
}

/// The program adds up a tensor and asks whether that is above 0: eager PyTorch runs both branches on all lengths.
#[test]
fn a_branch_of_torch_on_data_is_followed_both_ways() {
    let model = root().join("examples/torch_export/branching.pt2");
    let (status, said) = sizes(&model, &[]);
    assert_eq!(status, Some(0), "{said}");
    for part in [
        "  s77 : >= 1 (0 too)\n  gt : 0, 1\n",
        "data decide gt: 1 takes the first branch",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let name = model.to_str().expect("the path is text");
    let output = lozenge(&["branches", name]);
    let said = text(&output.stdout);
    assert!(
        said.contains("gt (of `cond`) : unknown: the values of tensors decide it\n"),
        "{said}"
    );
}

#[test]
fn conditions_that_leave_nothing_are_named() {
    let (status, said) = sizes(&detector(), &["--where", "w < 99, h % 4 = 1, h > 4"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("why: the condition `h % 4 = 1`\n"), "{said}");
    assert!(!said.contains("w < 99"), "{said}");
}

/// The layers between the image and the one that refuses it, with the sizes of each by hand.
#[test]
fn the_way_to_a_layer_that_refuses_is_explained() {
    let model = detector();
    let model = model.to_str().expect("the path is text");
    let output = lozenge(&["explain", model, "--at", "image=[1,3,30,40]"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for step in [
        "1. `image` : [b, 3, h, w] = [1, 3, 30, 40]",
        "2. `stem` (onnx.Conv@17) : [b, 8, ceil(h/2), ceil(w/2)] = [1, 8, 15, 20]",
        "3. `down` (onnx.Conv@17) : [b, 8, ceil(h/4), ceil(w/4)] = [1, 8, 8, 10]",
        "4. `enlarge` (onnx.Resize@17) : [b, 8, 2*ceil(h/4), 2*ceil(w/4)] = [1, 8, 16, 20]",
    ] {
        assert!(said.contains(step), "{said}");
    }
    let json = lozenge(&["explain", model, "--format", "json"]);
    assert_eq!(json_of(&json)["stories"].as_array().map(Vec::len), Some(2));
    // Flags of one kind of file are no flags of another.
    let program = lozenge(&["explain", "examples/first/layer.loz", "--at", "x=[1]"]);
    assert!(text(&program.stderr).contains("--at is for models"));
}

/// A trace of PyTorch 2.15 asks for sentences of two words at least, and the model takes one.
#[test]
fn what_an_exporter_recorded_stands_beside_the_set() {
    let bert = root().join("examples/torch_export/bert.pt2");
    let (status, said) = sizes(&bert, &[]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("recorded by the exporter"), "{said}");
    assert!(said.contains("taken, not recorded: ids=[1,1]"), "{said}");
    assert!(said.contains("recorded, not taken: none"), "{said}");
}

/// The set of a model that takes half of the sizes is smaller, and one that enlarges by 4 gives another map.
#[test]
fn a_lock_file_notices_a_set_that_shrinks() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("detector.sizes");
    let lock = lock.to_str().unwrap();
    let (status, said) = sizes(&detector(), &["--write", lock]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(sizes(&detector(), &["--against", lock]).0, Some(0));
    // The scale of the `Resize` node is the only 2.0 of the file: four bytes each for rows and columns.
    let bytes = std::fs::read(detector()).unwrap();
    let (two, four) = (2.0f32.to_le_bytes(), 4.0f32.to_le_bytes());
    let twice = [two, two].concat();
    let at = bytes.windows(8).position(|window| window == twice);
    let at = at.expect("the scales are in the file");
    let mut other = bytes.clone();
    other[at..at + 8].copy_from_slice(&[four, four].concat());
    let model = folder.path().join("other.onnx");
    std::fs::write(&model, other).unwrap();
    let (status, said) = sizes(&model, &["--against", lock]);
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("sizes that were admitted are refused: image=[1,3,"),
        "{said}"
    );
    assert!(said.contains("the output `map` was"), "{said}");
}

#[test]
fn a_lock_file_is_not_written_over_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.onnx");
    std::fs::copy(detector(), &model).unwrap();
    let (status, said) = sizes(&model, &["--write", model.to_str().unwrap()]);
    assert_eq!(status, Some(2), "{said}");
    assert_eq!(
        std::fs::read(&model).unwrap(),
        std::fs::read(detector()).unwrap()
    );
}
