//! The origins of derived constraints: a graph whose leaves are asserted constraints and the decisions of a search.
//!
//! Joining two origins adds one node, however many leaves they have, so a chain of eliminations takes linear space. The
//! leaves are collected only when a contradiction is found.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use rustc_hash::FxHashSet;

/// A leaf of an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Leaf {
    /// An asserted constraint, by the caller's number.
    Constraint(u32),
    /// A decision of a search.
    Decision(u32),
}

/// A node of [`Origins`], counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OriginId(NonZeroU32);

/// The reason for which a constraint holds; `None` where it holds by definition.
pub(crate) type Origin = Option<OriginId>;

#[derive(Clone, Debug)]
enum Node {
    Leaf(Leaf),
    Join(OriginId, OriginId),
}

/// All origins of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    nodes: Vec<Node>,
    decisions: u32,
}

/// The leaves that a contradiction rests on.
pub(crate) type Leaves = BTreeSet<Leaf>;

impl Origins {
    pub(crate) fn new() -> Origins {
        Origins::default()
    }

    fn push(&mut self, node: Node) -> OriginId {
        self.nodes.push(node);
        let count = u32::try_from(self.nodes.len()).ok();
        OriginId(
            count
                .and_then(NonZeroU32::new)
                .expect("fewer than 2^32 origins"),
        )
    }

    /// Returns the origin of an asserted constraint.
    pub(crate) fn constraint(&mut self, number: u32) -> OriginId {
        self.push(Node::Leaf(Leaf::Constraint(number)))
    }

    /// Returns a decision that has not been made before, with its origin.
    pub(crate) fn decision(&mut self) -> (Leaf, OriginId) {
        let leaf = Leaf::Decision(self.decisions);
        self.decisions += 1;
        (leaf, self.push(Node::Leaf(leaf)))
    }

    /// Returns the origin of a constraint that follows from two others.
    pub(crate) fn join(&mut self, a: Origin, b: Origin) -> Origin {
        match (a, b) {
            (None, other) | (other, None) => other,
            (Some(a), Some(b)) if a == b => Some(a),
            (Some(a), Some(b)) => Some(self.push(Node::Join(a, b))),
        }
    }

    /// Adds the leaves of some origins to a set; returns the number of nodes that were visited.
    pub(crate) fn collect(
        &self,
        origins: impl IntoIterator<Item = Origin>,
        leaves: &mut Leaves,
    ) -> usize {
        let mut seen = FxHashSet::default();
        let mut pending: Vec<OriginId> = origins.into_iter().flatten().collect();
        while let Some(origin) = pending.pop() {
            if !seen.insert(origin) {
                continue;
            }
            match &self.nodes[origin.0.get() as usize - 1] {
                Node::Leaf(leaf) => {
                    leaves.insert(*leaf);
                }
                Node::Join(a, b) => pending.extend([*a, *b]),
            }
        }
        seen.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_there_is_no_origin_takes_no_room() {
        assert_eq!(size_of::<Origin>(), size_of::<u32>());
    }

    #[test]
    fn what_follows_from_one_origin_twice_has_that_origin() {
        let mut origins = Origins::new();
        let (one, other) = (origins.constraint(1), origins.constraint(2));
        assert_eq!(origins.join(Some(one), Some(one)), Some(one));
        assert_eq!(origins.join(None, Some(one)), Some(one));
        let both = origins.join(Some(one), Some(other));
        let mut leaves = Leaves::new();
        // The join and its two leaves are visited, each once.
        assert_eq!(origins.collect([both, Some(one), both], &mut leaves), 3);
        assert_eq!(leaves, [1, 2].map(Leaf::Constraint).into());
        // No two decisions are one.
        let decisions = [(); 3].map(|()| origins.decision().0);
        assert_eq!(Leaves::from(decisions).len(), 3);
    }

    #[test]
    fn leaves_of_a_long_chain_are_found_without_recursion() {
        let mut origins = Origins::new();
        let mut all = None;
        for number in 0..200_000 {
            let leaf = origins.constraint(number % 100);
            all = origins.join(all, Some(leaf));
        }
        let mut leaves = Leaves::new();
        origins.collect([all], &mut leaves);
        assert_eq!(leaves, (0..100).map(Leaf::Constraint).collect());
    }
}
