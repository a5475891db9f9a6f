//! The sizes of labels on no axis that windows, concatenations and products force, alone or together, as in `2*b + 3*a`
//! on an axis of 5 cells.

use lozenge_sizes::{Limits, Term as Sum, Value};
use lozenge_vocabulary::{Composite, Composition};

use super::axis_relations::AxisRelation;
use super::classes::{Classes, Node};
use crate::arithmetic::residue::Residue;

/// Gives labels without a size the one that all solutions give them.
pub(crate) fn force_labels<'l>(
    laid: impl Iterator<Item = &'l AxisRelation> + Clone,
    classes: &mut Classes,
) {
    let labels = laid.clone().flat_map(AxisRelation::labels);
    let mut open: Vec<Node> = labels
        .filter(|node| classes.size(*node).is_none())
        .collect();
    for node in &mut open {
        *node = classes.root(*node);
    }
    open.sort_unstable();
    open.dedup();
    if open.is_empty() {
        return;
    }
    let mut residue = Residue::new(Limits::default());
    let sums: Vec<Sum> = open.iter().map(|_| residue.store.size()).collect();
    for one in laid {
        state(one, (&open, &sums), &mut residue, classes);
    }
    if residue.is_too_large {
        return;
    }
    for (node, sum) in open.iter().zip(&sums) {
        if residue.store.spent() > Limits::default().work {
            return;
        }
        if let Value::Forced(size) = residue.store.value_of(*sum)
            && let Ok(size) = u64::try_from(size)
        {
            classes.set_size(*node, size);
        }
    }
}

/// States the relation of sizes, where those of the open classes are these sums.
fn state(
    one: &AxisRelation,
    open: (&[Node], &[Sum]),
    residue: &mut Residue,
    classes: &mut Classes,
) {
    let reason = residue.unreasoned();
    let mut sum = |node: &Node, residue: &mut Residue| match classes.size(*node) {
        Some(size) => residue.number(size),
        None => {
            let root = classes.root(*node);
            // Every class without a size is among them, but for an axis.
            let known = open.0.binary_search(&root).ok();
            known.map_or_else(|| residue.store.size(), |at| open.1[at])
        }
    };
    match one {
        AxisRelation::Window(window) => {
            let window = window.map(|node| sum(node, residue));
            residue.state_window(&window, reason);
        }
        AxisRelation::Composite(composite) => {
            let composite = composite.map(|node| sum(node, residue));
            residue.state_composite(&composite, 0, reason);
        }
        AxisRelation::Joined(joined) => {
            let whole = sum(&joined.whole, residue);
            let parts = joined.parts.iter().map(|part| match part {
                Some(node) => sum(node, residue),
                // One more than what is left, as it is kept.
                None => residue.store.size(),
            });
            let composite = Composite {
                composition: Composition::Concat,
                parts: parts.collect(),
                whole,
            };
            residue.state_composite(&composite, joined.rests(), reason);
        }
    }
}
