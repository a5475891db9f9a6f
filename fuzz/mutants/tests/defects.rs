//! The files of defects fit the present sources. No copy is built.

use std::path::{Path, PathBuf};

use lozenge_mutants::defects::{DefectFile, files};
use lozenge_mutants::report::rows;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn defect_files() -> Vec<DefectFile> {
    let files = files(&root()).expect("fuzz/testkit/defects");
    assert!(!files.is_empty());
    files
        .iter()
        .map(|path| DefectFile::read(path).unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

#[test]
fn every_defect_has_exactly_one_place() {
    let mut errors = Vec::new();
    for file in defect_files() {
        match file.changes(&root()) {
            Ok(changes) => assert!(!changes.is_empty(), "{}", file.package),
            Err(found) => errors.extend(found),
        }
    }
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

#[test]
fn the_page_has_the_same_defects_as_the_files() {
    let page = std::fs::read_to_string(root().join("docs/generated/planted.md"))
        .expect("docs/generated/planted.md");
    for file in defect_files() {
        let defects = file.defects.iter();
        let expected: Vec<_> = defects
            .map(|defect| (defect.name.clone(), defect.what.clone()))
            .collect();
        let write = "run `cargo run --release -p lozenge-mutants -- planted --write`";
        assert_eq!(rows(&page, &file), expected, "{}: {write}", file.package);
    }
}

#[test]
fn the_readme_counts_the_defects() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let count: usize = defect_files().iter().map(|file| file.defects.len()).sum();
    assert!(readme.contains(&format!("All {count} defects")), "{count}");
}

#[test]
fn a_text_that_does_not_occur_once_is_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("lib.rs"), "fn f() -> u8 { 1 + 1 }\n").unwrap();
    let write = |find: &str, replace: &str| {
        let path = folder.path().join("defects.toml");
        let defect = format!(
            "[[defect]]\nname = \"D\"\nfile = \"lib.rs\"\nfind = \"{find}\"\nreplace = \"{replace}\"\nwhat = \"w\"\n"
        );
        std::fs::write(
            &path,
            format!("package = \"p\"\nnoticed-by = \"tests\"\n{defect}"),
        )
        .unwrap();
        let read = DefectFile::read(&path).unwrap();
        let changes = read.changes(folder.path());
        changes.map(|_| ()).map_err(|errors| errors[0].to_string())
    };
    assert_eq!(write("1 + 1", "2"), Ok(()));
    let error = write("1", "2").unwrap_err();
    assert_eq!(
        error,
        "D: what it looks for occurs 2 times in lib.rs, not once: write `find` anew"
    );
    assert!(write("3", "2").unwrap_err().contains("occurs 0 times"));
    assert!(write("+", "+").unwrap_err().contains("the same"));
    assert!(write("u8", "u9").unwrap_err().contains("in no function"));
}
