//! Points of boxes: a box in which there is none is dropped.

use super::boxes::SizeBox;
use super::split::divisors;
use crate::integers::Integers;
use crate::term::{FormulaKind, Int, Symbol, Terms};
use std::collections::BTreeMap;

/// The number of values of one symbol that are tried, and of points.
const MAX_VALUES: usize = 24;
const MAX_POINTS: usize = 200_000;

/// The box with a point of it. A box of whose relations no solution was found keeps none, for its relations may have one.
pub(super) fn checked(terms: &mut Terms, mut found: SizeBox) -> Option<SizeBox> {
    // What a dependent symbol can be follows from its term; its own domain is narrowed to that where the term is a symbol and a number.
    for (symbol, term) in found.equal.clone() {
        if let [other] = *terms.symbols(term)
            && let Some(domain) = affine_image(terms, &found, term, other)
            && let Ok(domain) = found.domains[&symbol].intersect(&domain)
        {
            found.domains.insert(symbol, domain);
        }
    }
    if found.domains.values().any(Integers::is_empty) {
        return None;
    }
    found.witness = point(terms, &found);
    Some(found)
}

/// The values of `±other + c`.
fn affine_image(terms: &mut Terms, found: &SizeBox, term: crate::term::Term, other: Symbol) -> Option<Integers> {
    let own = terms.of(other);
    for sign in [1, -1] {
        let scaled = terms.scale(own, sign);
        let rest = terms.subtract(term, scaled);
        if let Some(shift) = terms.as_number(rest) {
            // v = sign*o + shift, so o = sign*v - sign*shift
            return found.domains[&other].preimage(sign, -sign * shift);
        }
    }
    None
}

/// A point of the box with small values, if one is found.
fn point(terms: &Terms, found: &SizeBox) -> Option<BTreeMap<Symbol, Int>> {
    let dependent: Vec<Symbol> = found.equal.iter().map(|(symbol, _)| *symbol).collect();
    let bound: Vec<Symbol> = found.relations.iter().flat_map(|relation| terms.formula_symbols(*relation)).copied().collect();
    let hints = hints(terms, found);
    let mut free: Vec<(Symbol, Vec<Int>)> = Vec::new();
    for (symbol, domain) in &found.domains {
        if dependent.contains(symbol) {
            continue;
        }
        let from = domain.spans().filter_map(|span| span.first).min().unwrap_or(0);
        let mut values: Vec<Int> = domain.iter_from(from).take(if bound.contains(symbol) { MAX_VALUES } else { 1 }).collect();
        if bound.contains(symbol) {
            values.extend(hints.iter().copied().filter(|hint| domain.contains(*hint)));
        }
        if values.is_empty() {
            values.extend(domain.previous(0));
        }
        values.dedup();
        free.push((*symbol, values));
    }
    let mut places = vec![0; free.len()];
    for _ in 0..MAX_POINTS {
        let mut values: BTreeMap<Symbol, Int> = free.iter().zip(&places).filter_map(|((symbol, values), at)| Some((*symbol, *values.get(*at)?))).collect();
        for (symbol, term) in &found.equal {
            if let Some(value) = terms.value(*term, &|symbol| values.get(&symbol).copied()) {
                values.insert(*symbol, value);
            }
        }
        if found.contains(terms, &|symbol| values.get(&symbol).copied()) == Some(true) {
            return Some(values);
        }
        let place = places.iter().zip(&free).position(|(at, (_, values))| at + 1 < values.len())?;
        places[place] += 1;
        places[..place].fill(0);
    }
    None
}

/// Numbers that may solve the relations: the divisors of their constants.
fn hints(terms: &Terms, found: &SizeBox) -> Vec<Int> {
    let mut hints = Vec::new();
    for relation in &found.relations {
        if let FormulaKind::Zero(term) | FormulaKind::AtLeastZero(term) = **terms.formula_kind(*relation) {
            for (_, coefficient) in &terms.polynomial(term).parts {
                hints.extend(divisors(coefficient.abs()).unwrap_or_default());
            }
        }
    }
    hints.sort_unstable();
    hints.dedup();
    hints
}
