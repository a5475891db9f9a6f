//! Products with rows among their factors.
//!
//! As soon as all axes of such a row are known, the constraint is a product of axes. Before that, only the axes that
//! are written are known to be factors, so that their product divides the whole. Closing closes a row that nothing else
//! closes at its top: it has no more axes than those that are known.

use lozenge_vocabulary::{Composite, Composition, Dim, Rule};

use super::residue::Rows;
use crate::ids::{AssertedId, ElementsId, Id, RowTermId, RowVarId};
use crate::problem::Asserted;
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::state::rows::Binding;
use crate::state::sizes::Counted;
use crate::term::Term;

impl Engine {
    /// Returns a product with rows among its factors as far as it is known before anything has been concluded: with the
    /// axes that are written.
    pub(super) fn written_product(&self, at: ElementsId) -> Counted {
        let elements = &self.problem.elements[at];
        let mut open = Vec::new();
        let written = |row: &RowTermId| {
            let row = self.row(*row);
            open.extend(row.var);
            let start = row.start as usize;
            Some(self.problem.terms[start..start + (row.lead + row.trail) as usize].to_vec())
        };
        let product = elements.product(|axis| Some(*axis), written);
        Counted {
            product: product.unwrap_or_else(|| no_factors(elements.whole)),
            reason: None,
            open,
        }
    }

    /// Says whether rows among the factors of a constraint are open.
    pub(super) fn counts_open_rows(&self, id: AssertedId) -> bool {
        match self.problem.asserted[id.index()] {
            Asserted::Elements(at) => self.sizes.counted[at].is_open(),
            _ => false,
        }
    }

    /// Takes in the axes of rows among factors that have become known. False when there is none.
    pub(super) fn count_rows(&mut self) -> Result<bool, Box<Failure>> {
        let mut any = false;
        while let Some(id) = self.sizes.spelling.next_due() {
            any |= self.counts_open_rows(id) && self.count_rows_of(id)?;
        }
        Ok(any)
    }

    /// Counts the same for one product. The axes of an open row are factors too, so that what bounds the row bounds
    /// them.
    fn count_rows_of(&mut self, id: AssertedId) -> Result<bool, Box<Failure>> {
        let Asserted::Elements(number) = self.problem.asserted[id.index()] else {
            return Ok(false);
        };
        let found = self.spelled_product(number)?;
        self.sizes.spelling.watch(id, &found.open);
        let known = &self.sizes.counted[number];
        if (&known.product, &known.open) == (&found.product, &found.open) {
            return Ok(false);
        }
        for axis in &found.product.parts {
            let root = self.dims.find(*axis);
            if root.is_var() {
                self.sizes.mention(root, id);
            }
        }
        self.sizes.counted[number] = found;
        self.sizes.queue(id);
        Ok(true)
    }

    /// Returns the product of all axes that are known, why they are axes, and which rows may have more.
    fn spelled_product(&mut self, number: ElementsId) -> Result<Counted, Box<Failure>> {
        let elements = self.problem.elements[number].clone();
        let (mut reason, mut open, mut failure) = (None, Vec::new(), None);
        let product = elements.product(
            |axis| Some(*axis),
            |row| match self.spell(*row) {
                Ok(spelled) => {
                    reason = self.inferences.both(Rule::PrWhole, reason, spelled.reason);
                    open.extend(spelled.open);
                    let trail = spelled.trail.iter().rev();
                    Some(spelled.lead.iter().chain(trail).copied().collect())
                }
                Err(stopped) => {
                    failure = Some(stopped);
                    None
                }
            },
        );
        match failure {
            Some(failure) => Err(failure),
            None => Ok(Counted {
                product: product.unwrap_or_else(|| no_factors(elements.whole)),
                reason,
                open,
            }),
        }
    }

    /// Looks at a product of the axes of rows; while a row is open, only that the known factors divide the whole.
    pub(super) fn look_at_elements(&mut self, id: AssertedId, at: ElementsId) -> EngineResult {
        let counted = self.sizes.counted[at].clone();
        let product = counted.product;
        if counted.open.is_empty() {
            return self.look_at_composite(id, &product, counted.reason);
        }
        let parts: Option<Vec<u64>> = product
            .parts
            .iter()
            .map(|part| self.size_of(*part))
            .collect();
        let (Some(whole), Some(parts)) = (self.size_of(product.whole), parts) else {
            return Ok(());
        };
        let total = product.composition.total(parts);
        if total.is_some_and(|total| u128::from(whole).is_multiple_of(total)) {
            return Ok(());
        }
        let mut reasons = vec![Reason::constraint(id)];
        reasons.extend(counted.reason);
        for axis in product.axes() {
            self.reasons_of(*axis, &mut reasons);
        }
        let message = match total {
            Some(total) => format!(
                "{whole} is not {total} times anything (remainder {})",
                u128::from(whole) % total
            ),
            None => format!("{whole} is less than its factors"),
        };
        self.clash(Rule::PrFactor, &reasons, &[], &message)
    }

    /// Returns a solution of the open constraints in which open rows among factors have no more axes than are known, if
    /// one is found.
    pub(super) fn solution_at_tops(&mut self) -> Option<Vec<(Term, Dim)>> {
        let Some(mut residue) = self.residue_at(Rows::AtTheirTops) else {
            return Some(Vec::new());
        };
        let verdict = residue.store.check();
        let solution =
            (verdict == lozenge_sizes::Verdict::Satisfiable).then(|| residue.solution(self));
        solution.filter(|_| !residue.is_too_large)
    }

    /// Closes the rows whose elements are counted, and that nothing has closed, one after the other with the axes that
    /// are known of them. False when there is none.
    pub(crate) fn close_counted(
        &mut self,
        is_leaf: impl Fn(RowVarId) -> bool,
    ) -> Result<bool, Box<Failure>> {
        let mut any = false;
        for number in self.sizes.counted.ids() {
            while self.sizes.counted[number].is_open() {
                let open = self.spelled_product(number)?.open;
                let Some(var) = open.into_iter().find(|var| !is_leaf(*var)) else {
                    break;
                };
                self.close_row(var);
                self.settle()?;
                any = true;
            }
        }
        if any {
            self.solve()?;
        }
        Ok(any)
    }

    /// Closes an open row at its top.
    fn close_row(&mut self, var: RowVarId) {
        let before = self.flat_reason(var);
        let conclusion = Conclusion::Placed(var);
        let inference = self
            .inferences
            .commit(Rule::CloseRow, conclusion, [before, None]);
        let node = self.rows.nodes.edit(var);
        let because = Some(inference);
        (node.binding, node.fixed, node.flat) = (Binding::Closed, because, because);
        self.closed(var);
    }

    /// Returns a row among the factors of which not all axes are known.
    fn open_row(&self, number: ElementsId) -> Option<RowTermId> {
        let mut rows = self.problem.elements[number].rows().copied();
        rows.find(|row| self.end_of(self.row(*row)).0)
    }

    /// Returns the failure that a solution would need more axes of an open row than are known.
    pub(crate) fn witnessed(&self) -> EngineResult {
        if !self.sizes.is_unwitnessed {
            return Ok(());
        }
        let numbers = self.sizes.counted.ids();
        let shown = numbers
            .filter_map(|number| self.open_row(number))
            .next()
            .map(|row| self.row_shown(row).to_string());
        Err(Box::new(Failure {
            rule: Rule::ArResidue,
            reasons: self
                .sizes
                .open
                .iter()
                .map(|at| Reason::constraint(*at))
                .collect(),
            terms: Vec::new(),
            message: format!(
                "the sizes are left open: the elements of {} are counted, and nothing says which axes it has: state them",
                shown.unwrap_or_else(|| "a row".into())
            ),
            is_limit: true,
        }))
    }
}

fn no_factors(whole: Term) -> Composite<Term> {
    Composite {
        composition: Composition::Product,
        whole,
        parts: Vec::new(),
    }
}
