//! Def. 4.1: configurations ⟨Φ; σ; B⟩, and the one discipline of binding.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::cause::{Cause, Commitment, Failure};
use crate::literal::Literal;
use crate::rank_graph::RankGraph;
use crate::trace::Step;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet, Tag};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, RowVar, Substitution, Var};
use lozenge_vocabulary::verdict::Order;

/// A constraint in flight.
#[derive(Clone, Debug)]
pub struct Pending {
    /// The constraint; σ is applied to it when it is processed.
    pub constraint: Constraint,
    /// Why it holds.
    pub cause: Cause,
}

/// Why a binding holds. The content of a row variable and the place of its marker have different causes: an
/// equality entails only the content (Lemma 5.1).
#[derive(Clone, Debug, Default)]
struct BindingCause {
    content: Cause,
    placement: Cause,
}

/// The bound store B: inequalities between unsolved variables and what lies below them, in the order in which they
/// were recorded. An atom below a dimension variable, an inequality between two of them, or a cap `R ⊑ ⟨ρ⟩`.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    stored: Vec<Pending>,
}

impl Bounds {
    /// `lb(α)`: the atom recorded below a dimension variable.
    pub fn lower_bound(&self, var: &DimVar) -> Option<(&Dim, &Cause)> {
        self.stored
            .iter()
            .find_map(|bound| match &bound.constraint {
                Constraint::DimLe(DimTerm::Const(atom), DimTerm::Var(above)) if above == var => {
                    Some((atom, &bound.cause))
                }
                _ => None,
            })
    }

    /// The recorded `α ⊑ β`, as `(α, β, cause)`.
    pub fn adjacencies(&self) -> impl Iterator<Item = (&DimVar, &DimVar, &Cause)> {
        self.stored
            .iter()
            .filter_map(|bound| match &bound.constraint {
                Constraint::DimLe(DimTerm::Var(low), DimTerm::Var(high)) => {
                    Some((low, high, &bound.cause))
                }
                _ => None,
            })
    }

    /// The recorded caps `R ⊑ ⟨ρ⟩`, as `(R, ρ, cause)`.
    pub fn caps(&self) -> impl Iterator<Item = (&RowTerm, &RowVar, &Cause)> {
        self.stored
            .iter()
            .filter_map(|bound| match &bound.constraint {
                Constraint::RowLe(cap, operand) => Some((cap, operand.var.as_ref()?, &bound.cause)),
                _ => None,
            })
    }

    /// Everything that is stored, with its causes.
    pub fn iter(&self) -> impl Iterator<Item = (&Constraint, &Cause)> {
        self.stored
            .iter()
            .map(|bound| (&bound.constraint, &bound.cause))
    }

    /// `constr(B)` (Lemma 5.1): what is stored, as constraints.
    pub fn constraints(&self) -> impl Iterator<Item = &Constraint> {
        self.stored.iter().map(|bound| &bound.constraint)
    }

    /// Records a bound, once.
    pub(crate) fn record(&mut self, constraint: Constraint, cause: Cause) {
        if self.constraints().all(|known| *known != constraint) {
            self.stored.push(Pending { constraint, cause });
        }
    }

    /// Takes out every bound that mentions the variable, in the order of recording.
    fn take(&mut self, var: &Var) -> Vec<Pending> {
        let (taken, kept) = self
            .stored
            .drain(..)
            .partition(|bound| bound.constraint.mentions(var));
        self.stored = kept;
        taken
    }
}

/// A configuration, with the rank facts, the deferred equations and the trace beside it.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// Φ: the constraints in flight.
    pub pending: VecDeque<Pending>,
    /// Word equations that wait for a binding of one of their variables (Def. 4.3(c), (d)).
    pub deferred: Vec<Pending>,
    /// σ: the bindings so far, idempotent.
    pub bindings: Substitution,
    /// B: the bounds of unsolved variables.
    pub bounds: Bounds,
    /// G: the rank facts (Def. 4.5).
    pub ranks: RankGraph,
    /// The tag of each variable; what is spliced into a leaf is of the leaf.
    pub tags: BTreeMap<Var, Tag>,
    /// The policy steps taken.
    pub commitments: Vec<Commitment>,
    /// Which reading `<=` between rows has.
    pub order: Order,
    /// Printed rules that are run as printed.
    pub literal: Literal,
    /// The steps taken, if they are recorded.
    pub trace: Option<Vec<Step>>,
    /// Every variable that there is or was, in the order of their first occurrence: what depends on an order of
    /// variables goes by this one, never by names.
    pub vars: Vec<Var>,
    /// Variables that a rule minted.
    pub minted: BTreeSet<Var>,
    causes: BTreeMap<Var, BindingCause>,
    next_fresh: usize,
}

impl Configuration {
    /// The first configuration of a run: everything in flight.
    pub fn new(set: &ConstraintSet, order: Order, traced: bool) -> Configuration {
        let pending = |(index, constraint): (usize, &Constraint)| Pending {
            constraint: constraint.clone(),
            cause: Cause::input(index),
        };
        Configuration {
            pending: set.constraints.iter().enumerate().map(pending).collect(),
            deferred: Vec::new(),
            bindings: Substitution::default(),
            bounds: Bounds::default(),
            ranks: RankGraph::default(),
            tags: set.tags.clone(),
            commitments: Vec::new(),
            order,
            literal: Literal::default(),
            trace: traced.then(Vec::new),
            vars: set.vars_in_order(),
            minted: BTreeSet::new(),
            causes: BTreeMap::new(),
            next_fresh: 1,
        }
    }

    /// The tag of a variable.
    pub fn tag(&self, var: &Var) -> Tag {
        self.tags.get(var).copied().unwrap_or_default()
    }

    /// The constraint under σ, and its cause with those of the bindings that it took.
    pub fn substituted(&self, pending: &Pending) -> Pending {
        let mut cause = pending.cause.clone();
        // Equality judges flat content, so it does not rest on where a marker was placed.
        let placed = matches!(pending.constraint, Constraint::RowLe(..));
        for var in pending.constraint.vars() {
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

    /// Records a step.
    pub fn step(&mut self, rule: Rule, of: Option<&Pending>, emitted: &[Constraint]) {
        if let Some(trace) = &mut self.trace {
            trace.push(Step {
                rule,
                constraint: of.map(|p| p.constraint.clone()),
                inputs: of
                    .map(|p| p.cause.inputs.iter().copied().collect())
                    .unwrap_or_default(),
                emitted: emitted.to_vec(),
                bound: None,
                stored: None,
            });
        }
    }

    /// Notes in the last step what it stored.
    pub fn note_stored(&mut self, stored: &Constraint) {
        if let Some(step) = self.trace.as_mut().and_then(|t| t.last_mut()) {
            step.stored = Some(stored.clone());
        }
    }

    /// Puts a constraint into flight.
    pub fn emit(&mut self, constraint: Constraint, cause: Cause) {
        self.pending.push_back(Pending { constraint, cause });
    }

    /// Puts several into flight with one cause.
    pub fn emit_all(&mut self, constraints: Vec<Constraint>, cause: &Cause) {
        constraints
            .into_iter()
            .for_each(|c| self.emit(c, cause.clone()));
    }

    /// A failure of a rule on a constraint.
    pub fn failure(&self, rule: Rule, on: &Pending, reason: impl Into<String>) -> Box<Failure> {
        Box::new(Failure {
            rule,
            constraint: on.constraint.clone(),
            reason: reason.into(),
            inputs: on.cause.inputs.iter().copied().collect(),
            commitments: on
                .cause
                .commitments
                .iter()
                .map(|i| self.commitments[*i].clone())
                .collect(),
        })
    }

    /// Notes a policy step that follows from `because`, and gives the cause that rests on it.
    pub fn commit(&mut self, rule: Rule, var: Var, value: String, because: &Cause) -> Cause {
        self.commitments.push(Commitment {
            rule,
            var,
            value,
            inputs: because.inputs.iter().copied().collect(),
        });
        let mut cause = because.clone();
        cause.commitments.insert(self.commitments.len() - 1);
        cause
    }

    /// Binds a dimension variable: σ := [α ↦ t] ∘ σ, and what is stored for α is in flight again.
    pub fn bind_dim(&mut self, var: DimVar, term: DimTerm, cause: Cause) {
        let key = Var::Dim(var.clone());
        self.note_bound(&key, term.to_string());
        if let DimTerm::Var(into) = &term {
            self.inherit_tag(&key, Var::Dim(into.clone()));
        }
        let one = Substitution {
            dims: BTreeMap::from([(var.clone(), term)]),
            rows: BTreeMap::new(),
        };
        self.bind(
            &key,
            one,
            BindingCause {
                content: cause,
                placement: Cause::default(),
            },
        );
        self.pending.extend(self.bounds.take(&key));
    }

    /// Binds a row variable; `placement` is why the marker is where it is.
    pub fn bind_row(&mut self, var: RowVar, term: RowTerm, content: Cause, placement: Cause) {
        let key = Var::Row(var.clone());
        self.note_bound(&key, term.to_string());
        for axis in term.axes() {
            if let DimTerm::Var(into) = axis {
                self.inherit_tag(&key, Var::Dim(into.clone()));
            }
        }
        if let Some(into) = &term.var {
            self.inherit_tag(&key, Var::Row(into.clone()));
        }
        let one = Substitution {
            dims: BTreeMap::new(),
            rows: BTreeMap::from([(var.clone(), term)]),
        };
        self.bind(&key, one, BindingCause { content, placement });
        self.pending.extend(self.bounds.take(&key));
    }

    fn note_bound(&mut self, var: &Var, value: String) {
        if let Some(step) = self.trace.as_mut().and_then(|t| t.last_mut()) {
            step.bound = Some((var.clone(), value));
        }
    }

    /// What becomes part of a leaf's or a parameter's shape is closed as such (Def. 6.1).
    fn inherit_tag(&mut self, from: &Var, to: Var) {
        let rank = |tag: Tag| match tag {
            Tag::Interior => 0,
            Tag::Leaf => 1,
            Tag::Param => 2,
        };
        let (theirs, own) = (self.tag(from), self.tag(&to));
        if rank(theirs) > rank(own) {
            self.tags.insert(to, theirs);
        }
    }

    fn bind(&mut self, var: &Var, one: Substitution, cause: BindingCause) {
        // A binding that mentioned the variable rests on this one from now on.
        let mut mentions = Vec::new();
        for (bound, term) in &self.bindings.dims {
            if term.mentions(var) {
                mentions.push(Var::Dim(bound.clone()));
            }
        }
        for (bound, term) in &self.bindings.rows {
            if term.mentions(var) {
                mentions.push(Var::Row(bound.clone()));
            }
        }
        for bound in mentions {
            let known = self.causes.entry(bound).or_default();
            known.content.join(&cause.content);
            known.placement.join(&cause.placement);
        }
        self.bindings = one.compose(&self.bindings);
        self.causes.insert(var.clone(), cause);
        let (woken, still) = self
            .deferred
            .drain(..)
            .partition::<Vec<_>, _>(|p| p.constraint.mentions(var));
        self.deferred = still;
        self.pending.extend(woken);
    }

    /// A dimension variable that does not occur yet, named after another variable.
    pub fn fresh_dim(&mut self, after: &str) -> DimVar {
        loop {
            let var = DimVar::new(&self.fresh_name(after));
            if self.mint(Var::Dim(var.clone())) {
                return var;
            }
        }
    }

    /// A row variable that does not occur yet, named after another variable.
    pub fn fresh_row(&mut self, after: &str) -> RowVar {
        loop {
            let var = RowVar::new(&self.fresh_name(after));
            if self.mint(Var::Row(var.clone())) {
                return var;
            }
        }
    }

    /// Whether the variable is new; it is one of ours then.
    fn mint(&mut self, var: Var) -> bool {
        let new = !self.minted.contains(&var) && !self.vars.contains(&var);
        if new {
            self.vars.push(var.clone());
            self.minted.insert(var);
        }
        new
    }

    fn fresh_name(&mut self, after: &str) -> String {
        let stem = after
            .split('\'')
            .next()
            .filter(|s| !s.is_empty())
            .unwrap_or("x");
        let name = format!("{stem}'{}", self.next_fresh);
        self.next_fresh += 1;
        name
    }

    /// The variables that σ does not bind, in the order of their first occurrence.
    pub fn unsolved(&self) -> Vec<Var> {
        let solved = |var: &&Var| match var {
            Var::Dim(var) => !self.bindings.dims.contains_key(var),
            Var::Row(var) => !self.bindings.rows.contains_key(var),
        };
        self.vars.iter().filter(solved).cloned().collect()
    }

    /// How many terms the bindings and the store hold: what one binding may have to walk over.
    pub fn size(&self) -> usize {
        self.bindings.dims.len()
            + self
                .bindings
                .rows
                .values()
                .map(|t| t.explicit() + 1)
                .sum::<usize>()
            + self.bounds.stored.len()
    }
}
