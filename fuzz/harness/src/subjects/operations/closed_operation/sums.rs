//! The axes of an operation whose indices are sums of others: those with windows, and composite axes (§8).

use std::num::NonZeroU64;

use lozenge_vocabulary::composite::{Composite, Composition};
use lozenge_vocabulary::operation::{Operation, Requirement};
use lozenge_vocabulary::window::{Mode, Window};
use lozenge_vocabulary::{Constraint, DimTerm, RowTerm};

/// `index of axis = Σ coefficient * index of term + offset`, where `T` stands for an axis.
pub(super) struct Summed<T> {
    pub(super) axis: T,
    pub(super) terms: Vec<(NonZeroU64, T)>,
    pub(super) offset: i64,
}

/// The axes for which the terms of an operation stand.
pub(super) trait Axes<T> {
    fn axis(&self, term: &DimTerm) -> T;
    /// Lists all axes of a row, in order.
    fn row(&self, row: &RowTerm) -> Vec<T>;
    fn size(&self, axis: &T) -> u64;
}

/// Returns the sums of an operation in the order of its requirements. A concatenation of which no part is visited says
/// nothing of indices.
pub(super) fn sums<T: Clone>(operation: &Operation, axes: &impl Axes<T>) -> Vec<Summed<T>> {
    let requirements = operation.requirements.iter().enumerate();
    let summed = requirements.filter_map(|(number, requirement)| match requirement {
        Requirement::Template(Constraint::Window(window)) => {
            Some(of_window(&window.map(|term| axes.axis(term)), axes))
        }
        Requirement::Template(Constraint::Composite(composite)) => {
            let visited = operation.region().visited.get(&number);
            of_composite(
                &composite.map(|term| axes.axis(term)),
                visited.copied(),
                axes,
            )
        }
        Requirement::Template(Constraint::Elements(elements)) => {
            let product = elements.product(|term| Some(axes.axis(term)), |row| Some(axes.row(row)));
            of_composite(&product?, None, axes)
        }
        _ => None,
    });
    summed.collect()
}

/// Computes it by walking: the position of the first window lies behind the cells in front of the axis.
fn of_window<T: Clone>(window: &Window<T>, axes: &impl Axes<T>) -> Summed<T> {
    let reaches = window
        .terms()
        .map(|(coefficient, term)| coefficient.get() * (axes.size(term) - 1));
    // A block goes on to the next one.
    let block = match window.taps.is_empty() {
        true => window.stride.get(),
        false => 1,
    };
    let made = (reaches.sum::<u64>() + block).saturating_sub(axes.size(&window.axis));
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

/// Computes it by counting the cells in front of the one that is visited: whole parts of a concatenation; of a product,
/// for each factor one block of all that runs faster for each step.
fn of_composite<T: Clone>(
    composite: &Composite<T>,
    visited: Option<usize>,
    axes: &impl Axes<T>,
) -> Option<Summed<T>> {
    let cells = |parts: &[T], combine: fn(u64, u64) -> u64, none: u64| {
        parts.iter().map(|part| axes.size(part)).fold(none, combine)
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
