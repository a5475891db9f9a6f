//! Points of boxes: a box in which there is none is dropped.

use super::boxes::SizeBox;
use super::split::divisors;
use crate::integers::Integers;
use crate::term::walk::Item;
use crate::term::{AtomKind, Evaluated, Formula, Int, Symbol, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// The number of values of one symbol that are tried, of points, and of sets of symbols that leave their first value.
const MAX_VALUES: usize = 24;
const MAX_POINTS: usize = 3_000;
const MAX_SETS: usize = 10_000;

/// The number of symbols that leave their first value together.
const MAX_MOVED: usize = 3;

/// Returns the box with what symbols can be that others determine; nothing if one of them can be no number.
pub(super) fn tightened(terms: &mut Terms, mut found: SizeBox) -> Option<SizeBox> {
    // The values of a dependent symbol follow from its term; its own domain is narrowed to them where the term is a
    // symbol and a number.
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
    Some(found)
}

/// Returns the box with a point of it, that of a wider box if it lies in this one. A box of whose relations no solution
/// was found keeps none, for its relations may have one.
pub(super) fn with_point(terms: &Terms, mut found: SizeBox, wide: Option<&SizeBox>) -> SizeBox {
    let same = wide.and_then(|wide| extended(terms, &found, wide));
    found.witness = same.or_else(|| point(terms, &found));
    found
}

/// Returns the point of a wider box with the first value of each symbol that it lacks, if it belongs to the box. The
/// relations of the wider box hold at it.
fn extended(terms: &Terms, found: &SizeBox, wide: &SizeBox) -> Option<BTreeMap<Symbol, Int>> {
    let known = wide.witness.as_ref()?;
    terms.charge(2 * found.domains.len());
    let mut point = BTreeMap::new();
    for (symbol, domain) in &found.domains {
        let value = known.get(symbol).copied();
        let value = value.or_else(|| domain.next(lowest(domain)).or_else(|| domain.previous(0)))?;
        point.insert(*symbol, value);
    }
    for (symbol, term) in &found.equal {
        let value = terms.value(*term, &|symbol| point.get(&symbol).copied())?;
        if point.insert(*symbol, value) != Some(value) && known.contains_key(symbol) {
            return None;
        }
    }
    let mut domains = found.domains.iter();
    let is_inside = domains.all(|(symbol, domain)| domain.contains(point[symbol]));
    let mut others = found.relations.iter().filter(|relation| {
        let has_values = |symbol: &Symbol| known.contains_key(symbol);
        wide.relations.binary_search(relation).is_err()
            || !terms.formula_symbols(**relation).iter().all(has_values)
    });
    let holds = |relation| terms.holds(relation, &|symbol| point.get(&symbol).copied());
    (is_inside && others.all(|relation| holds(*relation) == Some(true))).then_some(point)
}

/// Says whether a box certainly has no point: its relations speak of few values, and hold at none of them.
pub(super) fn is_refuted(terms: &Terms, found: &SizeBox) -> bool {
    let symbols = found.relations.iter();
    let symbols = symbols.flat_map(|relation| terms.formula_symbols(*relation));
    let symbols: BTreeSet<Symbol> = symbols.copied().collect();
    let mut values: Vec<(Symbol, Vec<Int>)> = Vec::with_capacity(symbols.len());
    let mut count = 1;
    for symbol in symbols {
        let Some(domain) = found.domains.get(&symbol) else {
            return false;
        };
        if domain.spans().any(|span| span.first.is_none()) {
            return false;
        }
        let own: Vec<Int> = domain.iter_from(lowest(domain)).take(MAX_VALUES).collect();
        count *= own.len();
        if own.len() == MAX_VALUES || count > MAX_POINTS {
            return false;
        }
        values.push((symbol, own));
    }
    // The number of a point tells which value each symbol has.
    !found.relations.is_empty()
        && (0..count).all(|point| {
            let mut rest = point;
            let chosen = values.iter().map(|(symbol, own)| {
                let value = own[rest % own.len()];
                rest /= own.len();
                (*symbol, value)
            });
            let chosen: BTreeMap<Symbol, Int> = chosen.collect();
            let mut relations = found.relations.iter();
            relations.any(|relation| {
                terms.holds(*relation, &|symbol| chosen.get(&symbol).copied()) == Some(false)
            })
        })
}

/// Returns the least integer of a set, 0 if there is none.
fn lowest(domain: &Integers) -> Int {
    let starts = domain.spans().filter_map(|span| span.first);
    starts.min().unwrap_or(0)
}

/// Returns the values of `±other + c`.
fn affine_image(
    terms: &mut Terms,
    found: &SizeBox,
    term: crate::term::Term,
    other: Symbol,
) -> Option<Integers> {
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

/// Returns a point of the box with small values, if one is found.
fn point(terms: &Terms, found: &SizeBox) -> Option<BTreeMap<Symbol, Int>> {
    let dependent: Vec<Symbol> = found.equal.iter().map(|(symbol, _)| *symbol).collect();
    let bound: Vec<Symbol> = found
        .relations
        .iter()
        .flat_map(|relation| terms.formula_symbols(*relation))
        .copied()
        .collect();
    let hints = hints(terms, found);
    let mut free: Vec<(Symbol, Vec<Int>)> = Vec::new();
    for (symbol, domain) in &found.domains {
        if dependent.contains(symbol) {
            continue;
        }
        let from = lowest(domain);
        let mut values: Vec<Int> = domain
            .iter_from(from)
            .take(if bound.contains(symbol) {
                MAX_VALUES
            } else {
                1
            })
            .collect();
        if bound.contains(symbol) {
            values.extend(hints.iter().copied().filter(|hint| domain.contains(*hint)));
        }
        if values.is_empty() {
            values.extend(domain.previous(0));
        }
        values.dedup();
        free.push((*symbol, values));
    }
    Trial::new(terms, found, free).point()
}

/// A search for a point among the values of the symbols that no other one determines.
struct Trial<'b> {
    terms: &'b Terms,
    found: &'b SizeBox,
    free: Vec<(Symbol, Vec<Int>)>,
    /// The values that are tried: at first of each symbol its first one.
    values: BTreeMap<Symbol, Int>,
    /// The relations that hold as long as none of their symbols leaves its first value, and those that do not.
    holding: Vec<Formula>,
    refuted: Vec<Formula>,
    tried: usize,
}

impl<'b> Trial<'b> {
    fn new(terms: &'b Terms, found: &'b SizeBox, free: Vec<(Symbol, Vec<Int>)>) -> Self {
        terms.charge(2 * free.len());
        let first = free
            .iter()
            .filter_map(|(symbol, values)| Some((*symbol, *values.first()?)));
        let values: BTreeMap<Symbol, Int> = first.collect();
        let of = |symbol| values.get(&symbol).copied();
        let relations = found.relations.iter().copied();
        let (holding, refuted) =
            relations.partition(|relation| terms.holds(*relation, &of) == Some(true));
        Self {
            terms,
            found,
            free,
            values,
            holding,
            refuted,
            tried: 0,
        }
    }

    /// Returns a point. Those in which few symbols leave their first value come first.
    fn point(mut self) -> Option<BTreeMap<Symbol, Int>> {
        let has_others = |at: &usize| self.free[*at].1.len() > 1;
        let movable: Vec<usize> = (0..self.free.len()).filter(has_others).collect();
        let mut sets = 0;
        for moved in 0..=movable.len().min(MAX_MOVED) {
            let mut places: Vec<usize> = (0..moved).collect();
            loop {
                let chosen: Vec<usize> = places.iter().map(|place| movable[*place]).collect();
                if let Some(point) = self.moved(&chosen) {
                    return Some(point);
                }
                sets += 1;
                if self.tried > MAX_POINTS || sets > MAX_SETS {
                    return None;
                }
                if !next_choice(&mut places, movable.len()) {
                    break;
                }
            }
        }
        None
    }

    /// Returns a point in which exactly these symbols leave their first value.
    fn moved(&mut self, chosen: &[usize]) -> Option<BTreeMap<Symbol, Int>> {
        self.terms.charge(1);
        let is_moved = |relation: &&Formula| {
            let symbols = self.terms.formula_symbols(**relation);
            chosen.iter().any(|at| symbols.contains(&self.free[*at].0))
        };
        if !self.refuted.iter().all(|relation| is_moved(&relation)) {
            return None;
        }
        let open = self
            .refuted
            .iter()
            .chain(self.holding.iter().filter(is_moved));
        let mut open: Vec<Evaluated> = open.map(|relation| Evaluated::new(*relation)).collect();
        let mut places = vec![1; chosen.len()];
        let found = loop {
            for (at, place) in chosen.iter().zip(&places) {
                let (symbol, candidates) = &self.free[*at];
                self.values.insert(*symbol, candidates[*place]);
            }
            if let Some(point) = self.completed(&mut open) {
                break Some(point);
            }
            self.tried += 1;
            self.terms.charge(1);
            let is_left = |at: &usize| places[*at] + 1 < self.free[chosen[*at]].1.len();
            let Some(next) = (0..chosen.len()).find(is_left) else {
                break None;
            };
            if self.tried > MAX_POINTS {
                break None;
            }
            places[next] += 1;
            places[..next].fill(1);
        };
        for at in chosen {
            let (symbol, candidates) = &self.free[*at];
            self.values.insert(*symbol, candidates[0]);
        }
        found
    }

    /// Returns the point with the dependent symbols, if it belongs to the box. Relations mention none of them, and
    /// those that are not open hold.
    fn completed(&self, open: &mut [Evaluated]) -> Option<BTreeMap<Symbol, Int>> {
        let of = |symbol| self.values.get(&symbol).copied();
        let mut open = open.iter_mut();
        if !open.all(|relation| relation.holds(self.terms, &of) == Some(true)) {
            return None;
        }
        let mut values = self.values.clone();
        for (symbol, term) in &self.found.equal {
            let value = self
                .terms
                .value(*term, &|symbol| values.get(&symbol).copied())?;
            values.insert(*symbol, value);
        }
        let is_inside = self
            .found
            .contains(self.terms, &|symbol| values.get(&symbol).copied());
        (is_inside == Some(true)).then_some(values)
    }
}

/// Turns a choice of some of a number of places, in order, into the next one; false if it was the last.
fn next_choice(places: &mut [usize], count: usize) -> bool {
    let chosen = places.len();
    let can_rise = |at: &usize| places[*at] + chosen - at < count;
    let Some(at) = (0..chosen).rev().find(can_rise) else {
        return false;
    };
    let first = places[at] + 1;
    for (place, value) in places[at..].iter_mut().zip(first..) {
        *place = value;
    }
    true
}

/// Numbers that may solve the relations: the divisors of their constants.
fn hints(terms: &Terms, found: &SizeBox) -> Vec<Int> {
    let mut hints = Vec::new();
    for relation in &found.relations {
        for item in terms.order(Item::Formula(*relation), |_| true) {
            match item {
                Item::Term(term) => {
                    let numbers = terms.polynomial(term).parts.iter().map(|part| part.1.abs());
                    hints.extend(numbers.flat_map(|number| divisors(number).unwrap_or_default()));
                }
                Item::Atom(atom) => {
                    if let AtomKind::Floor(_, by) = **terms.atom_kind(atom) {
                        hints.extend(divisors(by).unwrap_or_default());
                    }
                }
                Item::Formula(_) => {}
            }
        }
    }
    hints.sort_unstable();
    hints.dedup();
    hints
}
