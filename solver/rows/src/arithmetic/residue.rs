//! The constraints of sizes that the rules leave open, decided as a whole.
//!
//! The sizes of the classes that open constraints mention are integers of at least 1. A class that must be an atom has
//! its caps for values and is equal to what lies below it ([`super::propagate`]), so that what is left of the order is
//! about the others: taps, and what lies below them. If one of these has size 1 it may as well be the unit, which is
//! above everything; otherwise it is an atom, and what is below it is equal to it. So `l ⊑ h` says that h has size 1,
//! or the size and the basis of l; an atom below h says the same. Classes that are above some of these and that no open
//! constraint mentions are the unit. Bases are small numbers. All of this is decided exactly by `lozenge-sizes`, unless
//! a limit is reached.

use std::num::NonZeroU64;

use lozenge_sizes::{
    Entailment, Fact, Limit, Limits, Reason as SizeReason, Store, Term as Sum, Value, Verdict,
};
use lozenge_vocabulary::{Basis, Composition, Dim, Mode, Rule, Window};
use rustc_hash::FxHashMap;

use crate::ids::{AssertedId, DimVarId, Id, RowVarId};
use crate::problem::Asserted;
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::{Failure, Reason};
use crate::state::sizes::Counted;
use crate::term::Term;

/// The open constraints as facts about integers.
pub(crate) struct Residue {
    pub(crate) store: Store,
    /// The open classes, in the order in which they were met, each with its size.
    pub(crate) classes: Vec<Term>,
    sizes: FxHashMap<DimVarId, Sum>,
    /// The number that an open row among factors counts beside its known axes, whatever product it is in.
    others: FxHashMap<RowVarId, Sum>,
    /// The basis of a class, where it matters: a number in `bases`.
    class_bases: FxHashMap<DimVarId, Sum>,
    bases: Vec<Basis>,
    /// The reasons for which each reason of the store stands.
    reasons: Vec<Vec<Reason>>,
    /// True if a number is too large to be stated.
    pub(crate) is_too_large: bool,
}

/// The lengths that open rows among factors may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// An open row may have more axes than are known.
    OfAnyLength,
    /// No open row has more axes than are known.
    AtTheirTops,
}

impl Engine {
    /// Decides what is open, and keeps a solution of it.
    pub(crate) fn decide_sizes(&mut self) -> EngineResult {
        // The rows below an open row among factors may have changed since.
        let counts_rows = self.sizes.counted.values().any(Counted::is_open);
        if !self.sizes.is_on || self.sizes.is_decided && !counts_rows {
            return Ok(());
        }
        self.sizes.is_unwitnessed = false;
        self.sizes.model.clear();
        let Some(mut residue) = self.residue() else {
            self.value_known_sizes();
            return Ok(());
        };
        if residue.is_too_large {
            return Err(self.limit(Limit::Overflow));
        }
        match residue.store.check() {
            Verdict::Satisfiable => {}
            Verdict::Unsatisfiable(reasons) => {
                let reasons = residue.cited(&reasons.reasons);
                let (rule, message) = match self.longer_than_itself(&reasons) {
                    Some(axis) => {
                        let shown = self.shown(axis);
                        (Rule::CoCycle, format!("{shown} is longer than itself"))
                    }
                    None => (
                        Rule::ArResidue,
                        "no sizes satisfy these constraints together".to_string(),
                    ),
                };
                return Err(Box::new(Failure {
                    rule,
                    reasons,
                    terms: Vec::new(),
                    message,
                    is_limit: false,
                }));
            }
            Verdict::Unknown(limit) => return Err(self.limit(limit)),
        }
        let mut solution = residue.solution(self);
        if residue.is_too_large {
            return Err(self.limit(Limit::Overflow));
        }
        if self.sizes.counted.values().any(Counted::is_open) {
            match self.solution_at_tops() {
                Some(found) => solution = found,
                None => self.sizes.is_unwitnessed = true,
            }
        }
        self.keep_solution(solution);
        self.value_known_sizes();
        Ok(())
    }

    /// Keeps a solution of the open constraints.
    pub(super) fn keep_solution(&mut self, solution: Vec<(Term, Dim)>) {
        for (class, dim) in solution {
            let value = Term::constant(self.problem.constants.intern(dim));
            self.sizes.model.insert(class.id(), value);
        }
    }

    /// Classes of known size and open basis have a value in the solution as well.
    pub(super) fn value_known_sizes(&mut self) {
        let mut terms = Vec::new();
        for at in 0..self.sizes.all().len() {
            let id = self.sizes.all()[at];
            if !self.any_term(id, |term| self.dims.peek(term).is_var()) {
                continue;
            }
            self.list_terms(id, &mut terms);
            for term in &terms {
                let root = self.dims.peek(*term);
                let known = self.sizes.known(root);
                if let (true, Some(_), Some((size, _))) = (root.is_var(), known.atom, known.size) {
                    let value = self.atom_of(size.get(), Term::UNIT);
                    self.sizes.model.entry(root.id()).or_insert(value);
                }
            }
        }
        self.sizes.is_decided = true;
    }

    /// Returns the failure that a limit is: which one, and what raises it, a field of [`crate::Limits`] that the
    /// command line has as a flag.
    pub(super) fn limit(&self, limit: Limit) -> Box<Failure> {
        let what = match limit {
            Limit::Work => format!(
                "the limit of {} steps of arithmetic was reached; --size-work raises it",
                self.problem.options.limits.size_work
            ),
            other => format!("{other}; no flag raises that"),
        };
        Box::new(Failure {
            rule: Rule::ArResidue,
            reasons: self
                .sizes
                .open
                .iter()
                .map(|at| Reason::constraint(*at))
                .collect(),
            terms: Vec::new(),
            message: format!("the sizes are left open: {what}"),
            is_limit: true,
        })
    }

    /// Returns the terms of a constraint of sizes.
    pub(crate) fn terms_of_sizes(&self, id: AssertedId) -> Vec<Term> {
        let mut terms = Vec::new();
        self.list_terms(id, &mut terms);
        terms
    }

    /// Lists the same into a list that is used again.
    pub(crate) fn list_terms(&self, id: AssertedId, into: &mut Vec<Term>) {
        into.clear();
        match self.problem.asserted[id.index()] {
            Asserted::Window(at) => {
                let window = &self.problem.windows[at];
                into.extend([window.axis, window.over]);
                into.extend(window.taps.iter().map(|(_, tap)| *tap));
            }
            Asserted::Composite(at) => {
                let composite = &self.problem.composites[at];
                into.extend(composite.axes().copied());
            }
            Asserted::Elements(at) => {
                into.extend(self.sizes.counted[at].product.axes().copied());
            }
            Asserted::AtLeast(term, _) => into.push(term),
            _ => {}
        }
    }

    /// Says whether `is_one` holds of a term of a constraint of sizes.
    pub(super) fn any_term(&self, id: AssertedId, is_one: impl Fn(Term) -> bool) -> bool {
        match self.problem.asserted[id.index()] {
            Asserted::Window(at) => {
                let window = &self.problem.windows[at];
                is_one(window.axis)
                    || is_one(window.over)
                    || window.taps.iter().any(|(_, tap)| is_one(*tap))
            }
            _ => self.terms_of_sizes(id).into_iter().any(is_one),
        }
    }

    /// Returns the axes of which a constraint says that they have one basis.
    fn axes_of_one_basis(&self, id: AssertedId) -> Vec<Term> {
        match self.problem.asserted[id.index()] {
            Asserted::Window(at) => {
                let window = &self.problem.windows[at];
                vec![window.axis, window.over]
            }
            Asserted::Composite(at) => {
                let composite = &self.problem.composites[at];
                match composite.composition {
                    Composition::Concat => composite.axes().copied().collect(),
                    Composition::Product => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// Returns the open constraints; `None` when there is none.
    pub(crate) fn residue(&mut self) -> Option<Residue> {
        self.residue_at(Rows::OfAnyLength)
    }

    /// Returns the same, for so many axes of the open rows among factors.
    pub(super) fn residue_at(&mut self, rows: Rows) -> Option<Residue> {
        let mut open = std::mem::take(&mut self.sizes.open);
        open.retain(|id| {
            self.counts_open_rows(*id) || self.any_term(*id, |term| self.size_of(term).is_none())
        });
        self.sizes.open = open;
        if self.sizes.open.is_empty() {
            return None;
        }
        let multiples = match rows {
            Rows::OfAnyLength => self.multiples(),
            Rows::AtTheirTops => Vec::new(),
        };
        let mut residue = Residue::new(self.problem.options.limits.of_sizes());
        for id in &self.sizes.open {
            residue.state(self, *id, rows);
        }
        residue.state_multiples(multiples);
        residue.state_order(self);
        Some(residue)
    }
}

impl Residue {
    /// Makes a residue with nothing that is open.
    pub(crate) fn new(limits: Limits) -> Residue {
        Residue {
            store: Store::with_limits(limits),
            classes: Vec::new(),
            sizes: FxHashMap::default(),
            others: FxHashMap::default(),
            class_bases: FxHashMap::default(),
            bases: vec![Basis::Default],
            reasons: Vec::new(),
            is_too_large: false,
        }
    }

    /// Returns the constraints and conclusions behind some reasons.
    pub(crate) fn cited(&self, reasons: &[SizeReason]) -> Vec<Reason> {
        let cited = reasons
            .iter()
            .filter_map(|reason| self.reasons.get(reason.0 as usize));
        cited.flatten().copied().collect()
    }

    /// Cites the reasons for an entailed fact; `None` where it is not known to be entailed.
    pub(crate) fn entailed(&mut self, fact: Fact) -> Option<Vec<Reason>> {
        match self.store.entails(fact) {
            Entailment::Yes(reasons) => Some(self.cited(&reasons.reasons)),
            _ => None,
        }
    }

    /// Returns the size of a class that every solution gives it.
    pub(crate) fn forced(&mut self, class: Term) -> Option<u64> {
        let size = self.size_of_class(class)?;
        match self.store.value_of(size) {
            Value::Forced(size) => u64::try_from(size).ok(),
            _ => None,
        }
    }

    /// Returns the size of a class, as a term of the store.
    pub(crate) fn size_of_class(&self, class: Term) -> Option<Sum> {
        self.sizes.get(&class.id()).copied()
    }

    /// Returns the solution that was found. A size in it that has more than 64 bits makes the residue too large.
    pub(crate) fn solution(&mut self, engine: &Engine) -> Vec<(Term, Dim)> {
        let mut solution = Vec::with_capacity(self.classes.len());
        let Some(model) = self.store.model() else {
            return solution;
        };
        let value = |sum: Option<&Sum>| sum.and_then(|sum| model.value(*sum));
        let mut is_too_large = false;
        for class in &self.classes {
            let known = engine.sizes.known(*class);
            let sum = self.sizes.get(&class.id());
            let size = value(sum).and_then(|size| u64::try_from(size).ok());
            is_too_large |= sum.is_some() && size.is_none();
            let size = size.and_then(NonZeroU64::new);
            let size = size.unwrap_or(NonZeroU64::MIN);
            if size == NonZeroU64::MIN && known.atom.is_none() {
                solution.push((*class, Dim::Unit));
                continue;
            }
            let basis = match value(self.class_bases.get(&class.id())) {
                Some(at) => usize::try_from(at)
                    .ok()
                    .and_then(|at| self.bases.get(at).cloned()),
                None => known.basis.and_then(|(atom, _)| basis_of(engine, atom)),
            };
            let basis = basis.unwrap_or_default();
            solution.push((*class, Dim::Atom { size, basis }));
        }
        self.is_too_large |= is_too_large;
        solution
    }

    /// Returns the size of a term, and why it has it.
    fn size(&mut self, engine: &Engine, term: Term, why: &mut Vec<Reason>) -> Sum {
        engine.reasons_of(term, why);
        let root = engine.dims.peek(term);
        if root.is_var()
            && let Some(sum) = self.sizes.get(&root.id())
        {
            return *sum;
        }
        let known = engine.size_of(term);
        if !root.is_var() {
            return self.number(known.unwrap_or(1));
        }
        // An open class of known size is there for its basis.
        let sum = match known {
            Some(size) => self.number(size),
            None => self.store.size(),
        };
        self.sizes.insert(root.id(), sum);
        self.classes.push(root);
        sum
    }

    /// Returns the number that an open row counts beside its known axes, if it is in an open product.
    pub(super) fn counted_of(&self, row: RowVarId) -> Option<Sum> {
        self.others.get(&row).copied()
    }

    pub(crate) fn number(&mut self, number: u64) -> Sum {
        let number = i64::try_from(number);
        self.is_too_large |= number.is_err();
        self.store.number(number.unwrap_or(i64::MAX))
    }

    /// Returns a reason that stands for nothing.
    pub(crate) fn unreasoned(&mut self) -> SizeReason {
        self.reason(Vec::new())
    }

    pub(super) fn reason(&mut self, why: Vec<Reason>) -> SizeReason {
        self.reasons.push(why);
        SizeReason(self.reasons.len() as u32 - 1)
    }

    /// States an open constraint.
    fn state(&mut self, engine: &Engine, id: AssertedId, rows: Rows) {
        let mut why = vec![Reason::constraint(id)];
        match engine.problem.asserted[id.index()] {
            Asserted::Window(at) => {
                let window =
                    engine.problem.windows[at].map(|term| self.size(engine, *term, &mut why));
                let reason = self.reason(why);
                self.state_window(&window, reason);
            }
            Asserted::Composite(at) => {
                let composite = &engine.problem.composites[at];
                let is_rest = |part: &&Term| engine.sizes.is_rest(**part);
                let rests = composite.parts.iter().filter(is_rest).count();
                let composite = composite.map(|term| self.size(engine, *term, &mut why));
                let reason = self.reason(why);
                self.state_composite(&composite, rests, reason);
            }
            Asserted::Elements(at) => {
                let counted = &engine.sizes.counted[at];
                why.extend(counted.reason);
                let product = &counted.product;
                let mut product = product.map(|term| self.size(engine, *term, &mut why));
                if rows == Rows::OfAnyLength {
                    for row in &counted.open {
                        let others = self.others.entry(*row);
                        let others = others.or_insert_with(|| self.store.size());
                        product.parts.push(*others);
                    }
                }
                let reason = self.reason(why);
                self.state_composite(&product, 0, reason);
            }
            Asserted::AtLeast(term, at) => {
                let size = self.size(engine, term, &mut why);
                let least = self.number(engine.problem.least_sizes[at].get());
                let reason = self.reason(why);
                self.store.assert(Fact::AtMost(least, size), reason);
            }
            _ => {}
        }
    }

    /// Returns a coefficient or a margin.
    fn coefficient(&mut self, number: u64) -> i64 {
        let coefficient = i64::try_from(number);
        self.is_too_large |= coefficient.is_err();
        coefficient.unwrap_or(i64::MAX)
    }

    /// States the relation of a window (§8), as linear facts.
    pub(crate) fn state_window(&mut self, window: &Window<Sum>, reason: SizeReason) {
        let stride = self.coefficient(window.stride.get());
        let [low, high] = [window.low, window.high].map(|margin| self.coefficient(margin));
        let mut parts = vec![(stride, window.over)];
        let mut constant = i128::from(-stride);
        for (dilation, tap) in &window.taps {
            let dilation = self.coefficient(dilation.get());
            parts.push((dilation, *tap));
            constant -= i128::from(dilation);
        }
        constant += match window.taps.is_empty() {
            true => i128::from(stride),
            false => 1,
        };
        let constant = i64::try_from(constant);
        self.is_too_large |= constant.is_err() || low.checked_add(high).is_none();
        if self.is_too_large {
            return;
        }
        let store = &mut self.store;
        let extent = store.sum(&parts, constant.unwrap_or_default());
        let padded = store.sum(&[(1, window.axis)], low + high);
        // The beginnings of the last window, and of the next one if there were one.
        let begin = store.sum(&[(stride, window.over)], -stride);
        let next = store.sum(&[(stride, window.over)], 0);
        let reached = store.sum(&[(1, window.axis)], low);
        match window.mode {
            Mode::Exact => store.assert(Fact::Equal(extent, padded), reason),
            Mode::Floor => {
                let longer = store.sum(&[(1, extent)], stride);
                store.assert(Fact::AtMost(extent, padded), reason);
                store.assert(Fact::Less(padded, longer), reason);
            }
            Mode::Ceil => {
                let shorter = store.sum(&[(1, extent)], -stride);
                store.assert(Fact::Less(begin, reached), reason);
                store.assert(Fact::Less(shorter, padded), reason);
                // One more window begins beyond the axis, or is not needed.
                let more = [Fact::AtMost(reached, next), Fact::AtMost(padded, extent)];
                store.assert_any(&more, reason);
            }
            Mode::Same | Mode::SameLower => {
                store.assert(Fact::Less(begin, window.axis), reason);
                store.assert(Fact::AtMost(window.axis, next), reason);
            }
        }
    }

    /// States the order between the classes, from those that constraints mention downwards.
    fn state_order(&mut self, engine: &Engine) {
        let mut at = 0;
        let mut edges = Vec::new();
        while let Some(class) = self.classes.get(at).copied() {
            at += 1;
            let known = engine.sizes.known(class);
            if known.atom.is_some() {
                continue;
            }
            if let Some((cap, cap_reason)) = engine.dims.reasoned_cap(class) {
                let Dim::Atom { size, basis } =
                    engine.problem.constants.dim(cap.constant_id()).clone()
                else {
                    continue;
                };
                let basis = self.basis_number(basis);
                let (size, basis) = (self.number(size.get()), self.store.number(basis));
                let mut why = vec![cap_reason];
                self.below(engine, (size, basis), class, &mut why);
            }
            edges.clear();
            engine.dims.below_class(class, &mut edges);
            for (low, high, edge) in edges.clone() {
                let mut why = vec![edge];
                engine.dims.links(high, None, &mut why);
                let size = self.size(engine, low, &mut why);
                let basis = self.basis(engine, engine.dims.peek(low));
                self.below(engine, (size, basis), class, &mut why);
            }
        }
        self.join_bases(engine);
    }

    /// States that a class is of size 1, or has this size and basis.
    fn below(&mut self, engine: &Engine, low: (Sum, Sum), class: Term, why: &mut Vec<Reason>) {
        let known = engine.sizes.known(class);
        why.extend(known.reasons());
        let reason = self.reason(std::mem::take(why));
        let Some(size) = self.size_of_class(class) else {
            return;
        };
        let basis = self.basis(engine, class);
        let one = Fact::Equal(size, self.store.number(1));
        self.store
            .assert_any(&[one, Fact::Equal(size, low.0)], reason);
        self.store
            .assert_any(&[one, Fact::Equal(basis, low.1)], reason);
    }

    fn basis_number(&mut self, basis: Basis) -> i64 {
        let at = self.bases.iter().position(|known| *known == basis);
        let at = at.unwrap_or_else(|| {
            self.bases.push(basis);
            self.bases.len() - 1
        });
        at as i64
    }

    /// Returns the basis of a class or of an atom, as a number.
    fn basis(&mut self, engine: &Engine, root: Term) -> Sum {
        let atom = match root.is_var() {
            true => engine.sizes.known(root).basis.map(|(atom, _)| atom),
            false => Some(root),
        };
        if root.is_var()
            && let Some(sum) = self.class_bases.get(&root.id())
        {
            return *sum;
        }
        let sum = match atom.and_then(|atom| basis_of(engine, atom)) {
            Some(basis) => {
                let number = self.basis_number(basis);
                self.store.number(number)
            }
            None => self.store.natural(),
        };
        if root.is_var() {
            self.class_bases.insert(root.id(), sum);
        }
        sum
    }

    /// Joins the bases of a window's axis and of the windows on it where bases matter: they have one basis, and each is
    /// one of those that are known.
    fn join_bases(&mut self, engine: &Engine) {
        if self.class_bases.is_empty() {
            return;
        }
        for id in engine.sizes.all() {
            let axes = engine.axes_of_one_basis(*id);
            for pair in axes.windows(2) {
                let mut why = vec![Reason::constraint(*id)];
                for axis in pair {
                    engine.reasons_of(*axis, &mut why);
                }
                let bases = [pair[0], pair[1]].map(|axis| engine.dims.peek(axis));
                let [one, other] = bases.map(|axis| self.basis(engine, axis));
                let reason = self.reason(why);
                self.store.assert(Fact::Equal(one, other), reason);
            }
        }
        let reason = self.reason(Vec::new());
        let last = self.store.number(self.bases.len() as i64 - 1);
        let mut bases: Vec<(DimVarId, Sum)> = self
            .class_bases
            .iter()
            .map(|(id, sum)| (*id, *sum))
            .collect();
        bases.sort_unstable_by_key(|(id, _)| *id);
        for (_, basis) in bases {
            self.store.assert(Fact::AtMost(basis, last), reason);
        }
    }
}

fn basis_of(engine: &Engine, atom: Term) -> Option<Basis> {
    match engine.problem.constants.dim(atom.constant_id()) {
        Dim::Atom { basis, .. } => Some(basis.clone()),
        Dim::Unit => None,
    }
}
