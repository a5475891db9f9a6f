//! The constraints of a program, as `lozenge constraints` writes them, are a set that everyone can ask about: they read
//! back as they are, and complete mode finds that they have a solution.

use std::path::{Path, PathBuf};

use lozenge::solver::{Problem, Solver};
use lozenge::vocabulary::{ConstraintSet, Verdict};
use lozenge::{Options, Reading, Surroundings, read_in};

/// Collects all programs below a folder that are accepted, with their paths.
fn accepted(folder: &Path, found: &mut Vec<(PathBuf, Reading)>) {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            accepted(&path, found);
        } else if path.extension().is_some_and(|end| end == "loz") {
            let source = std::fs::read_to_string(&path).expect("a text");
            let around = Surroundings::folder(path.parent().expect("a folder"));
            if let Ok(reading) = read_in(&source, &around, &Options::default()) {
                found.push((path, reading));
            }
        }
    }
}

#[test]
fn the_constraints_of_programs_read_back_and_have_solutions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut programs = Vec::new();
    for folder in ["examples", "docs/lab/readers/second"] {
        accepted(&root.join(folder), &mut programs);
    }
    assert!(programs.len() > 60, "{}", programs.len());
    for (path, reading) in programs {
        let set = reading.program.constraints().expect("its own names").set;
        let read: Result<ConstraintSet, _> = set.to_string().parse();
        assert_eq!(read.as_ref(), Ok(&set), "{}", path.display());
        let decision = Solver::new(Problem::from(&set)).decide();
        assert_eq!(
            (decision.verdict, &decision.limit),
            (Verdict::Sat, &None),
            "{}",
            path.display()
        );
    }
}
