//! The weakest conditions on ranks and sizes that keep an input on one side of a branch.

use crate::integers::Integers;
use crate::pass::{InputKind, Inputs};
use crate::residual::{SizeBox, is_apart, merge};
use crate::term::{Formula, Int, Symbol, Term, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The number of conditions that are told for one side, and of boxes that are looked at.
const MAX_TOLD: usize = 8;
const MAX_BOXES: usize = 64;

/// The ranks that the axes of inputs of undeclared rank need.
pub(super) struct Ranks {
    /// The rank of the input of an axis, and how great it is at least where there is such an axis.
    of_axis: BTreeMap<Symbol, (Symbol, Int)>,
    all: Vec<Symbol>,
}

/// One part of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// A symbol is in a set that is an interval, or the residues of a number.
    In(Symbol, Integers, String),
    /// A symbol equals a term.
    Equals(Symbol, Term),
    /// A relation holds.
    Holds(Formula),
}

impl Ranks {
    pub(super) fn new(inputs: &Inputs, terms: &Terms) -> Self {
        let mut ranks = Self {
            of_axis: BTreeMap::new(),
            all: Vec::new(),
        };
        for form in &inputs.forms {
            let InputKind::AnyRank {
                rank, axes, tail, ..
            } = &form.kind
            else {
                continue;
            };
            ranks.all.push(*rank);
            let mut needs = |axis: &Term, least: usize| {
                if let Some(symbol) = terms.as_symbol(*axis) {
                    let least = Int::try_from(least).unwrap_or(0);
                    ranks.of_axis.entry(symbol).or_insert((*rank, least));
                }
            };
            for (place, axis) in axes.iter().enumerate() {
                needs(axis, place + 1);
            }
            if let Some(tail) = tail {
                for axis in tail.axes.iter().chain([&tail.product]) {
                    needs(axis, tail.least());
                }
            }
        }
        ranks
    }

    /// Returns the conditions for both sides.
    pub(super) fn of_both(
        &self,
        terms: &mut Terms,
        is_true: Vec<SizeBox>,
        is_false: Vec<SizeBox>,
    ) -> (Vec<String>, Vec<String>) {
        let fewer =
            |terms: &mut Terms, boxes: Vec<SizeBox>| merge(terms, boxes.clone()).unwrap_or(boxes);
        let (yes, no) = (fewer(terms, is_true), fewer(terms, is_false));
        let true_if = self.weakest(terms, &yes, &no);
        let false_if = self.weakest(terms, &no, &yes);
        (true_if, false_if)
    }

    /// Conditions, each of which has no point in common with the other boxes, and of which no part can be left out.
    fn weakest(&self, terms: &mut Terms, boxes: &[SizeBox], others: &[SizeBox]) -> Vec<String> {
        let mut told: Vec<Vec<Part>> = Vec::new();
        let mut others: Vec<Other> = others.iter().map(Other::new).collect();
        for found in boxes.iter().take(MAX_BOXES) {
            for parts in self.parts(terms, found) {
                if told.len() >= MAX_TOLD {
                    break;
                }
                // The box is covered by the parts that are told already.
                if told.iter().any(|other| implies(&parts, other)) {
                    continue;
                }
                let kept = self.minimal(terms, parts, &mut others);
                if !told.iter().any(|other| implies(&kept, other)) {
                    told.retain(|other| !implies(other, &kept));
                    told.push(kept);
                }
            }
        }
        told.iter().map(|parts| text(terms, parts)).collect()
    }

    /// Lists the parts of a box: several lists where a set is no interval. Parts that may be left out first stand
    /// first.
    fn parts(&self, terms: &Terms, found: &SizeBox) -> Vec<Vec<Part>> {
        let mut lists: Vec<Vec<Part>> = vec![
            found
                .relations
                .iter()
                .map(|relation| Part::Holds(*relation))
                .chain(
                    found
                        .equal
                        .iter()
                        .map(|(symbol, term)| Part::Equals(*symbol, *term)),
                )
                .collect(),
        ];
        let is_rank = |symbol: &Symbol| self.all.contains(symbol);
        let is_dependent = |symbol: &Symbol| found.equal.iter().any(|(other, _)| other == symbol);
        let (ranks, sizes): (Vec<_>, Vec<_>) = found
            .domains
            .iter()
            .filter(|(symbol, _)| !is_dependent(symbol))
            .partition(|(symbol, _)| is_rank(symbol));
        for (symbol, domain) in sizes.into_iter().chain(ranks) {
            let ways = ways(terms, *symbol, domain);
            let mut next = Vec::new();
            for list in &lists {
                for way in ways.iter().take(MAX_TOLD) {
                    next.push(list.iter().cloned().chain(way.iter().cloned()).collect());
                }
            }
            next.truncate(MAX_TOLD);
            lists = next;
        }
        lists
    }

    /// Returns the parts that are left when one after another has been left out as long as no other box is met.
    fn minimal(&self, terms: &mut Terms, parts: Vec<Part>, others: &mut [Other]) -> Vec<Part> {
        let parts = parts.into_iter();
        let mut parts: Vec<Tried> = parts.map(|part| self.tried(terms, part, others)).collect();
        let mut at = 0;
        while at < parts.len() {
            let left_out = parts.remove(at);
            if !self.are_apart(terms, &parts, others) {
                parts.insert(at, left_out);
                at += 1;
            }
        }
        parts.into_iter().map(|tried| tried.part).collect()
    }

    /// Says whether certainly no point of another box satisfies all parts.
    fn are_apart(&self, terms: &mut Terms, parts: &[Tried], others: &mut [Other]) -> bool {
        let is_met = |at: usize| parts.iter().all(|tried| tried.is_met[at]);
        if (0..others.len()).any(is_met) {
            return false;
        }
        let mut formulas = None;
        others.iter_mut().enumerate().all(|(at, other)| {
            parts.iter().any(|tried| tried.is_outside[at]) || {
                let own = formulas.get_or_insert_with(|| self.formulas(terms, parts));
                own.as_ref()
                    .is_some_and(|own| other.is_excluded(terms, own))
            }
        })
    }

    /// Compares a part with the other boxes.
    fn tried(&self, terms: &Terms, part: Part, others: &[Other]) -> Tried {
        let boxes = || others.iter().map(|other| other.own);
        Tried {
            is_met: boxes().map(|own| self.is_met(terms, &part, own)).collect(),
            is_outside: boxes().map(|own| self.is_outside(&part, own)).collect(),
            part,
        }
    }

    /// Says whether the known point of a box satisfies a part.
    fn is_met(&self, terms: &Terms, part: &Part, other: &SizeBox) -> bool {
        let Some(point) = &other.witness else {
            return false;
        };
        let has_rank = |symbol: &Symbol| match self.of_axis.get(symbol) {
            Some((rank, least)) => point.get(rank).is_some_and(|rank| rank >= least),
            None => true,
        };
        // A size of which the box says nothing may be any.
        let value = |symbol: Symbol| point.get(&symbol).copied().or(Some(1));
        match part {
            Part::In(symbol, set, _) => {
                has_rank(symbol) && value(*symbol).is_some_and(|value| set.contains(value))
            }
            Part::Equals(symbol, term) => {
                has_rank(symbol)
                    && terms.symbols(*term).iter().all(has_rank)
                    && terms.value(*term, &value) == value(*symbol)
            }
            Part::Holds(formula) => {
                terms.formula_symbols(*formula).iter().all(has_rank)
                    && terms.holds(*formula, &value) == Some(true)
            }
        }
    }

    /// Says whether a part excludes all that a size of the other box can be, or all ranks of it: a part on an axis
    /// wants a rank that has this axis.
    fn is_outside(&self, part: &Part, other: &SizeBox) -> bool {
        let Part::In(symbol, set, _) = part else {
            return false;
        };
        let is_too_short = self.of_axis.get(symbol).is_some_and(|(rank, least)| {
            let ranks = other.domains.get(rank);
            ranks.is_some_and(|ranks| ranks.next(*least).is_none())
        });
        let domain = other.domains.get(symbol);
        is_too_short || domain.is_some_and(|domain| are_apart(domain, set))
    }

    /// Turns parts into formulas, with the ranks that their sizes need.
    fn formulas(&self, terms: &mut Terms, parts: &[Tried]) -> Option<Vec<Formula>> {
        let mut formulas = Vec::new();
        for tried in parts {
            let formula = formula(terms, &tried.part)?;
            for symbol in terms.formula_symbols(formula).to_vec() {
                if let Some((rank, least)) = self.of_axis.get(&symbol) {
                    let rank = terms.of(*rank);
                    formulas.push(terms.at_least(rank, *least));
                }
            }
            formulas.push(formula);
        }
        formulas.sort_unstable();
        formulas.dedup();
        Some(formulas)
    }
}

/// A part with what is known of it and each box of the other side.
struct Tried {
    part: Part,
    /// True where the known point of the box satisfies the part.
    is_met: Vec<bool>,
    /// True where no point of the box satisfies the part, as its sizes and ranks alone tell.
    is_outside: Vec<bool>,
}

/// A box of the other side.
struct Other<'b> {
    own: &'b SizeBox,
    /// The formulas that were asked about, and whether no point of the box satisfies them.
    excluded: FxHashMap<Vec<Formula>, bool>,
}

impl<'b> Other<'b> {
    fn new(own: &'b SizeBox) -> Self {
        Self {
            own,
            excluded: FxHashMap::default(),
        }
    }

    /// Says whether certainly no point of the box satisfies some formulas.
    fn is_excluded(&mut self, terms: &mut Terms, formulas: &[Formula]) -> bool {
        if let Some(known) = self.excluded.get(formulas) {
            return *known;
        }
        let is_excluded = is_apart(terms, self.own, formulas);
        self.excluded.insert(formulas.to_vec(), is_excluded);
        is_excluded
    }
}

/// Says whether two sets have no number in common. Of intervals, as nearly all sets are, the ends tell it.
fn are_apart(one: &Integers, other: &Integers) -> bool {
    let interval = |set: &Integers| {
        let mut spans = set.spans();
        match (spans.next(), spans.next()) {
            (Some(span), None) if span.period == 1 || span.first == span.last => {
                Some((span.first, span.last))
            }
            _ => None,
        }
    };
    if let (Some((low, high)), Some((first, last))) = (interval(one), interval(other)) {
        let is_below = |end: Option<Int>, start: Option<Int>| match (end, start) {
            (Some(end), Some(start)) => end < start,
            _ => false,
        };
        return is_below(high, first) || is_below(last, low);
    }
    one.intersect(other).is_ok_and(|common| common.is_empty())
}

fn formula(terms: &mut Terms, part: &Part) -> Option<Formula> {
    match part {
        Part::In(symbol, set, _) => {
            let own = terms.of(*symbol);
            crate::residual::membership(terms, own, set)
        }
        Part::Equals(symbol, term) => {
            let own = terms.of(*symbol);
            Some(terms.equal(own, *term))
        }
        Part::Holds(formula) => Some(*formula),
    }
}

/// Returns the intervals with residues whose union is a set: for each what it says, in parts.
fn ways(terms: &Terms, symbol: Symbol, domain: &Integers) -> Vec<Vec<Part>> {
    let name = terms.name(symbol);
    let ways = domain.spans().map(|span| {
        let mut parts = Vec::new();
        if let Some(first) = span.first {
            let set = Integers::between(Some(first), None);
            parts.push(Part::In(symbol, set, format!("{name} >= {first}")));
        }
        if let Some(last) = span.last {
            let set = Integers::between(None, Some(last));
            parts.push(Part::In(symbol, set, format!("{name} <= {last}")));
        }
        if span.period > 1 && span.first != span.last {
            let classes = (0..span.period).map(|residue| match residue == span.residue() {
                true => vec![(Int::MIN, Int::MAX)],
                false => Vec::new(),
            });
            let set = Integers::from_classes(span.period, classes.collect());
            let words = format!("{name} % {} = {}", span.period, span.residue());
            parts.push(Part::In(symbol, set, words));
        }
        parts
    });
    ways.collect()
}

/// Says whether everything that satisfies the first parts satisfies the second ones.
fn implies(parts: &[Part], others: &[Part]) -> bool {
    others.iter().all(|other| {
        parts.iter().any(|part| match (part, other) {
            (Part::In(one, set, _), Part::In(two, wider, _)) if one == two => {
                set.is_subset(wider).unwrap_or(false)
            }
            _ => part == other,
        })
    })
}

/// Returns a condition as text: two ends that are one number are an equality.
fn text(terms: &Terms, parts: &[Part]) -> String {
    let mut words = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        words.push(match part {
            Part::In(symbol, set, text) => {
                let other = parts
                    .iter()
                    .enumerate()
                    .find_map(|(place, other)| match other {
                        Part::In(same, set, _) if same == symbol && place != at => {
                            Some((place, set))
                        }
                        _ => None,
                    });
                let common = other
                    .and_then(|(place, other)| Some((place, set.intersect(other).ok()?.single()?)));
                match common {
                    Some((place, _)) if place < at => continue,
                    Some((_, value)) => format!("{} = {value}", terms.name(*symbol)),
                    None => text.clone(),
                }
            }
            Part::Equals(symbol, term) => {
                format!("{} = {}", terms.name(*symbol), terms.text(*term))
            }
            Part::Holds(formula) => terms.formula_text(*formula),
        });
    }
    words.join(", ")
}
