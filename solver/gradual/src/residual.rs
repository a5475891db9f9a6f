//! The solutions of formulas over symbols, as boxes.
//!
//! A formula in one symbol is solved exactly. An equality replaces a symbol by a term of others; alternatives are
//! split, those with the fewest first, after the ones that cannot hold have been left out. Relations between symbols
//! remain, and stay in the box.

mod boxes;
pub(crate) mod exact;
mod factors;
mod linear;
mod products;
mod split;
mod witness;

pub(crate) use boxes::{SizeBox, merge};

use crate::integers::Integers;
use crate::limit::{Limit, MAX_BOXES, MAX_SPLITS};
use crate::term::{Formula, FormulaKind, Int, Rewriting, Symbol, Term, Terms};
use crate::unary;
use split::Split;
use std::collections::BTreeMap;

/// A case: what is still to be looked at, what has been found.
#[derive(Clone, Debug)]
struct State {
    pending: Vec<Formula>,
    relations: Vec<Formula>,
    domains: BTreeMap<Symbol, Integers>,
    equal: Vec<(Symbol, Term)>,
}

/// No value is left for a case.
struct Empty;

/// Returns the solutions of all formulas together, where each symbol is in its domain.
///
/// Where they fall into too many boxes, they are one box: the formulas stay its relations, as they are before anything
/// is split.
pub(crate) fn boxes(
    terms: &mut Terms,
    domains: BTreeMap<Symbol, Integers>,
    formulas: &[Formula],
) -> Result<Vec<SizeBox>, Limit> {
    all_parts(terms, Search::new(domains, formulas), None)
}

/// Returns the solutions of formulas that lie in a box, as [`boxes`] does. Those share its point where it is one of
/// theirs, and what is known of the box is not derived anew.
pub(crate) fn boxes_in(
    terms: &mut Terms,
    wide: &SizeBox,
    formulas: &[Formula],
) -> Result<Vec<SizeBox>, Limit> {
    let search = Search::within(terms, wide, formulas);
    all_parts(terms, search, Some(wide))
}

/// Says whether certainly no point of a box satisfies all formulas.
pub(crate) fn is_apart(terms: &mut Terms, wide: &SizeBox, formulas: &[Formula]) -> bool {
    let search = Search::within(terms, wide, formulas);
    has_no_part(terms, search)
}

/// Replaces a symbol in those of some formulas that speak of it.
fn replace(terms: &mut Terms, formulas: &mut [Formula], symbol: Symbol, by: Term) {
    let mut rewriting = None;
    for formula in formulas {
        if terms
            .formula_symbols(*formula)
            .binary_search(&symbol)
            .is_ok()
        {
            let rewriting = rewriting.get_or_insert_with(|| Rewriting::symbol(terms, symbol, by));
            *formula = rewriting.formula(terms, *formula);
        }
    }
}

/// Returns the parts that a search finds, as few as they can be made.
fn all_parts(
    terms: &mut Terms,
    mut search: Search,
    wide: Option<&SizeBox>,
) -> Result<Vec<SizeBox>, Limit> {
    let mut found: Vec<SizeBox> = Vec::new();
    loop {
        match search.next(terms, found.len() > MAX_BOXES)? {
            Next::Part(part) => {
                if let Some(mut part) = witness::tightened(terms, part) {
                    linear::without_implied(terms, &part.domains, &mut part.relations);
                    let part = witness::with_point(terms, part, wide);
                    if !found.contains(&part) {
                        found.push(part);
                    }
                }
            }
            Next::TooMany(whole) => return unsplit(terms, whole, &found),
            Next::End => return merge(terms, found),
        }
    }
}

/// Says whether the formulas certainly have no solution together.
pub(crate) fn is_empty(
    terms: &mut Terms,
    domains: BTreeMap<Symbol, Integers>,
    formulas: &[Formula],
) -> bool {
    has_no_part(terms, Search::new(domains, formulas))
}

/// Says whether a search certainly finds nothing. The first part in which a solution may lie answers it.
fn has_no_part(terms: &mut Terms, mut search: Search) -> bool {
    loop {
        match search.next(terms, false) {
            Ok(Next::Part(part)) => {
                let part = witness::tightened(terms, part);
                if part.is_some_and(|part| !witness::is_refuted(terms, &part)) {
                    return false;
                }
            }
            Ok(Next::End) => return true,
            Ok(Next::TooMany(_)) | Err(_) => return false,
        }
    }
}

/// A search through the cases of formulas.
struct Search {
    /// The cases that are left; the last comes next.
    states: Vec<State>,
    splits: usize,
    /// The case before anything was split.
    whole: Option<State>,
}

/// The result of a step of a search.
enum Next {
    /// A box whose point is not sought yet.
    Part(SizeBox),
    /// The case before anything was split, of which there are too many parts.
    TooMany(State),
    /// Nothing is left.
    End,
}

impl Search {
    fn new(domains: BTreeMap<Symbol, Integers>, formulas: &[Formula]) -> Self {
        let first = State {
            pending: formulas.to_vec(),
            relations: Vec::new(),
            domains,
            equal: Vec::new(),
        };
        Self::from(first)
    }

    /// Starts with what is known of a box, so that of the formulas alone something is left to be done.
    fn within(terms: &mut Terms, wide: &SizeBox, formulas: &[Formula]) -> Self {
        let mut domains = wide.domains.clone();
        for formula in formulas {
            for symbol in terms.formula_symbols(*formula) {
                domains
                    .entry(*symbol)
                    .or_insert_with(|| unary::domain(terms, *symbol));
            }
        }
        let mut pending = formulas.to_vec();
        for (symbol, term) in &wide.equal {
            replace(terms, &mut pending, *symbol, *term);
        }
        for (symbol, domain) in &wide.domains {
            if let Some(value) = domain.single() {
                let value = terms.number(value);
                replace(terms, &mut pending, *symbol, value);
            }
        }
        Self::from(State {
            pending,
            relations: wide.relations.clone(),
            domains,
            equal: wide.equal.clone(),
        })
    }

    fn from(first: State) -> Self {
        Self {
            states: vec![first],
            splits: 0,
            whole: None,
        }
    }

    /// Looks at cases up to the next box. One that falls into parts is given back whole if there are too many.
    fn next(&mut self, terms: &mut Terms, are_too_many: bool) -> Result<Next, Limit> {
        while let Some(mut state) = self.states.pop() {
            self.splits += 1;
            if let Some(limit) = terms.exhausted() {
                return Err(limit);
            }
            let is_over = are_too_many || self.splits > MAX_SPLITS;
            if let Some(whole) = self.whole.take_if(|_| is_over) {
                return Ok(Next::TooMany(whole));
            }
            match advance(terms, &mut state)? {
                Err(Empty) => {}
                Ok(_) if linear::contradict(terms, &state.domains, &state.relations) => {}
                Ok(Split::Done) => {
                    let part = SizeBox::new(state.domains, state.equal, state.relations);
                    return Ok(Next::Part(part));
                }
                Ok(Split::Into(alternatives, said)) => {
                    self.whole.get_or_insert_with(|| state.clone());
                    if let Some(at) = said {
                        state.relations.remove(at);
                    }
                    // The first alternative is looked at first: it goes onto the stack last.
                    for alternative in alternatives.into_iter().rev() {
                        terms.charge(2 * state.domains.len() + state.relations.len());
                        let mut next = state.clone();
                        if let Some((atom, term)) = alternative.replaced {
                            next.rewrite(terms, &mut Rewriting::atom(terms, atom, term));
                        }
                        next.pending.extend(alternative.assumed);
                        self.states.push(next);
                    }
                }
            }
        }
        Ok(Next::End)
    }
}

/// Returns the box of a case that is not split, with a point of one of the boxes into which it would fall.
fn unsplit(terms: &mut Terms, whole: State, parts: &[SizeBox]) -> Result<Vec<SizeBox>, Limit> {
    let mut whole = SizeBox::new(whole.domains, whole.equal, whole.relations);
    let points = parts.iter().filter_map(|part| part.witness.clone());
    let is_inside = |point: &BTreeMap<Symbol, Int>| {
        whole.contains(terms, &|symbol| point.get(&symbol).copied()) == Some(true)
    };
    let point = points.into_iter().find(is_inside);
    whole.witness = Some(point.ok_or(Limit::Splits)?);
    Ok(vec![whole])
}

/// Uses up what is pending, and says how the case falls into parts.
fn advance(terms: &mut Terms, state: &mut State) -> Result<Result<Split, Empty>, Limit> {
    loop {
        if let Some(limit) = terms.exhausted() {
            return Err(limit);
        }
        while let Some(formula) = state.pending.pop() {
            if take(terms, state, formula)?.is_err() {
                return Ok(Err(Empty));
            }
        }
        if products::apply(terms, state)
            || substitute(terms, state)
            || exact::apply(terms, state)
            || factors::apply(terms, state)
        {
            continue;
        }
        let split = split::choose(terms, state)?;
        match split {
            Split::Done if !state.pending.is_empty() => {}
            split => return Ok(Ok(split)),
        }
    }
}

fn take(
    terms: &mut Terms,
    state: &mut State,
    formula: Formula,
) -> Result<Result<(), Empty>, Limit> {
    match &*terms.formula_kind(formula).clone() {
        FormulaKind::Constant(true) => return Ok(Ok(())),
        FormulaKind::Constant(false) => return Ok(Err(Empty)),
        FormulaKind::All(parts) => {
            state.pending.extend(parts.iter().copied());
            return Ok(Ok(()));
        }
        _ => {}
    }
    let [symbol] = *terms.formula_symbols(formula) else {
        if let FormulaKind::Compatible(sizes) = &*terms.formula_kind(formula).clone() {
            state.pending.extend(terms.pairs(sizes));
        } else if !state.relations.contains(&formula) {
            state.relations.push(formula);
        }
        return Ok(Ok(()));
    };
    let solutions = unary::solutions(terms, formula, symbol)?;
    let Some(domain) = state.domains.get(&symbol) else {
        return Ok(Ok(()));
    };
    terms.charge(domain.weight() + solutions.weight());
    let domain = domain.intersect(&solutions).map_err(|_| Limit::Period)?;
    if domain.is_empty() {
        return Ok(Err(Empty));
    }
    let single = domain.single();
    let was_single = state
        .domains
        .get(&symbol)
        .and_then(Integers::single)
        .is_some();
    state.domains.insert(symbol, domain);
    if let Some(value) = single
        && !was_single
    {
        let value = terms.number(value);
        let mut rewriting = Rewriting::symbol(terms, symbol, value);
        state.rewrite(terms, &mut rewriting);
    }
    Ok(Ok(()))
}

/// Replaces a symbol by a term that an equality gives it, and tells whether there was one.
fn substitute(terms: &mut Terms, state: &mut State) -> bool {
    for at in 0..state.relations.len() {
        let Some((symbol, term)) = solved_for(terms, state.relations[at]) else {
            continue;
        };
        if state.equal.iter().any(|(other, _)| *other == symbol) {
            continue;
        }
        let Some(domain) = state.domains.get(&symbol).cloned() else {
            continue;
        };
        let Some(inside) = membership(terms, term, &domain) else {
            continue;
        };
        state.relations.remove(at);
        let mut rewriting = Rewriting::symbol(terms, symbol, term);
        state.rewrite(terms, &mut rewriting);
        state.equal.push((symbol, term));
        state.pending.push(inside);
        return true;
    }
    false
}

impl State {
    fn rewrite(&mut self, terms: &mut Terms, rewriting: &mut Rewriting) {
        for formula in &mut self.pending {
            *formula = rewriting.formula(terms, *formula);
        }
        let relations = std::mem::take(&mut self.relations);
        for formula in relations {
            let rewritten = rewriting.formula(terms, formula);
            if rewritten == formula {
                self.relations.push(formula);
            } else {
                self.pending.push(rewritten);
            }
        }
        // A symbol that equals a number is a matter of its own domain.
        for (symbol, term) in std::mem::take(&mut self.equal) {
            let term = rewriting.term(terms, term);
            match terms.as_number(term) {
                Some(value) => {
                    let own = terms.of(symbol);
                    self.pending.push(terms.is(own, value));
                }
                None => self.equal.push((symbol, term)),
            }
        }
    }
}

/// Returns the symbol that an equality determines as a linear function of one other symbol, and that function. Of two,
/// the later one is replaced.
fn solved_for(terms: &mut Terms, formula: Formula) -> Option<(Symbol, Term)> {
    let FormulaKind::Zero(term) = **terms.formula_kind(formula) else {
        return None;
    };
    if terms.symbols(term).len() != 2 {
        return None;
    }
    let polynomial = terms.polynomial(term).clone();
    let [first, second] = polynomial.variable_parts() else {
        return None;
    };
    let mut candidates: Vec<(Symbol, Int, &(Vec<_>, Int))> = Vec::new();
    for (part, rest) in [(first, second), (second, first)] {
        if let [(atom, 1)] = part.0.as_slice()
            && let crate::term::AtomKind::Symbol(symbol) = **terms.atom_kind(*atom)
            && part.1.abs() == 1
        {
            candidates.push((symbol, part.1, rest));
        }
    }
    let (symbol, sign, rest) = candidates.into_iter().max_by_key(|candidate| candidate.0)?;
    if rest.0.len() != 1
        || rest.0[0].1 != 1
        || !matches!(
            **terms.atom_kind(rest.0[0].0),
            crate::term::AtomKind::Symbol(_)
        )
    {
        return None;
    }
    // sign*x + rest = 0, so x = -sign*rest.
    let own = terms.of(symbol);
    let own = terms.scale(own, sign);
    let rest = terms.subtract(term, own);
    Some((symbol, terms.scale(rest, -sign)))
}

/// Returns the formula that says that a term is in a set.
pub(crate) fn membership(terms: &mut Terms, term: Term, set: &Integers) -> Option<Formula> {
    let mut alternatives = Vec::new();
    for span in set.spans() {
        let mut conditions = Vec::new();
        if let Some(first) = span.first {
            conditions.push(terms.at_least(term, first));
        }
        if let Some(last) = span.last {
            let last = terms.number(last);
            conditions.push(terms.at_most(term, last));
        }
        if span.period > 1 && span.first != span.last {
            let shifted = terms.shift(term, -span.residue());
            conditions.push(terms.divides(span.period, shifted));
        }
        alternatives.push(terms.all(&conditions));
        if alternatives.len() > 4096 {
            return None;
        }
    }
    Some(terms.any(&alternatives))
}
