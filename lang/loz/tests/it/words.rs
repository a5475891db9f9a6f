//! The words of the language: what is said of them holds, and the page of elaboration has them all.

use std::collections::BTreeSet;

use lozenge_lang::{parse, words};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/elaboration.md");

/// Writes a row of the table: a line of a program on `a`, `b` and `d`, with the operation that it is. `None` if it is
/// not one operation.
fn row(line: &str) -> Option<String> {
    let program = parse(&format!("param a\nparam b\nparam d\n{line}\n")).ok()?;
    let [step] = &program.steps[..] else {
        return None;
    };
    let slots = step.operation.slots.iter();
    let names: Vec<String> = slots.map(|id| format!("`{}`", program[*id].name)).collect();
    let (written, read) = names.split_first().expect("a result");
    let accumulator = step.operation.accumulator;
    let how = step.logic.word();
    let of = if read.is_empty() { "" } else { " of " };
    let read = read.join(", ");
    let row = format!("| `{line}` | {written} `{accumulator}` {how}{of}{read} |\n");
    Some(row)
}

/// The message about the spec behind `let c = mean(a)` depends on this.
#[test]
fn the_functions_that_take_specs_are_those_that_accept_one() {
    let words = words();
    let functions = words.functions.iter().copied().map(String::from);
    let names: Vec<String> = functions.chain(words.prelude).collect();
    let calls = [
        "a, \"n|->i => n|->\"",
        "a, \"n|->i => n, i|->\"",
        "a, a, \"n|->i; n|->j => n|->i^j\"",
    ];
    for name in &names {
        let accepts = |arguments: &&str| {
            let text = format!("param a\nlet c = {name}({arguments})");
            // A call that gives a function has no operation.
            parse(&text).is_ok_and(|program| !program.steps.is_empty())
        };
        let accepts = calls.iter().any(accepts);
        let is_said = words.functions_of_specs.contains(&name.as_str());
        assert_eq!(is_said, accepts, "{name}");
    }
}

/// `LOZENGE_WRITE=1` renews the table.
#[test]
fn the_page_of_elaboration_has_a_row_for_each_operation() {
    let words = words();
    let mut table = String::from("\n| form | operation |\n|---|---|\n");
    for sign in &words.operators {
        table += &row(&format!("let c = a {sign} b")).expect("one operation");
    }
    // The others are several operations, or none.
    for word in &words.functions {
        let calls = ["a", "a, b", "a, b, d"].map(|operands| format!("let c = {word}({operands})"));
        table.extend(calls.iter().filter_map(|call| row(call)));
    }
    for sign in words.combinations.iter().copied().chain([""]) {
        table += &row(&format!("c =:{sign} a")).expect("one operation");
        let line = match sign {
            "" => "d =: a".to_string(),
            sign => format!("d ={sign} a"),
        };
        table += &row(&line).expect("one operation");
    }
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (before, rest) = page.split_once("<!-- operations -->\n").expect("the table");
    let (_, after) = rest.split_once("<!-- end -->").expect("its end");
    let renewed = format!("{before}<!-- operations -->\n{table}\n<!-- end -->{after}");
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        std::fs::write(PAGE, &renewed).expect("the page is written");
        return;
    }
    assert!(page == renewed, "docs/elaboration.md has another table");
}

/// Functions and the words of statements occur in the programs of the page, in its table, or in its text if they need a
/// file.
#[test]
fn the_page_of_elaboration_has_every_word() {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let blocks = page.split("```loz\n").skip(1);
    let programs = blocks.filter_map(|block| Some(block.split_once("```")?.0));
    let is_row = |line: &&str| line.contains("`use ") || line.starts_with("| `let c");
    let used: String = programs.chain(page.lines().filter(is_row)).collect();
    let used: BTreeSet<&str> = used
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let words = words();
    let mut all = words.keywords.iter().chain(&words.functions);
    let missing = all.find(|word| !used.contains(**word));
    assert_eq!(missing, None);
}
