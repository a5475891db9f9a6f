//! Small mistakes in the examples and in other programs: the message points at them.

use std::fs;
use std::ops::Range;
use std::path::Path;

use lozenge_axon::{Options, infer, parse};
use lozenge_axon_solver::Solver;
use lozenge_diagnostic::{Diagnostic, Label};

/// Returns the texts of the programs of some folders.
fn texts(folders: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in folders {
        for entry in fs::read_dir(root.join(folder)).expect("the programs are there") {
            let path = entry.expect("an entry").path();
            if path
                .extension()
                .is_some_and(|extension| extension == "axon")
            {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read_to_string(path).expect("a text"))
        .collect()
}

/// Returns the words and signs of a text outside of comments and lists of values.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or_default();
        let code = match (code.starts_with("data "), code.split_once('=')) {
            (true, Some((before, _))) => before,
            _ => code,
        };
        let mut from = None;
        for (place, c) in code.char_indices().chain([(code.len(), ' ')]) {
            let is_word = c.is_ascii_alphanumeric() || c == '\'' || c == '_';
            match (from, is_word) {
                (None, true) => from = Some(place),
                (Some(start), false) => {
                    words.push(at + start..at + place);
                    from = None;
                }
                _ => {}
            }
            if "+*/".contains(c) {
                words.push(at + place..at + place + 1);
            }
        }
        at += line.len();
    }
    words
}

/// Returns what may be written in the place of a word: another number, operator or name of the text.
fn others(text: &str, word: &str, words: &[Range<usize>]) -> Vec<String> {
    const OPERATORS: [&str; 8] = [
        "matmul",
        "concat",
        "transpose",
        "reverse",
        "exp",
        "reduce",
        "map",
        "loop",
    ];
    if let Ok(number) = word.parse::<u64>() {
        return vec![(number + 1).to_string()];
    }
    if OPERATORS.contains(&word) {
        return OPERATORS
            .iter()
            .filter(|other| **other != word)
            .map(|other| other.to_string())
            .collect();
    }
    if ["fn", "data", "print", "f32", "t", "inf", "range"].contains(&word) {
        return Vec::new();
    }
    if ["+", "*", "/"].contains(&word) {
        return vec!["@".to_string()];
    }
    let mut names: Vec<&str> = words.iter().map(|place| &text[place.clone()]).collect();
    names.sort_unstable();
    names.dedup();
    let is_name = |other: &&str| {
        other.starts_with(|c: char| c.is_ascii_alphabetic())
            && !OPERATORS.contains(other)
            && !["fn", "data", "print", "f32", "t", "inf", "range"].contains(other)
            && *other != word
    };
    names
        .into_iter()
        .filter(is_name)
        .take(6)
        .map(str::to_string)
        .collect()
}

/// Returns the errors of a text.
fn errors(text: &str) -> Vec<Diagnostic> {
    match parse(text) {
        Ok(program) => infer(&program, &Options::default(), &Solver::default()).errors,
        Err(errors) => errors,
    }
}

#[test]
fn a_message_points_at_the_mistake() {
    points(&texts(&[
        "../../examples/axon",
        "../../examples/axon/paper",
    ]));
}

#[test]
fn a_message_points_at_the_mistake_in_programs_that_are_no_examples() {
    points(&texts(&["tests/programs"]));
}

/// Makes mistakes in programs, and asserts that the messages have nearly all of them in a marked place.
fn points(texts: &[String]) {
    let (mut refused, mut found) = (0, 0);
    let mut missed = Vec::new();
    for text in texts.iter().filter(|text| errors(text).is_empty()) {
        let words = words(text);
        let bound: Vec<_> = parse(text)
            .expect("it is a program")
            .names
            .into_iter()
            .map(|name| name.span)
            .collect();
        // A name that is bound otherwise is missing wherever it is used, which is where the message points.
        for place in words.iter().filter(|place| !bound.contains(place)) {
            for other in others(text, &text[place.clone()], &words)
                .into_iter()
                .take(2)
            {
                let mutant = format!("{}{other}{}", &text[..place.start], &text[place.end..]);
                let errors = errors(&mutant);
                if errors.is_empty() {
                    continue;
                }
                let changed = place.start..place.start + other.len();
                let covers =
                    |span: Range<usize>| span.start <= changed.start && changed.end <= span.end;
                let labels = errors.iter().flat_map(|error| &error.labels);
                refused += 1;
                match labels.map(Label::span).any(covers) {
                    true => found += 1,
                    false => missed.push((
                        text.lines().nth(1).unwrap_or_default().to_string(),
                        text[place.clone()].to_string(),
                        other,
                        errors[0].message.clone(),
                    )),
                }
            }
        }
    }
    println!("{found} of {refused} messages have the mistake in a marked place");
    for miss in &missed {
        println!("{miss:?}");
    }
    assert!(refused >= 200, "only {refused} mistakes are refused");
    assert!(found * 100 >= refused * 95, "{found} of {refused}");
}
