//! Strongly connected components of a graph whose nodes are numbers, by Tarjan's algorithm with an explicit stack.
//!
//! `tarjan_scc` of the crate `petgraph` was considered and not tried, since it recurses along the paths of the graph,
//! which are as long as a user likes.

use crate::ids::{ComponentId, Id, all};

/// The components that some nodes lead to, each after all those that it leads to.
#[derive(Clone, Debug)]
pub(crate) struct Components<I> {
    members: Vec<I>,
    ends: Vec<usize>,
}

impl<I> Default for Components<I> {
    fn default() -> Components<I> {
        Components {
            members: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<I: Id + Eq> Components<I> {
    /// Returns the components of what `roots` lead to; `successors` appends those of a node. Nodes are below `len`.
    pub(crate) fn of(
        len: usize,
        roots: impl IntoIterator<Item = I>,
        mut successors: impl FnMut(I, &mut Vec<I>),
    ) -> Components<I> {
        let mut search = Search {
            index: vec![0; len],
            low: vec![0; len],
            on_path: vec![false; len],
            path: Vec::new(),
            clock: 0,
            frames: Vec::new(),
            todo: Vec::new(),
            found: Components::default(),
        };
        for root in roots {
            if search.index[root.index()] == 0 {
                search.from(root, &mut successors);
            }
        }
        search.found
    }

    /// Returns the nodes of a component.
    pub(crate) fn get(&self, id: ComponentId) -> &[I] {
        let at = id.index();
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.members[start..self.ends[at]]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns all components, in order.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = ComponentId> + Clone + use<I> {
        all(self.ends.len())
    }
}

struct Search<I> {
    /// The time at which each node was met, from 1; 0 for those that were not.
    index: Vec<u32>,
    low: Vec<u32>,
    on_path: Vec<bool>,
    path: Vec<I>,
    clock: u32,
    /// Nodes in work, and where the successors that each has left begin in `todo`.
    frames: Vec<(I, usize)>,
    todo: Vec<I>,
    found: Components<I>,
}

impl<I: Id + Eq> Search<I> {
    fn from(&mut self, root: I, successors: &mut impl FnMut(I, &mut Vec<I>)) {
        self.enter(root, successors);
        while let Some((node, start)) = self.frames.last().copied() {
            let at = node.index();
            if self.todo.len() > start {
                let next = self.todo.pop().unwrap_or(node);
                if self.index[next.index()] == 0 {
                    self.enter(next, successors);
                } else if self.on_path[next.index()] {
                    self.low[at] = self.low[at].min(self.index[next.index()]);
                }
                continue;
            }
            self.frames.pop();
            if let Some((parent, _)) = self.frames.last() {
                let parent = parent.index();
                self.low[parent] = self.low[parent].min(self.low[at]);
            }
            if self.low[at] == self.index[at] {
                self.leave(node);
            }
        }
    }

    fn enter(&mut self, node: I, successors: &mut impl FnMut(I, &mut Vec<I>)) {
        let at = node.index();
        self.clock += 1;
        (self.index[at], self.low[at]) = (self.clock, self.clock);
        self.on_path[at] = true;
        self.path.push(node);
        self.frames.push((node, self.todo.len()));
        successors(node, &mut self.todo);
    }

    /// Makes one component of everything on the path from `node` on.
    fn leave(&mut self, node: I) {
        while let Some(member) = self.path.pop() {
            self.on_path[member.index()] = false;
            self.found.members.push(member);
            if member == node {
                break;
            }
        }
        self.found.ends.push(self.found.members.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components(edges: &[(u32, u32)], roots: &[u32]) -> Vec<Vec<u32>> {
        let found = Components::of(8, roots.iter().copied(), |node, into| {
            into.extend(edges.iter().filter(|e| e.0 == node).map(|e| e.1));
        });
        found
            .ids()
            .map(|at| {
                let mut members = found.get(at).to_vec();
                members.sort_unstable();
                members
            })
            .collect()
    }

    #[test]
    fn what_a_component_leads_to_comes_before_it() {
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3), (4, 0), (5, 5)];
        assert_eq!(
            components(&edges, &[0, 4, 5]),
            [vec![3], vec![1, 2], vec![0], vec![4], vec![5]]
        );
    }

    #[test]
    fn cycles_that_share_a_node_are_one_component() {
        let edges = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 1)];
        assert_eq!(components(&edges, &[3]), [vec![0, 1, 2, 3]]);
    }
}
