//! Def. 4.1: configurations ⟨Φ; σ; B⟩, and the one place that changes them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::bounds::Bounds;
use crate::cause::{Cause, Commitment, Failure, Pending};
use crate::clash::Clash;
use crate::firing::{Binding, Choice, Firing, Fresh, Value};
use crate::rank_graph::RankGraph;
use crate::sizes::Sizes;
use crate::trace::TraceEntry;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet, Tag};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{DimVar, RowTerm, RowVar, Substitution, Var};

/// The causes of a binding. The content of a row variable and the place of its marker have different causes: an
/// equality entails only the content (Lemma 5.1).
#[derive(Clone, Debug, Default)]
struct BindingCause {
    content: Cause,
    placement: Cause,
}

/// A configuration, with the rank facts, the deferred equations and the trace beside it.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// Φ: the constraints in flight.
    pub pending: VecDeque<Pending>,
    /// A constraint that is processed again before any other (Def. 4.3(iv)).
    pub next: Option<Pending>,
    /// σ: the bindings so far, idempotent.
    pub bindings: Substitution,
    /// B: the bounds of unsolved variables.
    pub bounds: Bounds,
    /// Word equations that wait for a binding of one of their variables (Def. 4.3(c), (d)).
    pub deferred: Vec<Pending>,
    /// G: the rank facts (Def. 4.5).
    pub ranks: RankGraph,
    /// The tag of each variable. A variable that is spliced into a leaf inherits the leaf's tag.
    pub tags: BTreeMap<Var, Tag>,
    /// The policy steps taken.
    pub commitments: Vec<Commitment>,
    /// The steps taken, if they are recorded.
    pub trace: Option<Vec<TraceEntry>>,
    /// Every variable, bound or not, in the order of first occurrence. Where an order of variables matters it is this
    /// one, never the order of their names.
    pub vars: Vec<Var>,
    /// Values that satisfy the constraints of sizes that the rules leave open, once these are decided (§8).
    pub sizes_found: BTreeMap<DimVar, Dim>,
    /// The variables that are 0 (§8). They occur in no constraint of the run.
    pub zeros: BTreeSet<DimVar>,
    /// True if open rows whose elements are counted need more axes than are known of them.
    pub is_unwitnessed: bool,
    /// The variables that rules made.
    pub minted: BTreeSet<Var>,
    taken: BTreeSet<Var>,
    causes: BTreeMap<Var, BindingCause>,
}

impl Configuration {
    /// Returns the first configuration of a run: every constraint is in flight.
    pub fn new(set: &ConstraintSet, traced: bool) -> Configuration {
        let pending = |(index, constraint): (usize, &Constraint)| Pending {
            constraint: constraint.clone(),
            cause: Cause::input(index),
        };
        Configuration {
            pending: set.constraints.iter().enumerate().map(pending).collect(),
            next: None,
            bindings: Substitution::default(),
            bounds: Bounds::default(),
            deferred: Vec::new(),
            ranks: RankGraph::default(),
            tags: set.tags.clone(),
            commitments: Vec::new(),
            trace: traced.then(Vec::new),
            vars: set.vars_in_order(),
            sizes_found: BTreeMap::new(),
            zeros: BTreeSet::new(),
            is_unwitnessed: false,
            minted: BTreeSet::new(),
            taken: set.vars(),
            causes: BTreeMap::new(),
        }
    }

    /// Returns the tag of a variable.
    pub fn tag(&self, var: &Var) -> Tag {
        self.tags.get(var).copied().unwrap_or_default()
    }

    /// Returns the variables that σ does not bind, in the order of first occurrence.
    pub fn unsolved(&self) -> Vec<Var> {
        let open = |var: &&Var| match var {
            Var::Dim(var) => !self.bindings.dims.contains_key(var),
            Var::Row(var) => !self.bindings.rows.contains_key(var),
        };
        self.vars.iter().filter(open).cloned().collect()
    }

    /// Returns a source of variables that do not occur yet.
    pub fn fresh(&self) -> Fresh<'_> {
        Fresh::new(&self.taken, self.minted.len() + 1)
    }

    /// Counts the terms that the bindings and the store hold, which bound the cost of one binding.
    pub fn size(&self) -> usize {
        let rows = self.bindings.rows.values().map(|term| term.explicit() + 1);
        self.bindings.dims.len() + rows.sum::<usize>() + self.bounds.len()
    }

    /// Returns the constraint under σ. Its cause includes those of the bindings that were applied.
    pub fn substituted(&self, pending: &Pending) -> Pending {
        let mut cause = pending.cause.clone();
        // Equality compares flat content only, so it does not depend on where a marker was placed.
        let placed = matches!(pending.constraint, Constraint::RowLe(..));
        for var in pending.constraint.occurrences() {
            if let Some(binding) = self.causes.get(&var) {
                cause.join(&binding.content);
                if placed {
                    cause.join(&binding.placement);
                }
            }
        }
        Pending {
            constraint: pending.constraint.substituted(&self.bindings),
            cause,
        }
    }

    /// Carries out a firing; `on` is the constraint that it consumes, and a closing step consumes none. Nothing else
    /// changes a configuration: commitments, rank facts and the trace are recorded, then the firing stores, defers,
    /// binds and emits.
    ///
    /// # Errors
    /// The failure configuration: the rule failed, or a rank fact closes a cycle.
    pub fn apply(&mut self, firing: Firing, on: Option<&Pending>) -> Result<(), Box<Failure>> {
        let own = on.map(|on| on.cause.clone()).unwrap_or_default();
        let cause = own.and(&firing.uses);
        let constraint = on.map(|on| &on.constraint);
        #[cfg(feature = "tracing")]
        tracing::trace!(
            rule = firing.rule.name(),
            constraint = constraint.map(|constraint| constraint.to_string()),
            fails = firing.fails.is_some(),
            "a rule fires"
        );
        if let Some(clash) = firing.fails {
            return Err(self.failure(firing.rule, clash, constraint, &cause));
        }
        // The chosen part of the step rests on a commitment, and so do the lengths of flanks.
        let chosen = match &firing.binds {
            Some(binding) if binding.choice != Choice::Nothing => {
                self.commit(firing.rule, &binding.value, &cause)
            }
            _ => cause.clone(),
        };
        for fact in &firing.facts {
            let cycle = self.ranks.record(fact, &chosen);
            cycle.map_err(|around| {
                let clash = Clash::Cycle {
                    row: fact.from.clone(),
                    flank: fact.flank,
                };
                self.failure(Rule::RankCycle, clash, constraint, &around)
            })?;
        }
        if let Some(trace) = &mut self.trace {
            trace.push(TraceEntry::of(&firing, constraint, &cause));
        }
        if let Some(bound) = firing.stores {
            if bound.is_of_sizes() {
                self.wake_sizes();
            }
            self.bounds.record(bound, cause.clone());
        }
        if let Some(constraint) = firing.defers {
            let cause = cause.clone();
            self.deferred.push(Pending { constraint, cause });
        }
        if let Some(Binding { value, choice }) = firing.binds {
            let content = if choice == Choice::Value {
                &chosen
            } else {
                &cause
            };
            let content = content.clone();
            self.bind(
                value,
                BindingCause {
                    content,
                    placement: chosen,
                },
            );
        }
        if firing.again {
            self.next = on.cloned();
        }
        for (constraint, further) in firing.emits {
            let cause = cause.and(&further);
            self.pending.push_back(Pending { constraint, cause });
        }
        Ok(())
    }

    fn failure(
        &self,
        rule: Rule,
        clash: Clash,
        on: Option<&Constraint>,
        cause: &Cause,
    ) -> Box<Failure> {
        let commitments = cause
            .commitments
            .iter()
            .map(|i| self.commitments[*i].clone());
        Box::new(Failure {
            rule,
            constraint: on.cloned().unwrap_or_else(|| clash.about()),
            reason: clash.to_string(),
            clash,
            inputs: cause.inputs.iter().copied().collect(),
            commitments: commitments.collect(),
        })
    }

    /// Notes a policy step, and gives the cause that rests on it.
    fn commit(&mut self, rule: Rule, value: &Value, because: &Cause) -> Cause {
        let mut cause = because.clone();
        cause.commitments.insert(self.commitments.len());
        self.commitments.push(Commitment {
            rule,
            var: value.var(),
            value: value.text(),
            inputs: because.inputs.iter().copied().collect(),
        });
        cause
    }

    /// Composes the binding `[x ↦ T]` with σ, and puts every stored bound and deferred equation about `x` back into Φ.
    fn bind(&mut self, value: Value, cause: BindingCause) {
        let var = value.var();
        for other in value.occurrences() {
            if self.taken.insert(other.clone()) {
                self.vars.push(other.clone());
                self.minted.insert(other.clone());
            }
            self.inherit_tag(&var, other);
        }
        // A binding that mentioned the variable now also rests on this one.
        let dims = self
            .bindings
            .dims
            .iter()
            .filter(|(_, term)| term.mentions(&var));
        let rows = self
            .bindings
            .rows
            .iter()
            .filter(|(_, term)| term.mentions(&var));
        let dims = dims.map(|(bound, _)| Var::Dim(bound.clone()));
        for bound in dims.chain(rows.map(|(bound, _)| Var::Row(bound.clone()))) {
            let known = self.causes.entry(bound).or_default();
            known.content.join(&cause.content);
            known.placement.join(&cause.placement);
        }
        let mut one = Substitution::default();
        match value {
            Value::Dim(var, term) => drop(one.dims.insert(var, term)),
            Value::Row(var, term) => drop(one.rows.insert(var, term)),
        }
        self.bindings = one.compose(&self.bindings);
        self.causes.insert(var.clone(), cause);
        let deferred = std::mem::take(&mut self.deferred);
        let (woken, still) = deferred
            .into_iter()
            .partition::<Vec<_>, _>(|p| p.constraint.mentions(&var));
        self.deferred = still;
        let stored = self.bounds.take(&var);
        let of_sizes = |waiting: &&Pending| waiting.constraint.is_of_sizes();
        if woken
            .iter()
            .chain(&stored)
            .any(|waiting| of_sizes(&waiting))
        {
            self.wake_sizes();
        }
        self.pending.extend(woken);
        self.pending.extend(stored);
    }

    /// Puts every waiting constraint of sizes back into Φ, since a basis may become known through several windows (§8).
    fn wake_sizes(&mut self) {
        let deferred = std::mem::take(&mut self.deferred);
        let (woken, still) = deferred
            .into_iter()
            .partition::<Vec<_>, _>(|waiting| waiting.constraint.is_of_sizes());
        self.deferred = still;
        self.pending.extend(woken);
    }

    /// Returns the part of the configuration that the rules of sizes read (§8).
    pub fn sizes(&self) -> Sizes<'_> {
        Sizes {
            bounds: &self.bounds,
            deferred: &self.deferred,
        }
    }

    /// Gives a variable that becomes part of a leaf's or a parameter's shape the tag by which it is closed like it
    /// (Def. 6.1).
    fn inherit_tag(&mut self, from: &Var, to: Var) {
        let (theirs, own) = (self.tag(from), self.tag(&to));
        if let (Tag::Param, _) | (Tag::Leaf, Tag::Interior) = (theirs, own) {
            self.tags.insert(to, theirs);
        }
    }

    /// Tells whether the value of some row variable of the input is exactly this variable.
    pub(crate) fn stands_for_input(&self, var: &RowVar) -> bool {
        let bare = RowTerm::from(var.clone());
        let of_input = |var: &RowVar| !self.minted.contains(&Var::Row(var.clone()));
        let mut equal = self
            .bindings
            .rows
            .iter()
            .filter(|(_, value)| **value == bare);
        of_input(var) || equal.any(|(own, _)| of_input(own))
    }

    /// Returns `γ↑` (Prop. 5.4) on every variable: unsolved ones are at their tops, or where windows forbid that at
    /// sizes that satisfy the windows; the others have their values under σ.
    pub fn upward(&self) -> Ground {
        let mut tops = Ground::default();
        for var in self.unsolved() {
            match var {
                Var::Dim(var) => {
                    let found = self.sizes_found.get(&var).cloned();
                    tops.dims.insert(var, found.unwrap_or(Dim::Unit));
                }
                Var::Row(var) => drop(tops.rows.insert(var, Row::default())),
            }
        }
        let mut all = tops.clone();
        all.zeros.clone_from(&self.zeros);
        for (var, term) in &self.bindings.dims {
            all.dims
                .extend(tops.dim(term).map(|dim| (var.clone(), dim)));
        }
        for (var, term) in &self.bindings.rows {
            all.rows
                .extend(tops.row(term).map(|row| (var.clone(), row)));
        }
        all
    }
}
