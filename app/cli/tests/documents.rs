//! The commands in the documents and in the help are run and print what is shown there. `TRYCMD=overwrite cargo test`
//! rewrites the documents.

use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::cargo_bin;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the package lies in the workspace")
}

/// Returns a folder for the output of commands, with the examples and the corpus in it.
fn scratch() -> tempfile::TempDir {
    let scratch = tempfile::tempdir().expect("a folder");
    for folder in ["examples", "fuzz"] {
        let link = scratch.path().join(folder);
        std::os::unix::fs::symlink(root().join(folder), link).expect("a link");
    }
    scratch
}

#[test]
fn the_commands_of_the_documents_print_what_they_show() {
    let scratch = scratch();
    std::env::set_current_dir(scratch.path()).expect("the folder is there");
    trycmd::TestCases::new()
        .register_bin("lozenge", cargo_bin("lozenge"))
        .env("NO_COLOR", "1")
        .case(root().join("README.md"))
        .case(root().join("docs/*.md"));
}

fn help(arguments: &[&str]) -> String {
    let output = Command::new(cargo_bin("lozenge"))
        .args(arguments)
        .arg("--help")
        .output()
        .expect("lozenge runs");
    String::from_utf8(output.stdout).expect("help is text")
}

/// Returns the program itself, its commands and theirs, as the completions of a shell list them.
fn commands() -> Vec<Vec<String>> {
    let output = Command::new(cargo_bin("lozenge"))
        .args(["completions", "fish"])
        .output()
        .expect("lozenge runs");
    let text = String::from_utf8(output.stdout).expect("completions are text");
    let mut found = vec![Vec::new()];
    // A line with `-r` lists the values of an option, which look like commands.
    for line in text.lines().filter(|line| !line.contains(" -r ")) {
        let Some(name) = line
            .split(" -a \"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
        else {
            continue;
        };
        // Commands of a command are listed behind the condition that it is there.
        let above = line
            .split("__fish_lozenge_using_subcommand ")
            .nth(1)
            .and_then(|rest| rest.split([';', '"']).next());
        let path = above.into_iter().chain([name]).map(String::from);
        let path: Vec<String> = path.collect();
        if !path.contains(&"help".into()) {
            found.push(path);
        }
    }
    found
}

#[test]
fn the_examples_of_the_help_run() {
    let folder = cargo_bin("lozenge");
    let folder = folder.parent().expect("the binary lies in a folder");
    let path = format!(
        "{}:{}",
        folder.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let scratch = scratch();
    let mut seen = 0;
    for command in commands() {
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let text = help(&command);
        // A long example is wrapped; it ends with its paragraph.
        let paragraphs = text.split("\n\n").map(|one| one.replace('\n', " "));
        let paragraphs: Vec<String> = paragraphs.collect();
        let examples = paragraphs.iter();
        for example in examples.filter_map(|one| one.strip_prefix("Example: ")) {
            seen += 1;
            let output = Command::new("sh")
                .args(["-c", example])
                .env("PATH", &path)
                .current_dir(scratch.path())
                .output()
                .expect("a shell");
            let code = output.status.code();
            // 1 is an answer too: the set of the example is refused.
            let answered = matches!(code, Some(0 | 1));
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                answered,
                "{command:?}: `{example}` ends with {code:?}: {said}"
            );
        }
    }
    assert!(seen >= 25, "{seen} examples were found");
}
