//! Relations whose polynomial is a product of two: one of them is 0, or neither is.

use super::State;
use crate::term::{Atom, Formula, FormulaKind, Int, Polynomial, Terms};

/// Replaces a relation by what it says about the two factors of its polynomial. Tells whether there was one.
pub(super) fn apply(terms: &mut Terms, state: &mut State) -> bool {
    for at in 0..state.relations.len() {
        if let Some(simpler) = factored(terms, state.relations[at]) {
            state.relations.remove(at);
            state.pending.push(simpler);
            return true;
        }
    }
    false
}

fn factored(terms: &mut Terms, relation: Formula) -> Option<Formula> {
    let kind = (**terms.formula_kind(relation)).clone();
    let (FormulaKind::Zero(term) | FormulaKind::NotZero(term)) = kind else {
        return None;
    };
    let polynomial = terms.polynomial(term).clone();
    let (atom, value, other) = linear_factor(&polynomial)?;
    let own = terms.of_atom(atom);
    let other = terms.intern(other);
    let zeros = [terms.is(own, value), terms.zero(other)];
    let any = terms.any(&zeros);
    Some(match kind {
        FormulaKind::Zero(_) => any,
        _ => terms.not(any),
    })
}

/// Returns an atom and a number whose difference divides a polynomial, with the quotient, which is no number.
fn linear_factor(polynomial: &Polynomial) -> Option<(Atom, Int, Polynomial)> {
    let atoms = polynomial.parts.iter().flat_map(|(monomial, _)| monomial);
    let mut atoms: Vec<Atom> = atoms.map(|(atom, _)| *atom).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms.into_iter().find_map(|atom| {
        // The polynomial is atom*with + without.
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for (monomial, coefficient) in &polynomial.parts {
            match monomial.iter().find(|(other, _)| *other == atom) {
                None => without.push((monomial.clone(), *coefficient)),
                Some((_, 1)) => {
                    let rest = monomial.iter().copied();
                    let rest = rest.filter(|(other, _)| *other != atom);
                    with.push((rest.collect(), *coefficient));
                }
                Some(_) => return None,
            }
        }
        let (with, without) = (
            Polynomial::collect(with).ok()?,
            Polynomial::collect(without).ok()?,
        );
        if with.as_constant().is_some() {
            return None;
        }
        let (own, other) = (with.parts.last()?.1, without.parts.last()?.1);
        let times = other.checked_div(own)?;
        let is_multiple = with.scaled(times).is_ok_and(|scaled| scaled == without);
        is_multiple.then_some((atom, times.checked_neg()?, with))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: n*h - 4*n - 3*h + 12 = (n - 3)*(h - 4), and n*h + 1 has no factor.
    #[test]
    fn a_linear_factor_is_found_where_there_is_one() {
        let mut terms = Terms::new();
        let [n, h] = ["n", "h"].map(|name| {
            let symbol = terms.symbol(name, Some(0), None);
            terms.of(symbol)
        });
        let (three, four) = (terms.shift(n, -3), terms.shift(h, -4));
        let product = terms.multiply(three, four);
        let (zero, not) = (terms.zero(product), terms.zero(product));
        let not = terms.not(not);
        let wanted = [terms.is(n, 3), terms.is(h, 4)];
        let wanted = terms.any(&wanted);
        assert_eq!(factored(&mut terms, zero), Some(wanted));
        let wanted = terms.not(wanted);
        assert_eq!(factored(&mut terms, not), Some(wanted));
        let other = terms.multiply(n, h);
        let other = terms.shift(other, 1);
        let other = terms.zero(other);
        assert_eq!(factored(&mut terms, other), None);
    }
}
