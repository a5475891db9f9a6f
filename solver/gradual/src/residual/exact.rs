//! Quotients without remainder: where `k` divides `t`, the quotient `⌊t/k⌋` is `t/k`.

use super::State;
use crate::term::walk::Item;
use crate::term::{Atom, AtomKind, Formula, FormulaKind, Int, Polynomial, Term, Terms};

/// Takes quotients that a relation says to be exact out of the other relations. Tells whether one has changed.
pub(super) fn apply(terms: &mut Terms, state: &mut State) -> bool {
    for at in 0..state.relations.len() {
        let Some((atom, inner, by)) = exact_quotient(terms, state.relations[at]) else {
            continue;
        };
        for other in 0..state.relations.len() {
            let relation = state.relations[other];
            if other == at {
                continue;
            }
            if let Some(replaced) = without(terms, relation, atom, (inner, by)) {
                state.relations.remove(other);
                state.pending.push(replaced);
                return true;
            }
        }
    }
    false
}

/// Returns the quotient whose dividend an equality says to be a multiple: `t = k*⌊t/k⌋`.
pub(crate) fn exact_quotient(terms: &Terms, relation: Formula) -> Option<(Atom, Term, Int)> {
    let FormulaKind::Zero(term) = **terms.formula_kind(relation) else {
        return None;
    };
    let polynomial = terms.polynomial(term);
    polynomial
        .variable_parts()
        .iter()
        .find_map(|(monomial, coefficient)| {
            let [(atom, 1)] = monomial.as_slice() else {
                return None;
            };
            let AtomKind::Floor(inner, by) = **terms.atom_kind(*atom) else {
                return None;
            };
            let quotient = Polynomial::atom(*atom);
            // The equality is normalised, so both signs occur, and a common divisor may be left out.
            let remainder = terms.polynomial(inner).plus(-by, &quotient).ok()?;
            let is_it = *coefficient != 0
                && remainder
                    .plus(by / coefficient, polynomial)
                    .ok()?
                    .parts
                    .is_empty();
            is_it.then_some((*atom, inner, by))
        })
}

/// Returns a relation that is linear in an exact quotient, without it.
fn without(
    terms: &mut Terms,
    relation: Formula,
    atom: Atom,
    (inner, by): (Term, Int),
) -> Option<Formula> {
    let kind = terms.formula_kind(relation).clone();
    let (FormulaKind::Zero(term) | FormulaKind::NotZero(term) | FormulaKind::AtLeastZero(term)) =
        *kind
    else {
        return None;
    };
    let quotient = vec![(atom, 1)];
    let polynomial = terms.polynomial(term).clone();
    let coefficient = polynomial.parts.iter().find(|part| part.0 == quotient)?.1;
    let rest: Vec<_> = polynomial
        .parts
        .iter()
        .filter(|part| part.0 != quotient)
        .cloned()
        .collect();
    let rest = terms.intern(Polynomial { parts: rest });
    if terms
        .order(Item::Term(rest), |_| true)
        .contains(&Item::Atom(atom))
    {
        return None;
    }
    let scaled = terms.scale(rest, by);
    let added = terms.scale(inner, coefficient);
    let result = terms.add(scaled, added);
    Some(match *kind {
        FormulaKind::Zero(_) => terms.zero(result),
        FormulaKind::NotZero(_) => {
            let zero = terms.zero(result);
            terms.not(zero)
        }
        _ => {
            // A positive multiple of `by` is at least `by`.
            let least = terms.as_number(rest).map(|rest| -rest);
            let is_sure = coefficient == 1
                && least.is_some_and(|least| least <= 1)
                && terms.bounds(inner).low.is_some_and(|low| low >= 1);
            if is_sure {
                Formula::TRUE
            } else {
                terms.at_least_zero(result)
            }
        }
    })
}
