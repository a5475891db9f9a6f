//! Sources as people read them: comments that begin with a noun or a verb, and lines that fit on a screen.

mod comments;
mod files;
mod functions;
mod lines;

use std::fs;

/// Words with which no comment begins. On a type or a field it begins with a noun, on a function with a verb, since a
/// reader who meets a question has to read on to learn which thing is meant.
const QUESTIONS: &[&str] = &[
    "What",
    "How",
    "Those of",
    "Whether",
    "Why",
    "Which",
    "Who",
    "At most how",
    "Up to how",
    "After how",
    "In what",
    "On which",
];

#[test]
fn no_comment_begins_with_a_question() {
    let (mut looked_at, mut wrong) = (0, Vec::new());
    for path in files::all() {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for (line, words) in comments::of(&path, &text) {
            looked_at += 1;
            if comments::begins_with_one_of(words, QUESTIONS) {
                wrong.push(format!("{}:{line}: {words}", path.display()));
            }
        }
    }
    assert!(looked_at > 15_000, "{looked_at} comments were found");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The transcriptions are left out: there the comment on a function is the printed line that it transcribes.
#[test]
fn the_comment_on_a_function_begins_with_a_verb() {
    let (mut looked_at, mut wrong) = (0, Vec::new());
    let files = files::all().into_iter().filter(|path| {
        let is_rust = path.extension().is_some_and(|ending| ending == "rs");
        is_rust && !path.iter().any(|part| part == "spec")
    });
    for path in files {
        let file = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
        let (names, count) = functions::described_as_things(&file);
        looked_at += count;
        wrong.extend(
            names
                .iter()
                .map(|name| format!("{}: {name}", path.display())),
        );
    }
    assert!(looked_at > 3000, "{looked_at} comments were found");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_line_of_prose_fits_on_a_screen() {
    let (mut looked_at, mut long) = (0, Vec::new());
    for path in files::all() {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for (number, line) in lines::of_prose(&path, &text) {
            looked_at += 1;
            let width = line.chars().count();
            if width > lines::WIDEST {
                long.push(format!("{}:{number}: {width}", path.display()));
            }
        }
    }
    assert!(looked_at > 15_000, "{looked_at} lines were found");
    assert!(long.is_empty(), "{}:\n{}", long.len(), long.join("\n"));
}

#[test]
fn a_generated_file_says_so() {
    let mut files = files::below("docs/generated");
    assert!(files.len() > 50, "{} files were found", files.len());
    files.retain(|path| !files::is_generated(path));
    assert!(files.is_empty(), "no `@generated` in front: {files:?}");
}
