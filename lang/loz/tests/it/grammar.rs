//! The grammar of `docs/grammar.md`: it accepts the programs of the documents and of the examples, every part of every
//! rule occurs in an example of `docs/language.md`, and its pictures agree with its text.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

mod ebnf;
mod pictures;
mod recognise;

use ebnf::{Grammar, Part};
use recognise::{Recogniser, Token};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn grammar() -> Grammar {
    ebnf::read(&std::fs::read_to_string(root().join("docs/grammar.md")).expect("the grammar"))
}

/// Lists the programs of a document: the blocks that are marked as such, without those that fail.
fn programs(document: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(document)).expect("the document");
    let mut found = Vec::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find("```loz") {
        rest = &rest[start + "```loz".len()..];
        let (info, after) = rest.split_once('\n').expect("a line");
        let (program, behind) = after.split_once("```").expect("the end of the block");
        if info.trim() != "fails" {
            found.push(program.to_string());
        }
        rest = behind;
    }
    found
}

/// Reads a program, and the specs in it.
fn read(recogniser: &mut Recogniser<'_>, program: &str) -> Result<(), String> {
    recogniser.read("program", program)?;
    for token in recognise::tokens(program, true) {
        if let Token::Text(text) = token
            && (text.contains("=>") || [".", "@", "T"].contains(&text.trim()))
        {
            recogniser.read("spec", &text)?;
        }
    }
    Ok(())
}

#[test]
fn every_rule_and_every_class_of_words_is_there() {
    fn check(grammar: &Grammar, part: &Part, used: &mut BTreeSet<String>) {
        match part {
            Part::Sign(..) => {}
            Part::Name(_, name) => {
                let class = name.chars().all(|c| c.is_ascii_uppercase());
                assert!(class || grammar.rule(name).is_some(), "no rule `{name}`");
                used.insert(name.clone());
            }
            Part::Sequence(parts) | Part::Choice(parts) => {
                parts.iter().for_each(|part| check(grammar, part, used));
            }
            Part::Optional(part) | Part::Repeated(part) => check(grammar, part, used),
        }
    }
    let grammar = grammar();
    let mut used = BTreeSet::from(["program".to_string(), "spec".to_string()]);
    for (_, part) in &grammar.rules {
        check(&grammar, part, &mut used);
    }
    for (name, _) in &grammar.rules {
        assert!(used.contains(name), "nothing uses the rule `{name}`");
    }
}

#[test]
fn every_part_of_every_rule_occurs_in_an_example_of_the_reference() {
    let grammar = grammar();
    let mut recogniser = Recogniser::new(&grammar);
    for program in programs("docs/language.md") {
        read(&mut recogniser, &program).unwrap_or_else(|why| panic!("{why}"));
    }
    let mut missing = Vec::new();
    fn collect(rule: &str, part: &Part, met: &BTreeSet<usize>, missing: &mut Vec<String>) {
        match part {
            Part::Sign(number, text) | Part::Name(number, text) => {
                if !met.contains(number) {
                    missing.push(format!("`{text}` of `{rule}`"));
                }
            }
            Part::Sequence(parts) | Part::Choice(parts) => {
                parts
                    .iter()
                    .for_each(|part| collect(rule, part, met, missing));
            }
            Part::Optional(part) | Part::Repeated(part) => collect(rule, part, met, missing),
        }
    }
    for (rule, part) in &grammar.rules {
        collect(rule, part, &recogniser.met, &mut missing);
    }
    assert!(recogniser.met.len() + missing.len() == grammar.numbered);
    assert!(missing.is_empty(), "no example has {}", missing.join(", "));
}

#[test]
fn the_grammar_reads_the_other_documents_and_the_examples() {
    let grammar = grammar();
    let mut recogniser = Recogniser::new(&grammar);
    let mut texts = programs("docs/introduction.md");
    texts.extend(programs("README.md"));
    let mut folders = vec![root().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "loz") {
                texts.push(std::fs::read_to_string(path).expect("a program"));
            }
        }
    }
    assert!(texts.len() > 25, "{} texts", texts.len());
    texts.push(include_str!("../../src/prelude.loz").to_string());
    for text in texts {
        read(&mut recogniser, &text).unwrap_or_else(|why| panic!("{why}"));
    }
}

/// The grammar also refuses what the parser of the language refuses with a syntax error.
#[test]
fn the_grammar_refuses_what_is_no_program() {
    let grammar = grammar();
    let mut recogniser = Recogniser::new(&grammar);
    for wrong in [
        "let y =\n",
        "let y = a +\n",
        "data x\n",
        "for i in 0..3\n  print i\n",
        "def f(x):\nprint 1\n",
        "let y = f(a,)\n",
        "let y = (a\n",
        "use layers\n",
        "train 3:\n  print 1\n",
        "a b\n",
        "let for = 1\n",
    ] {
        assert!(recogniser.read("program", wrong).is_err(), "{wrong}");
        assert!(lozenge_lang::parse(wrong).is_err(), "{wrong}");
    }
    for wrong in [
        "i, j",
        "i => => i",
        "n|m|->c => n",
        "2** y => y",
        "same(y => y",
    ] {
        assert!(recogniser.read("spec", wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_pictures_are_those_of_the_rules() {
    let grammar = grammar();
    let page = root().join("docs/grammar.md");
    let folder = root().join("docs/generated/grammar");
    let write = std::env::var_os("LOZENGE_WRITE").is_some();
    let mut pictures = String::new();
    let mut files = BTreeSet::new();
    for (rule, _) in &grammar.rules {
        let file = format!("{rule}.svg");
        pictures.push_str(&format!(
            "### {rule}\n\n![{rule}](generated/grammar/{file})\n\n"
        ));
        let (path, drawn) = (folder.join(&file), pictures::picture(&grammar, rule));
        if write {
            std::fs::write(&path, &drawn).expect("the picture is written");
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(there, drawn, "docs/generated/grammar/{file}");
        files.insert(file);
    }
    for entry in std::fs::read_dir(&folder).expect("the folder") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy().into_owned();
        assert!(
            files.contains(&name),
            "docs/generated/grammar/{name} is of no rule"
        );
    }
    let text = std::fs::read_to_string(&page).expect("the page");
    let (before, _) = text.split_once("### ").unwrap_or((&text, ""));
    let whole = format!("{}\n\n{}\n", before.trim_end(), pictures.trim_end());
    if write {
        std::fs::write(&page, &whole).expect("the page is written");
        return;
    }
    assert_eq!(text, whole, "docs/grammar.md shows other pictures");
}
