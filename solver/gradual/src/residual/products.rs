//! Relations on products of sizes, none of which is negative: a product that is not 0 has factors that are not, one
//! that is 1 has factors that are 1, and a factor that all parts of a relation share is taken out.

use super::State;
use super::split::divisors;
use crate::integers::Integers;
use crate::term::{Atom, AtomKind, Formula, FormulaKind, Int, Polynomial, Term, Terms};

/// Replaces a relation by what it says about the factors of its products. Tells whether there was one.
pub(super) fn apply(terms: &mut Terms, state: &mut State) -> bool {
    for at in 0..state.relations.len() {
        if let Some(simpler) = simpler(terms, state, state.relations[at]) {
            state.relations.remove(at);
            state.pending.extend(simpler);
            return true;
        }
    }
    false
}

/// Returns what a relation demands of single factors, if that is not known yet.
fn simpler(terms: &mut Terms, state: &State, relation: Formula) -> Option<Vec<Formula>> {
    let kind = (**terms.formula_kind(relation)).clone();
    let (FormulaKind::Zero(term) | FormulaKind::NotZero(term) | FormulaKind::AtLeastZero(term)) =
        kind
    else {
        return None;
    };
    let polynomial = terms.polynomial(term).clone();
    let shared = shared_factors(&polynomial);
    if !shared.is_empty() {
        return without(terms, state, (&kind, &polynomial), &shared);
    }
    let [(monomial, coefficient)] = polynomial.variable_parts() else {
        return None;
    };
    let atoms: Vec<Atom> = monomial.iter().map(|(atom, _)| *atom).collect();
    let is_natural = atoms.iter().all(|atom| is_at_least(terms, state, *atom, 0));
    if !is_natural || matches!(monomial.as_slice(), [(_, 1)]) {
        return None;
    }
    let constant = polynomial.constant_part();
    match kind {
        FormulaKind::Zero(_) => {
            let value = -(constant / coefficient);
            if constant % coefficient != 0 || value < 0 {
                return Some(vec![Formula::FALSE]);
            }
            if value == 1 {
                return Some(each(terms, &atoms, |terms, own| terms.is(own, 1)));
            }
            if !has_factoring(terms, state, monomial, value) {
                return Some(vec![Formula::FALSE]);
            }
            narrowed(terms, state, &atoms, (relation, true))
        }
        FormulaKind::AtLeastZero(_) if *coefficient > 0 && constant < 0 => {
            let is_whole = -constant <= *coefficient;
            narrowed(terms, state, &atoms, (relation, !is_whole))
        }
        _ => None,
    }
}

/// Says whether a number may be a product of what its factors can be. Nothing is said of factors that are no symbols.
fn has_factoring(terms: &Terms, state: &State, monomial: &[(Atom, u32)], value: Int) -> bool {
    let mut rests = vec![value];
    for (atom, power) in monomial {
        let AtomKind::Symbol(symbol) = **terms.atom_kind(*atom) else {
            return true;
        };
        let Some(domain) = state.domains.get(&symbol) else {
            return true;
        };
        let mut next: Vec<Int> = Vec::new();
        for rest in rests {
            let Some(all) = divisors(rest) else {
                return true;
            };
            let factors = all.into_iter().filter(|factor| domain.contains(*factor));
            let powers = factors.filter_map(|factor| factor.checked_pow(*power));
            next.extend(
                powers
                    .filter(|factor| rest % factor == 0)
                    .map(|factor| rest / factor),
            );
        }
        next.sort_unstable();
        next.dedup();
        rests = next;
    }
    rests.contains(&1)
}

/// Returns the factors that occur in every part, with their least powers.
fn shared_factors(polynomial: &Polynomial) -> Vec<(Atom, u32)> {
    let mut parts = polynomial.parts.iter();
    let mut shared = parts.next().map_or(Vec::new(), |part| part.0.clone());
    for (monomial, _) in parts {
        shared.retain_mut(|(atom, power)| {
            let other = monomial.iter().find(|(other, _)| other == atom);
            *power = other.map_or(0, |(_, other)| (*power).min(*other));
            *power > 0
        });
    }
    shared
}

/// Returns the relation without the factors that all its parts share: one of them is 0, or what is left has to hold.
fn without(
    terms: &mut Terms,
    state: &State,
    (kind, polynomial): (&FormulaKind, &Polynomial),
    shared: &[(Atom, u32)],
) -> Option<Vec<Formula>> {
    let is_single = matches!((polynomial.parts.as_slice(), shared), ([_], [(_, 1)]));
    if is_single
        || !shared
            .iter()
            .all(|(atom, _)| is_at_least(terms, state, *atom, 0))
    {
        return None;
    }
    let shared = shared.to_vec();
    let divided = polynomial.parts.iter().map(|(monomial, coefficient)| {
        Some((
            crate::term::polynomial::monomial_quotient(monomial, &shared)?,
            *coefficient,
        ))
    });
    let rest = Polynomial::collect(divided.collect::<Option<_>>()?).ok()?;
    let rest = terms.intern(rest);
    let zero = terms.zero(rest);
    let open = shared.iter().map(|(atom, _)| *atom);
    let open: Vec<Atom> = open
        .filter(|atom| !is_at_least(terms, state, *atom, 1))
        .collect();
    let mut zeros = each(terms, &open, |terms, own| terms.zero(own));
    Some(vec![match kind {
        FormulaKind::NotZero(_) => {
            zeros.push(zero);
            let any = terms.any(&zeros);
            terms.not(any)
        }
        FormulaKind::Zero(_) => {
            zeros.push(zero);
            terms.any(&zeros)
        }
        _ => {
            zeros.push(terms.at_least_zero(rest));
            terms.any(&zeros)
        }
    }])
}

/// Returns the demands that factors of a product which is not 0 are not 0, and the relation where it says more; nothing
/// if all that is known.
fn narrowed(
    terms: &mut Terms,
    state: &State,
    atoms: &[Atom],
    (relation, says_more): (Formula, bool),
) -> Option<Vec<Formula>> {
    let open = atoms
        .iter()
        .copied()
        .filter(|atom| !is_at_least(terms, state, *atom, 1));
    let open: Vec<Atom> = open.collect();
    if open.is_empty() {
        return (!says_more).then(Vec::new);
    }
    // Of a factor that is no symbol it could not be told afterwards that it is demanded.
    let is_symbol = |atom: &Atom| matches!(**terms.atom_kind(*atom), AtomKind::Symbol(_));
    let symbols: Vec<Atom> = open.iter().copied().filter(is_symbol).collect();
    if symbols.is_empty() {
        return None;
    }
    let mut all = each(terms, &symbols, |terms, own| terms.at_least(own, 1));
    if says_more || symbols.len() < open.len() {
        all.push(relation);
    }
    Some(all)
}

/// Returns one formula for each atom.
fn each(
    terms: &mut Terms,
    atoms: &[Atom],
    formula: impl Fn(&mut Terms, Term) -> Formula,
) -> Vec<Formula> {
    let mut all = Vec::with_capacity(atoms.len());
    for atom in atoms {
        let own = terms.of_atom(*atom);
        all.push(formula(terms, own));
    }
    all
}

/// Says whether an atom certainly has at least this value.
fn is_at_least(terms: &Terms, state: &State, atom: Atom, least: Int) -> bool {
    let of_domain = |domain: &Integers| {
        let mut firsts = domain.spans().map(|span| span.first);
        firsts.all(|first| first.is_some_and(|first| first >= least))
    };
    let narrowed = match **terms.atom_kind(atom) {
        AtomKind::Symbol(symbol) => state.domains.get(&symbol).is_some_and(of_domain),
        _ => false,
    };
    narrowed || terms.item_bounds(atom).low.is_some_and(|low| low >= least)
}
