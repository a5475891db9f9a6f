//! The messages about programs that cannot be read. Each program of `tests/ui` has its messages beside it, in a file of
//! the same name that ends in `.snap`. `INSTA_UPDATE=always cargo test` rewrites these files.

use std::path::{Path, PathBuf};

use lozenge_lang::{Diagnostic, Edit, MAX_ERRORS, parse};

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "loz"))
        .collect();
    programs.sort();
    programs
}

fn shown(source: &str, errors: &[Diagnostic]) -> String {
    let shown: Vec<String> = errors
        .iter()
        .map(|error| error.render(source, "program.loz", false))
        .collect();
    shown.join("\n\n")
}

#[test]
fn every_program_has_the_messages_beside_it() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../ui");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for path in programs() {
        let source = std::fs::read_to_string(&path).expect("the program is text");
        let errors = parse(&source).expect_err("the program is wrong");
        let name = path.file_stem().expect("a name").to_string_lossy();
        settings.bind(|| insta::assert_snapshot!(name.as_ref(), shown(&source, &errors)));
    }
}

/// With lines that end with a carriage return and a line feed, the messages are the same.
#[test]
fn the_ends_of_lines_are_not_shown() {
    for path in programs() {
        let source = std::fs::read_to_string(&path).expect("the program is text");
        let other = source.replace('\n', "\r\n");
        let [errors, others] = [&source, &other].map(|text| parse(text).expect_err("it is wrong"));
        assert_eq!(
            shown(&other, &others),
            shown(&source, &errors),
            "{}",
            path.display()
        );
    }
}

/// Every error has a help. If the help is a change of the text, the error is gone then, and at most one that it hid is
/// new.
#[test]
fn every_error_has_a_help_and_every_edit_mends_its_error() {
    let mut edits = 0;
    for path in programs() {
        let source = std::fs::read_to_string(&path).expect("the program is text");
        let errors = parse(&source).expect_err("the program is wrong");
        for error in &errors {
            let message = shown(&source, std::slice::from_ref(error));
            assert!(error.labels.iter().all(|label| !label.text.is_empty()));
            let help = error.help.as_ref().unwrap_or_else(|| panic!("{message}"));
            if help.edits.is_empty() {
                continue;
            }
            edits += 1;
            let mended = Edit::apply(&help.edits, &source);
            let left = parse(&mended).err().unwrap_or_default();
            let count = |among: &[Diagnostic]| {
                let same = |other: &&Diagnostic| other.message == error.message;
                among.iter().filter(same).count()
            };
            assert!(count(&left) < count(&errors), "{message}\n{mended}");
            assert!(left.len() <= errors.len(), "{message}\n{mended}");
        }
    }
    assert!(edits >= 3, "only {edits} edits were tried");
}

#[test]
fn a_flood_of_errors_is_cut() {
    let source = "let a = b\n".repeat(1000);
    let errors = parse(&source).expect_err("every line is wrong");
    assert_eq!(errors.len(), MAX_ERRORS + 1);
    assert_eq!(errors[MAX_ERRORS].message, "950 more errors");
}

#[test]
fn colour_is_shown_on_request_only() {
    let source = "let a = b";
    let errors = parse(source).expect_err("b is not defined");
    assert!(errors[0].render(source, "p.loz", true).contains("\u{1b}["));
    assert!(!errors[0].render(source, "p.loz", false).contains("\u{1b}["));
}

/// Two places with much text between them are shown without this text.
#[test]
fn places_that_are_far_apart_have_snippets_of_their_own() {
    let lines: String = (0..2000).map(|i| format!("let c{i} = a\n")).collect();
    let source = format!("param a\n{lines}param a\n");
    let errors = parse(&source).expect_err("a is defined twice");
    let shown = errors[0].render(&source, "p.loz", false);
    assert!(shown.contains("--> p.loz:2002:7"), "{shown}");
    assert!(shown.contains("p.loz:1:7"), "{shown}");
    assert!(shown.lines().count() < 15, "{shown}");
}
