//! The rules of sizes that read one constraint each. All of them are semantic.
//!
//! A class is looked at when it changes: when it is bound, becomes part of another one, or an atom or another class
//! comes to lie below it. A constraint is looked at when something becomes known of a class that it mentions.

use std::num::NonZeroU64;

use lozenge_vocabulary::{Basis, Dim, Rule, Window};

use super::solve::{self, Solved};
use crate::ids::{AssertedId, DimVarId, Id, LeastSizeId, WindowId};
use crate::problem::Asserted;
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::term::Term;

/// The sizes of a window that are known: of the axis, of the windows, of the taps.
pub(crate) struct Sized {
    pub(crate) axis: Option<u64>,
    pub(crate) over: Option<u64>,
    pub(crate) taps: Vec<Option<u64>>,
}

impl Engine {
    /// Takes in what relates sizes. A bound of 1 says nothing.
    pub(crate) fn assert_sizes(&mut self, id: AssertedId) -> EngineResult {
        match self.problem.asserted[id.index()] {
            Asserted::Window(_) => {
                let mut terms = std::mem::take(&mut self.sizes.terms);
                self.list_terms(id, &mut terms);
                // The axis and the windows on it come first.
                let step = self.assert_terms(id, &terms, &terms[..2], Rule::WiAtom);
                self.sizes.terms = terms;
                step
            }
            Asserted::Composite(at) => {
                let (terms, atoms, rule) = self.composite_atoms(at);
                self.assert_terms(id, &terms, &atoms, rule)
            }
            Asserted::Elements(at) => {
                let written = self.written_product(at);
                let terms: Vec<Term> = written.product.axes().copied().collect();
                let whole = [written.product.whole];
                self.sizes.counted.push(written);
                self.sizes.spelling.queue(id);
                self.assert_terms(id, &terms, &whole, Rule::PrAtom)
            }
            // An axis longer than 1 is not the unit.
            Asserted::AtLeast(term, at) if self.problem.least_sizes[at] > NonZeroU64::MIN => {
                self.assert_terms(id, &[term], &[term], Rule::GeCheck)
            }
            _ => Ok(()),
        }
    }

    /// Takes in a constraint by its terms, of which some are atoms.
    fn assert_terms(
        &mut self,
        id: AssertedId,
        terms: &[Term],
        atoms: &[Term],
        rule: Rule,
    ) -> EngineResult {
        if !self.sizes.is_on {
            self.dims.follow(true);
        }
        let constraints = self.problem.asserted.len();
        self.sizes.take(id, constraints, self.dims.len());
        for term in terms {
            let root = self.dims.find(*term);
            if root.is_var() {
                self.sizes.mention(root, id);
            }
        }
        let reason = Reason::constraint(id);
        for term in atoms {
            self.mark_atom(*term, rule, reason)?;
        }
        Ok(())
    }

    /// Concludes everything that follows from what has changed. False when nothing had.
    pub(crate) fn settle_sizes(&mut self) -> Result<bool, Box<Failure>> {
        let mut any = false;
        if !self.sizes.is_on {
            return Ok(any);
        }
        loop {
            self.step(1)?;
            if let Some(id) = self.dims.next_followed() {
                self.look_at_class(id)?;
            } else if let Some(id) = self.sizes.next_due() {
                self.look_at_sizes(id)?;
            } else if self.count_rows()? {
            } else {
                return Ok(any);
            }
            any = true;
        }
    }

    /// Compares the facts about a class with the class that it has become.
    fn look_at_class(&mut self, id: DimVarId) -> EngineResult {
        let own = Term::var(id);
        let root = self.dims.find(own);
        let known = self.sizes.known(own);
        if root == own {
            let queued = self.sizes.queue_ring(known.uses);
            self.count(queued);
            return self.look_at_root(root);
        }
        if !root.is_var() {
            let queued = self.sizes.queue_ring(known.uses);
            self.count(queued);
            return match known.is_nothing() {
                true => Ok(()),
                false => self.look_at_value(own, root),
            };
        }
        // The class has become part of another one.
        self.sizes.join(root, known.uses);
        self.sizes.edit(own).uses = None;
        let ring = self.sizes.known(root).uses;
        let queued = self.sizes.queue_ring(ring);
        self.count(queued);
        if let Some(reason) = known.atom {
            self.set_atom(root, reason);
        }
        if let Some((basis, reason)) = known.basis {
            self.set_basis(root, basis, reason)?;
        }
        if let Some((size, reason)) = known.size {
            self.set_size(root, size.get(), reason)?;
        }
        self.look_at_root(root)
    }

    /// Looks at a class that has become a constant.
    fn look_at_value(&mut self, own: Term, value: Term) -> EngineResult {
        let known = self.sizes.known(own);
        let dim = self.problem.constants.dim(value.constant_id());
        let size = dim.size();
        if let Some(reason) = known.atom
            && value == Term::UNIT
        {
            return self.no_atom(reason, own);
        }
        if let Some((basis, reason)) = known.basis
            && !self.of_one_basis(basis, value)
        {
            let message = self.bases(basis, value);
            return self.clash(Rule::WiBasis, &[reason], &[own], &message);
        }
        if let Some((known, reason)) = known.size
            && known.get() != size
        {
            let message = format!("an axis of {size} has to have the size {known}");
            let rule = self.rule_of(reason, Rule::WiTap);
            return self.clash(rule, &[reason], &[own], &message);
        }
        Ok(())
    }

    /// Returns the rule by which something is known.
    fn rule_of(&self, reason: Reason, otherwise: Rule) -> Rule {
        reason
            .as_inference()
            .map_or(otherwise, |at| self.inferences.get(at).rule)
    }

    /// Refuses an atom that is the unit.
    fn no_atom(&self, reason: Reason, term: Term) -> EngineResult {
        let rule = self.rule_of(reason, Rule::WiAtom);
        let message = no_unit(rule).unwrap_or("1_ has one cell, which is too few");
        self.clash(rule, &[reason], &[term], message)
    }

    /// Concludes what follows for an unsolved class from the facts about it.
    fn look_at_root(&mut self, root: Term) -> EngineResult {
        let known = self.sizes.known(root);
        if let Some((cap, cap_reason)) = self.dims.reasoned_cap(root) {
            if known.atom.is_some() {
                let reason = self.inferences.with(Rule::ArPin, cap_reason, known.atom);
                return self
                    .dims
                    .equal(root, cap, Rule::ArPin, reason, &mut self.inferences);
            }
            if let Some((NonZeroU64::MIN, size_reason)) = known.size
                && self.problem.constants.dim(cap.constant_id()).size() != 1
            {
                let reason = self
                    .inferences
                    .with(Rule::ArPin, cap_reason, Some(size_reason));
                return self.dims.equal(
                    root,
                    Term::UNIT,
                    Rule::ArPin,
                    reason,
                    &mut self.inferences,
                );
            }
        }
        if known.atom.is_none() {
            return Ok(());
        }
        let mut edges = Vec::new();
        self.dims.below_class(root, &mut edges);
        self.count(edges.len());
        for (low, high, reason) in edges {
            if self.dims.find(low) != self.dims.find(high) {
                let reason = self.inferences.with(Rule::ArPin, reason, known.atom);
                self.dims
                    .equal(low, high, Rule::ArPin, reason, &mut self.inferences)?;
            }
        }
        if let (Some((size, size_reason)), Some((basis, basis_reason))) = (known.size, known.basis)
            && self.dims.find(root) == root
        {
            let value = self.atom_of(size.get(), basis);
            let reason = self
                .inferences
                .with(Rule::WiBasis, size_reason, Some(basis_reason));
            return self
                .dims
                .equal(root, value, Rule::WiBasis, reason, &mut self.inferences);
        }
        Ok(())
    }

    /// Returns the atom of a size with the basis of another atom.
    pub(crate) fn atom_of(&mut self, size: u64, basis: Term) -> Term {
        let size = NonZeroU64::new(size).unwrap_or(NonZeroU64::MIN);
        match self.problem.constants.dim(basis.constant_id()) {
            Dim::Atom { basis, .. } if *basis != Basis::Default => {
                let basis = basis.clone();
                Term::constant(self.problem.constants.intern(Dim::Atom { size, basis }))
            }
            _ => self.problem.intern_size(size),
        }
    }

    pub(super) fn of_one_basis(&self, one: Term, other: Term) -> bool {
        let basis = |term: Term| match self.problem.constants.dim(term.constant_id()) {
            Dim::Atom { basis, .. } => Some(basis),
            Dim::Unit => None,
        };
        basis(one) == basis(other)
    }

    /// Notes that a term is an atom.
    fn mark_atom(&mut self, term: Term, rule: Rule, reason: Reason) -> EngineResult {
        let root = self.dims.find(term);
        if let Some(message) = no_unit(rule).filter(|_| root == Term::UNIT) {
            return self.clash(rule, &[reason], &[term], message);
        }
        if root.is_var() && self.sizes.known(root).atom.is_none() {
            let inference =
                self.inferences
                    .record(rule, Conclusion::Atom(term), [Some(reason), None]);
            self.set_atom(root, inference);
        }
        Ok(())
    }

    fn set_atom(&mut self, root: Term, reason: Reason) {
        let known = self.sizes.edit(root);
        if known.atom.is_none() {
            known.atom = Some(reason);
            self.dims.call_up(root);
        }
    }

    /// Notes that a class has a basis.
    pub(super) fn set_basis(&mut self, root: Term, basis: Term, reason: Reason) -> EngineResult {
        let Some((known, known_reason)) = self.sizes.known(root).basis else {
            self.sizes.edit(root).basis = Some((basis, reason));
            self.dims.call_up(root);
            return Ok(());
        };
        if !self.of_one_basis(known, basis) {
            let message = self.bases(known, basis);
            return self.clash(Rule::WiBasis, &[known_reason, reason], &[], &message);
        }
        Ok(())
    }

    /// Notes that a class has a size. An axis longer than 1 is an atom.
    pub(super) fn set_size(&mut self, root: Term, size: u64, reason: Reason) -> EngineResult {
        let Some(size) = NonZeroU64::new(size) else {
            let message = "an axis would have no cell";
            return self.clash(Rule::WiTap, &[reason], &[], message);
        };
        let Some((known, known_reason)) = self.sizes.known(root).size else {
            self.sizes.edit(root).size = Some((size, reason));
            self.dims.call_up(root);
            if size > NonZeroU64::MIN {
                self.set_atom(root, reason);
            }
            return Ok(());
        };
        if known != size {
            let message = format!("an axis would have the sizes {known} and {size}");
            return self.clash(Rule::WiTap, &[known_reason, reason], &[], &message);
        }
        Ok(())
    }

    /// Notes that all constraints of sizes together force the size of a class.
    pub(crate) fn force(&mut self, class: Term, size: u64, reasons: Vec<Reason>) -> EngineResult {
        let reason = self.all(Rule::ArResidue, reasons);
        let shown = self.atom_of(size, Term::UNIT);
        let conclusion = Conclusion::Size(class, shown);
        let inference = self
            .inferences
            .record(Rule::ArResidue, conclusion, [reason, None]);
        self.set_size(class, size, inference)
    }

    /// Returns the size of a term, if it is known.
    pub(crate) fn size_of(&self, term: Term) -> Option<u64> {
        let root = self.dims.peek(term);
        match root.is_var() {
            true => self.sizes.known(root).size.map(|(size, _)| size.get()),
            false => Some(self.problem.constants.dim(root.constant_id()).size()),
        }
    }

    /// Collects the reasons why a term has its size and its basis.
    pub(crate) fn reasons_of(&self, term: Term, into: &mut Vec<Reason>) {
        self.dims.links(term, None, into);
        let root = self.dims.peek(term);
        if root.is_var() {
            let known = self.sizes.known(root);
            into.extend(known.reasons());
        }
    }

    /// Joins all reasons; none where there are none.
    pub(super) fn all(&mut self, rule: Rule, reasons: Vec<Reason>) -> Option<Reason> {
        self.all_of(rule, &reasons)
    }

    fn all_of(&mut self, rule: Rule, reasons: &[Reason]) -> Option<Reason> {
        let mut all = None;
        for reason in reasons {
            all = self.inferences.both(rule, all, Some(*reason));
        }
        all
    }

    /// Joins a constraint and the reasons of some terms. The list of them is used again: a set of convolutions asks
    /// for two for each window.
    fn reason_from(&mut self, rule: Rule, id: AssertedId, terms: &[Term]) -> Option<Reason> {
        let mut reasons = std::mem::take(&mut self.sizes.reasons);
        reasons.clear();
        reasons.push(Reason::constraint(id));
        for term in terms {
            self.reasons_of(*term, &mut reasons);
        }
        let reason = self.all_of(rule, &reasons);
        self.sizes.reasons = reasons;
        reason
    }

    fn look_at_sizes(&mut self, id: AssertedId) -> EngineResult {
        match self.problem.asserted[id.index()] {
            Asserted::Window(at) => self.look_at_window(id, at),
            Asserted::Composite(at) => {
                let composite = self.problem.composites[at].clone();
                self.look_at_composite(id, &composite, None)
            }
            Asserted::Elements(at) => self.look_at_elements(id, at),
            Asserted::AtLeast(term, at) => self.look_at_bound(id, term, at),
            _ => Ok(()),
        }
    }

    /// Checks a bound once the size is known.
    fn look_at_bound(&mut self, id: AssertedId, term: Term, at: LeastSizeId) -> EngineResult {
        let least = self.problem.least_sizes[at].get();
        match self.size_of(term) {
            Some(size) if size < least => {
                let mut reasons = vec![Reason::constraint(id)];
                self.reasons_of(term, &mut reasons);
                let message = format!("an axis of {size} has to have at least {least} cells");
                self.clash(Rule::GeCheck, &reasons, &[], &message)
            }
            _ => Ok(()),
        }
    }

    fn look_at_window(&mut self, id: AssertedId, at: WindowId) -> EngineResult {
        // The axis and the windows have one basis.
        let window = &self.problem.windows[at];
        self.share_basis(id, &[window.axis, window.over], Rule::WiBasis)?;
        let Some((rule, term, solved)) = self.solved(at) else {
            return Ok(());
        };
        match solved {
            Solved::Nothing => {
                let mut reasons = vec![Reason::constraint(id)];
                let window = &self.problem.windows[at];
                for term in window.axes() {
                    self.reasons_of(*term, &mut reasons);
                }
                let message = self.tiling(at, &self.sized(window));
                self.clash(rule, &reasons, &[], &message)
            }
            Solved::Is(size) => {
                let root = self.dims.find(term);
                // One term may stand in several places. An open one is here for how it came to be the term that it is.
                let mut terms = std::mem::take(&mut self.sizes.terms);
                self.list_terms(id, &mut terms);
                let reason = self.reason_from(rule, id, &terms);
                self.sizes.terms = terms;
                let shown = self.atom_of(size, Term::UNIT);
                let inference =
                    self.inferences
                        .record(rule, Conclusion::Size(term, shown), [reason, None]);
                self.set_size(root, size, inference)
            }
            Solved::Between(..) | Solved::Any | Solved::TooLarge => Ok(()),
        }
    }

    /// Returns the sizes of a window that are known.
    pub(crate) fn sized(&self, window: &Window<Term>) -> Sized {
        Sized {
            axis: self.size_of(window.axis),
            over: self.size_of(window.over),
            taps: window
                .taps
                .iter()
                .map(|(_, tap)| self.size_of(*tap))
                .collect(),
        }
    }

    /// Returns the rule that solves a window for its only open size, the term that has this size, and what was found.
    /// Where no size is open it is the number of windows that is compared.
    fn solved(&self, at: WindowId) -> Option<(Rule, Term, Solved)> {
        let window = &self.problem.windows[at];
        let (axis, over) = (self.size_of(window.axis), self.size_of(window.over));
        if axis.is_none() && over.is_none() {
            return None;
        }
        let mut taps = window.taps.iter().map(|(_, tap)| self.size_of(*tap));
        let span = if !window.mode.has_margins() {
            // The margins of these modes are made for the taps, so that they do not matter.
            Some(Some(1))
        } else if taps.clone().all(|tap| tap.is_some()) {
            Some(solve::span(window, taps.by_ref().flatten()))
        } else {
            None
        };
        match (axis, over, span) {
            // A span of more than 127 bits fits on no axis of 64 with margins of 64.
            (Some(_), _, Some(None)) => Some((Rule::WiOver, window.over, Solved::Nothing)),
            (Some(axis), over, Some(Some(span))) => {
                let solved = match (solve::over(window, axis, span), over) {
                    (Solved::Is(count), Some(over)) if count != over => Solved::Nothing,
                    (Solved::Is(_), Some(_)) => return None,
                    // There are more windows than a number of 64 bits says, and this is one.
                    (Solved::TooLarge, Some(_)) => Solved::Nothing,
                    (solved, _) => solved,
                };
                Some((Rule::WiOver, window.over, solved))
            }
            (None, Some(over), Some(Some(span))) => {
                Some((Rule::WiAxis, window.axis, solve::axis(window, over, span)))
            }
            (Some(axis), Some(over), None) => self.solved_tap(window, axis, over),
            _ => None,
        }
    }

    /// Returns the only tap of which the size is open.
    fn solved_tap(
        &self,
        window: &Window<Term>,
        axis: u64,
        over: u64,
    ) -> Option<(Rule, Term, Solved)> {
        let taps = window.taps.iter();
        let mut open = taps.filter(|(_, tap)| self.size_of(*tap).is_none());
        let ((dilation, term), None) = (*open.next()?, open.next()) else {
            return None;
        };
        // A tap of one cell reaches nowhere.
        let taps = window.taps.iter();
        let others = taps.map(|(_, tap)| self.size_of(*tap).unwrap_or(1));
        let others = solve::span(window, others)?;
        let solved = solve::tap(window, dilation.get(), axis, over, others);
        Some((Rule::WiTap, term, solved))
    }

    /// Returns an atom of the basis of a term, where the basis is known.
    fn basis_atom(&self, term: Term) -> Option<Term> {
        let root = self.dims.peek(term);
        match root.is_var() {
            true => self.sizes.known(root).basis.map(|(atom, _)| atom),
            false => Some(root),
        }
    }

    /// Notes that some axes have one basis.
    pub(super) fn share_basis(
        &mut self,
        id: AssertedId,
        axes: &[Term],
        rule: Rule,
    ) -> EngineResult {
        let known = axes.iter().copied();
        let mut known = known.filter_map(|axis| Some((axis, self.basis_atom(axis)?)));
        let Some((from, basis)) = known.next() else {
            return Ok(());
        };
        if let Some((axis, other)) = known.find(|(_, other)| !self.of_one_basis(basis, *other)) {
            let mut reasons = vec![Reason::constraint(id)];
            self.reasons_of(from, &mut reasons);
            self.reasons_of(axis, &mut reasons);
            let message = self.bases(basis, other);
            return self.clash(rule, &reasons, &[], &message);
        }
        for to in axes.iter().copied() {
            if self.basis_atom(to).is_none() {
                self.give_basis(id, from, basis, to, rule)?;
            }
        }
        Ok(())
    }

    /// Gives an axis the basis of another one.
    fn give_basis(
        &mut self,
        id: AssertedId,
        from: Term,
        basis: Term,
        to: Term,
        rule: Rule,
    ) -> EngineResult {
        let reason = self.reason_from(rule, id, &[from]);
        let conclusion = Conclusion::Basis(to, basis);
        let inference = self.inferences.record(rule, conclusion, [reason, None]);
        let root = self.dims.find(to);
        self.set_basis(root, basis, inference)
    }

    pub(super) fn clash(
        &self,
        rule: Rule,
        reasons: &[Reason],
        terms: &[Term],
        message: &str,
    ) -> EngineResult {
        let mut reasons = reasons.to_vec();
        terms
            .iter()
            .for_each(|term| self.dims.links(*term, None, &mut reasons));
        Err(Box::new(Failure {
            rule,
            reasons,
            terms: Vec::new(),
            message: message.to_string(),
            is_limit: false,
        }))
    }
}

/// Returns the message when a rule's operand is the unit.
fn no_unit(rule: Rule) -> Option<&'static str> {
    match rule {
        Rule::WiAtom => Some("1_ is no axis of windows"),
        Rule::CoAtom => Some("1_ is no part of an axis"),
        Rule::PrAtom => Some("1_ is no product of axes"),
        _ => None,
    }
}
