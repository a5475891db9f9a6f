//! Boxes: sets of points that are products of sets of integers, with relations between symbols.

use crate::integers::Integers;
use crate::limit::Limit;
use crate::term::{Formula, Int, Rewriting, Symbol, Term, Terms};
use std::collections::BTreeMap;

/// A set of points. Boxes are compared with each other often, and the fields that differ first stand first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SizeBox {
    /// The relations between symbols, sorted.
    pub(crate) relations: Vec<Formula>,
    /// The symbols that are a function of others, which no other term and no relation of the box mentions.
    pub(crate) equal: Vec<(Symbol, Term)>,
    /// A point of the box, if one was found.
    pub(crate) witness: Option<BTreeMap<Symbol, Int>>,
    /// The values of each symbol by itself.
    pub(crate) domains: BTreeMap<Symbol, Integers>,
}

impl SizeBox {
    pub(super) fn new(
        domains: BTreeMap<Symbol, Integers>,
        mut equal: Vec<(Symbol, Term)>,
        mut relations: Vec<Formula>,
    ) -> Self {
        equal.sort_unstable();
        relations.sort_unstable();
        relations.dedup();
        Self {
            domains,
            equal,
            relations,
            witness: None,
        }
    }

    /// Says whether a point belongs to the box; nothing if a number is too large to tell.
    pub(crate) fn contains(
        &self,
        terms: &Terms,
        point: &impl Fn(Symbol) -> Option<Int>,
    ) -> Option<bool> {
        let domains = self.domains.iter();
        let domains = domains.map(|(symbol, domain)| Some(domain.contains(point(*symbol)?)));
        let equal = self.equal.iter();
        let equal = equal.map(|(symbol, term)| Some(terms.value(*term, point)? == point(*symbol)?));
        let relations = self.relations.iter();
        let relations = relations.map(|relation| terms.holds(*relation, point));
        let mut is_open = false;
        for holds in domains.chain(equal).chain(relations) {
            match holds {
                Some(true) => {}
                Some(false) => return Some(false),
                None => is_open = true,
            }
        }
        (!is_open).then_some(true)
    }

    /// Writes the box as formulas that hold together.
    pub(crate) fn formulas(&self, terms: &mut Terms) -> Option<Vec<Formula>> {
        let mut formulas = self.relations.clone();
        for (symbol, term) in &self.equal {
            let own = terms.of(*symbol);
            formulas.push(terms.equal(own, *term));
        }
        for (symbol, domain) in &self.domains {
            let own = terms.of(*symbol);
            formulas.push(super::membership(terms, own, domain)?);
        }
        Some(formulas)
    }

    /// Says whether the other box certainly contains this one.
    pub(crate) fn is_inside(&self, terms: &mut Terms, other: &Self) -> bool {
        terms.charge(self.domains.len());
        let domains_hold = other.domains.iter().all(|(symbol, domain)| {
            self.domains
                .get(symbol)
                .is_some_and(|own| own.is_subset(domain).unwrap_or(false))
        });
        if !domains_hold {
            return false;
        }
        let mut formulas = other.relations.clone();
        for (symbol, term) in &other.equal {
            if !self.equal.contains(&(*symbol, *term)) {
                let own = terms.of(*symbol);
                formulas.push(terms.equal(own, *term));
            }
        }
        formulas.iter().all(|formula| {
            let mut formula = *formula;
            for (symbol, term) in &self.equal {
                formula = Rewriting::symbol(terms, *symbol, *term).formula(terms, formula);
            }
            for (symbol, domain) in &self.domains {
                if let Some(value) = domain.single() {
                    let value = terms.number(value);
                    formula = Rewriting::symbol(terms, *symbol, value).formula(terms, formula);
                }
            }
            formula == Formula::TRUE || self.relations.contains(&formula)
        })
    }
}

/// The number of boxes up to which pairs are compared.
const MAX_COMPARED: usize = 600;

/// Returns the same set of points with fewer boxes, in an order that depends on the set alone as far as boxes do.
///
/// Of the pairs that make up a box together the first is joined first. After that only the joined box is compared with
/// all others, for the others have been.
pub(crate) fn merge(terms: &mut Terms, boxes: Vec<SizeBox>) -> Result<Vec<SizeBox>, Limit> {
    if boxes.len() > MAX_COMPARED || terms.exhausted().is_some() {
        return Ok(boxes);
    }
    let mut boxes = without_contained(terms, boxes);
    let mut next = 0;
    while next < boxes.len() {
        terms.charge(boxes.len());
        let Some((other, joined)) = partner(&boxes, next, next + 1)? else {
            next += 1;
            continue;
        };
        let mut at = replace(terms, &mut boxes, (next, other), joined, &mut next);
        terms.charge(boxes.len());
        while let Some((other, joined)) = partner(&boxes, at, 0)? {
            let pair = (at.min(other), at.max(other));
            at = replace(terms, &mut boxes, pair, joined, &mut next);
            terms.charge(boxes.len());
        }
    }
    Ok(boxes)
}

/// Puts a joined box into the place of the first of its two parts, and leaves out the boxes that it contains. Returns
/// where it lies then, and moves the place up to which all pairs were compared with the boxes.
fn replace(
    terms: &mut Terms,
    boxes: &mut Vec<SizeBox>,
    (at, other): (usize, usize),
    joined: SizeBox,
    compared: &mut usize,
) -> usize {
    let (mut kept, mut place, mut before) = (Vec::with_capacity(boxes.len()), 0, 0);
    for (own, each) in std::mem::take(boxes).into_iter().enumerate() {
        if own == at {
            place = kept.len();
            kept.push(joined.clone());
        } else if own == other || each.is_inside(terms, &joined) {
            continue;
        } else {
            kept.push(each);
        }
        before += usize::from(own < *compared);
    }
    *boxes = kept;
    *compared = before;
    place
}

fn without_contained(terms: &mut Terms, boxes: Vec<SizeBox>) -> Vec<SizeBox> {
    let mut kept: Vec<SizeBox> = Vec::new();
    for next in boxes {
        if kept.iter().any(|other| next.is_inside(terms, other)) {
            continue;
        }
        kept.retain(|other| !other.is_inside(terms, &next));
        kept.push(next);
    }
    kept
}

/// Returns the first box, among those from a place on, that makes up a box together with the one at `at`, and that box.
fn partner(boxes: &[SizeBox], at: usize, from: usize) -> Result<Option<(usize, SizeBox)>, Limit> {
    for (other, right) in boxes.iter().enumerate().skip(from) {
        if other == at {
            continue;
        }
        let (first, second) = if at < other {
            (&boxes[at], right)
        } else {
            (right, &boxes[at])
        };
        if let Some(joined) = joined(first, second)? {
            return Ok(Some((other, joined)));
        }
    }
    Ok(None)
}

/// Returns the box that two boxes make up which differ in what one symbol can be.
fn joined(left: &SizeBox, right: &SizeBox) -> Result<Option<SizeBox>, Limit> {
    if left.equal != right.equal
        || left.relations != right.relations
        || !left.domains.keys().eq(right.domains.keys())
    {
        return Ok(None);
    }
    let mut different = left
        .domains
        .iter()
        .filter(|(symbol, domain)| right.domains[symbol] != **domain);
    let (Some((symbol, domain)), None) = (different.next(), different.next()) else {
        return Ok(None);
    };
    if left.equal.iter().any(|(other, _)| other == symbol) {
        return Ok(None);
    }
    let mut joined = left.clone();
    let union = domain
        .unite(&right.domains[symbol])
        .map_err(|_| Limit::Period)?;
    joined.domains.insert(*symbol, union);
    joined.witness = left.witness.clone().or_else(|| right.witness.clone());
    Ok(Some(joined))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two halves are joined from two quarters each, and the second half is compared with the first.
    #[test]
    fn four_quarters_make_up_one_box() {
        let mut terms = Terms::new();
        let symbols = ["x", "y"].map(|name| terms.symbol(name, Some(0), None));
        let side = |start: Int| Integers::between(Some(start), Some(start + 4));
        let quarters = [(0, 0), (5, 0), (0, 5), (5, 5)].map(|(left, low)| {
            let domains = symbols.into_iter().zip([side(left), side(low)]);
            SizeBox::new(domains.collect(), Vec::new(), Vec::new())
        });
        let all = merge(&mut terms, quarters.to_vec()).expect("no limit is reached");
        let whole = Integers::between(Some(0), Some(9));
        let domains: Vec<_> = all.iter().map(|found| &found.domains).collect();
        let expected = symbols.into_iter().map(|symbol| (symbol, whole.clone()));
        assert_eq!(domains, [&expected.collect::<BTreeMap<_, _>>()]);
    }
}
