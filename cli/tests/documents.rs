//! What the documents and the help show is what the program does.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

/// Every console example. `TRYCMD=overwrite` writes what the program prints into the documents.
#[test]
fn console_examples_are_true() {
    std::env::set_current_dir(root()).unwrap();
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .case("README.md")
        .case("docs/*.md")
        .case("examples/*/README.md");
}

#[test]
fn the_program_of_the_readme_is_the_example() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, rest) = readme.split_once("```loz\n").unwrap();
    let (shown, _) = rest.split_once("```").unwrap();
    let example = fs::read_to_string(root().join("examples/first/layer.loz")).unwrap();
    assert_eq!(shown, example);
}

/// The commands behind `Example:` in a help text.
fn examples(help: &str) -> Vec<String> {
    help.lines()
        .filter_map(|line| line.split_once("Example: "))
        .map(|(_, example)| example.trim().to_string())
        .collect()
}

/// A folder with the examples and the corpus in it, where commands may write.
fn playground() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["examples", "fuzz"] {
        symlink(root().join(name), folder.path().join(name)).unwrap();
    }
    folder
}

#[test]
fn the_examples_of_every_help_run() {
    let binary = Path::new(env!("CARGO_BIN_EXE_lozenge"));
    let output = |arguments: &[&str]| Command::new(binary).args(arguments).output().unwrap();
    let help = String::from_utf8(output(&["--help"]).stdout).unwrap();
    let (listed, _) = help.split_once("Options:\n").unwrap();
    let commands = listed
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let folder = playground();
    let path = format!(
        "{}:{}",
        binary.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let mut run = 0;
    for command in commands {
        let help = String::from_utf8(output(&[command, "--help"]).stdout).unwrap();
        let found = examples(&help);
        assert!(!found.is_empty(), "{command} has no example:\n{help}");
        for example in found {
            let output = Command::new("sh")
                .args(["-c", &example])
                .current_dir(folder.path())
                .env("PATH", &path)
                .output()
                .unwrap();
            let status = output.status.code();
            assert!(
                matches!(status, Some(0 | 1)),
                "`{example}` ends with {status:?}: {}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            run += 1;
        }
    }
    assert!(run >= 12, "{run} examples");
}

/// The schemas in docs/schema are those that the program prints.
#[test]
fn the_schemas_are_those_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let written = Command::new(env!("CARGO_BIN_EXE_lozenge"))
        .args(["schema", "--folder"])
        .arg(folder.path())
        .status()
        .unwrap();
    assert!(written.success());
    let names = |folder: &Path| {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    let kept = root().join("docs/schema");
    assert_eq!(names(&kept), names(folder.path()));
    for name in names(&kept) {
        let [kept, new] =
            [&kept, folder.path()].map(|f| fs::read_to_string(f.join(&name)).unwrap());
        assert_eq!(
            kept, new,
            "{name:?} is old: run `lozenge schema --folder docs/schema`"
        );
    }
}
