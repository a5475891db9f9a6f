//! The choice of what a case is split on.

use super::State;
use crate::limit::Limit;
use crate::term::walk::Item;
use crate::term::{Atom, AtomKind, Formula, FormulaKind, Int, Symbol, Term, Terms};
use crate::unary;

/// The continuation of a case.
pub(super) enum Split {
    /// It does not fall into parts.
    Done,
    /// It holds where one of the alternatives does. The relation at the place, if there is one, is what they say
    /// together.
    Into(Vec<Alternative>, Option<usize>),
}

/// A part of a case: what is assumed, and the atom that is another term then.
#[derive(Clone, Debug, Default)]
pub(super) struct Alternative {
    pub(super) assumed: Vec<Formula>,
    pub(super) replaced: Option<(Atom, Term)>,
}

/// Chooses the relation that falls into the fewest parts. A relation that has only one part left is taken at once, and
/// becomes pending.
pub(super) fn choose(terms: &mut Terms, state: &mut State) -> Result<Split, Limit> {
    let mut best: Option<(usize, Vec<Alternative>)> = None;
    let mut at = 0;
    while at < state.relations.len() {
        if let Some(limit) = terms.exhausted() {
            return Err(limit);
        }
        let relation = state.relations[at];
        let Some(parts) = parts(terms, state, relation)? else {
            at += 1;
            continue;
        };
        if parts.is_empty() || parts.len() == 1 && parts[0].replaced.is_none() {
            state.relations.remove(at);
            match parts.into_iter().next() {
                Some(part) => state.pending.extend(part.assumed),
                None => state.pending.push(Formula::FALSE),
            }
            return Ok(Split::Done);
        }
        if best
            .as_ref()
            .is_none_or(|(_, fewest)| parts.len() < fewest.len())
        {
            best = Some((at, parts));
        }
        at += 1;
    }
    Ok(match best {
        Some((at, parts)) => {
            // An atom that is replaced leaves the relation itself in place, to be looked at again.
            let is_all = parts.iter().all(|part| part.replaced.is_none());
            Split::Into(parts, is_all.then_some(at))
        }
        None => {
            flatten(terms, state)?;
            Split::Done
        }
    })
}

/// Replaces the atoms of relations that are one number on the domain of their symbol.
fn flatten(terms: &mut Terms, state: &mut State) -> Result<(), Limit> {
    let mut seen = Vec::new();
    for relation in state.relations.clone() {
        let order = terms.order(Item::Formula(relation), |_| true);
        seen.extend(order.into_iter().filter_map(|item| {
            if let Item::Atom(atom) = item {
                Some(atom)
            } else {
                None
            }
        }));
    }
    seen.sort_unstable();
    seen.dedup();
    for atom in seen {
        let [symbol] = *terms.item_symbols(Item::Atom(atom)) else {
            continue;
        };
        let Some(domain) = state.domains.get(&symbol).cloned() else {
            continue;
        };
        let Some(sample) = domain.next(0).or_else(|| domain.previous(0)) else {
            continue;
        };
        let own = terms.of_atom(atom);
        let Some(value) = terms.value(own, &|_| Some(sample)) else {
            continue;
        };
        let is_constant = terms.is(own, value);
        if possible(terms, state, is_constant)? == Some(true) {
            let value = terms.number(value);
            state.rewrite(terms, &mut crate::term::Rewriting::atom(terms, atom, value));
        }
    }
    Ok(())
}

/// Returns the alternatives of a relation; nothing if it stays as it is.
fn parts(
    terms: &mut Terms,
    state: &State,
    relation: Formula,
) -> Result<Option<Vec<Alternative>>, Limit> {
    let assume = |formula: Formula| Alternative {
        assumed: vec![formula],
        replaced: None,
    };
    match &*terms.formula_kind(relation).clone() {
        FormulaKind::Any(alternatives) => {
            let mut left = Vec::new();
            for alternative in alternatives.iter() {
                match possible(terms, state, *alternative)? {
                    Some(true) => return Ok(Some(vec![Alternative::default()])),
                    Some(false) => {}
                    None => left.push(assume(*alternative)),
                }
            }
            Ok(Some(left))
        }
        FormulaKind::Zero(term) | FormulaKind::NotZero(term) | FormulaKind::AtLeastZero(term) => {
            if let Some(atom) = switch(terms, relation) {
                return Ok(Some(switched(terms, atom)));
            }
            Ok(match &*terms.formula_kind(relation).clone() {
                FormulaKind::Zero(_) => factors(terms, *term),
                _ => None,
            })
        }
        _ => Ok(None),
    }
}

/// Says whether a formula holds on all of the domains (true), or nowhere (false), as far as it speaks of one symbol.
fn possible(terms: &mut Terms, state: &State, formula: Formula) -> Result<Option<bool>, Limit> {
    let [symbol] = *terms.formula_symbols(formula) else {
        return Ok(None);
    };
    let Some(domain) = state.domains.get(&symbol) else {
        return Ok(None);
    };
    let solutions = unary::solutions(terms, formula, symbol)?;
    terms.charge(domain.weight() + solutions.weight());
    let common = domain.intersect(&solutions).map_err(|_| Limit::Period)?;
    Ok(if common.is_empty() {
        Some(false)
    } else if domain.is_subset(&solutions).map_err(|_| Limit::Period)? {
        Some(true)
    } else {
        None
    })
}

/// Returns the innermost atom of a formula that switches on a condition. Inner ones come first, so its own condition
/// holds none.
fn switch(terms: &Terms, formula: Formula) -> Option<Atom> {
    terms
        .order(Item::Formula(formula), |_| true)
        .into_iter()
        .find_map(|item| match item {
            Item::Atom(atom)
                if matches!(
                    **terms.atom_kind(atom),
                    AtomKind::Select(..) | AtomKind::Broadcast(_)
                ) =>
            {
                Some(atom)
            }
            _ => None,
        })
}

fn switched(terms: &mut Terms, atom: Atom) -> Vec<Alternative> {
    let (condition, then, otherwise) = match &*terms.atom_kind(atom).clone() {
        AtomKind::Select(condition, then, otherwise) => (*condition, *then, *otherwise),
        AtomKind::Broadcast(sizes) => (
            terms.is(sizes[0], 1),
            terms.broadcast(&sizes[1..]),
            sizes[0],
        ),
        _ => return Vec::new(),
    };
    let negation = terms.not(condition);
    [(condition, then), (negation, otherwise)]
        .into_iter()
        .filter(|(condition, _)| *condition != Formula::FALSE)
        .map(|(condition, term)| Alternative {
            assumed: vec![condition],
            replaced: Some((atom, term)),
        })
        .collect()
}

/// The number of ways to write a number as a product that are tried.
const MAX_FACTORINGS: usize = 512;

/// Returns the ways in which a product of functions of different symbols is a number. A product of plain symbols stays
/// a relation: it is shorter.
fn factors(terms: &mut Terms, term: Term) -> Option<Vec<Alternative>> {
    let polynomial = terms.polynomial(term).clone();
    let [(monomial, coefficient)] = polynomial.variable_parts() else {
        return None;
    };
    if let Some(ends) = quotient_is(terms, &polynomial) {
        return Some(vec![Alternative {
            assumed: ends.to_vec(),
            replaced: None,
        }]);
    }
    let is_symbol = |atom: Atom| matches!(**terms.atom_kind(atom), AtomKind::Symbol(_));
    if polynomial.constant_part() == 0 {
        if let [(_, 1)] = monomial.as_slice() {
            return None;
        }
        let zeros: Vec<Term> = monomial
            .iter()
            .map(|(atom, _)| terms.of_atom(*atom))
            .collect();
        let zeros = zeros.into_iter().map(|factor| Alternative {
            assumed: vec![terms.zero(factor)],
            replaced: None,
        });
        return Some(zeros.collect());
    }
    // A quotient that is no integer is the value of no product.
    if polynomial.constant_part() % coefficient != 0 {
        return Some(Vec::new());
    }
    let value = -(polynomial.constant_part() / coefficient);
    let is_positive = monomial
        .iter()
        .all(|(atom, _)| terms.item_bounds(*atom).low.is_some_and(|low| low >= 1));
    if is_positive && value <= 1 {
        let ones: Vec<Term> = monomial
            .iter()
            .map(|(atom, _)| terms.of_atom(*atom))
            .collect();
        let ones = ones.into_iter().map(|factor| {
            if value == 1 {
                terms.is(factor, 1)
            } else {
                Formula::FALSE
            }
        });
        return Some(vec![Alternative {
            assumed: ones.collect(),
            replaced: None,
        }]);
    }
    if monomial.iter().all(|(atom, _)| is_symbol(*atom)) {
        return None;
    }
    let mut seen: Vec<Symbol> = Vec::new();
    for (atom, power) in monomial {
        let symbols = terms.item_symbols(Item::Atom(*atom));
        let is_negative = terms.item_bounds(*atom).low.is_none_or(|low| low < 0);
        if *power != 1 || is_negative || symbols.iter().any(|symbol| seen.contains(symbol)) {
            return None;
        }
        seen.extend(symbols);
    }
    let mut factorings: Vec<(Int, Vec<Int>)> = vec![(value, Vec::new())];
    for at in 0..monomial.len() {
        let is_last = at + 1 == monomial.len();
        let mut next = Vec::new();
        for (rest, chosen) in factorings {
            for divisor in if is_last { vec![rest] } else { divisors(rest)? } {
                next.push((
                    rest / divisor,
                    chosen.iter().copied().chain([divisor]).collect(),
                ));
            }
        }
        if next.len() > MAX_FACTORINGS {
            return None;
        }
        factorings = next;
    }
    let alternatives = factorings.into_iter().map(|(_, chosen)| {
        let each = monomial.iter().zip(chosen).map(|((atom, _), divisor)| {
            let factor = terms.of_atom(*atom);
            terms.is(factor, divisor)
        });
        Alternative {
            assumed: each.collect(),
            replaced: None,
        }
    });
    Some(
        alternatives
            .filter(|alternative| !alternative.assumed.contains(&Formula::FALSE))
            .collect(),
    )
}

/// Bounds the dividend where a quotient that is rounded down is a number.
fn quotient_is(terms: &mut Terms, polynomial: &crate::term::Polynomial) -> Option<[Formula; 2]> {
    let [(monomial, 1 | -1)] = polynomial.variable_parts() else {
        return None;
    };
    let [(atom, 1)] = monomial.as_slice() else {
        return None;
    };
    let AtomKind::Floor(inner, by) = **terms.atom_kind(*atom) else {
        return None;
    };
    let value = -polynomial
        .constant_part()
        .checked_mul(polynomial.variable_parts()[0].1)?;
    let low = value.checked_mul(by)?;
    let high = terms.number(low.checked_add(by - 1)?);
    Some([terms.at_least(inner, low), terms.at_most(inner, high)])
}

/// Returns the positive divisors of a positive number, unless it is large.
pub(super) fn divisors(number: Int) -> Option<Vec<Int>> {
    if !(1..=1_000_000_000).contains(&number) {
        return None;
    }
    let small: Vec<Int> = (1..)
        .take_while(|divisor| divisor * divisor <= number)
        .filter(|divisor| number % divisor == 0)
        .collect();
    let large = small
        .iter()
        .rev()
        .map(|divisor| number / divisor)
        .filter(|divisor| divisor * divisor > number);
    Some(
        small
            .iter()
            .copied()
            .chain(large.collect::<Vec<_>>())
            .collect(),
    )
}
