//! Files that a program uses. Each folder of `tests/used` has a program `main.loz`; its messages are beside the folder,
//! in a file of the same name that ends in `.snap`. `INSTA_UPDATE=always cargo test` rewrites these files.

use std::fs;
use std::path::{Path, PathBuf};

use lozenge_lang::{Diagnostic, defined_elsewhere, parse, parse_in};
use lozenge_vocabulary::program::{Program, Surroundings};

/// The path of the folders, as shown in messages.
const FOLDERS: &str = "tests/used";

fn read(folder: &Path) -> (String, Result<Program, Vec<Diagnostic>>) {
    let source = fs::read_to_string(folder.join("main.loz")).expect("a program");
    let read = parse_in(&source, &Surroundings::folder(folder));
    (source, read)
}

fn shown(folder: &Path, source: &str, errors: &[Diagnostic]) -> String {
    let path = folder.join("main.loz").display().to_string();
    let shown = errors.iter().map(|error| {
        for label in &error.labels {
            assert!(source.get(label.span()).is_some(), "{error}");
        }
        assert!(error.help.is_some(), "no mend: {error}");
        error.render(source, &path, false)
    });
    shown.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn every_folder_has_the_messages_beside_it() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../used");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let entries = fs::read_dir(FOLDERS).expect("the folders");
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir() && !path.ends_with("good"))
        .collect();
    folders.sort();
    assert!(folders.len() >= 7, "{folders:?}");
    for folder in folders {
        let (source, read) = read(&folder);
        let errors = read.expect_err("the program is wrong");
        let name = folder.file_name().expect("a name").to_string_lossy();
        settings.bind(|| insta::assert_snapshot!(name.as_ref(), shown(&folder, &source, &errors)));
    }
}

#[test]
fn functions_sizes_and_fixed_values_of_files_are_used() {
    let folder = Path::new(FOLDERS).join("good");
    let (source, read) = read(&folder);
    let program = read.unwrap_or_else(|errors| panic!("{}", shown(&folder, &source, &errors)));
    for tensor in &program.tensors {
        assert!(source.get(tensor.span.clone()).is_some(), "{}", tensor.name);
    }
    let names: Vec<&str> = program.tensors.iter().map(|tensor| &*tensor.name).collect();
    assert!(names.contains(&"z.layer.w"), "{names:?}");
    // `half` of the used file is a number: 1 / 2 was computed before anything runs.
    assert!(names.contains(&"0.5"), "{names:?}");
    let origins = program.constraints().unwrap().origins;
    assert!(
        origins
            .iter()
            .all(|origin| source.get(origin.span.clone()).is_some())
    );
}

/// A size of a used file may be given from outside, like one of the program.
#[test]
fn a_size_of_a_file_may_be_given() {
    let folder = Path::new(FOLDERS).join("good");
    let (source, _) = read(&folder);
    let read = |name: &str| {
        let surroundings = Surroundings::folder(&folder).with_size(name, 5);
        parse_in(&source, &surroundings)
    };
    let program = read("width").expect("the size is there");
    let w = program.tensors.iter().find(|tensor| &*tensor.name == "w");
    assert_eq!(w.expect("a parameter").shape.output.to_string(), "[5]");
    let errors = read("breadth").expect_err("no such size");
    assert!(
        errors[0].message.contains("no size `breadth`"),
        "{}",
        errors[0]
    );
}

/// Without a folder no file is read, and the names that the file would have defined are not reported as missing.
#[test]
fn a_text_that_lies_nowhere_uses_no_file() {
    let source = "use \"layers.loz\"\ndata x : 3 = range(3)\nlet y = doubled(x)\n";
    let errors = parse(source).expect_err("no file");
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0]
            .message
            .contains("nothing says where this program lies")
    );
}

/// A chain of files costs no stack, and ends with an error.
#[test]
fn a_long_chain_of_files_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for at in 0..500 {
        let next = at + 1;
        let text = format!("use \"f{next}.loz\"\ndef f{at}(x): f{next}(x)\n");
        fs::write(folder.path().join(format!("f{at}.loz")), text).expect("it is written");
    }
    fs::write(folder.path().join("f500.loz"), "def f500(x): x\n").expect("it is written");
    let source = "use \"f0.loz\"\ndata x : 3 = range(3)\nlet y = f0(x)\n";
    let errors = parse_in(source, &Surroundings::folder(folder.path())).expect_err("too deep");
    assert!(errors[0].message.contains("deep"), "{}", errors[0].message);
    assert!(errors.len() < 5, "{}", errors.len());
}

#[test]
fn a_definition_in_another_file_is_found() {
    let folder = Path::new(FOLDERS).join("good");
    let (source, _) = read(&folder);
    let whole = folder.canonicalize().expect("it is there");
    let found = |written: &str| {
        let byte = source.find(written).expect("it is written") + written.len() - 1;
        let found = defined_elsewhere(&source, byte, &folder, &|_| None)?;
        let path = found.path.strip_prefix(&whole).expect("in the folder");
        let before = found.text[..found.span.start].matches('\n').count();
        Some((path.display().to_string(), before + 1))
    };
    assert_eq!(found("let y = doubled"), Some(("layers.loz".into(), 5)));
    assert_eq!(found("more.doubled"), Some(("parts/more.loz".into(), 4)));
    assert_eq!(found("->width"), Some(("layers.loz".into(), 2)));
    assert_eq!(found("use \"layers"), Some(("layers.loz".into(), 1)));
    assert_eq!(found("let s"), None);
    assert_eq!(found("as more"), None);
}

/// Many lines that use one file cost no more than one such line, even if the file is missing and its folder has many
/// others.
#[test]
fn many_uses_of_one_path_are_looked_up_once() {
    let folder = tempfile::tempdir().expect("a folder");
    for at in 0..200 {
        let text = format!("def f{at}(x): x\n");
        fs::write(folder.path().join(format!("m{at}.loz")), text).expect("it is written");
    }
    let surroundings = Surroundings::folder(folder.path());
    let missing = "use \"a.loz\"\n".repeat(50_000);
    let errors = parse_in(&missing, &surroundings).expect_err("no such file");
    assert_eq!(errors.len(), lozenge_lang::MAX_ERRORS + 1);
    assert_ne!(errors[0].span(), errors[1].span());
    let again: String = (0..10_000)
        .map(|at| format!("use \"m0.loz\" as m{at}\n"))
        .collect();
    assert!(parse_in(&again, &surroundings).is_ok());
}

/// A path that is not a text of the language, or not a regular file, is refused without waiting.
#[test]
fn what_is_no_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let surroundings = Surroundings::folder(folder.path());
    for path in [".", "..", "/dev/zero", "", "a\u{1}b"] {
        let source = format!("use \"{path}\"\n");
        let errors = parse_in(&source, &surroundings).expect_err("no file");
        assert_eq!(errors.len(), 1, "{path}");
        assert!(
            errors[0].message.contains("cannot be read"),
            "{}",
            errors[0]
        );
    }
}
