//! The axes of an operation whose indices are sums of others: those with windows, and composite axes (§8).

use std::num::NonZeroU64;

use lozenge_vocabulary::composite::{Composite, Composition};
use lozenge_vocabulary::operation::{Operation, Requirement};
use lozenge_vocabulary::window::{Mode, Window};
use lozenge_vocabulary::{Constraint, DimTerm};

/// `index of axis = Σ coefficient * index of term + offset`
pub(super) struct Summed {
    pub(super) axis: DimTerm,
    pub(super) terms: Vec<(NonZeroU64, DimTerm)>,
    pub(super) offset: i64,
}

/// The sums of an operation in the order of its requirements, given the sizes of its labels. A concatenation of which no part is
/// visited says nothing of indices.
pub(super) fn sums(operation: &Operation, size: impl Fn(&DimTerm) -> u64) -> Vec<Summed> {
    let requirements = operation.requirements.iter().enumerate();
    let summed = requirements.filter_map(|(number, requirement)| match requirement {
        Requirement::Template(Constraint::Window(window)) => Some(of_window(window, &size)),
        Requirement::Template(Constraint::Composite(composite)) => {
            let visited = operation.region().visited.get(&number);
            of_composite(composite, visited.copied(), &size)
        }
        _ => None,
    });
    summed.collect()
}

/// By walking: the position of the first window lies behind the cells in front of the axis.
fn of_window(window: &Window, size: impl Fn(&DimTerm) -> u64) -> Summed {
    let reaches = window
        .terms()
        .map(|(coefficient, term)| coefficient.get() * (size(term) - 1));
    // A block goes on to the next one.
    let block = match window.taps.is_empty() {
        true => window.stride.get(),
        false => 1,
    };
    let made = (reaches.sum::<u64>() + block).saturating_sub(size(&window.axis));
    let front = match window.mode {
        Mode::Same => made / 2,
        Mode::SameLower => made - made / 2,
        _ => window.low,
    };
    let terms = window
        .terms()
        .map(|(coefficient, term)| (coefficient, term.clone()));
    Summed {
        axis: window.axis.clone(),
        terms: terms.collect(),
        offset: window.phase as i64 - front as i64,
    }
}

/// By counting the cells in front of the one that is visited: whole parts of a concatenation; of a product, for each factor
/// one block of all that runs faster for each step.
fn of_composite(
    composite: &Composite,
    visited: Option<usize>,
    size: impl Fn(&DimTerm) -> u64,
) -> Option<Summed> {
    let cells = |parts: &[DimTerm], combine: fn(u64, u64) -> u64, none: u64| {
        parts.iter().map(&size).fold(none, combine)
    };
    let (terms, offset) = match composite.composition {
        Composition::Concat => {
            let (before, rest) = composite.parts.split_at(visited?);
            let part = rest.first()?.clone();
            (
                vec![(NonZeroU64::MIN, part)],
                cells(before, |a, b| a + b, 0),
            )
        }
        Composition::Product => {
            let parts = composite.parts.iter().enumerate();
            let terms = parts.filter_map(|(at, part)| {
                let block = cells(&composite.parts[at + 1..], |a, b| a * b, 1);
                Some((NonZeroU64::new(block)?, part.clone()))
            });
            (terms.collect(), 0)
        }
    };
    Some(Summed {
        axis: composite.whole.clone(),
        terms,
        offset: offset as i64,
    })
}
