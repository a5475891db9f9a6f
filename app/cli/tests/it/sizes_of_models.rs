//! `lozenge sizes` on the models that the repository carries.

use std::path::PathBuf;

use crate::terminal::{lozenge, root, text};

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
fn a_point_is_told_with_its_neighbours_unless_a_declaration_refuses_it() {
    let (status, said) = sizes(&detector(), &["--at", "image=[1,3,30,40]"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("`merge`") && said.contains("admitted with h = 28 or 31"),
        "{said}"
    );
    let (status, said) = sizes(&detector(), &["--at", "image=[1,4,32,32]"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("declared as 3") && !said.contains("admitted with"),
        "{said}"
    );
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
