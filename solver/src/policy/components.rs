//! Strongly connected components of a graph on numbers, by Tarjan's algorithm with an explicit stack.

/// The components that some nodes lead to, each after all those that it leads to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Components {
    members: Vec<u32>,
    ends: Vec<usize>,
}

impl Components {
    /// The components of what `roots` lead to; `successors` appends those of a node. Nodes are below `len`.
    pub(crate) fn of(
        len: usize,
        roots: impl IntoIterator<Item = u32>,
        mut successors: impl FnMut(u32, &mut Vec<u32>),
    ) -> Components {
        let mut search = Search {
            index: vec![0; len],
            low: vec![0; len],
            on_path: vec![false; len],
            ..Search::default()
        };
        for root in roots {
            if search.index[root as usize] == 0 {
                search.from(root, &mut successors);
            }
        }
        search.found
    }

    /// Component number `at`.
    pub(crate) fn get(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.members[start..self.ends[at]]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }
}

#[derive(Default)]
struct Search {
    /// When each node was met, from 1; 0 for those that were not.
    index: Vec<u32>,
    low: Vec<u32>,
    on_path: Vec<bool>,
    path: Vec<u32>,
    clock: u32,
    /// Nodes in work, and where the successors that each has left begin in `todo`.
    frames: Vec<(u32, usize)>,
    todo: Vec<u32>,
    found: Components,
}

impl Search {
    fn from(&mut self, root: u32, successors: &mut impl FnMut(u32, &mut Vec<u32>)) {
        self.enter(root, successors);
        while let Some((node, start)) = self.frames.last().copied() {
            let at = node as usize;
            if self.todo.len() > start {
                let next = self.todo.pop().unwrap_or(node);
                if self.index[next as usize] == 0 {
                    self.enter(next, successors);
                } else if self.on_path[next as usize] {
                    self.low[at] = self.low[at].min(self.index[next as usize]);
                }
                continue;
            }
            self.frames.pop();
            if let Some((parent, _)) = self.frames.last() {
                let parent = *parent as usize;
                self.low[parent] = self.low[parent].min(self.low[at]);
            }
            if self.low[at] == self.index[at] {
                self.leave(node);
            }
        }
    }

    fn enter(&mut self, node: u32, successors: &mut impl FnMut(u32, &mut Vec<u32>)) {
        let at = node as usize;
        self.clock += 1;
        (self.index[at], self.low[at]) = (self.clock, self.clock);
        self.on_path[at] = true;
        self.path.push(node);
        self.frames.push((node, self.todo.len()));
        successors(node, &mut self.todo);
    }

    /// Everything on the path from `node` on is one component.
    fn leave(&mut self, node: u32) {
        while let Some(member) = self.path.pop() {
            self.on_path[member as usize] = false;
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
        (0..found.len())
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
