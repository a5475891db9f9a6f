//! Def. 7.3: axes that share an index, by union and find with sizes, pins and iterates.

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::projections::Index;

/// The number of a node: an axis of a tensor, a label of a spec or a size that is written in one.
pub(crate) type Node = u32;

/// The origin of an equation: the rule of Def. 7.2 and the operation's requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) rule: Rule,
    pub(crate) requirement: u32,
}

/// The reason why two equations contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Conflict {
    /// Two nodes of different sizes are to share an index.
    Sizes(Node, u64, Node, u64),
    /// A class is read at two places.
    Pins(Node, Index, Index),
}

/// The classes of nodes, each with its size, its pin and whether it is iterated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    parents: Vec<Node>,
    /// Of a root: the size of its class, 0 while it is unknown.
    sizes: Vec<u64>,
    /// Of a root: the place of its pin in `pins` and one more, 0 without a pin.
    pinned: Vec<u32>,
    /// Of a root.
    iterated: Vec<bool>,
    pins: Vec<Index>,
    /// Every equation between nodes, in order.
    pub(crate) links: Vec<(Node, Node, Reason)>,
    /// Every pin, in order.
    pub(crate) pinnings: Vec<(Node, u32, Reason)>,
}

impl Classes {
    pub(crate) fn clear(&mut self) {
        self.parents.clear();
        self.sizes.clear();
        self.pinned.clear();
        self.iterated.clear();
        self.pins.clear();
        self.links.clear();
        self.pinnings.clear();
    }

    /// Returns a node in a class of its own; size 0 is an unknown size.
    pub(crate) fn node(&mut self, size: u64) -> Node {
        let node = self.parents.len() as Node;
        self.parents.push(node);
        self.sizes.push(size);
        self.pinned.push(0);
        self.iterated.push(false);
        node
    }

    /// Counts the nodes.
    pub(crate) fn node_count(&self) -> Node {
        self.parents.len() as Node
    }

    /// Returns the root of a node's class. Every second node on the way is hung higher.
    pub(crate) fn root(&mut self, mut node: Node) -> Node {
        loop {
            let parent = self.parents[node as usize];
            if parent == node {
                return node;
            }
            let above = self.parents[parent as usize];
            self.parents[node as usize] = above;
            node = above;
        }
    }

    /// Returns the size of a node's class; `None` while nothing has a size in it.
    pub(crate) fn size(&mut self, node: Node) -> Option<u64> {
        let root = self.root(node);
        Some(self.sizes[root as usize]).filter(|size| *size > 0)
    }

    /// Gives a class without a size one.
    pub(crate) fn set_size(&mut self, node: Node, size: u64) {
        let root = self.root(node);
        self.sizes[root as usize] = size;
    }

    /// Adds `Eq(p, q)`: the same index.
    pub(crate) fn unite(&mut self, p: Node, q: Node, reason: Reason) -> Result<(), Conflict> {
        self.links.push((p, q, reason));
        let (over, under) = (self.root(p), self.root(q));
        if over == under {
            return Ok(());
        }
        let (m, n) = (self.sizes[over as usize], self.sizes[under as usize]);
        if m != n && m > 0 && n > 0 {
            return Err(Conflict::Sizes(p, m, q, n));
        }
        let pins = [over, under].map(|root| self.pinned[root as usize]);
        if let Some([first, second]) = self.different(pins) {
            return Err(Conflict::Pins(p, first, second));
        }
        let (root, child) = (over as usize, under as usize);
        self.parents[child] = over;
        self.sizes[root] = m.max(n);
        self.pinned[root] = pins[0].max(pins[1]);
        self.iterated[root] |= self.iterated[child];
        Ok(())
    }

    /// Adds `Eq(p, Sol(index))`: the class is read at this place.
    pub(crate) fn pin(&mut self, p: Node, index: &Index, reason: Reason) -> Result<(), Conflict> {
        self.pins.push(index.clone());
        let number = self.pins.len() as u32;
        self.pinnings.push((p, number - 1, reason));
        let root = self.root(p) as usize;
        if let Some([first, second]) = self.different([self.pinned[root], number]) {
            return Err(Conflict::Pins(p, first, second));
        }
        self.pinned[root] = number;
        Ok(())
    }

    /// Adds `Iter(p)`: the class is traversed, unless it is pinned.
    pub(crate) fn iterate(&mut self, p: Node) {
        let root = self.root(p);
        self.iterated[root as usize] = true;
    }

    /// Returns two pins that differ.
    fn different(&self, [a, b]: [u32; 2]) -> Option<[Index; 2]> {
        let (a, b) = (
            self.pin_at(a.checked_sub(1)?),
            self.pin_at(b.checked_sub(1)?),
        );
        (a != b).then(|| [a.clone(), b.clone()])
    }

    /// Returns the place where a class is read, given its root.
    pub(crate) fn pin_of(&self, root: Node) -> Option<&Index> {
        self.pinned[root as usize]
            .checked_sub(1)
            .map(|pin| &self.pins[pin as usize])
    }

    /// Says whether a class is traversed, given its root.
    pub(crate) fn is_iterated(&self, root: Node) -> bool {
        self.iterated[root as usize]
    }

    /// Returns a supplied index by the number under which [`Classes::pinnings`] has it.
    pub(crate) fn pin_at(&self, number: u32) -> &Index {
        &self.pins[number as usize]
    }
}
