//! Conj. 8.2 of what can be written: every axis of an operation has at most one derived index, and no argument of a
//! derived index is derived itself, so that a check between derived terms never fails.

use crate::machinery::{Effort, Finding, Witness};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::operation::{Operation, Requirement, Side};
use lozenge_vocabulary::term::{DimTerm, RowTerm};

/// The axes that a side of a spec may have.
const AXES: [&str; 9] = [
    "a",
    "b",
    "a+b",
    "2*a+b",
    "same(2*b+a)",
    "a^b",
    "b^a",
    "(a, b)",
    "2*a",
];

/// Returns every row of one or two axes.
fn rows() -> Vec<String> {
    let one = AXES.map(String::from).into_iter();
    let two = AXES
        .iter()
        .flat_map(|first| AXES.iter().map(move |second| format!("{first}, {second}")));
    one.chain(two).collect()
}

/// Returns the axis of a constraint whose index is derived, and the arguments of that index.
fn derived(constraint: &Constraint) -> Option<(DimTerm, Vec<DimTerm>)> {
    match constraint {
        Constraint::Window(window) => {
            let terms = window.terms().map(|(_, term)| term.clone());
            Some((window.axis.clone(), terms.collect()))
        }
        Constraint::Composite(composite) => {
            Some((composite.whole.clone(), composite.parts.clone()))
        }
        _ => None,
    }
}

fn axes(row: &RowTerm) -> impl Iterator<Item = &DimTerm> {
    row.leading.iter().chain(&row.trailing)
}

/// Counts the occurrences of an axis in the rows of an operation.
fn standing(operation: &Operation, axis: &DimTerm) -> usize {
    let rows = operation
        .requirements
        .iter()
        .flat_map(|requirement| match requirement {
            Requirement::Equal(left, right) | Requirement::Below(left, right) => vec![left, right],
            Requirement::Template(_) => Vec::new(),
        });
    let templates = rows.filter_map(|side| match side {
        Side::Template(row) => Some(row),
        Side::Slot(..) => None,
    });
    templates
        .flat_map(axes)
        .filter(|other| *other == axis)
        .count()
}

/// Finds the mistake in an operation, if there is one.
fn wrong(operation: &Operation) -> Option<&'static str> {
    let constraints = operation
        .requirements
        .iter()
        .filter_map(|requirement| match requirement {
            Requirement::Template(constraint) => derived(constraint),
            _ => None,
        });
    let all: Vec<(DimTerm, Vec<DimTerm>)> = constraints.collect();
    all.iter().find_map(|(axis, _)| {
        let derivations = all.iter().filter(|(other, _)| other == axis).count();
        let is_argument = all.iter().any(|(_, arguments)| arguments.contains(axis));
        match (derivations, is_argument, standing(operation, axis)) {
            (_, true, _) => Some("an argument of a derived index is derived"),
            (2.., ..) => Some("an axis has two derived indices"),
            (_, _, 2..) => Some("an axis with a derived index is two axes"),
            _ => None,
        }
    })
}

/// Specs of one operand and, at full effort, of two.
pub fn search(effort: Effort) -> Finding {
    let rows = rows();
    let seconds: Vec<Option<&str>> = match effort {
        Effort::Quick => vec![None],
        _ => [None].into_iter().chain(AXES.map(Some)).collect(),
    };
    let (mut tried, mut accepted, mut with_derived) = (0u64, 0u64, 0u64);
    let mut witness = None;
    for result in &rows {
        for (first, second) in rows
            .iter()
            .flat_map(|row| seconds.iter().map(move |s| (row, s)))
        {
            let text = match second {
                None => format!("param x = 1\nz =: x \"{first} => {result}\""),
                Some(second) => {
                    format!(
                        "param x = 1\nparam y = 1\nz =:+ x * y \"{first}; {second} => {result}\""
                    )
                }
            };
            tried += 1;
            let Ok(program) = lozenge::parse(&text) else {
                continue;
            };
            accepted += 1;
            let operations = || program.steps.iter().map(|step| &step.operation);
            let has_derived = |operation: &Operation| {
                operation.requirements.iter().any(|requirement| {
                    matches!(requirement, Requirement::Template(constraint) if derived(constraint).is_some())
                })
            };
            with_derived += u64::from(operations().any(has_derived));
            if let Some(why) = operations().find_map(wrong) {
                witness.get_or_insert_with(|| Witness::new(text, why));
            }
        }
    }
    let scope = format!(
        "specs of {}, whose axes are labels, windows, concatenations and products of two labels, one or two axes a side: \
         {accepted} are accepted, {with_derived} of them with a derived index",
        if effort == Effort::Quick {
            "one operand"
        } else {
            "one and of two operands"
        }
    );
    Finding::exhaustive(scope, tried, witness)
}
