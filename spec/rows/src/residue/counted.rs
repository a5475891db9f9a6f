//! Products of which some factors are open rows, as products of axes (§8).

use std::collections::BTreeSet;

use crate::cause::Cause;
use crate::configuration::Configuration;
use lozenge_vocabulary::composite::{Composite, Composition};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::elements::Elements;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowVar};

pub(super) fn counts_rows(stated: &Constraint) -> bool {
    matches!(stated, Constraint::Elements(_))
}

/// Returns a product with open rows as one of the axes that are written, and of some others.
fn of_written(elements: &Elements, others: impl Iterator<Item = DimTerm>) -> Constraint {
    let parts = elements.written().skip(1).cloned().chain(others);
    Constraint::Composite(Composite {
        composition: Composition::Product,
        whole: elements.whole.clone(),
        parts: parts.collect(),
    })
}

/// Returns one axis that stands for all further axes of a row, in whatever product the row is. No name of the notation
/// contains a space, so this one is not taken.
fn others(row: &RowVar) -> DimTerm {
    DimVar::new(&format!("others of {row}")).into()
}

/// Returns the constraints with open rows of any length, and with what the rows below these say of them; and the cause
/// of the latter.
pub(super) fn of_any_length(
    config: &Configuration,
    constraints: &[Constraint],
) -> (Vec<Constraint>, Cause) {
    let mut all: Vec<Constraint> = constraints.iter().map(with_any_axes).collect();
    let mut why = Cause::default();
    let counted = constraints.iter().filter_map(|stated| match stated {
        Constraint::Elements(elements) => Some(elements.rows()),
        _ => None,
    });
    let counted: BTreeSet<&RowVar> = counted
        .flatten()
        .filter_map(|row| row.var.as_ref())
        .collect();
    for row in counted {
        for (number, (total, cause)) in below(config, row).into_iter().enumerate() {
            let beyond = DimVar::new(&format!("beyond {row}, {number}"));
            all.push(Constraint::Composite(Composite {
                composition: Composition::Product,
                whole: total.into(),
                parts: vec![others(row), beyond.into()],
            }));
            why.join(&cause);
        }
    }
    (all, why)
}

/// Finds the known numbers of elements of the rows below a row, each with its cause. The number of elements of the row
/// divides each of these numbers: it has at most as many axes as a row below it, and each of them is the axis below it
/// or the unit (Defs. 1.2 and 2.3).
fn below(config: &Configuration, row: &RowVar) -> Vec<(Dim, Cause)> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([row]);
    let mut due = vec![(row, 1u64, Cause::default())];
    while let Some((row, number, cause)) = due.pop() {
        for (cap, _, why) in config.bounds.caps().filter(|(_, high, _)| *high == row) {
            let mut cause = cause.and(why);
            let mut axes = cap.axes();
            let number = axes.try_fold(number, |number, axis| {
                let (size, why) = config.sizes().size(axis)?;
                cause.join(&why);
                number.checked_mul(size)
            });
            match (&cap.var, number) {
                (Some(further), Some(number)) if seen.insert(further) => {
                    due.push((further, number, cause));
                }
                (None, Some(number)) => found.extend(Dim::new(number).map(|dim| (dim, cause))),
                _ => {}
            }
        }
    }
    found
}

fn with_any_axes(stated: &Constraint) -> Constraint {
    match stated {
        Constraint::Elements(elements) => {
            let open = elements.rows().filter_map(|row| row.var.as_ref());
            of_written(elements, open.map(others))
        }
        other => other.clone(),
    }
}

pub(super) fn at_its_top(stated: &Constraint) -> Constraint {
    match stated {
        Constraint::Elements(elements) => of_written(elements, std::iter::empty()),
        other => other.clone(),
    }
}
