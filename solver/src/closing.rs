//! Closing (Def. 6.1), scheduled so that nothing commits while its bound can still grow (Rem. 6.3).
//!
//! Caps have travelled to a fixpoint before closing begins. Cycles of inequalities are made equalities. Then leaf
//! rows, and after them leaf dimensions, are closed downward in the order of the inequalities from below: when a
//! variable commits, everything below it has. What is left is closed upward, to its top, which changes nothing
//! else and is therefore not written down variable by variable.

use lozenge_spec::{Rule, Tag};

use crate::engine::{Engine, Step};
use crate::facts::{Claim, Failure, Why};
use crate::rows::Core;
use crate::term::{NONE, RowId, Term};

impl Engine {
    /// Solves, then closes every leaf; whatever stays open stands for its top.
    pub(crate) fn close(&mut self) -> Step {
        self.solve()?;
        self.close_leaf_rows()?;
        self.equate_cycles()?;
        self.close_leaf_dims()
    }

    fn close_leaf_rows(&mut self) -> Step {
        let vars = self.rows.nodes.len() as u32;
        if (0..vars).all(|var| self.problem.row_tag(var) == Tag::Interior) {
            return Ok(());
        }
        let mut visited = vec![false; vars as usize];
        let mut stack = Vec::new();
        for var in 0..vars {
            if self.problem.row_tag(var) == Tag::Interior {
                continue;
            }
            stack.push((var, false));
            while let Some((var, ready)) = stack.pop() {
                if ready {
                    if self.problem.row_tag(var) != Tag::Interior {
                        self.close_leaf_row(var)?;
                    }
                } else if !std::mem::replace(&mut visited[var as usize], true) {
                    stack.push((var, true));
                    self.each_cap(var, |left, _| {
                        if left.var != NONE && !visited[left.var as usize] {
                            stack.push((left.var, false));
                        }
                    });
                }
            }
        }
        Ok(())
    }

    /// The inequalities with a variable in the operand: the result's row, and the operand's.
    fn each_cap(&self, var: u32, mut f: impl FnMut(RowId, RowId)) {
        let mut next = self.rows.nodes.at(var).operands;
        while next != NONE {
            let inequality = self.rows.inequalities.at(next);
            f(self.row(inequality.row), self.row(inequality.row + 1));
            next = inequality.next_operand;
        }
    }

    /// Binds an open leaf row to the join of its caps: the shorter flanks (Prop. 2.7), and no further axes.
    fn close_leaf_row(&mut self, var: u32) -> Step {
        if self.core(var) != Core::Open {
            return Ok(());
        }
        let mut len: [Option<u32>; 2] = [None; 2];
        self.each_cap(var, |left, right| {
            for (side, len) in len.iter_mut().enumerate() {
                let known = match left.var {
                    NONE => 0,
                    var => self.rows.nodes.at(var).len[side],
                };
                let cap = (left.flank(side) + known).saturating_sub(right.flank(side));
                *len = Some(len.map_or(cap, |len| len.min(cap)));
            }
        });
        let rule = Rule::CloseLeaf;
        let fact = self.facts.commit(rule, Claim::Placed(var), [Why::NONE; 2]);
        for (side, len) in len.into_iter().enumerate() {
            let node = self.rows.nodes.get(var);
            let longer = len.unwrap_or(0);
            if longer > node.len[side] {
                let claim = Claim::Grown(var, side as u8, longer);
                let grown = self.facts.commit(rule, claim, [node.grown[side], fact]);
                let node = self.rows.nodes.edit(var);
                node.len[side] = longer;
                node.grown[side] = grown;
            }
        }
        let fixed = self.rows.nodes.at(var).fixed;
        let fixed = self.facts.both(rule, fixed, fact);
        let node = self.rows.nodes.edit(var);
        node.core = Core::Closed;
        node.fixed = fixed;
        if self.problem.row_tag(var) == Tag::Param {
            self.write_all(var)?;
        }
        self.lengthened(var);
        self.settle()?;
        self.solve()
    }

    /// DI-antisym: the inequalities of a cycle are equalities. Strongly connected classes, by Tarjan's algorithm.
    fn equate_cycles(&mut self) -> Step {
        let len = self.dims.len();
        let mut index = vec![0u32; len];
        let mut low = vec![0u32; len];
        let mut on_path = vec![false; len];
        let mut path: Vec<u32> = Vec::new();
        let mut clock = 0;
        let mut cycles = Vec::new();
        let mut above = Vec::new();
        let mut frames: Vec<(u32, Vec<u32>)> = Vec::new();
        for start in 0..len as u32 {
            if index[start as usize] != 0 || !self.dims.is_inner(start) {
                continue;
            }
            frames.push((start, Vec::new()));
            while let Some((var, todo)) = frames.last_mut() {
                let at = *var as usize;
                if index[at] == 0 {
                    clock += 1;
                    (index[at], low[at]) = (clock, clock);
                    on_path[at] = true;
                    path.push(*var);
                    above.clear();
                    self.dims.above(Term::var(*var), &mut above);
                    *todo = above.iter().map(|e| self.dims.peek(e.1).id()).collect();
                }
                if let Some(next) = todo.pop() {
                    let to = next as usize;
                    if index[to] == 0 {
                        frames.push((next, Vec::new()));
                    } else if on_path[to] {
                        low[at] = low[at].min(index[to]);
                    }
                    continue;
                }
                let finished = *var;
                frames.pop();
                if let Some((parent, _)) = frames.last() {
                    let parent = *parent as usize;
                    low[parent] = low[parent].min(low[at]);
                }
                if low[at] == index[at] {
                    let from = path.iter().rposition(|v| *v == finished).unwrap_or(0);
                    if path.len() - from > 1 {
                        cycles.push(path[from..].to_vec());
                    }
                    path.drain(from..).for_each(|v| on_path[v as usize] = false);
                }
            }
        }
        cycles.iter().try_for_each(|cycle| self.equate_cycle(cycle))
    }

    fn equate_cycle(&mut self, cycle: &[u32]) -> Step {
        let inside: rustc_hash::FxHashSet<u32> = cycle.iter().copied().collect();
        let mut edges = Vec::new();
        for var in cycle {
            self.dims.above(Term::var(*var), &mut edges);
        }
        edges.retain(|(_, high, _)| inside.contains(&self.dims.peek(*high).id()));
        let mut why = Why::NONE;
        for (.., edge) in &edges {
            why = self.facts.both(Rule::DiAntisym, why, *edge);
        }
        for (low, high, _) in edges {
            self.dims
                .equal(low, high, Rule::DiAntisym, why, &mut self.facts)?;
        }
        Ok(())
    }

    fn close_leaf_dims(&mut self) -> Step {
        let len = self.dims.len();
        // A class is closed as a leaf when one of its variables is one.
        let mut tags: Vec<Tag> = Vec::new();
        for var in 0..len as u32 {
            let tag = self.problem.dim_tag(var);
            let root = self.dims.find(Term::var(var));
            if tag != Tag::Interior && root.is_var() {
                tags.resize(len, Tag::Interior);
                let class = &mut tags[root.id() as usize];
                if *class != Tag::Param {
                    *class = tag;
                }
            }
        }
        let mut visited = vec![false; tags.len()];
        let mut stack = Vec::new();
        let mut beneath = Vec::new();
        for var in 0..tags.len() as u32 {
            if tags[var as usize] == Tag::Interior {
                continue;
            }
            stack.push((var, false));
            while let Some((var, ready)) = stack.pop() {
                if ready {
                    self.close_leaf_dim(var, tags[var as usize])?;
                } else if !std::mem::replace(&mut visited[var as usize], true) {
                    stack.push((var, true));
                    beneath.clear();
                    if self.dims.find(Term::var(var)) == Term::var(var) {
                        self.dims.beneath(Term::var(var), &mut beneath);
                    }
                    stack.extend(beneath.iter().map(|low| (low.id(), false)));
                }
            }
        }
        Ok(())
    }

    fn close_leaf_dim(&mut self, var: u32, tag: Tag) -> Step {
        let term = Term::var(var);
        if tag == Tag::Interior || self.dims.find(term) != term {
            return Ok(());
        }
        let value = match (self.dims.cap(term), tag) {
            (Some(cap), _) => cap,
            (None, Tag::Param) => {
                return Err(Failure {
                    rule: Rule::CloseLeaf,
                    reasons: Vec::new(),
                    terms: vec![self.param_of(term)],
                    message: "nothing determines this dimension of a parameter".into(),
                });
            }
            (None, _) => Term::UNIT,
        };
        let rule = Rule::CloseLeaf;
        let why = match self.dims.cap(term) {
            Some(_) => self.dims.cap_why(term),
            None => Why::NONE,
        };
        let fact = self
            .facts
            .commit(rule, Claim::Cap(term, value), [why, Why::NONE]);
        self.dims.equal(term, value, rule, fact, &mut self.facts)
    }

    /// A variable of the class that is declared a parameter.
    fn param_of(&mut self, root: Term) -> Term {
        (0..self.dims.len() as u32)
            .map(Term::var)
            .find(|var| {
                self.problem.dim_tag(var.id()) == Tag::Param && self.dims.peek(*var) == root
            })
            .unwrap_or(root)
    }
}
