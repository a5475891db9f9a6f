//! Concatenations and products: the rules that read one of them, and what it says as facts about integers.

use lozenge_sizes::{Fact, Reason as SizeReason, Term as Sum};
use lozenge_vocabulary::{Composite, Composition, Mode, Rule};
use rustc_hash::FxHashMap;

use super::residue::Residue;
use crate::ids::{AssertedId, CompositeId, Id};
use crate::problem::Asserted;
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::{Conclusion, Reason};
use crate::term::Term;

impl Engine {
    /// Returns the terms of a composite, those of them that are atoms, and the rule that says so.
    pub(super) fn composite_atoms(&self, at: CompositeId) -> (Vec<Term>, Vec<Term>, Rule) {
        let composite = &self.problem.composites[at];
        let terms: Vec<Term> = composite.axes().copied().collect();
        match composite.composition {
            Composition::Concat => (terms.clone(), terms, Rule::CoAtom),
            Composition::Product => (terms, vec![composite.whole], Rule::PrAtom),
        }
    }

    /// Looks at a composite, with the reason for its parts where they are those of rows.
    pub(super) fn look_at_composite(
        &mut self,
        id: AssertedId,
        composite: &Composite<Term>,
        of_rows: Option<Reason>,
    ) -> EngineResult {
        if composite.composition == Composition::Concat {
            let axes: Vec<Term> = composite.axes().copied().collect();
            self.share_basis(id, &axes, Rule::CoBasis)?;
        }
        let Some((rule, term, solved)) = self.solved_composite(composite) else {
            return Ok(());
        };
        let mut reasons = vec![Reason::constraint(id)];
        reasons.extend(of_rows);
        for axis in composite.axes() {
            self.reasons_of(*axis, &mut reasons);
        }
        match solved {
            Err(message) => self.clash(rule, &reasons, &[], &message),
            Ok(size) => {
                let root = self.dims.find(term);
                let reason = self.all(rule, reasons);
                let shown = self.atom_of(size, Term::UNIT);
                let conclusion = Conclusion::Size(term, shown);
                let inference = self.inferences.record(rule, conclusion, [reason, None]);
                self.set_size(root, size, inference)
            }
        }
    }

    /// Returns an axis that is longer than itself by some of these reasons: they have a cycle of facts that one axis is
    /// at least as long as another and so many cells, and of all cells together there are some.
    pub(super) fn longer_than_itself(&self, reasons: &[Reason]) -> Option<Term> {
        let mut facts: Vec<(Term, Term, u64)> = Vec::new();
        let mut constraints: Vec<AssertedId> =
            reasons.iter().filter_map(|r| r.as_constraint()).collect();
        constraints.sort_unstable();
        constraints.dedup();
        for id in constraints {
            match self.problem.asserted[id.index()] {
                Asserted::Composite(at) => {
                    let composite = &self.problem.composites[at];
                    let is_rest = |part: &&Term| self.sizes.is_rest(**part);
                    let parts = composite.parts.iter().filter(|part| !is_rest(part));
                    let others = match composite.composition {
                        Composition::Concat => (parts.clone().count() as u64).saturating_sub(1),
                        Composition::Product => 0,
                    };
                    facts.extend(parts.map(|part| (composite.whole, *part, others)));
                }
                Asserted::Elements(at) => {
                    let product = &self.sizes.counted[at].product;
                    let parts = product.parts.iter();
                    facts.extend(parts.map(|part| (product.whole, *part, 0)));
                }
                // Windows that cover their axis are no more than its cells.
                Asserted::Window(at) => {
                    let window = &self.problem.windows[at];
                    if window.mode == Mode::Exact && window.low == 0 && window.high == 0 {
                        facts.push((window.axis, window.over, 0));
                    }
                }
                _ => {}
            }
        }
        let mut longest: FxHashMap<Term, u64> = FxHashMap::default();
        let mut last = None;
        // A longest path has no more steps than there are facts, unless there is such a cycle.
        for _ in 0..=facts.len() {
            last = None;
            for (longer, shorter, by) in &facts {
                let [longer, shorter] = [longer, shorter].map(|term| self.dims.peek(*term));
                let reached = longest.get(&shorter).copied().unwrap_or(0) + by;
                if longer.is_var() && reached > longest.get(&longer).copied().unwrap_or(0) {
                    longest.insert(longer, reached);
                    last = Some(longer);
                }
            }
            last?;
        }
        last
    }

    /// Returns the rule that solves a composite for its only open size, the term that has it, and the size, or why
    /// there is none. `None` where nothing is to be solved, or a number is too large.
    fn solved_composite(
        &self,
        composite: &Composite<Term>,
    ) -> Option<(Rule, Term, Result<u64, String>)> {
        let is_sum = composite.composition == Composition::Concat;
        let (of_whole, of_part) = match is_sum {
            true => (Rule::CoWhole, Rule::CoPart),
            false => (Rule::PrWhole, Rule::PrFactor),
        };
        let whole = self.size_of(composite.whole);
        let mut known = Vec::with_capacity(composite.parts.len());
        let mut open = None;
        for part in &composite.parts {
            match self.size_of(*part) {
                Some(size) => known.push(size - u64::from(self.sizes.is_rest(*part))),
                None if whole.is_none() || open.is_some() => return None,
                None => open = Some(*part),
            }
        }
        let total = composite.composition.total(known.iter().copied())?;
        match (whole, open) {
            (None, _) => Some((of_whole, composite.whole, Ok(u64::try_from(total).ok()?))),
            (Some(whole), None) => {
                let shown: Vec<String> = known.iter().map(u64::to_string).collect();
                let sign = composite.composition.sign();
                let sum = shown.join(&format!(" {sign} "));
                let message = match &shown[..] {
                    [] => format!("a row without axes has 1 element, not {whole}"),
                    [only] => format!("an axis of {whole} is not one of {only}"),
                    _ => format!("an axis of {whole} is not {sum}, which is {total}"),
                };
                let differs = total != u128::from(whole);
                differs.then_some((of_whole, composite.whole, Err(message)))
            }
            (Some(whole), Some(part)) => {
                let whole = u128::from(whole);
                let rest = u128::from(self.sizes.is_rest(part));
                let size = match is_sum {
                    true if rest == 1 && whole < total => Err(format!(
                        "parts of {total} cells are more than an axis of {whole}"
                    )),
                    true if rest == 1 => Ok(whole - total + rest),
                    true if whole <= total => Err(format!(
                        "an axis of {whole} has no room for one more part beside {total}"
                    )),
                    true => Ok(whole - total),
                    false if whole % total != 0 => Err(format!(
                        "{whole} is not {total} times anything (remainder {})",
                        whole % total
                    )),
                    false => Ok(whole / total),
                };
                let size = size.map(|size| u64::try_from(size).unwrap_or(u64::MAX));
                Some((of_part, part, size))
            }
        }
    }
}

impl Residue {
    /// States the relation of a concatenation or a product. `rests` of its parts are kept as one more than their sizes,
    /// so that as much is taken off the sum.
    pub(crate) fn state_composite(
        &mut self,
        composite: &Composite<Sum>,
        rests: usize,
        reason: SizeReason,
    ) {
        let total = match composite.composition {
            Composition::Concat => {
                let parts: Vec<(i64, Sum)> =
                    composite.parts.iter().map(|part| (1, *part)).collect();
                self.store.sum(&parts, -(rests as i64))
            }
            Composition::Product => {
                let mut factors = composite.parts.iter().copied();
                // The empty row counts 1.
                let first = factors.next().unwrap_or_else(|| self.store.number(1));
                factors.fold(first, |total, factor| self.store.product(total, factor))
            }
        };
        self.store
            .assert(Fact::Equal(total, composite.whole), reason);
        // Bounds on parts bound a search: no part is longer than the whole.
        let longest = self
            .store
            .sum(&[(1, composite.whole)], i64::from(rests > 0));
        for part in &composite.parts {
            self.store.assert(Fact::AtMost(*part, longest), reason);
        }
    }
}
