//! The table of `docs/elaboration.md`: each form with the tensors, operations and constraints into which it is
//! elaborated. `LOZENGE_WRITE=1` rewrites the listings.

use std::collections::BTreeSet;
use std::path::Path;

use lozenge_lang::parse;
use lozenge_vocabulary::Constraint;
use lozenge_vocabulary::operation::{Accumulator, Combine, Requirement};
use lozenge_vocabulary::program::{Assignment, Family, Late, Program};
use lozenge_vocabulary::projections::Index;

fn page() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/elaboration.md")
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

/// Writes an operation as text: the tensor that it writes, the accumulator, and the tensors that it reads.
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
        (None, Some(Late::Cells)) => "filled with the numbers of its cells".into(),
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

/// Returns the kind behind a kind of operation, beginning with `None`: a new kind does not compile here until it has a
/// successor.
fn next(kind: Option<Family>) -> Option<Family> {
    match kind {
        None => Some(Family::Pointwise),
        Some(Family::Pointwise) => Some(Family::Compose),
        Some(Family::Compose) => Some(Family::Transpose),
        Some(Family::Transpose) => Some(Family::Einsum),
        Some(Family::Einsum) => Some(Family::Fill),
        Some(Family::Fill) => None,
    }
}

/// Returns the word of the next kind of value that is known only after inference, likewise.
fn late(late: &Late) -> (&'static str, Option<Late>) {
    let random = |normal| Some(Late::Random { normal, key: 0 });
    match late {
        Late::Product(_) => ("product", random(true)),
        Late::Random { normal: true, .. } => ("normal", random(false)),
        Late::Random { normal: false, .. } => ("uniform", Some(Late::Cells)),
        Late::Cells => ("cells", Some(Late::Step)),
        Late::Step => ("step", Some(Late::Epoch)),
        Late::Epoch => ("epoch", None),
    }
}

/// Each family of operations, each value that is computed late, each combination of results, with and without erasing,
/// and records of the backward program occur in the programs of the page.
#[test]
fn every_kind_of_operation_has_a_row() {
    let text = std::fs::read_to_string(page()).expect("the page");
    let blocks = text.split("```loz\n").skip(1);
    let sources = blocks.filter_map(|block| Some(block.split_once("```")?.0));
    // The table of operations has a program in each row.
    let rows = text.lines().filter_map(|line| {
        let form = line.strip_prefix("| `")?.split_once("` | ")?.0;
        Some(format!("param a\nparam b\nparam d\n{form}\n"))
    });
    let mut met = BTreeSet::new();
    for source in sources.map(String::from).chain(rows) {
        let Ok(program) = parse(&source) else {
            continue;
        };
        for step in program.steps.iter() {
            met.insert(step.logic.word().to_string());
            met.insert(step.operation.accumulator.to_string());
            met.extend(step.late.as_deref().map(|value| late(value).0.to_string()));
            met.extend(step.record.iter().map(|_| "record".to_string()));
        }
    }
    let mut kinds = vec!["record".to_string()];
    kinds.extend(
        std::iter::successors(next(None), |kind| next(Some(*kind))).map(|kind| kind.word().into()),
    );
    let first = Some(Late::Product(Vec::new()));
    kinds.extend(
        std::iter::successors(first, |value| late(value).1).map(|value| late(&value).0.into()),
    );
    for erase in [true, false] {
        let combine = |kind: Combine| {
            Accumulator {
                erase,
                combine: kind,
            }
            .to_string()
        };
        kinds.extend(
            std::iter::successors(Some(Combine::Replace), |kind| after(*kind)).map(combine),
        );
    }
    // An assignment that keeps the cells and replaces them all is not a form of the language.
    kinds.retain(|kind| {
        kind != &Accumulator {
            erase: false,
            combine: Combine::Replace,
        }
        .to_string()
    });
    let missing: Vec<&String> = kinds.iter().filter(|kind| !met.contains(*kind)).collect();
    assert!(missing.is_empty(), "docs/elaboration.md has no {missing:?}");
    assert_eq!(kinds.len(), 1 + 5 + 6 + 11);
}

/// Returns the combination behind a combination, likewise.
fn after(combine: Combine) -> Option<Combine> {
    match combine {
        Combine::Replace => Some(Combine::Add),
        Combine::Add => Some(Combine::Subtract),
        Combine::Subtract => Some(Combine::Multiply),
        Combine::Multiply => Some(Combine::Max),
        Combine::Max => Some(Combine::Min),
        Combine::Min => None,
    }
}
