//! Defs. 7.3 and 7.5: the label of each class, the product space, and the index map of each slot.

use hashbrown::HashMap;
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};
use rustc_hash::FxBuildHasher;

use super::classes::{Classes, Node};
use super::windows::Derived;

/// The reason why derived indices do not fit together, each with the derivation by its place in the list.
pub(crate) enum Underived {
    /// An argument is derived itself.
    Nested(usize),
    /// An argument is supplied from outside.
    Supplied(usize),
    /// The index is beyond 64 bits.
    TooFar(usize),
    /// The class has another index too.
    Two(usize, [Index; 2]),
}

type ByRoot<V> = HashMap<Node, V, FxBuildHasher>;

/// Labels the classes: a pinned class has its pin; an iterated class longer than 1 is a factor; any other class is read
/// at 0. A derived class has its derived index instead (P11).
///
/// `slots` has the size of each axis of each slot; the nodes of these axes come first and in this order. The first
/// node of each factor goes into `factors`.
pub(crate) fn label(
    slots: &[Vec<u64>],
    classes: &mut Classes,
    factors: &mut Vec<Node>,
    derived: &[Derived],
) -> Result<Projections, Underived> {
    let mut labels = Labels {
        numbers: HashMap::default(),
        derived: HashMap::default(),
        sizes: Vec::new(),
        factors,
        classes,
    };
    for one in derived {
        let root = labels.classes.root(one.axis);
        labels.derived.insert(root, Index::Fix(0));
    }
    let axes: usize = slots.iter().map(Vec::len).sum();
    (0..axes as Node).for_each(|node| labels.number(node));
    for one in derived {
        one.terms.iter().for_each(|(_, node)| labels.number(*node));
    }
    let indices: Vec<Index> = derived
        .iter()
        .enumerate()
        .map(|(at, one)| labels.sum(at, one))
        .collect::<Result<_, _>>()?;
    labels.place(derived, indices)?;
    let mut node = 0;
    let mut maps = Vec::with_capacity(slots.len());
    for sizes in slots {
        let mut map = Vec::with_capacity(sizes.len());
        for _ in sizes {
            let root = labels.classes.root(node);
            let found = labels.derived.get(&root).cloned();
            map.push(found.unwrap_or_else(|| labels.plain(root)));
            node += 1;
        }
        maps.push(IndexMap(map));
    }
    Ok(Projections {
        factors: labels.sizes,
        maps,
        sizes: slots.to_vec(),
    })
}

struct Labels<'l> {
    /// The factor of each class that has one.
    numbers: ByRoot<usize>,
    /// The index of each derived class.
    derived: ByRoot<Index>,
    sizes: Vec<u64>,
    factors: &'l mut Vec<Node>,
    classes: &'l mut Classes,
}

impl Labels<'_> {
    /// Gives the class of a node a factor, if it is a loop and has none.
    fn number(&mut self, node: Node) {
        let root = self.classes.root(node);
        let size = self.classes.size(root).unwrap_or(1);
        let is_loop = size > 1
            && self.classes.is_iterated(root)
            && self.classes.pin_of(root).is_none()
            && !self.derived.contains_key(&root);
        if is_loop && !self.numbers.contains_key(&root) {
            self.numbers.insert(root, self.sizes.len());
            self.sizes.push(size);
            self.factors.push(node);
        }
    }

    /// Returns the index of a class that is not derived.
    fn plain(&self, root: Node) -> Index {
        match (self.classes.pin_of(root), self.numbers.get(&root)) {
            (Some(pin), _) => pin.clone(),
            (None, Some(number)) => Index::Iter(*number),
            (None, None) => Index::Fix(0),
        }
    }

    /// Returns a derived index.
    fn sum(&mut self, at: usize, derived: &Derived) -> Result<Index, Underived> {
        let mut terms = Vec::with_capacity(derived.terms.len());
        let mut offset = i128::from(derived.offset);
        for (coefficient, node) in &derived.terms {
            let root = self.classes.root(*node);
            if self.derived.contains_key(&root) {
                return Err(Underived::Nested(at));
            }
            match self.plain(root) {
                Index::Iter(factor) => terms.push((*coefficient, factor)),
                Index::Fix(position) => {
                    let moved = i128::from(*coefficient).checked_mul(i128::from(position));
                    let sum = moved.and_then(|moved| offset.checked_add(moved));
                    offset = sum.ok_or(Underived::TooFar(at))?;
                }
                Index::Symbol(_) | Index::Affine(_) => return Err(Underived::Supplied(at)),
            }
        }
        let offset = i64::try_from(offset).map_err(|_| Underived::TooFar(at))?;
        Ok(Index::affine(terms, offset))
    }

    /// Gives each derived class its index: the same from each derivation, and the pin where there is one.
    fn place(&mut self, derived: &[Derived], indices: Vec<Index>) -> Result<(), Underived> {
        let mut placed: ByRoot<bool> = HashMap::default();
        for (at, (one, index)) in derived.iter().zip(indices).enumerate() {
            let root = self.classes.root(one.axis);
            let size = self.classes.size(root).unwrap_or(1);
            let index = index.on_axis(size, &self.sizes);
            let before = match placed.insert(root, true) {
                Some(_) => self.derived.get(&root),
                None => self.classes.pin_of(root),
            };
            if let Some(other) = before.filter(|other| **other != index) {
                return Err(Underived::Two(at, [other.clone(), index]));
            }
            self.derived.insert(root, index);
        }
        Ok(())
    }
}
