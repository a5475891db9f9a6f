//! Clauses: what a clash excludes, and by which clause a branch is divided.

use lozenge_sizes::{Combination, Form, Int};

use super::{ROOT, Reached, Search, Source, TRIED, negative};
use crate::complete::decide::scheme::Scheme;
use crate::ids::{BranchId, ClauseId, IdVec};

/// A condition of a clause, with a combination that refutes that it fails, if the constraints and the conditions before
/// it do.
pub(super) type Condition = (Form, Option<Combination>);

#[derive(Clone, Debug)]
pub(super) struct Clause {
    /// One of them fails.
    pub(super) conditions: Vec<Condition>,
}

/// The source that the first condition of a clause has while another one is tried; those after it count down from
/// there.
const HOLDS: u32 = u32::MAX;

/// Returns the combination that refutes that a condition fails, with the assumptions of a division for those of the
/// clause; `first` is the number of the first assumption.
pub(super) fn assumed(combination: Combination, first: u32, condition: usize) -> Combination {
    let assumption = |source: u32| match HOLDS.checked_sub(source) {
        _ if source == TRIED => first + 2 * condition as u32,
        Some(before) if (before as usize) < condition => first + 2 * before + 1,
        _ => source,
    };
    let terms = combination.into_iter();
    terms
        .map(|(source, factor)| (assumption(source), factor))
        .collect()
}

impl Search<'_> {
    /// Adds a clause.
    pub(super) fn learn(
        &mut self,
        scheme: Scheme,
        quotients_before: usize,
    ) -> Result<ClauseId, Reached> {
        self.done.clauses += 1;
        if self.done.clauses > self.effort.clauses {
            return Err(Reached::Clauses);
        }
        self.go_to(ROOT)?;
        for number in self.quotients.list.ids().skip(quotients_before) {
            for (part, form) in self.quotients.definition(number)?.iter().enumerate() {
                self.assert_new(form, Source::Quotient(number, part))?;
            }
        }
        let conditions = self.sharpened(&scheme.conditions)?;
        self.schemes.push(scheme);
        Ok(self.clauses.push(Clause { conditions }))
    }

    /// Returns the conditions of a clause: those that matter first, and then those that follow from the constraints and
    /// from the ones before, each with a combination that shows it. No branch is opened in which only such a one fails.
    fn sharpened(&mut self, forms: &[Form]) -> Result<Vec<Condition>, Reached> {
        let mut needed: Vec<usize> = (0..forms.len()).collect();
        let mut implied = Vec::new();
        for tried in (0..forms.len()).rev() {
            needed.retain(|other| *other != tried);
            match self.implied(forms, tried, &needed)? {
                Some(combination) => implied.push((tried, Some(combination))),
                None => needed.push(tried),
            }
        }
        needed.sort_unstable();
        let needed = needed.into_iter().map(|number| (number, None));
        // One that was dropped later can be behind one that was dropped before it.
        let order: Vec<_> = needed.chain(implied.into_iter().rev()).collect();
        let mut places = vec![0; forms.len()];
        for (place, (number, _)) in order.iter().enumerate() {
            places[*number] = place as u32;
        }
        let placed = |(source, factor): (u32, Int)| {
            let condition = HOLDS.checked_sub(source);
            let place = condition.and_then(|number| places.get(number as usize));
            (place.map_or(source, |place| HOLDS - place), factor)
        };
        let conditions = order.into_iter().map(|(number, combination)| {
            let placed = |combination: Combination| combination.into_iter().map(placed).collect();
            (forms[number].clone(), combination.map(placed))
        });
        Ok(conditions.collect())
    }

    /// Returns a combination that refutes that one form is negative while some others are not, if the constraints do.
    fn implied(
        &mut self,
        forms: &[Form],
        tried: usize,
        others: &[usize],
    ) -> Result<Option<Combination>, Reached> {
        self.simplex.push();
        let mut refuted = self.simplex.assert(&negative(&forms[tried])?, TRIED)?;
        for other in others {
            if refuted.is_none() {
                let because = HOLDS - *other as u32;
                refuted = self.simplex.assert(&forms[*other], because)?;
            }
        }
        if refuted.is_none() {
            refuted = self.simplex.check()?;
        }
        self.simplex.pop();
        Ok(refuted)
    }

    /// Returns the clause by which no division above is, and of whose conditions the fewest fail at the present point,
    /// which need not be an integer one. Clauses go before halving: where infinitely many points are excluded by a few
    /// clauses, halving would meet them one by one.
    pub(super) fn nearest(&mut self, node: BranchId) -> Result<Option<ClauseId>, Reached> {
        let mut is_above = IdVec::of(self.clauses.len(), false);
        let mut at = node;
        while let Some((parent, _)) = self.nodes[at].parent {
            let division = self.nodes[parent].division.as_ref();
            if let Some(clause) = division.and_then(|division| division.clause) {
                is_above[clause] = true;
            }
            at = parent;
        }
        let mut best: Option<(usize, ClauseId)> = None;
        let mut work = self.nodes[node].depth;
        for (number, clause) in self.clauses.iter().rev() {
            if is_above[number] {
                continue;
            }
            work += clause.conditions.len();
            let mut failing = 0;
            for (form, implied) in &clause.conditions {
                let fails = implied.is_none() && self.simplex.value_at(form)?.ceil() < 0;
                failing += usize::from(fails);
            }
            if best.is_none_or(|(least, _)| failing < least) {
                best = Some((failing, number));
            }
        }
        self.simplex.spend(work)?;
        Ok(best.map(|(_, number)| number))
    }

    /// Returns a clause all of whose conditions hold at the present point, whose values are integers.
    pub(super) fn violated(&self) -> Result<Option<ClauseId>, Reached> {
        for (number, clause) in self.clauses.iter().rev() {
            let mut holds = true;
            for (form, _) in &clause.conditions {
                holds = form.value(|variable| self.integer(variable))? >= 0;
                if !holds {
                    break;
                }
            }
            if holds {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}
