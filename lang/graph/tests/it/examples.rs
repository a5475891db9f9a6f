//! The example files.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use lozenge_graph::{Graph, Limits, read, read_file};

/// Gives the folder of examples of one format.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name)
}

/// Gives the names of the examples whose files end so, without the ending, in order.
pub(crate) fn names(folder_name: &str, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(folder(folder_name)).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("the entry is there").file_name());
    let mut names: Vec<_> = names
        .filter_map(|name| name.to_str()?.strip_suffix(ending).map(str::to_string))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "{folder_name} has examples");
    names
}

/// Reads an example.
pub(crate) fn example(path: &str) -> Graph {
    example_file(&folder(path))
}

/// Reads a file of which it is known that it is a model.
pub(crate) fn example_file(path: &Path) -> Graph {
    read_file(path, &Limits::default())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Gives the text of a compressed torch.fx graph.
pub(crate) fn fx_text(name: &str) -> Vec<u8> {
    let compressed =
        fs::File::open(folder("fx").join(format!("{name}.json.gz"))).expect("the file is there");
    let mut text = Vec::new();
    let mut reader = flate2::read::GzDecoder::new(compressed);
    reader
        .read_to_end(&mut text)
        .expect("the file is compressed");
    text
}

/// Reads a compressed torch.fx graph.
pub(crate) fn fx(name: &str) -> Graph {
    read(fx_text(name), &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_example_reads() {
    for name in names("onnx", ".onnx") {
        assert!(
            example(&format!("onnx/{name}.onnx")).node_count() > 0,
            "{name}"
        );
    }
    for name in names("torch_export", ".pt2") {
        assert!(
            example(&format!("torch_export/{name}.pt2")).node_count() > 0,
            "{name}"
        );
    }
    assert_eq!(names("fx", ".json.gz").len(), 21);
    for name in names("fx", ".json.gz") {
        assert!(fx(&name).node_count() > 0, "{name}");
    }
}

#[test]
fn the_first_bytes_decide_the_format_and_not_the_name() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("model.txt");
    for example in ["onnx/halves.onnx", "torch_export/bert.pt2"] {
        fs::copy(self::folder(example), &path).expect("the file can be copied");
        let renamed = read_file(&path, &Limits::default()).expect("the copy is a model as well");
        assert_eq!(renamed, self::example(example));
    }
    fs::write(&path, fx_text("AlexNet")).expect("the file can be written");
    assert_eq!(read_file(&path, &Limits::default()), Ok(fx("AlexNet")));
}
