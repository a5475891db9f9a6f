//! Closing (Def. 6.1): every variable gets a value. No leaf commits while its bound can still grow (Rem. 6.3).
//!
//! Solving has carried caps to a fixpoint, so what lies below a variable is known when closing begins. Leaves then
//! commit in rounds. A round takes the leaves of which most is known:
//!
//! 1. *known*: a dimension with an atom below it, which becomes that atom; a row whose bound (see
//!    [`crate::policy::bounds`]) has no hole, which becomes its bound and gets no further axes;
//! 2. *holed*: a row with a bound in which nothing determines some axis. Its extent is committed, and each such axis
//!    becomes a dimension of the leaf;
//! 3. *unbounded dimensions*: they become `1∅`; one of a parameter is refused;
//! 4. *unbounded rows*: they end where they are known to end. A *hidden row* is refused: a row of a parameter that is
//!    not known to have an axis and that lies below another open leaf.
//!
//! Sizes that windows force are bound before all of these, and a size that they leave open is refused in the end
//! ([`crate::arithmetic`]).
//!
//! So a guess (3 and 4) is made only when nothing else is left to do. Of the leaves of the first kind that is not empty
//! a round takes those with no other one of that kind below them, also where interior variables stand between. They
//! commit together, and solving goes on from there, which is where the commitments are checked (Rem. 6.3) and where
//! they may fill holes elsewhere. The order of the constraints and the names of the variables play no part. Where two
//! commitments of one round contradict each other, the set is rejected: nothing says which of them should give way.
//!
//! Everything that is still open goes *upward*, to its top. This changes nothing else (DI-top, Prop. 2.6), so it is not
//! written down variable by variable.
//!
//! A variable that becomes part of a leaf's shape is closed like it: see [`crate::policy::inheritance`]. Which leaves
//! are ready for a round is found in [`crate::policy::leaf_dims`] and [`crate::policy::leaf_rows`].

use lozenge_vocabulary::alignment::{Flank, PerFlank};
use lozenge_vocabulary::{Rule, Tag};
use rustc_hash::FxHashSet;

use crate::ids::{ComponentId, DimVarId, InequalityId, RowVarId};
use crate::policy::bounds::Bounds;
use crate::policy::components::Components;
use crate::policy::inheritance::Tags;
use crate::policy::leaf_dims::LeafDims;
use crate::policy::leaf_rows::{LeafRows, Standing};
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::state::rows::Binding;
use crate::term::Term;

/// The leaves of one closing.
pub(crate) struct Leaves {
    pub(crate) tags: Tags,
    pub(crate) dims: LeafDims,
    pub(crate) rows: LeafRows,
    /// The round in work: leaf dimensions, and components of leaf rows.
    round: (Vec<Term>, Vec<ComponentId>),
}

impl Engine {
    /// Solves, then closes every leaf; whatever stays open stands for its top.
    pub(crate) fn close(&mut self) -> EngineResult {
        self.solve()?;
        let tags = self.inherit_tags()?;
        if tags.is_some() || self.sizes.is_on {
            self.progress.declared_when_closed = Some(self.problem.declared());
        }
        let Some(tags) = tags else {
            return self.close_sizes();
        };
        self.settle()?;
        self.equate_cycles()?;
        let mut leaves = Leaves {
            dims: LeafDims::default(),
            rows: self.leaf_rows(&tags),
            tags,
            round: Default::default(),
        };
        self.watch_changes(true);
        let step = self.close_leaves(&mut leaves);
        self.watch_changes(false);
        step
    }

    /// Notes from now on which rows and dimensions change, or stops doing so.
    fn watch_changes(&mut self, on: bool) {
        self.watching = on;
        self.changed = Vec::new();
        self.dims.watch(on);
    }

    fn close_leaves(&mut self, leaves: &mut Leaves) -> EngineResult {
        loop {
            self.step(1)?;
            self.look_at_leaves(leaves)?;
            let progress = self.close_forced()?
                || self.commit_known(leaves)?
                || self.commit_extents(leaves)?
                || self.close_bases()?
                || self.close_counted_of(leaves)?
                || self.guess_dims(leaves)?
                || self.guess_rows(leaves)?
                || leaves.rows.release_parked();
            if !progress {
                return self.refuse_open_sizes();
            }
        }
    }

    /// Closes a row whose elements are counted and that is no leaf. False when there is none.
    fn close_counted_of(&mut self, leaves: &mut Leaves) -> Result<bool, Box<Failure>> {
        let any = self.close_counted(|var| leaves.tags.row(var) != Tag::Interior)?;
        if any {
            self.tag_minted_axes(&mut leaves.tags);
        }
        Ok(any)
    }

    /// Brings up to date what is known of the leaves.
    fn look_at_leaves(&mut self, leaves: &mut Leaves) -> EngineResult {
        loop {
            let mut rows = Vec::new();
            self.look_at_dims(&mut leaves.tags, &mut leaves.dims, &mut rows);
            rows.into_iter()
                .for_each(|component| leaves.rows.enqueue(component));
            self.look_at_rows(&leaves.tags, &mut leaves.rows, &mut leaves.dims)?;
            if self.dims.is_untouched() && self.changed.is_empty() && leaves.tags.due.is_empty() {
                return Ok(());
            }
        }
    }

    /// Commits a round of leaves whose bounds are known. False when there is none.
    fn commit_known(&mut self, leaves: &mut Leaves) -> Result<bool, Box<Failure>> {
        // A chain of leaves has a round for each: the lists of a round are used again.
        let (mut dims, mut components) = std::mem::take(&mut leaves.round);
        self.ready_dims(&mut leaves.dims, &mut dims);
        leaves.rows.take_ready(&mut components);
        if dims.is_empty() && components.is_empty() && leaves.dims.release_all() {
            // Leaves that wait for each other are equal (DI-antisym).
            self.equate_cycles()?;
            self.look_at_leaves(leaves)?;
            self.ready_dims(&mut leaves.dims, &mut dims);
        }
        if let ([term], []) = (&*dims, &*components) {
            self.close_dim_chain(*term, leaves)?;
        } else {
            for component in &components {
                self.close_component(*component, leaves);
            }
            self.close_bounded_dims(&dims)?;
        }
        self.step(leaves.dims.take_seen())?;
        if !components.is_empty() {
            self.solve()?;
            self.tag_minted_axes(&mut leaves.tags);
        }
        if let ([], [component]) = (&*dims, &*components) {
            self.close_row_chain(*component, leaves)?;
        }
        let progress = !dims.is_empty() || !components.is_empty();
        dims.clear();
        components.clear();
        leaves.round = (dims, components);
        Ok(progress)
    }

    /// Commits a round of rows whose bounds have holes. False when there is none.
    fn commit_extents(&mut self, leaves: &mut Leaves) -> Result<bool, Box<Failure>> {
        let round = self.ready_holed(&leaves.tags, &mut leaves.rows);
        for var in &round {
            self.close_leaf_row(*var, &leaves.rows.bounds);
        }
        if !round.is_empty() {
            self.solve()?;
            self.tag_minted_axes(&mut leaves.tags);
        }
        Ok(!round.is_empty())
    }

    /// Closes the leaf dimensions that nothing bounds, each after those below it: the unit of one that lies below fills
    /// another one. False when there is none.
    fn guess_dims(&mut self, leaves: &mut Leaves) -> Result<bool, Box<Failure>> {
        let mut roots = leaves.dims.take_unbounded();
        let any = |tag| roots.iter().any(|root| leaves.dims.tag(*root) == tag);
        if any(Tag::Param) && any(Tag::Leaf) {
            // A leaf on a cycle of inequalities with a dimension of a parameter is equal to it (DI-antisym), so it may
            // not be guessed. The axes of committed extents can lie on such cycles.
            self.equate_cycles()?;
            self.look_at_leaves(leaves)?;
            roots.extend(leaves.dims.take_unbounded());
        }
        let mut guessed = false;
        leaves.dims.begin_search(self.dims.len());
        let mut stack = Vec::new();
        for root in roots {
            stack.push((root, false));
            while let Some((var, ready)) = stack.pop() {
                self.step(1)?;
                let term = Term::var(var);
                if self.dims.find(term) != term
                    || self.dims.cap(term).is_some()
                    || self.decides_a_size(term)
                {
                    continue;
                }
                if !ready {
                    if leaves.dims.reach(var) {
                        stack.push((var, true));
                        self.dims.beneath(term, &mut stack);
                    }
                } else if leaves.dims.tag(var) != Tag::Interior {
                    self.guess_dim(term, leaves)?;
                    guessed = true;
                }
            }
        }
        Ok(guessed)
    }

    fn guess_dim(&mut self, term: Term, leaves: &Leaves) -> EngineResult {
        if leaves.dims.tag(term.id()) == Tag::Param {
            return Err(self.undetermined(self.param_of(term, &leaves.tags)));
        }
        let rule = Rule::CloseLeaf;
        let conclusion = Conclusion::Cap(term, Term::UNIT);
        let inference = self.inferences.commit(rule, conclusion, [None; 2]);
        self.dims
            .equal(term, Term::UNIT, rule, inference, &mut self.inferences)
    }

    /// Guesses a round of rows that nothing bounds. False when there is none.
    fn guess_rows(&mut self, leaves: &mut Leaves) -> Result<bool, Box<Failure>> {
        let round = self.ready_unbounded(&leaves.tags, &mut leaves.rows);
        if self.any_hidden(&round, leaves) {
            return Err(Box::new(Failure {
                rule: Rule::CloseLeaf,
                reasons: Vec::new(),
                terms: Vec::new(),
                message: "nothing determines the axes of this row of a parameter".into(),
                is_limit: false,
            }));
        }
        for var in &round {
            self.close_leaf_row(*var, &leaves.rows.bounds);
        }
        if !round.is_empty() {
            self.solve()?;
            self.tag_minted_axes(&mut leaves.tags);
        }
        Ok(!round.is_empty())
    }

    /// Says whether a row of a parameter is not known to have an axis and lies below another open leaf. The rows of a
    /// cycle, such as those of a parameter and of what an optimiser keeps of it, count as one. Each row is walked over
    /// once: a row from which the walk has gone on leads to no leaf but those of the cycles where a walk began.
    fn any_hidden(&mut self, round: &[RowVarId], leaves: &Leaves) -> bool {
        let of_param = |var: &RowVarId| {
            leaves.tags.row(*var) == Tag::Param
                && self.rows.nodes.at(*var).len == PerFlank::both(0)
                && !self.is_rest(*var, &leaves.tags)
        };
        let params: Vec<RowVarId> = round.iter().copied().filter(of_param).collect();
        let mut seen = FxHashSet::default();
        let mut todo = Vec::new();
        for var in params {
            let Some(cycle) = leaves.rows.component_of(var) else {
                continue;
            };
            todo.extend(
                leaves
                    .rows
                    .members(cycle)
                    .iter()
                    .filter(|row| seen.insert(**row)),
            );
            while let Some(row) = todo.pop() {
                let mut hidden = false;
                let inequalities = self.each_row_above(row, |above| {
                    if self.binding(above) != Binding::Open
                        || leaves.rows.component_of(above) == Some(cycle)
                    {
                        return;
                    }
                    hidden |= self.has_open_leaf(above, &leaves.rows, &leaves.tags);
                    if seen.insert(above) {
                        todo.push(above);
                    }
                });
                self.count(1 + inequalities);
                if hidden {
                    return true;
                }
            }
        }
        false
    }

    /// Closes the leaves of a component whose bounds have no hole.
    fn close_component(&mut self, component: ComponentId, leaves: &mut Leaves) {
        if let [var] = *leaves.rows.members(component) {
            if !self.is_open_leaf(var, &leaves.tags) {
                return;
            }
            if let Some((at, low)) = self.closed_only_cap(var) {
                self.close_like_only_cap(var, at, low);
            } else if self.standing(var, &leaves.rows.bounds) == Standing::Known {
                self.close_leaf_row(var, &leaves.rows.bounds);
                leaves.rows.bounds.drop_last(var);
            }
            return;
        }
        let members = leaves.rows.members(component).to_vec();
        let mut known = members.clone();
        known.retain(|var| {
            self.is_open_leaf(*var, &leaves.tags)
                && self.standing(*var, &leaves.rows.bounds) == Standing::Known
        });
        if let [first, others @ ..] = &*known
            && self.are_equal(&members)
        {
            self.close_leaf_row(*first, &leaves.rows.bounds);
            for var in others {
                let reason = leaves
                    .rows
                    .bounds
                    .get(*var)
                    .copied()
                    .unwrap_or_default()
                    .reason;
                self.close_like(*var, *first, reason);
                self.closed(*var);
            }
            return;
        }
        for var in known {
            self.close_leaf_row(var, &leaves.rows.bounds);
        }
    }

    /// Says whether every inequality of a cycle has equally many axes on either side and no variable of it is known to
    /// have an axis. The rows are equal then.
    fn are_equal(&self, cycle: &[RowVarId]) -> bool {
        let inside: FxHashSet<RowVarId> = cycle.iter().copied().collect();
        cycle.iter().all(|var| {
            self.rows.nodes.at(*var).len == PerFlank::both(0)
                && self.is_level_within(*var, |low| inside.contains(&low))
        })
    }

    /// Returns the inequality and the closed row of values that are all that is known of an open row: that row is its
    /// bound.
    pub(crate) fn closed_only_cap(&mut self, var: RowVarId) -> Option<(InequalityId, RowVarId)> {
        if self.rows.nodes.at(var).len != PerFlank::both(0) {
            return None;
        }
        let (at, low) = self.only_cap(var)?;
        (self.binding(low) == Binding::Closed && self.has_values(low)).then_some((at, low))
    }

    /// Closes a leaf row to its only cap, a closed row of values. The axes need not be copied.
    pub(crate) fn close_like_only_cap(&mut self, var: RowVarId, at: InequalityId, low: RowVarId) {
        let PerFlank([lead, trail]) = PerFlank::each(|flank| self.axes_reason(low, flank));
        let axes = self.inferences.both(Rule::RiCap, lead, trail);
        let inequality = self.rows.inequalities.edit(at);
        let (len, reason) = (self.rows.nodes.at(low).len, inequality.reason);
        inequality.done = len;
        let reason = self.inferences.with(Rule::RiCap, reason, axes);
        self.close_like(var, low, Some(reason));
        self.closed_below(var);
        self.wake(var);
    }

    /// Closes a leaf row of which nothing is known to the value of a closed row that lies below it.
    fn close_like(&mut self, var: RowVarId, low: RowVarId, reason: Option<Reason>) {
        let conclusion = Conclusion::Placed(var);
        let inference = self
            .inferences
            .commit(Rule::CloseLeaf, conclusion, [reason, None]);
        for flank in Flank::BOTH {
            self.rows.share_storage(low, var, flank);
        }
        let len = self.rows.nodes.at(low).len;
        let node = self.rows.nodes.edit(var);
        let because = Some(inference);
        (node.len, node.length_reasons) = (len, PerFlank::both(because));
        (node.binding, node.fixed, node.flat) = (Binding::Closed, because, because);
    }

    /// Says whether every axis of a row's flanks is a value.
    fn has_values(&mut self, var: RowVarId) -> bool {
        Flank::BOTH.into_iter().all(|flank| {
            let len = self.rows.nodes.at(var).len[flank] as usize;
            self.count(len);
            let axes = self.rows.storage_of(var, flank);
            let mut is_value = |axis: &Term| !self.dims.find(*axis).is_var();
            axes.len() == len
                && axes
                    .iter()
                    .all(|axis| axis.as_ref().is_some_and(&mut is_value))
        })
    }

    /// Closes an open leaf row to its bound, or to its known axes when it has none. A hole becomes a dimension of the
    /// leaf.
    fn close_leaf_row(&mut self, var: RowVarId, bounds: &Bounds) {
        let known = self.rows.nodes.at(var).len;
        let bound = bounds.get(var).copied().unwrap_or_default();
        // The known flanks are a part of the closed row.
        let before = self.flat_reason(var);
        let conclusion = Conclusion::Placed(var);
        let inference = self
            .inferences
            .commit(Rule::CloseLeaf, conclusion, [bound.reason, before]);
        for flank in Flank::BOTH {
            let beyond = known[flank]..bound.len[flank];
            for position in beyond.clone() {
                match self.value_of(bounds.axis(var, flank, position)) {
                    Some(value) => self.write_axis(var, flank, position, value),
                    None => {
                        self.fresh_axis(var, flank, position);
                    }
                }
            }
            if !beyond.is_empty() {
                self.set_length(var, flank, bound.len[flank], inference);
            }
        }
        let node = self.rows.nodes.edit(var);
        let because = Some(inference);
        (node.binding, node.fixed, node.flat) = (Binding::Closed, because, because);
        self.closed(var);
    }

    /// Returns the value that an axis of a bound gives to an axis of a leaf; `None` for a hole.
    fn value_of(&self, axis: Option<Term>) -> Option<Term> {
        let root = self.dims.peek(axis.unwrap_or(Term::UNIT));
        if root.is_var() {
            self.dims.cap(root)
        } else {
            Some(root)
        }
    }

    /// Closes one leaf dimension to the atom below it.
    pub(crate) fn close_bounded_dim(&mut self, term: Term) -> EngineResult {
        let Some(value) = self.dims.cap(term) else {
            return Ok(());
        };
        let (rule, conclusion) = (Rule::CloseLeaf, Conclusion::Cap(term, value));
        let reasons = [self.dims.cap_reason(term), None];
        let inference = self.inferences.commit(rule, conclusion, reasons);
        self.dims
            .equal(term, value, rule, inference, &mut self.inferences)
    }

    /// Closes leaf dimensions to the atoms below them.
    fn close_bounded_dims(&mut self, round: &[Term]) -> EngineResult {
        let rule = Rule::CloseLeaf;
        let mut commitments = Vec::new();
        for term in round {
            if let Some(value) = self.dims.cap(*term) {
                let reasons = [self.dims.cap_reason(*term), None];
                let inference =
                    self.inferences
                        .commit(rule, Conclusion::Cap(*term, value), reasons);
                commitments.push((*term, value, inference));
            }
        }
        for (term, value, inference) in commitments {
            self.dims
                .equal(term, value, rule, inference, &mut self.inferences)?;
        }
        Ok(())
    }

    /// Makes the failure that nothing determines a dimension of a parameter.
    fn undetermined(&self, term: Term) -> Box<Failure> {
        let mut failure = Box::new(Failure {
            rule: Rule::CloseLeaf,
            reasons: Vec::new(),
            terms: vec![term],
            message: "nothing determines this dimension of a parameter".into(),
            is_limit: false,
        });
        if let Some((var, flank, at)) = self.axis_of(term) {
            let axis = self.axis_text(var, flank, at);
            failure.message = format!("nothing determines the size of {axis}, a parameter");
            failure.terms.clear();
            failure.reasons = self.rows.nodes.at(var).fixed.into_iter().collect();
        }
        failure
    }

    /// Returns a variable of the class that belongs to a parameter.
    fn param_of(&self, root: Term, tags: &Tags) -> Term {
        self.dims
            .ids()
            .filter(|var| tags.dim(*var) == Tag::Param)
            .map(Term::var)
            .find(|var| self.dims.peek(*var) == root)
            .unwrap_or(root)
    }

    /// Applies DI-antisym: the inequalities of a cycle are equalities.
    fn equate_cycles(&mut self) -> EngineResult {
        self.step(self.dims.inequalities())?;
        if self.dims.go_one_way() {
            return Ok(());
        }
        let len = self.dims.len();
        self.step(len)?;
        let mut edges = Vec::new();
        let components = Components::of(len, self.dims.ids(), |var, into| {
            edges.clear();
            self.dims.above(Term::var(var), &mut edges);
            into.extend(edges.iter().map(|edge| self.dims.peek(edge.1).id()));
        });
        for id in components.ids() {
            if let cycle @ [_, _, ..] = components.get(id) {
                self.equate_cycle(cycle)?;
            }
        }
        Ok(())
    }

    fn equate_cycle(&mut self, cycle: &[DimVarId]) -> EngineResult {
        let inside: FxHashSet<DimVarId> = cycle.iter().copied().collect();
        let mut edges = Vec::new();
        for var in cycle {
            self.dims.above(Term::var(*var), &mut edges);
        }
        edges.retain(|(_, high, _)| inside.contains(&self.dims.peek(*high).id()));
        let Some((.., mut reason)) = edges.first().copied() else {
            return Ok(());
        };
        for (.., edge) in &edges[1..] {
            reason = self.inferences.with(Rule::DiAntisym, reason, Some(*edge));
        }
        for (low, high, _) in edges {
            self.dims
                .equal(low, high, Rule::DiAntisym, reason, &mut self.inferences)?;
        }
        Ok(())
    }
}
