//! P7 to P11: an axis on which windows lie, or that is made of others, has an index that is derived from theirs.
//!
//! | rule | what it says |
//! |---|---|
//! | P7 | the index of the axis is the sum of those of the windows and of the taps, each times its coefficient, less what lies in front of the axis |
//! | P8 | the index of a concatenation is that of the part that is visited, after the sizes of the parts before it |
//! | P9 | the index of a product is the sum of those of its factors, each times the sizes of the factors after it |
//! | P10 | a label of one of these that stands on no axis of a tensor is traversed too, and has the size that the spec or the others give it |
//! | P11 | the axis has that index and no loop of its own, whatever else traverses it |
//!
//! The arguments are classes of axes without derived indices, so that the order of the windows cannot matter.

use lozenge_vocabulary::operation::{Operation, Requirement};
use lozenge_vocabulary::window::{Mode, Window};
use lozenge_vocabulary::{Composite, Composition, Constraint, DimTerm, Var};

use rustc_hash::FxHashSet;

use super::axis_relations::{AxisRelation, Joined, span};
use super::classes::{Classes, Node};
use super::error::{ProjectionError, WindowProblem, undetermined};
use super::forced::force_labels;
use super::lines::Lines;

/// `axis = Σ coefficient * term + offset`, of one requirement.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    pub(crate) axis: Node,
    pub(crate) terms: Vec<(u64, Node)>,
    pub(crate) offset: i64,
    pub(crate) requirement: usize,
}

/// Sizes the labels of windows, concatenations and products, makes them traversed, and derives the indices of the axes.
pub(crate) fn derive(
    operation: &Operation,
    lines: &mut Lines,
    classes: &mut Classes,
) -> Result<Vec<Derived>, ProjectionError> {
    let laid = relations(operation, lines, classes);
    force_labels(laid.iter().map(|(_, one)| one), classes);
    let out_of_use = axes_out_of_use(operation, lines, classes);
    let mut derived = Vec::with_capacity(laid.len());
    for (requirement, one) in laid {
        for node in one.labels() {
            if classes.size(node).is_none() {
                let label = lines.label_of(node).cloned();
                return Err(match label {
                    Some(label) => undetermined(operation, Var::Dim(label)),
                    None => problem(requirement, WindowProblem::Unfit),
                });
            }
        }
        let index = match &one {
            AxisRelation::Window(window) => Some(derived_of(requirement, window, classes)?),
            AxisRelation::Composite(composite) => {
                let visited = operation.region().visited.get(&requirement).copied();
                composed(requirement, composite, visited, classes)?
            }
            AxisRelation::Joined(joined) => {
                let visited = operation.region().visited.get(&requirement).copied();
                joined_index(joined, requirement, visited, classes)?
            }
        };
        if out_of_use.contains(&classes.root(one.axis())) {
            continue;
        }
        // P10
        let terms = index.iter().flat_map(|index| &index.terms);
        terms.for_each(|(_, node)| classes.iterate(*node));
        derived.extend(index);
    }
    Ok(derived)
}

/// Returns the relations that requirements state of axes, with the numbers of the requirements.
fn relations(
    operation: &Operation,
    lines: &mut Lines,
    classes: &mut Classes,
) -> Vec<(usize, AxisRelation)> {
    let mut found = Vec::new();
    let rests = &operation.region().rests;
    let is_rest = |term: &DimTerm| matches!(term, DimTerm::Var(var) if rests.contains(var));
    for (number, requirement) in operation.requirements.iter().enumerate() {
        let Requirement::Template(constraint) = requirement else {
            continue;
        };
        if let Constraint::Elements(elements) = constraint {
            let product = lines.product(elements, classes);
            found.push((number, AxisRelation::Composite(product)));
            continue;
        }
        let mut node = |term: &DimTerm| lines.dim(term, classes);
        let relation = match constraint {
            Constraint::Window(window) => AxisRelation::Window(window.map(node)),
            Constraint::Composite(composite) if composite.parts.iter().any(is_rest) => {
                let whole = node(&composite.whole);
                let parts = composite.parts.iter();
                let parts = parts.map(|part| (!is_rest(part)).then(|| node(part)));
                AxisRelation::Joined(Joined {
                    whole,
                    parts: parts.collect(),
                })
            }
            Constraint::Composite(composite) => AxisRelation::Composite(composite.map(&mut node)),
            _ => continue,
        };
        found.push((number, relation));
    }
    found
}

/// Returns the classes of the axes of those tensors that are used for their shape only, and of no others. The labels on
/// them have a size, and are not traversed.
fn axes_out_of_use(operation: &Operation, lines: &Lines, classes: &mut Classes) -> FxHashSet<Node> {
    let unread = &operation.region().unread;
    if unread.is_empty() {
        return FxHashSet::default();
    }
    let slots = lines.slots.iter().enumerate();
    let axes = slots.flat_map(|(slot, sizes)| sizes.iter().map(move |_| slot));
    let [mut used, mut unused] = [FxHashSet::default(), FxHashSet::default()];
    for (node, slot) in (0..).zip(axes) {
        let root = classes.root(node);
        match unread.contains(&slot) {
            true => unused.insert(root),
            false => used.insert(root),
        };
    }
    &unused - &used
}

/// Applies P8 and P9, at the sizes of the classes; none for a concatenation of which nothing is visited.
fn composed(
    requirement: usize,
    composite: &Composite<Node>,
    visited: Option<usize>,
    classes: &mut Classes,
) -> Result<Option<Derived>, ProjectionError> {
    let mut size = |node: &Node| classes.size(*node).unwrap_or(0);
    let whole = size(&composite.whole);
    let sizes: Vec<u64> = composite.parts.iter().map(size).collect();
    if whole == 0 || !composite.fits(whole, sizes.iter().copied()) {
        return Err(problem(requirement, WindowProblem::Unfit));
    }
    let (terms, offset) = match composite.composition {
        Composition::Product => {
            let mut after = 1u64;
            let mut terms: Vec<(u64, Node)> = Vec::with_capacity(sizes.len());
            for (node, size) in composite.parts.iter().zip(&sizes).rev() {
                terms.push((after, *node));
                // The whole fits 64 bits, and so does each of its divisors.
                after = after.saturating_mul(*size);
            }
            terms.reverse();
            (terms, 0)
        }
        Composition::Concat => {
            let Some((visited, node)) = visited.and_then(|at| Some((at, composite.parts.get(at)?)))
            else {
                return Ok(None);
            };
            (vec![(1, *node)], cells_before(&sizes, visited))
        }
    };
    let offset = i64::try_from(offset).map_err(|_| problem(requirement, WindowProblem::TooFar))?;
    Ok(Some(Derived {
        axis: composite.whole,
        terms,
        offset,
        requirement,
    }))
}

/// Applies P8; none for a concatenation of which nothing is visited.
fn joined_index(
    laid: &Joined,
    requirement: usize,
    visited: Option<usize>,
    classes: &mut Classes,
) -> Result<Option<Derived>, ProjectionError> {
    let sizes = laid.sizes(classes);
    let sizes = sizes.ok_or_else(|| problem(requirement, WindowProblem::Unfit))?;
    let Some((visited, node)) = visited.and_then(|at| Some((at, (*laid.parts.get(at)?)?))) else {
        return Ok(None);
    };
    let offset = i64::try_from(cells_before(&sizes, visited));
    Ok(Some(Derived {
        axis: laid.whole,
        terms: vec![(1, node)],
        offset: offset.map_err(|_| problem(requirement, WindowProblem::TooFar))?,
        requirement,
    }))
}

/// Returns the cells of a concatenation in front of one of its parts.
fn cells_before(sizes: &[u64], part: usize) -> u64 {
    sizes[..part].iter().sum()
}

fn problem(requirement: usize, problem: WindowProblem) -> ProjectionError {
    ProjectionError::Window {
        requirement,
        problem,
    }
}

/// Applies P7, at the sizes of the classes.
fn derived_of(
    requirement: usize,
    window: &Window<Node>,
    classes: &mut Classes,
) -> Result<Derived, ProjectionError> {
    let mut size = |node: &Node| classes.size(*node).unwrap_or(0);
    let (axis, over) = (size(&window.axis), size(&window.over));
    let taps: Vec<u64> = window.taps.iter().map(|(_, tap)| size(tap)).collect();
    if axis == 0 || !window.fits(axis, over, taps.iter().copied()) {
        return Err(problem(requirement, WindowProblem::Unfit));
    }
    let stride = i128::from(window.stride.get());
    let extent = span(window, &taps) + stride * (i128::from(over) - 1);
    let overhang = (extent - i128::from(axis)).max(0);
    let front = match window.mode {
        Mode::Exact | Mode::Floor | Mode::Ceil => i128::from(window.low),
        Mode::Same => overhang / 2,
        Mode::SameLower => (overhang + 1) / 2,
    };
    let offset = i64::try_from(i128::from(window.phase) - front);
    Ok(Derived {
        axis: window.axis,
        terms: window.terms().map(|(c, node)| (c.get(), *node)).collect(),
        offset: offset.map_err(|_| problem(requirement, WindowProblem::TooFar))?,
        requirement,
    })
}
