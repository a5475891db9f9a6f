//! The search over small sizes, part by part of the constraints that are left open. A size that follows from others by
//! a product or by a linear form is computed, a factor of a known product is one of its divisors, and only the sizes
//! that are left are tried.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::{Form, Open, Residue};
use crate::cause::Cause;
use lozenge_vocabulary::composite::Composite;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{DimTerm, DimVar};
use lozenge_vocabulary::verdict::Order;

/// The successive ranges of lengths that are tried, each above the least possible length.
const LENGTHS: [u64; 3] = [6, 16, 64];
/// The largest number of assignments that are tried for each of these ranges.
const TRIED: usize = 200_000;
/// The largest product whose divisors are looked for.
const DIVIDED: u64 = 1 << 32;
/// The relation from which the size of a variable follows, by the number of the product or of the form.
#[derive(Clone, Copy, Debug)]
enum Relation {
    Product(usize),
    Form(usize),
}

impl Open {
    /// Returns the possible values of a variable up to a length, and whether there are no others.
    fn choices(&self, at: usize, bases: &[Basis], length: u64) -> (Vec<Dim>, bool) {
        let (low, high) = self.bounds[at];
        if let Some(whole) = self.multiple(at) {
            let inside = |size: &u64| {
                let size = i128::from(*size);
                low <= size && high.is_none_or(|high| size <= high)
            };
            let sizes = divisors(whole).into_iter().filter(inside);
            let dims = sizes.flat_map(|size| self.valued(at, size, bases));
            return (dims.collect(), true);
        }
        let most = high
            .unwrap_or(i128::MAX)
            .min((low.max(0) + i128::from(length)).min(1 << 40));
        let sizes = (low.max(1)..=most).filter_map(|size| u64::try_from(size).ok());
        let dims = sizes.flat_map(|size| self.valued(at, size, bases));
        (dims.collect(), high.is_some_and(|high| high <= most))
    }

    /// Returns the size of a product of which this variable is a factor, where it is known and small enough to find its
    /// divisors.
    fn multiple(&self, at: usize) -> Option<u64> {
        let own = DimTerm::Var(self.vars[at].clone());
        let factor_of = |product: &&Composite| product.parts.contains(&own);
        self.products.iter().filter(factor_of).find_map(|product| {
            let (low, high) = self.range(&product.whole);
            let whole = u64::try_from(low).ok()?;
            (high == Some(low) && whole <= DIVIDED).then_some(whole)
        })
    }

    /// Tries all small sizes.
    pub(super) fn search(&self, cause: Cause) -> Residue {
        let mut bases = BTreeSet::from([Basis::Default]);
        for dim in self
            .constraints
            .iter()
            .flat_map(|stated| stated.dims())
            .filter_map(DimTerm::ground)
        {
            if let Dim::Atom { basis, .. } = dim {
                bases.insert(basis.clone());
            }
        }
        let bases: Vec<Basis> = bases.into_iter().collect();
        let mut found = BTreeMap::new();
        let mut is_open = false;
        for part in self.components() {
            match self.search_part(&part, &bases) {
                Some(Some(values)) => found.extend(values),
                Some(None) => return Residue::Refuted(Rule::ArResidue, cause),
                None => is_open = true,
            }
        }
        match is_open {
            true => Residue::Open,
            false => Residue::Satisfied(found),
        }
    }

    /// Returns the variables in the parts that no constraint connects.
    fn components(&self) -> Vec<BTreeSet<usize>> {
        let mut parts: Vec<BTreeSet<usize>> = (0..self.vars.len())
            .map(|at| BTreeSet::from([at]))
            .collect();
        for stated in &self.constraints {
            let of: BTreeSet<usize> = stated
                .dims()
                .into_iter()
                .filter_map(|term| match term {
                    DimTerm::Var(var) => self.vars.binary_search(var).ok(),
                    DimTerm::Const(_) => None,
                })
                .collect();
            let (met, apart): (Vec<_>, Vec<_>) =
                parts.into_iter().partition(|part| !part.is_disjoint(&of));
            parts = apart;
            if !met.is_empty() {
                parts.push(met.into_iter().flatten().collect());
            }
        }
        parts
    }

    /// Finds values of the variables of a part that satisfy its constraints, `Some(None)` if there are none, and `None`
    /// if that is not known.
    fn search_part(
        &self,
        part: &BTreeSet<usize>,
        bases: &[Basis],
    ) -> Option<Option<BTreeMap<DimVar, Dim>>> {
        for length in LENGTHS {
            let choices: Vec<(Vec<Dim>, bool)> = (0..self.vars.len())
                .map(|at| match part.contains(&at) {
                    true => self.choices(at, bases, length),
                    false => (Vec::new(), true),
                })
                .collect();
            let order = self.order(part.clone(), &choices);
            let found = self.tried(&choices, &order, bases)?;
            let mut all = order.iter();
            if found.is_some() || all.all(|(at, how)| how.is_some() || choices[*at].1) {
                return Some(found);
            }
        }
        None
    }

    /// Returns the order in which variables get values: one whose size follows from those before it comes as early as
    /// it can, with the relation that it follows from; else the one with the fewest choices, of those that have no
    /// others.
    fn order(
        &self,
        mut open: BTreeSet<usize>,
        choices: &[(Vec<Dim>, bool)],
    ) -> Vec<(usize, Option<Relation>)> {
        let is_whole = |at: usize| {
            let own = DimTerm::Var(self.vars[at].clone());
            self.products.iter().any(|product| product.whole == own)
        };
        // Sizes of which there are no others come first, and wholes after what they are made of.
        let rank = |at: usize| (!choices[at].1, is_whole(at), choices[at].0.len());
        let mut order = Vec::with_capacity(open.len());
        loop {
            let following = open
                .iter()
                .find_map(|at| Some((*at, Some(self.relation(*at, &open)?))));
            let fewest = || open.iter().min_by_key(|at| rank(**at));
            let Some(next) = following.or_else(|| Some((*fewest()?, None))) else {
                return order;
            };
            open.remove(&next.0);
            order.push(next);
        }
    }

    /// Returns a product or a form in which this variable occurs once, and no other one that is open.
    fn relation(&self, at: usize, open: &BTreeSet<usize>) -> Option<Relation> {
        let is_open = |term: &&DimTerm| match term {
            DimTerm::Var(var) => self
                .vars
                .binary_search(var)
                .is_ok_and(|at| open.contains(&at)),
            DimTerm::Const(_) => false,
        };
        let own = DimTerm::Var(self.vars[at].clone());
        let alone = |product: &Composite| {
            let found: Vec<&DimTerm> = product.axes().filter(is_open).collect();
            found == [&own]
        };
        if let Some(number) = self.products.iter().position(alone) {
            return Some(Relation::Product(number));
        }
        let alone = |form: &Form| {
            let terms = form.terms.iter();
            let mut found = terms.filter(|(_, other)| open.contains(other));
            form.most.is_some()
                && found.next().is_some_and(|(_, other)| *other == at)
                && found.next().is_none()
        };
        self.forms.iter().position(alone).map(Relation::Form)
    }

    /// Returns the sizes of a variable that a relation allows, given the values of all others in it; `None` where their
    /// product has more than 127 bits.
    fn following(
        &self,
        at: usize,
        relation: Relation,
        ground: &Ground,
    ) -> Option<RangeInclusive<i128>> {
        let size = |term: &DimTerm| ground.dim(term).map(|dim| i128::from(dim.size()));
        let (least, most) = match relation {
            Relation::Product(number) => {
                let Composite { whole, parts, .. } = &self.products[number];
                let known = parts.iter().filter_map(size);
                let known = known.into_iter().try_fold(1i128, i128::checked_mul)?;
                // A product of known sizes that does not divide the whole is refused where the product is checked.
                let only = size(whole).map_or(known, |whole| whole / known);
                (only, only)
            }
            Relation::Form(number) => {
                let form = &self.forms[number];
                let (mut rest, mut own) = (form.constant, 1);
                for (factor, other) in &form.terms {
                    match ground.dims.get(&self.vars[*other]) {
                        Some(dim) => rest += factor * i128::from(dim.size()),
                        None => own = *factor,
                    }
                }
                // least ≤ own·α + rest ≤ most
                let ends = [Some(form.least), form.most].map(|end| end.unwrap_or(rest) - rest);
                let [low, high] = if own.is_positive() {
                    ends
                } else {
                    [-ends[1], -ends[0]]
                };
                let by = own.abs();
                (-(-low).div_euclid(by), high.div_euclid(by))
            }
        };
        let (low, high) = self.bounds[at];
        Some(least.max(low).max(1)..=most.min(high.unwrap_or(most)))
    }

    /// Returns the values of a size that a variable may have.
    fn valued(&self, at: usize, size: u64, bases: &[Basis]) -> impl Iterator<Item = Dim> {
        let unit = (size == 1 && !self.is_atom[at]).then_some(Dim::Unit);
        let atoms = bases
            .iter()
            .filter_map(move |basis| Dim::based(size, basis.clone()));
        unit.into_iter().chain(atoms)
    }

    /// Returns the first assignment that satisfies every constraint; `None` when there are too many to try, or a size
    /// has more than 64 bits.
    fn tried(
        &self,
        choices: &[(Vec<Dim>, bool)],
        order: &[(usize, Option<Relation>)],
        bases: &[Basis],
    ) -> Option<Option<BTreeMap<DimVar, Dim>>> {
        let mut ground = Ground::default();
        // For each variable that has a value, those that it may still get, and `None` for a size that is too large.
        let mut untried: Vec<Box<dyn Iterator<Item = Option<Dim>> + '_>> = Vec::new();
        let mut left = TRIED;
        loop {
            let Some((at, relation)) = order.get(untried.len()) else {
                return Some(Some(ground.dims));
            };
            untried.push(match relation {
                Some(relation) => {
                    let sizes = self.following(*at, *relation, &ground)?;
                    Box::new(sizes.flat_map(|size| match u64::try_from(size) {
                        Ok(size) => self.valued(*at, size, bases).map(Some).collect(),
                        Err(_) => vec![None],
                    }))
                }
                None => Box::new(choices[*at].0.iter().cloned().map(Some)),
            });
            // The next value of the last variable that has one.
            while let Some(dims) = untried.last_mut() {
                let Some(dim) = dims.next() else {
                    untried.pop();
                    if let Some((before, _)) = order.get(untried.len()) {
                        ground.dims.remove(&self.vars[*before]);
                    }
                    continue;
                };
                left = left.checked_sub(1)?;
                let name = &self.vars[order[untried.len() - 1].0];
                ground.dims.insert(name.clone(), dim?);
                let holds =
                    |stated: &Constraint| ground.satisfies(stated, Order::Marked) != Some(false);
                if self.constraints.iter().all(holds) {
                    break;
                }
            }
            if untried.is_empty() {
                return Some(None);
            }
        }
    }
}

/// Returns the divisors of a number, in ascending order.
fn divisors(number: u64) -> Vec<u64> {
    let low = (1..=number.isqrt()).filter(|divisor| number.is_multiple_of(*divisor));
    let mut divisors: Vec<u64> = low.flat_map(|low| [low, number / low]).collect();
    divisors.sort_unstable();
    divisors.dedup();
    divisors
}
