//! The table of `docs/elaboration.md`: each form with the tensors, operations and constraints into which it is elaborated.
//! `LOZENGE_WRITE=1` rewrites the listings.

use std::path::Path;

use lozenge_lang::parse;
use lozenge_vocabulary::Constraint;
use lozenge_vocabulary::operation::Requirement;
use lozenge_vocabulary::program::{Assignment, Late, Program};
use lozenge_vocabulary::projections::Index;

fn page() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/elaboration.md")
}

fn listing(source: &str) -> String {
    let program = parse(source).unwrap_or_else(|errors| {
        panic!("{}", errors[0].render(source, "elaboration.md", false));
    });
    let constraints = program.constraints().unwrap();
    let mut shown = String::new();
    let width = program
        .tensors
        .iter()
        .map(|tensor| tensor.name.chars().count());
    let width = width.max().unwrap_or(0);
    for tensor in &program.tensors {
        let rows: Vec<String> = tensor.shape.rows().map(ToString::to_string).into();
        shown += &format!(
            "{:width$}  {:8}  {}\n",
            tensor.name,
            tensor.tag.word(),
            rows.join("  ")
        );
    }
    for (number, step) in program.steps.iter().enumerate() {
        shown += &format!("{}: {}\n", number + 1, operation(&program, step));
        let set = constraints.set.constraints.iter().zip(&constraints.origins);
        for (constraint, _) in set.filter(|(_, origin)| origin.step == number) {
            shown += &format!("   {constraint}\n");
        }
    }
    shown
}

/// An operation as text: what it writes, how, and what it reads.
fn operation(program: &Program, step: &Assignment) -> String {
    let operation = &step.operation;
    let mut names = operation.slots.iter().map(|id| &*program[*id].name);
    let written = names.next().unwrap_or_default();
    let read = names.collect::<Vec<_>>().join(", ");
    let how = match (&step.record, step.late.as_deref()) {
        (Some(record), _) => {
            let slots: Vec<String> = record.slots.iter().map(ToString::to_string).collect();
            format!(
                "by the record of {}, slots {}: {read}",
                record.step + 1,
                slots.join(", ")
            )
        }
        (None, Some(Late::Product(rows))) => {
            let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
            format!("filled with the size of {}", rows.join(" and "))
        }
        (None, Some(Late::Step)) => "filled with the number of the step".into(),
        (None, Some(Late::Epoch)) => "filled with the number of the epoch".into(),
        (None, Some(Late::Random { .. })) => "filled with random values".into(),
        (None, None) => match read.is_empty() {
            true => "filled".into(),
            false => format!("{} of {read}", step.logic.word()),
        },
    };
    let pins = operation.pins.iter();
    let pins: Vec<String> = pins
        .map(|(var, index)| match index {
            Index::Fix(place) => format!("{} at {place}", var.name()),
            Index::Symbol(symbol) => format!("{} at `{symbol}`", var.name()),
            other => format!("{} at {other:?}", var.name()),
        })
        .collect();
    let pins = match pins.is_empty() {
        true => String::new(),
        false => format!("; {}", pins.join(", ")),
    };
    let visited = operation.region().visited.iter();
    let visited: Vec<String> = visited
        .filter_map(|(stated, part)| match &operation.requirements[*stated] {
            Requirement::Template(Constraint::Composite(axis)) => {
                Some(axis.parts[*part].to_string())
            }
            _ => None,
        })
        .collect();
    let visited = match visited.is_empty() {
        true => String::new(),
        false => format!("; at {}", visited.join(", ")),
    };
    format!("{written} {} {how}{pins}{visited}", operation.accumulator)
}

#[test]
fn every_form_states_what_the_page_shows() {
    let text = std::fs::read_to_string(page()).expect("the page");
    let mut written = String::new();
    let mut rest = text.as_str();
    let mut programs = 0;
    while let Some(start) = rest.find("```loz\n") {
        let source_start = start + "```loz\n".len();
        let length = rest[source_start..]
            .find("```")
            .expect("the end of a program");
        let source = &rest[source_start..source_start + length];
        written += &rest[..source_start + length];
        written += &format!("```\n\n```text\n{}```\n", listing(source));
        rest = rest[source_start + length..]
            .strip_prefix("```\n")
            .expect("a line");
        if let Some(shown) = rest.strip_prefix("\n```text\n") {
            rest = shown.split_once("```\n").expect("its end").1;
        }
        programs += 1;
    }
    written += rest;
    assert!(programs > 20, "{programs} programs");
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        std::fs::write(page(), &written).expect("the page is written");
        return;
    }
    assert_eq!(text, written, "docs/elaboration.md shows other listings");
}
