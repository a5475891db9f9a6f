//! The origins of derived facts: a graph whose leaves are the given equations.

use rustc_hash::FxHashSet;

/// A fact, given or derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct OriginId(u32);

/// A node of the graph.
#[derive(Clone, Debug)]
enum Origin {
    /// The given equation with this index.
    Given(u32),
    /// A fact that follows from others.
    Derived(Box<[OriginId]>),
}

/// All origins of one question. Deriving a fact takes time for its premises only, not for what stands behind these.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    nodes: Vec<Origin>,
}

impl Origins {
    fn push(&mut self, origin: Origin) -> OriginId {
        self.nodes.push(origin);
        OriginId(self.nodes.len() as u32 - 1)
    }

    /// Returns the origin of a given equation.
    pub(crate) fn given(&mut self, index: u32) -> OriginId {
        self.push(Origin::Given(index))
    }

    /// Returns the origin of a fact that follows from these.
    pub(crate) fn derived(&mut self, mut from: Vec<OriginId>) -> OriginId {
        from.sort_unstable();
        from.dedup();
        match from.as_slice() {
            [one] => *one,
            _ => self.push(Origin::Derived(from.into())),
        }
    }

    /// Returns the indices of the given equations that a fact follows from, in order.
    pub(crate) fn given_behind(&self, origins: impl IntoIterator<Item = OriginId>) -> Vec<u32> {
        let mut seen = FxHashSet::default();
        let mut pending: Vec<OriginId> = origins.into_iter().collect();
        let mut given = Vec::new();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            match &self.nodes[id.0 as usize] {
                Origin::Given(index) => given.push(*index),
                Origin::Derived(from) => pending.extend(from.iter().copied()),
            }
        }
        given.sort_unstable();
        given.dedup();
        given
    }
}
