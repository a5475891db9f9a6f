//! The programs that readers of the introduction wrote (`docs/lab/readers`): which of them are accepted as first typed.
//! Those run.

use std::path::Path;

use lozenge::backend::Interpreter;
use lozenge::{Options, read};

/// Returns the numbers of the programs in a folder that are refused, after how many there are.
fn refused(folder: &str) -> (usize, Vec<String>) {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/lab/readers/{folder}"));
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let number = |path: &Path| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.split('-').next().unwrap_or_default().to_string()
    };
    let wrong = |path: &&std::path::PathBuf| {
        let source = std::fs::read_to_string(path).expect("a text");
        let Ok(reading) = read(&source, &Options::default()) else {
            return true;
        };
        let (program, inference) = (&reading.program, &reading.inference);
        let data = lozenge::load(program, Path::new("")).expect("its values stand in it");
        let mut device = Interpreter::new(Default::default());
        let run = lozenge::run(program, inference, &data, &mut device);
        assert!(run.is_ok(), "{}: {run:?}", path.display());
        false
    };
    let refused = paths
        .iter()
        .filter(wrong)
        .map(|path| number(path))
        .collect();
    (paths.len(), refused)
}

#[test]
fn of_the_first_readers_programs_34_are_inferred() {
    let (programs, refused) = refused("first");
    assert_eq!(programs, 40);
    assert_eq!(refused, ["03", "16", "17", "33", "35", "40"]);
}

#[test]
fn of_the_second_readers_programs_38_are_inferred() {
    let (programs, refused) = refused("second");
    assert_eq!(programs, 40);
    assert_eq!(refused, ["06", "16"]);
}
