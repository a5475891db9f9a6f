//! Size 0: the sets of an answer are about sizes from 1 on, and for each axis it is asked which sizes the others may
//! have where it is 0.

use super::{Answer, Beforehand, conditions, solve, steps};
use crate::integers::Integers;
use crate::pass::{Inputs, Pass, Stop, follow_from};
use crate::residual::{SizeBox, merge};
use crate::term::{Int, Rewriting, Symbol, Term, Terms};
use crate::value::{Shape, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The admitted sizes where one axis has size 0 and all others at least 1.
#[derive(Clone, Debug)]
pub(crate) struct AtZero {
    axis: Symbol,
    /// The outputs of each case, with its boxes, which speak of the same symbols.
    cases: Vec<(Vec<Value>, Vec<SizeBox>)>,
    /// True if the cases are all there is.
    is_known: bool,
}

impl AtZero {
    /// Adds boxes to the case with the same outputs and symbols.
    fn add(&mut self, outputs: &[Value], boxes: Vec<SizeBox>) {
        for found in boxes {
            let is_same = |case: &&mut (Vec<Value>, Vec<SizeBox>)| {
                let own = case.1.first();
                case.0 == outputs
                    && own.is_some_and(|own| own.domains.keys().eq(found.domains.keys()))
            };
            match self.cases.iter_mut().find(is_same) {
                Some((_, boxes)) => boxes.push(found),
                None => self.cases.push((outputs.to_vec(), vec![found])),
            }
        }
    }
}

/// For each axis that was asked about the cases of size 0, each with the knowledge whether its outputs are those of
/// another case there.
pub(super) type SameAtZero = Vec<Vec<Option<bool>>>;

/// The number of axes up to which each is asked about 0, and of nodes.
const MAX_ZEROS: usize = 16;
const MAX_NODES_AT_ZERO: usize = 20_000;

impl Answer {
    /// Asks for each free axis of the admitted cases whether it may be 0.
    pub(super) fn look_at_zero(&mut self) {
        let names = self.inputs.axis_names().to_vec();
        let is_used = |symbol: Symbol| {
            self.cases
                .iter()
                .flat_map(|case| &case.boxes)
                .any(|found| found.domains.contains_key(&symbol))
        };
        let axes = names
            .into_iter()
            .filter_map(|name| Some((name.clone(), self.terms.symbol_named(&name)?)));
        let axes: Vec<(String, Symbol)> = axes.filter(|(_, symbol)| is_used(*symbol)).collect();
        if axes.len() > MAX_ZEROS || self.graph.node_count() > MAX_NODES_AT_ZERO {
            return;
        }
        self.terms.allow(steps(&self.graph));
        let ranks = self.admitted_ranks();
        for (name, axis) in axes {
            let zero = self.at_zero(&name, axis, &ranks);
            self.zeros.push(zero);
        }
    }

    fn at_zero(&mut self, name: &str, axis: Symbol, ranks: &BTreeMap<usize, Integers>) -> AtZero {
        let relax = self.options.relax.clone();
        let mut inputs = Inputs::with_zero(
            &self.graph,
            &mut self.terms,
            &|input| relax.frees(input),
            name,
            ranks,
        );
        inputs = inputs.with_ends_of(&self.inputs);
        let names = conditions::names(&self.inputs, &self.terms, &inputs);
        let conditions = &self.options.conditions;
        let given = Beforehand::of_ranks(&self.graph, &inputs, names.clone(), conditions);
        let begin = |pass: &mut Pass| given.assume(pass);
        let paths = follow_from(&self.graph, &mut self.terms, &mut inputs, &begin);
        let mut zero = AtZero {
            axis,
            cases: Vec::new(),
            is_known: paths.limit.is_none(),
        };
        for mut path in paths.paths {
            if self.state((&names, &inputs), &mut path).is_err() {
                zero.is_known = false;
                continue;
            }
            match (solve(&mut self.terms, &inputs, &path), path.end) {
                (Ok(boxes), Ok(outputs)) => zero.add(&outputs, boxes),
                (Ok(boxes), Err((Stop::Unknown(_), _))) => zero.is_known &= boxes.is_empty(),
                (Ok(_), Err(_)) => {}
                (Err(_), _) => zero.is_known = false,
            }
        }
        for (_, boxes) in &mut zero.cases {
            if let Ok(fewer) = merge(&mut self.terms, boxes.clone()) {
                *boxes = fewer;
            }
        }
        zero
    }

    /// Returns the ranks of each input of undeclared rank that some case has.
    fn admitted_ranks(&self) -> BTreeMap<usize, Integers> {
        let mut ranks: BTreeMap<usize, Integers> = BTreeMap::new();
        for (position, rank) in self.inputs.rank_symbols() {
            for domain in self
                .cases
                .iter()
                .flat_map(|case| &case.boxes)
                .filter_map(|found| found.domains.get(&rank))
            {
                let known = ranks.entry(position).or_insert_with(Integers::none);
                *known = known.unite(domain).unwrap_or_else(|_| Integers::all());
            }
        }
        ranks
    }

    /// Compares outputs with those of the cases of size 0, for each axis.
    pub(super) fn same_at_zero(&mut self, outputs: &[Value]) -> SameAtZero {
        let terms = &mut self.terms;
        let zeros = self.zeros.iter().map(|zero| {
            let number = terms.number(0);
            let mut at_zero = Rewriting::symbol(terms, zero.axis, number);
            let cases = zero.cases.iter();
            cases
                .map(|(others, _)| are_same(terms, &mut at_zero, outputs, others))
                .collect()
        });
        zeros.collect()
    }

    /// Says whether the axis may be 0 wherever the other sizes are those of a box, with the same outputs as there.
    pub(super) fn admits_zero(
        &mut self,
        same: &SameAtZero,
        found: &SizeBox,
        axis: Symbol,
    ) -> Option<bool> {
        let at = self.zeros.iter().position(|zero| zero.axis == axis)?;
        let zero = &self.zeros[at];
        // Where a question about many boxes has taken too many steps already, nothing is said about 0.
        let count: usize = zero.cases.iter().map(|(_, boxes)| boxes.len()).sum();
        self.terms.charge(count);
        if self.terms.exhausted().is_some() {
            return None;
        }
        let mut others = found.clone();
        let is_left_out = |symbol: Symbol| symbol == axis || self.inputs.is_data(symbol);
        leave_out(&self.terms, &mut others, &is_left_out);
        let has_data = self.inputs.has_data();
        let points = points_of(&self.terms, &others);
        let mut missed = vec![true; points.len()];
        let mut is_open = !zero.is_known;
        for (same, (_, boxes)) in same[at].iter().zip(&zero.cases) {
            if *same == Some(false) {
                continue;
            }
            for zero in boxes {
                let mut zero = Cow::Borrowed(zero);
                if has_data {
                    let is_data = |symbol: Symbol| self.inputs.is_data(symbol);
                    leave_out(&self.terms, zero.to_mut(), &is_data);
                }
                if !zero.domains.keys().eq(others.domains.keys()) {
                    continue;
                }
                if *same == Some(true) && others.is_inside(&mut self.terms, &zero) {
                    return Some(true);
                }
                for (point, missed) in points.iter().zip(&mut missed) {
                    let of = |symbol| point.get(&symbol).copied();
                    *missed &= zero.contains(&self.terms, &of) == Some(false);
                }
                is_open |= same.is_none();
            }
        }
        // Of a box that several others may cover together a point tells that they do not.
        let is_missed = missed.contains(&true);
        (!is_open && is_missed).then_some(false)
    }
}

/// Lists some points of a box: the one that is known, and those beside it in which one symbol has its next value.
fn points_of(terms: &Terms, found: &SizeBox) -> Vec<BTreeMap<Symbol, Int>> {
    let Some(known) = &found.witness else {
        return Vec::new();
    };
    let mut points = vec![known.clone()];
    for (symbol, domain) in &found.domains {
        let value = known.get(symbol).and_then(|value| value.checked_add(1));
        if let Some(next) = value.and_then(|value| domain.next(value)) {
            let mut point = known.clone();
            point.insert(*symbol, next);
            points.push(point);
        }
    }
    let is_inside = |point: &BTreeMap<Symbol, Int>| {
        found.contains(terms, &|symbol| point.get(&symbol).copied()) == Some(true)
    };
    points.retain(is_inside);
    points
}

/// Says whether outputs have the same sizes as others where an axis is 0; nothing where terms do not tell it.
fn are_same(
    terms: &mut Terms,
    at_zero: &mut Rewriting,
    outputs: &[Value],
    others: &[Value],
) -> Option<bool> {
    let mut pairs: Vec<(&Value, &Value)> = outputs.iter().zip(others).collect();
    let mut is_open = false;
    while let Some((own, other)) = pairs.pop() {
        terms.charge(1);
        let same = match (own, other) {
            (Value::Tensor(own), Value::Tensor(other)) => match (&own.shape, &other.shape) {
                (Some(own), Some(other)) => same_shape(terms, at_zero, own, other),
                (own, other) => (own.is_none() && other.is_none()).then_some(true),
            },
            (Value::Sizes(own), Value::Sizes(other)) => same_shape(terms, at_zero, own, other),
            (Value::Integer(own), Value::Integer(other)) => same_term(terms, at_zero, *own, *other),
            (Value::List(own), Value::List(other)) => {
                pairs.extend(own.iter().zip(other.iter()));
                Some(own.len() == other.len())
            }
            // Other values have no sizes.
            (own, other) => {
                (std::mem::discriminant(own) == std::mem::discriminant(other)).then_some(true)
            }
        };
        match same {
            Some(true) => {}
            Some(false) => return Some(false),
            None => is_open = true,
        }
    }
    (!is_open).then_some(true)
}

fn same_shape(
    terms: &mut Terms,
    at_zero: &mut Rewriting,
    own: &Shape,
    other: &Shape,
) -> Option<bool> {
    let block = |shape: &Shape| shape.block.map(|block| block.at);
    if own.axes.len() != other.axes.len() || block(own) != block(other) {
        return Some(false);
    }
    let products = own.block.iter().zip(&other.block);
    let products = products.map(|(own, other)| (own.product, other.product));
    let axes = own.axes.iter().copied().zip(other.axes.iter().copied());
    let mut is_open = false;
    for (own, other) in axes.chain(products) {
        match same_term(terms, at_zero, own, other) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => is_open = true,
        }
    }
    (!is_open).then_some(true)
}

fn same_term(terms: &mut Terms, at_zero: &mut Rewriting, own: Term, other: Term) -> Option<bool> {
    let own = at_zero.term(terms, own);
    let equal = terms.equal(own, other);
    terms.decided(equal)
}

/// Leaves symbols out of a box, and what it says about them.
fn leave_out(terms: &Terms, found: &mut SizeBox, is_left_out: &dyn Fn(Symbol) -> bool) {
    let is_free = |symbols: &[Symbol]| !symbols.iter().any(|symbol| is_left_out(*symbol));
    found.domains.retain(|symbol, _| !is_left_out(*symbol));
    found
        .relations
        .retain(|formula| is_free(terms.formula_symbols(*formula)));
    found
        .equal
        .retain(|(symbol, term)| !is_left_out(*symbol) && is_free(terms.symbols(*term)));
}
