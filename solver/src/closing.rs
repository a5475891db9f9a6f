//! Closing (Def. 6.1): every variable gets a value. Nothing commits while its bound can still grow (Rem. 6.3).
//!
//! Solving has carried caps to a fixpoint, so what lies below a variable is known when closing begins. Then:
//!
//! 1. *Leaf dimensions, downward.* Each goes to its atom cap, or to `1∅`; a parameter without a cap is refused, for
//!    nothing determines its size. Those below go first, also where interior variables stand between: what a commitment
//!    adds to the caps above it has then arrived before those above commit (Rem. 6.7(i)). A cycle of inequalities is
//!    an equality (DI-antisym).
//! 2. *One leaf row, downward*: one below which no other is open, along the row inequalities. It goes to the join of its
//!    caps (Prop. 2.7, see [`crate::bounds`]) and gets no further axes. A *hole*, a position where nothing
//!    ground lies below, becomes `1∅`, or a refusal for a parameter. Without a cap the row ends where it is known to
//!    end; but a parameter that was never seen to have an axis, that nothing bounds, and that is used below another
//!    open row is refused: a hidden row. The rows of a cycle have one bound; the cycle is entered by name, after all
//!    that does not lie above it.
//! 3. Solve again, which is where the commitment is checked (Rem. 6.3: without it the result need not be a solution), and
//!    go back to 1. for the dimensions that have come to belong to leaves; then to 2. for the next row.
//! 4. *The rest, upward*: each variable to its top. This changes nothing else (DI-top, Prop. 2.6), so it is not
//!    written down variable by variable.
//!
//! What becomes part of a leaf's shape is closed like it: see [`crate::inheritance`].
//!
//! Rows are taken component by component of the inequalities, from below, found once: closing binds no row to another,
//! so that no inequality between rows is added. Each step looks only at what the commitment before it touched.
//! Leaves that no inequality orders go in the order in which they were first mentioned, the unnamed axes of a row
//! after those that have names, from left to right. That matters only where one has a hole, which a value committed elsewhere may still have filled (Prop. 6.5).

use lozenge_vocabulary::{Rule, Tag};
use rustc_hash::FxHashSet;

use crate::bounds::Bounds;
use crate::components::Components;
use crate::engine::{Engine, Step};
use crate::facts::{Claim, Failure, Why};
use crate::inheritance::Tags;
use crate::planted::{Defect, planted};
use crate::rows::Core;
use crate::term::Term;

impl Engine {
    /// Solves, then closes every leaf; whatever stays open stands for its top.
    pub(crate) fn close(&mut self) -> Step {
        self.solve()?;
        let Some(mut tags) = self.inherit_tags()? else {
            return Ok(());
        };
        self.settle()?;
        self.equate_cycles()?;
        self.close_leaf_dims(&mut tags)?;
        self.close_leaf_rows(&mut tags)
    }

    fn close_leaf_rows(&mut self, tags: &mut Tags) -> Step {
        let len = self.rows.nodes.len();
        let leaves = (0..len as u32).filter(|var| self.is_open_leaf(*var, tags));
        let components = Components::of(len, leaves, |var, into| self.rows_beneath(var, into));
        let late = self.late(&components, tags);
        let mut bounds = Bounds::default();
        for when in [false, true] {
            for at in (0..components.len()).filter(|at| late[*at] == when) {
                self.close_component(components.get(at), tags, &mut bounds)?;
            }
        }
        Ok(())
    }

    /// Which components are a circle of leaves or above one. A circle is entered by name, not because nothing more can
    /// come to lie below the leaf that goes first; so the leaves that do not wait for one go before.
    fn late(&self, components: &Components, tags: &Tags) -> Vec<bool> {
        let is_circle = |at: usize| {
            let members = components.get(at).iter();
            members.filter(|var| self.is_open_leaf(**var, tags)).count() > 1
        };
        let mut late: Vec<bool> = (0..components.len()).map(is_circle).collect();
        if !late.contains(&true) {
            return late;
        }
        let mut waits = vec![false; self.rows.nodes.len()];
        let mut beneath = Vec::new();
        for (at, late) in late.iter_mut().enumerate() {
            if !*late {
                let members = components.get(at).iter();
                members.for_each(|var| self.rows_beneath(*var, &mut beneath));
                *late = beneath.drain(..).any(|var| waits[var as usize]);
            }
            for var in components.get(at) {
                waits[*var as usize] = *late;
            }
        }
        late
    }

    fn is_open_leaf(&self, var: u32, tags: &Tags) -> bool {
        tags.row(var) != Tag::Interior && self.core(var) == Core::Open
    }

    /// Closes the leaves of a component of the row inequalities. When its caps lead round in a circle only, the first
    /// leaf to commit is a bound for the others, which are looked at anew.
    fn close_component(&mut self, component: &[u32], tags: &mut Tags, bounds: &mut Bounds) -> Step {
        if let [var] = *component {
            if self.is_open_leaf(var, tags) && self.close_like_only_cap(var) {
                return self.closed_row(tags);
            }
            self.bound(component, bounds)?;
            self.close_row_and_dims(var, tags, bounds)?;
            if self.core(var) != Core::Open {
                bounds.drop_last(var);
            }
            return Ok(());
        }
        let mut open = component.to_vec();
        open.sort_by(|a, b| {
            self.problem
                .row_names
                .name(*a)
                .cmp(self.problem.row_names.name(*b))
        });
        while !self.bound(&open, bounds)? {
            let leaf = open.iter().position(|var| self.is_open_leaf(*var, tags));
            let Some(first) = leaf else {
                return Ok(());
            };
            self.close_row_and_dims(open.remove(first), tags, bounds)?;
            open.iter().for_each(|var| bounds.forget(*var));
        }
        if self.are_equal(&open) {
            return self.close_equal(&open, tags, bounds);
        }
        open.iter()
            .try_for_each(|var| self.close_row_and_dims(*var, tags, bounds))
    }

    /// Whether every inequality of a circle has as many axes on either side, and no variable of it is known to have one:
    /// the rows are equal then.
    fn are_equal(&self, circle: &[u32]) -> bool {
        let inside: FxHashSet<u32> = circle.iter().copied().collect();
        circle.iter().all(|var| {
            self.rows.nodes.at(*var).len == [0; 2]
                && self.is_level_within(*var, |low| inside.contains(&low))
        })
    }

    /// Closes the leaves of a circle of equal rows: what is said of the first is said of all.
    fn close_equal(&mut self, circle: &[u32], tags: &mut Tags, bounds: &Bounds) -> Step {
        let mut leaves = circle.iter().copied();
        let Some(first) = leaves.find(|var| self.is_open_leaf(*var, tags)) else {
            return Ok(());
        };
        self.close_leaf_row(first, tags, bounds)?;
        for var in leaves {
            if self.is_open_leaf(var, tags) {
                let why = bounds.get(var).copied().unwrap_or_default().why;
                self.close_like(var, first, why);
                self.closed(var);
            }
        }
        self.closed_row(tags)
    }

    fn close_row_and_dims(&mut self, var: u32, tags: &mut Tags, bounds: &Bounds) -> Step {
        if !self.is_open_leaf(var, tags) {
            return Ok(());
        }
        self.close_leaf_row(var, tags, bounds)?;
        self.closed_row(tags)
    }

    /// Concludes what follows from a commitment, and closes the dimensions that have come to belong to leaves.
    fn closed_row(&mut self, tags: &mut Tags) -> Step {
        self.solve()?;
        self.tag_letters(tags);
        self.close_leaf_dims(tags)
    }

    /// Closes a leaf row of which nothing is known but that a closed row of values is below it: that row is its bound,
    /// and its letters need not be copied. False, and nothing is done, for another.
    fn close_like_only_cap(&mut self, var: u32) -> bool {
        if self.rows.nodes.at(var).len != [0; 2] {
            return false;
        }
        let Some((at, low)) = self.only_cap(var) else {
            return false;
        };
        if self.core(low) != Core::Closed || !self.has_values(low) {
            return false;
        }
        let [lead, trail] = [0, 1].map(|side| self.letters_why(low, side));
        let letters = self.facts.both(Rule::RiCap, lead, trail);
        let inequality = self.rows.inequalities.edit(at);
        let (len, why) = (self.rows.nodes.at(low).len, inequality.why);
        inequality.done = len;
        let why = self.facts.both(Rule::RiCap, why, letters);
        self.close_like(var, low, why);
        self.closed_below(var);
        self.wake(var);
        true
    }

    /// Closes a leaf row of which nothing is known to what a closed row is. What is below it says no less.
    fn close_like(&mut self, var: u32, low: u32, why: Why) {
        let claim = Claim::Placed(var);
        let fact = self.facts.commit(Rule::CloseLeaf, claim, [why, Why::NONE]);
        let len = self.rows.nodes.at(low).len;
        for (side, len) in len.into_iter().enumerate() {
            self.rows.lend(low, var, side);
            self.regrow(var, side, len, fact);
        }
        let node = self.rows.nodes.edit(var);
        (node.core, node.fixed, node.flat) = (Core::Closed, fact, fact);
    }

    /// Whether every letter of a row's flanks is a value.
    fn has_values(&mut self, var: u32) -> bool {
        (0..2).all(|side| {
            (0..self.rows.nodes.at(var).len[side]).all(|position| {
                let letter = self.rows.letter(var, side, position);
                letter.is_some_and(|letter| !self.dims.find(letter).is_var())
            })
        })
    }

    /// Closes an open leaf row to its bound.
    fn close_leaf_row(&mut self, var: u32, tags: &Tags, bounds: &Bounds) -> Step {
        let param = tags.row(var) == Tag::Param;
        let hidden = param && !planted(Defect::HiddenRowClosed);
        let known = self.rows.nodes.at(var).len;
        let grown = known != [0; 2] || self.is_rest(var, tags);
        if hidden && !grown && !self.has_cap(var) && self.is_below_another(var) {
            return Err(hole(
                None,
                Why::NONE,
                "nothing determines the axes of this row of a parameter",
            ));
        }
        let bound = bounds.get(var).copied().unwrap_or_default();
        let rule = Rule::CloseLeaf;
        // The known flanks are a part of what is closed.
        let before = self.flat_why(var);
        let fact = self
            .facts
            .commit(rule, Claim::Placed(var), [bound.why, before]);
        // All letters are read before any hole is filled: a hole's unit is no bound for the next letter.
        for (side, known) in known.into_iter().enumerate() {
            let beyond = known..bound.len[side];
            for position in beyond.clone() {
                let letter = bounds.letter(var, side, position);
                let place = param.then_some((var, side as u8, position));
                let value = self.letter_value(letter, bound.why, place)?;
                self.rows.write(var, side, position, value);
            }
            if !beyond.is_empty() {
                self.regrow(var, side, bound.len[side], fact);
            }
        }
        let node = self.rows.nodes.edit(var);
        (node.core, node.fixed, node.flat) = (Core::Closed, fact, fact);
        self.closed(var);
        for (side, known) in known.into_iter().enumerate() {
            for position in known..bound.len[side] {
                if let Some(letter) = bounds.letter(var, side, position) {
                    self.fill_hole(letter, fact)?;
                }
            }
        }
        Ok(())
    }

    /// The value that the letter of a bound gives an axis of a leaf row; `param` is the place of a parameter's axis.
    fn letter_value(
        &self,
        letter: Option<Term>,
        why: Why,
        param: Option<(u32, u8, u32)>,
    ) -> Result<Term, Failure> {
        match letter.map(|letter| self.dims.peek(letter)) {
            Some(root) if !root.is_var() => Ok(root),
            Some(root) if let Some(cap) = self.dims.cap(root) => Ok(cap),
            _ => match param {
                Some((var, side, at)) => {
                    let axis = self.axis_text(var, side, at);
                    let message = format!("nothing determines the size of {axis}, a parameter");
                    Err(hole(None, why, &message))
                }
                None => Ok(Term::UNIT),
            },
        }
    }

    /// Lets the rows above see the unit that a hole became.
    fn fill_hole(&mut self, letter: Term, why: Why) -> Step {
        let root = self.dims.find(letter);
        if !root.is_var() || self.dims.cap(root).is_some() {
            return Ok(());
        }
        let rule = Rule::CloseLeaf;
        self.dims
            .equal(root, Term::UNIT, rule, why, &mut self.facts)
    }

    /// DI-antisym: the inequalities of a cycle are equalities.
    fn equate_cycles(&mut self) -> Step {
        let len = self.dims.len();
        let mut edges = Vec::new();
        let components = Components::of(len, 0..len as u32, |var, into| {
            edges.clear();
            self.dims.above(Term::var(var), &mut edges);
            into.extend(edges.iter().map(|edge| self.dims.peek(edge.1).id()));
        });
        for at in 0..components.len() {
            if let cycle @ [_, _, ..] = components.get(at) {
                self.equate_cycle(cycle)?;
            }
        }
        Ok(())
    }

    fn equate_cycle(&mut self, cycle: &[u32]) -> Step {
        if planted(Defect::AntisymmetryForgotten) {
            return Ok(());
        }
        let inside: FxHashSet<u32> = cycle.iter().copied().collect();
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

    /// Closes the dimensions of leaves that are not closed yet, each after those below it.
    fn close_leaf_dims(&mut self, tags: &mut Tags) -> Step {
        if tags.due.is_empty() {
            return Ok(());
        }
        tags.next_round(self.dims.len());
        let mut roots = std::mem::take(&mut tags.due);
        roots.retain_mut(|var| {
            let root = self.dims.find(Term::var(*var));
            if root.is_var() {
                tags.raise_class(root.id(), tags.dim(*var));
                *var = root.id();
            }
            root.is_var()
        });
        let mut stack = Vec::new();
        for root in roots {
            stack.push((root, false));
            while let Some((var, ready)) = stack.pop() {
                if ready {
                    if let Some(tag) = tags.class(var) {
                        self.close_leaf_dim(var, tag, tags)?;
                    }
                } else if self.dims.find(Term::var(var)) == Term::var(var) && tags.visit(var) {
                    stack.push((var, true));
                    if !planted(Defect::UpperLeafFirst) {
                        self.dims.beneath(Term::var(var), &mut stack);
                    }
                }
            }
        }
        Ok(())
    }

    fn close_leaf_dim(&mut self, var: u32, tag: Tag, tags: &Tags) -> Step {
        let term = Term::var(var);
        if self.dims.find(term) != term {
            return Ok(());
        }
        let (value, why) = match self.dims.cap(term) {
            _ if planted(Defect::LeafClosedUpward) => (Term::UNIT, Why::NONE),
            Some(cap) => (cap, self.dims.cap_why(term)),
            None if tag == Tag::Param && !planted(Defect::ParameterHoleFilled) => {
                let term = self.param_of(term, tags);
                let message = "nothing determines this dimension of a parameter";
                return Err(hole(Some(term), Why::NONE, message));
            }
            None => (Term::UNIT, Why::NONE),
        };
        let rule = Rule::CloseLeaf;
        let claim = Claim::Cap(term, value);
        let fact = self.facts.commit(rule, claim, [why, Why::NONE]);
        self.dims.equal(term, value, rule, fact, &mut self.facts)
    }

    /// A variable of the class that belongs to a parameter.
    fn param_of(&self, root: Term, tags: &Tags) -> Term {
        (0..self.dims.len() as u32)
            .filter(|var| tags.dim(*var) == Tag::Param)
            .map(Term::var)
            .find(|var| self.dims.peek(*var) == root)
            .unwrap_or(root)
    }
}

fn hole(term: Option<Term>, why: Why, message: &str) -> Failure {
    Failure {
        rule: Rule::CloseLeaf,
        reasons: vec![why],
        terms: term.into_iter().collect(),
        message: message.into(),
    }
}
