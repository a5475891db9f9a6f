//! The origins of derived constraints: a graph whose leaves are asserted constraints and the decisions of a search.
//!
//! Joining two origins adds one node, however many leaves they have, so a chain of eliminations takes linear space. The leaves
//! are collected only when a contradiction is found.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

/// A leaf of an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Leaf {
    /// An asserted constraint, by the caller's number.
    Constraint(u32),
    /// A decision of a search.
    Decision(u32),
}

/// An origin in [`Origins`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OriginId(u32);

impl OriginId {
    /// The origin of a constraint that holds by definition.
    pub(crate) const NONE: OriginId = OriginId(0);
}

#[derive(Clone, Debug)]
enum Node {
    Nothing,
    Leaf(Leaf),
    Join(OriginId, OriginId),
}

/// All origins of a search.
#[derive(Clone, Debug)]
pub(crate) struct Origins {
    nodes: Vec<Node>,
    decisions: u32,
}

/// The leaves that a contradiction rests on.
pub(crate) type Leaves = BTreeSet<Leaf>;

impl Origins {
    pub(crate) fn new() -> Origins {
        Origins {
            nodes: vec![Node::Nothing],
            decisions: 0,
        }
    }

    fn push(&mut self, node: Node) -> OriginId {
        self.nodes.push(node);
        OriginId(self.nodes.len() as u32 - 1)
    }

    /// The origin of an asserted constraint.
    pub(crate) fn constraint(&mut self, number: u32) -> OriginId {
        self.push(Node::Leaf(Leaf::Constraint(number)))
    }

    /// A decision that has not been made before, with its origin.
    pub(crate) fn decision(&mut self) -> (Leaf, OriginId) {
        let leaf = Leaf::Decision(self.decisions);
        self.decisions += 1;
        (leaf, self.push(Node::Leaf(leaf)))
    }

    /// The origin of a constraint that follows from two others.
    pub(crate) fn join(&mut self, a: OriginId, b: OriginId) -> OriginId {
        match (a, b) {
            (OriginId::NONE, other) | (other, OriginId::NONE) => other,
            (a, b) if a == b => a,
            (a, b) => self.push(Node::Join(a, b)),
        }
    }

    /// Adds the leaves of some origins to a set; returns the number of nodes that were visited.
    pub(crate) fn collect(
        &self,
        origins: impl IntoIterator<Item = OriginId>,
        leaves: &mut Leaves,
    ) -> usize {
        let mut seen = FxHashSet::default();
        let mut pending: Vec<OriginId> = origins.into_iter().collect();
        while let Some(origin) = pending.pop() {
            if !seen.insert(origin) {
                continue;
            }
            match &self.nodes[origin.0 as usize] {
                Node::Nothing => {}
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
    fn leaves_of_a_long_chain_are_found_without_recursion() {
        let mut origins = Origins::new();
        let mut all = OriginId::NONE;
        for number in 0..200_000 {
            let leaf = origins.constraint(number % 100);
            all = origins.join(all, leaf);
        }
        let mut leaves = Leaves::new();
        origins.collect([all], &mut leaves);
        assert_eq!(leaves, (0..100).map(Leaf::Constraint).collect());
    }
}
