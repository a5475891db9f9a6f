//! Defs. 7.3 and 7.5: the label of each class, the product space, and the index map of each slot.

use hashbrown::HashMap;
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};
use rustc_hash::FxBuildHasher;

use super::classes::{Classes, Node};

/// A pinned class has its pin; an iterated class longer than 1 is a factor; any other class is read at 0.
///
/// `slots` has the size of each axis of each slot; the nodes of these axes come first and in this order. The first
/// node of each factor goes into `factors`.
pub(crate) fn label(
    slots: &[Vec<u64>],
    classes: &mut Classes,
    factors: &mut Vec<Node>,
) -> Projections {
    let mut projections = Projections {
        factors: Vec::new(),
        maps: Vec::with_capacity(slots.len()),
        sizes: slots.to_vec(),
    };
    let mut numbers: HashMap<Node, usize, FxBuildHasher> = HashMap::default();
    let mut node = 0;
    for sizes in slots {
        let mut map = Vec::with_capacity(sizes.len());
        for size in sizes {
            let root = classes.root(node);
            map.push(match classes.pin_of(root) {
                Some(pin) => pin.clone(),
                None if *size > 1 && classes.is_iterated(root) => {
                    let next = projections.factors.len();
                    let number = *numbers.entry(root).or_insert(next);
                    if number == next {
                        projections.factors.push(*size);
                        factors.push(node);
                    }
                    Index::Iter(number)
                }
                None => Index::Fix(0),
            });
            node += 1;
        }
        projections.maps.push(IndexMap(map));
    }
    projections
}
