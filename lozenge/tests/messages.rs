//! The commonest mistakes. Each program of `tests/messages` has its messages beside it, in a file of the same name that ends in
//! `.snap`. `INSTA_UPDATE=always cargo test` writes them anew.

use std::path::{Path, PathBuf};

use lozenge::{Diagnostic, Options, read};
use lozenge_lang::Edit;

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "loz"))
        .collect();
    programs.sort();
    programs
}

fn messages(source: &str) -> Vec<Diagnostic> {
    match read(source, &Options::default()) {
        Ok(reading) => reading.warnings,
        Err(errors) => errors,
    }
}

#[test]
fn every_program_has_the_messages_beside_it() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("messages");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for path in programs() {
        let source = std::fs::read_to_string(&path).expect("the program is text");
        let shown: Vec<String> = messages(&source)
            .iter()
            .map(|message| message.render(&source, "net.loz", false))
            .collect();
        assert!(!shown.is_empty(), "{} has no message", path.display());
        let name = path.file_stem().expect("a name").to_string_lossy();
        settings.bind(|| insta::assert_snapshot!(name.as_ref(), shown.join("\n\n")));
    }
}

/// What a message proposes was tried: the changed program has fewer errors, and of a program with one error it has none.
#[test]
fn every_proposed_change_is_accepted() {
    let mut proposed = 0;
    for path in programs() {
        let source = std::fs::read_to_string(&path).expect("the program is text");
        let before = messages(&source);
        for message in &before {
            let Some(help) = message.help.as_ref().filter(|help| !help.edits.is_empty()) else {
                continue;
            };
            proposed += 1;
            let changed = Edit::apply(&help.edits, &source);
            let after = messages(&changed);
            assert!(
                after.len() < before.len(),
                "{}\n{changed}",
                message.render(&source, "net.loz", false)
            );
            assert!(before.len() > 1 || read(&changed, &Options::default()).is_ok());
        }
    }
    assert!(proposed >= 15, "only {proposed} changes were proposed");
}

/// The rule and the derivation are shown on request only.
#[test]
fn the_rule_is_shown_on_request() {
    let source =
        "data x : 100|->784 from \"x.csv\"\ndata w : 768->10 from \"w.csv\"\nlet y = w * x\n";
    let message = &messages(source)[0];
    assert!(
        !message
            .render(source, "net.loz", false)
            .contains("di_ground")
    );
    assert!(
        message
            .render_why(source, "net.loz", false)
            .contains("di_ground")
    );
}
