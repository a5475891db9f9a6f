//! P7, P10 and P11: an axis on which windows lie has the index of the cells that they read.
//!
//! | rule | what it says |
//! |---|---|
//! | P7 | the index of the axis is the sum of those of the windows and of the taps, each times its coefficient, less what lies in front of the axis |
//! | P10 | a label of a window that stands on no axis of a tensor is traversed too, and has the size that the spec or the window gives it |
//! | P11 | the axis has that index and no loop of its own, whatever else traverses it |
//!
//! The arguments are classes of axes without derived indices, so that the order of the windows cannot matter.

use lozenge_vocabulary::operation::{Operation, Requirement};
use lozenge_vocabulary::window::{Mode, Window};
use lozenge_vocabulary::{Constraint, DimTerm, Var};

use super::classes::{Classes, Node};
use super::error::{ProjectionError, WindowProblem, undetermined};
use super::lines::Lines;

/// `axis = Σ coefficient * term + offset`, of one requirement.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    pub(crate) axis: Node,
    pub(crate) terms: Vec<(u64, Node)>,
    pub(crate) offset: i64,
    pub(crate) requirement: usize,
}

/// The windows of an operation over nodes.
type Laid = Vec<(usize, Window<Node>)>;

/// Sizes the labels of windows, makes them traversed, and derives the indices of the axes.
pub(crate) fn derive(
    operation: &Operation,
    lines: &mut Lines,
    classes: &mut Classes,
) -> Result<Vec<Derived>, ProjectionError> {
    let mut laid = Laid::new();
    for (number, requirement) in operation.requirements.iter().enumerate() {
        if let Requirement::Template(Constraint::Window(window)) = requirement {
            let window = window.map(|term: &DimTerm| lines.dim(term, classes));
            laid.push((number, window));
        }
    }
    size_labels(&laid, classes);
    let mut derived = Vec::with_capacity(laid.len());
    for (requirement, window) in laid {
        for (_, node) in window.terms() {
            if classes.size(*node).is_none() {
                let label = lines.label_of(*node).cloned();
                return Err(match label {
                    Some(label) => undetermined(operation, Var::Dim(label)),
                    None => problem(requirement, WindowProblem::Unfit),
                });
            }
            // P10
            classes.iterate(*node);
        }
        derived.push(derived_of(requirement, &window, classes)?);
    }
    Ok(derived)
}

fn problem(requirement: usize, problem: WindowProblem) -> ProjectionError {
    ProjectionError::Window {
        requirement,
        problem,
    }
}

/// P7, at the sizes of the classes.
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

/// How many cells a window spans: to the next one, where it has no taps.
fn span(window: &Window<Node>, taps: &[u64]) -> i128 {
    if window.taps.is_empty() {
        return i128::from(window.stride.get());
    }
    let reaches = window.taps.iter().zip(taps).map(|((dilation, _), tap)| {
        i128::from(dilation.get()).saturating_mul(i128::from(*tap) - 1)
    });
    reaches.fold(1, i128::saturating_add)
}

/// Gives labels the sizes that windows determine: all but one of a window are known. The windows are gone through forward and
/// backward in turn, until nothing is new.
fn size_labels(laid: &Laid, classes: &mut Classes) {
    let mut forward = true;
    let mut unchanged = 0;
    while unchanged < 2 {
        let mut found = false;
        let mut visit = |window: &Window<Node>| {
            if let Some((node, size)) = determined(window, classes) {
                classes.set_size(node, size);
                found = true;
            }
        };
        match forward {
            true => laid.iter().for_each(|(_, window)| visit(window)),
            false => laid.iter().rev().for_each(|(_, window)| visit(window)),
        }
        forward = !forward;
        unchanged = if found { 0 } else { unchanged + 1 };
    }
}

/// The one label of a window whose size is not known, with the size that the others leave it.
fn determined(window: &Window<Node>, classes: &mut Classes) -> Option<(Node, u64)> {
    let axis = i128::from(classes.size(window.axis)?);
    let mut unknown = None;
    for (at, (_, node)) in window.terms().enumerate() {
        if classes.size(*node).is_none() && unknown.replace((at, *node)).is_some() {
            return None;
        }
    }
    let (at, node) = unknown?;
    let stride = i128::from(window.stride.get());
    let padded = axis + i128::from(window.low) + i128::from(window.high);
    let taps = window.taps.iter();
    let taps: Vec<u64> = taps
        .map(|(_, tap)| classes.size(*tap).unwrap_or(1))
        .collect();
    let span = span(window, &taps);
    let over = classes.size(window.over).unwrap_or(1);
    let whole = |amount: i128, by: i128| (amount >= 0 && amount % by == 0).then(|| amount / by);
    let count = match (at.checked_sub(1), window.mode) {
        (None, Mode::Exact) => whole(padded - span, stride)? + 1,
        (None, Mode::Floor) if padded >= span => (padded - span) / stride + 1,
        (None, Mode::Ceil) => {
            // The last window begins inside, and no stride before what would do.
            let inside = (axis + i128::from(window.low) - 1) / stride;
            let enough = (padded - span + stride - 1).div_euclid(stride);
            inside.min(enough) + 1
        }
        (None, Mode::Same | Mode::SameLower) => (axis + stride - 1) / stride,
        (Some(tap), mode) => {
            // The largest tap that fits; it is the one if the next smaller does not fit.
            let over = i128::from(over);
            let left = match mode {
                Mode::Exact | Mode::Floor => padded - span - stride * (over - 1),
                Mode::Ceil => padded - span - stride * (over - 2) - 1,
                Mode::Same | Mode::SameLower => return None,
            };
            left.div_euclid(i128::from(window.taps[tap].0.get())) + 1
        }
        _ => return None,
    };
    let size = u64::try_from(count).ok().filter(|size| *size > 0)?;
    let fits_too = |size: u64| {
        let Some(tap) = at.checked_sub(1) else {
            return false;
        };
        let mut taps = taps.clone();
        taps[tap] = size;
        window.fits(axis as u64, over, taps)
    };
    (size == 1 || !fits_too(size - 1)).then_some((node, size))
}
