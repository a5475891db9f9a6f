//! Points: whether given sizes are admitted, and which admitted sizes are nearest.

use super::declared::contradictions;
use super::{Answer, Given, Options, Point, Refusal, Sizes, conditions, solve};
use crate::integers::Integers;
use crate::limit::Limit;
use crate::pass::{InputForm, InputKind, Inputs, Pass, Path, Stop, Tail, element_name, follow};
use crate::residual::SizeBox;
use crate::term::{Int, Symbol, Term, Terms};
use crate::value::Value;
use lozenge_graph_vocabulary::{Graph, NodeId};
use serde::Serialize;
use std::collections::BTreeMap;

/// The answer about one point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PointAnswer {
    /// True if it is admitted; nothing if that is unknown or not specified.
    pub admitted: Option<bool>,
    /// The sizes of the outputs, where they are numbers, by the names of the outputs.
    pub outputs: Vec<(String, Option<Vec<i128>>)>,
    /// The reasons why it is refused.
    pub refusals: Vec<Refusal>,
    /// Other nodes that refuse the same sizes, whatever the first one does: a runtime may come to one of them first.
    pub also: Vec<Refusal>,
    /// Nodes that refuse it where data decide otherwise. Where data do not matter there is none.
    pub unless: Vec<Refusal>,
    /// The operators of which it is not known whether they admit what they get, each with the name of a node.
    pub unknown: Vec<(String, String)>,
    /// The limits that kept the answer open.
    pub limits: Vec<Limit>,
}

impl Sizes {
    /// Decides about one point by a forward pass on its numbers. Which other sizes are admitted is not computed.
    #[must_use]
    pub fn at(graph: &Graph, options: &Options, point: &Point) -> PointAnswer {
        let mut terms = Terms::new();
        terms.allow(super::steps(graph));
        let inputs = Inputs::new(graph, &mut terms, &|input| options.relax.frees(input));
        decide(graph, options, (&inputs, &terms), point)
    }
}

/// Decides about one point of a graph with these inputs.
fn decide(
    graph: &Graph,
    options: &Options,
    (declared, declared_terms): (&Inputs, &Terms),
    point: &Point,
) -> PointAnswer {
    let excluded = contradictions(declared, options, point);
    if !excluded.is_empty() {
        let words = excluded.iter().map(ToString::to_string);
        return PointAnswer {
            admitted: Some(false),
            outputs: Vec::new(),
            refusals: words.map(Refusal::about_the_point).collect(),
            also: Vec::new(),
            unless: Vec::new(),
            unknown: Vec::new(),
            limits: Vec::new(),
        };
    }
    let mut terms = Terms::new();
    terms.allow(super::steps(graph));
    let mut inputs = Inputs::at(
        graph,
        &mut terms,
        &|input| options.relax.frees(input),
        point,
    );
    let paths = follow(graph, &mut terms, &mut inputs);
    let mut answer = PointAnswer {
        admitted: Some(false),
        outputs: Vec::new(),
        refusals: Vec::new(),
        also: Vec::new(),
        unless: Vec::new(),
        unknown: Vec::new(),
        limits: paths.limit.into_iter().collect(),
    };
    let mut refused = Vec::new();
    let mut is_unspecified = false;
    let names = conditions::names(declared, declared_terms, &inputs);
    let mut broken = Vec::new();
    for mut path in paths.paths {
        match conditions::state(
            &options.conditions,
            graph,
            &mut terms,
            (&names, &inputs),
            &mut path,
        ) {
            Ok(None) => {}
            Ok(Some(condition)) => {
                broken.push(format!("`{condition}` does not hold"));
                continue;
            }
            Err(limit) => {
                answer.limits.push(limit);
                continue;
            }
        }
        match (solve(&mut terms, &inputs, &path), &path.end) {
            (Ok(boxes), Ok(outputs)) if !boxes.is_empty() => {
                let sizes = output_sizes(graph, &terms, outputs);
                match answer.admitted == Some(true) {
                    true => keep_common(&mut answer.outputs, &sizes),
                    false => answer.outputs = sizes,
                }
                answer.admitted = Some(true);
            }
            (Ok(boxes), Err((Stop::Unknown(limit), _))) if !boxes.is_empty() => {
                answer.limits.push(*limit)
            }
            (Err(limit), _) => answer.limits.push(limit),
            (Ok(_), Err((Stop::Unspecified(_), _))) => {
                is_unspecified = true;
                refused.push(path);
            }
            _ => refused.push(path),
        }
    }
    if answer.admitted == Some(true) {
        refused.retain(|path| is_for_data(&terms, &inputs, path));
        answer.unless = super::refusal::core(&mut terms, graph, &inputs, &refused, &[]);
    }
    if answer.admitted == Some(true) && !paths.unknown.is_empty() {
        answer.admitted = None;
        answer.unknown = paths
            .unknown
            .iter()
            .map(|(operator, node)| (operator.clone(), graph[*node].name().to_owned()))
            .collect();
    }
    if answer.admitted == Some(false) {
        if !answer.limits.is_empty() || is_unspecified {
            answer.admitted = None;
        }
        let asked = &options.conditions;
        answer.refusals = super::refusal::core(&mut terms, graph, &inputs, &refused, asked);
        broken.dedup();
        let broken = broken.into_iter().map(Refusal::about_the_point);
        answer.refusals.extend(broken);
        tell_also(graph, (&mut terms, &mut inputs), &mut answer);
    }
    answer
}

/// Forgets the sizes of outputs that are others on another path.
fn keep_common(
    outputs: &mut [(String, Option<Vec<i128>>)],
    others: &[(String, Option<Vec<i128>>)],
) {
    for (own, other) in outputs.iter_mut().zip(others) {
        if own.1 != other.1 {
            own.1 = None;
        }
    }
}

/// Says whether a path is one of several because of data.
fn is_for_data(terms: &Terms, inputs: &Inputs, path: &Path) -> bool {
    let assumed = path.assumed.iter();
    assumed
        .flat_map(|(formula, _)| terms.formula_symbols(*formula))
        .any(|symbol| inputs.is_data(*symbol))
}

/// The number of values of data that are tried for a box, and the bound below which they lie.
const MAX_DATA_TRIED: usize = 4_096;
const MAX_DATUM: Int = 64;

/// The number of wants, beside the first, that are told.
const MAX_ALSO: usize = 8;

/// Adds the nodes that refuse the point whatever the first one does. Those that want the same in the same words are one
/// refusal.
fn tell_also(graph: &Graph, (terms, inputs): (&mut Terms, &mut Inputs), answer: &mut PointAnswer) {
    if answer.refusals.iter().all(|told| told.node.is_empty()) {
        return;
    }
    terms.allow(super::steps(graph));
    let mut wants: Vec<(String, Vec<NodeId>)> = Vec::new();
    let mut place_of: BTreeMap<String, usize> = BTreeMap::new();
    for (node, words) in Pass::new(graph, terms, inputs, Vec::new()).refusing() {
        let place = *place_of.entry(words.clone()).or_insert(wants.len());
        match wants.get_mut(place) {
            Some((_, nodes)) => nodes.push(node),
            None => wants.push((words, vec![node])),
        }
    }
    for (words, nodes) in wants {
        let refusal = Refusal::new(graph, nodes[0], &words, &nodes);
        let is_told = |told: &&mut Refusal| told.node == refusal.node;
        match answer.refusals.iter_mut().find(is_told) {
            Some(told) => *told = refusal,
            None if answer.also.len() < MAX_ALSO => answer.also.push(refusal),
            None => {}
        }
    }
}

/// Returns the sizes of the outputs, where they are numbers.
fn output_sizes(
    graph: &Graph,
    terms: &Terms,
    outputs: &[Value],
) -> Vec<(String, Option<Vec<i128>>)> {
    let names = graph
        .main()
        .outputs
        .iter()
        .map(|output| output.name.clone());
    let sizes = outputs.iter().map(|value| match value {
        Value::Tensor(tensor) => {
            let shape = tensor
                .shape
                .as_ref()
                .filter(|shape| shape.block.is_none())?;
            shape
                .axes
                .iter()
                .map(|size| terms.as_number(*size))
                .collect::<Option<Vec<_>>>()
        }
        _ => None,
    });
    names.zip(sizes).collect()
}

impl Answer {
    /// Decides about one point by a forward pass on its numbers. The set is not asked.
    #[must_use]
    pub fn at(&self, point: &Point) -> PointAnswer {
        let declared = (&self.inputs, &self.terms);
        let mut answer = decide(&self.graph, &self.options, declared, point);
        let refusals = answer.refusals.into_iter();
        answer.refusals = refusals
            .map(|refusal| self.with_origins(refusal, point))
            .collect();
        answer
    }

    /// Says whether a point is admitted; nothing if that is unknown or not specified.
    #[must_use]
    pub fn admits(&self, point: &Point) -> Option<bool> {
        self.at(point).admitted
    }

    /// Tells whether the printed set holds a point of which every size is given; nothing where a relation is not
    /// decided, or a limit cut the set short and the point is not in what is left.
    #[must_use]
    pub fn set_holds(&self, point: &Point) -> Option<bool> {
        let values = self.symbol_values(point)?;
        let is_given = |form: &InputForm| match &form.kind {
            InputKind::Other => true,
            InputKind::Tensor {
                elements: Some(elements),
                ..
            } => {
                let mut symbols = elements.iter().filter_map(|own| self.terms.as_symbol(*own));
                symbols.all(|symbol| values.contains_key(&symbol))
            }
            InputKind::Tensor {
                axes,
                elements: None,
            } if axes.is_empty() => true,
            _ => point.contains_key(&form.name),
        };
        if !self.inputs.forms.iter().all(is_given) {
            return None;
        }
        let mut is_open = false;
        for found in self.cases.iter().flat_map(|case| &case.boxes) {
            let is_asked =
                |symbol: &Symbol| values.contains_key(symbol) || self.inputs.is_data(*symbol);
            // A symbol of another rank than the point has is not asked about.
            if !found.domains.keys().all(is_asked) {
                continue;
            }
            match self.holds_with_data(found, &values) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => is_open = true,
            }
        }
        match is_open || self.is_cut_short_at(point) {
            true => None,
            false => Some(false),
        }
    }

    /// Tells whether a limit may have cut a point off the set. That large ranks are not decided cuts off no small ones,
    /// unless a condition is in between.
    fn is_cut_short_at(&self, point: &Point) -> bool {
        let has_large_rank = self.inputs.forms.iter().any(|form| {
            let given = point.get(&form.name);
            match (&form.kind, given) {
                (InputKind::AnyRank { ends, .. }, Some(Given::Sizes(sizes))) => {
                    sizes.len() > ends.0 + ends.1
                }
                _ => false,
            }
        });
        let mut limits = self.limits.iter();
        let is_asked = !self.options.conditions.is_empty();
        limits.any(|limit| *limit != Limit::Ranks || has_large_rank || is_asked)
    }

    /// Tells whether a box holds values with some data; nothing where more values of data are possible than are tried.
    fn holds_with_data(&self, found: &SizeBox, values: &BTreeMap<Symbol, Int>) -> Option<bool> {
        let data: Vec<(Symbol, &Integers)> = found
            .domains
            .iter()
            .filter(|(symbol, _)| self.inputs.is_data(**symbol))
            .map(|(symbol, domain)| (*symbol, domain))
            .collect();
        let mut values = values.clone();
        // A box without conditions on data is decided at once.
        let without = found.contains(&self.terms, &|symbol| values.get(&symbol).copied());
        if without.is_some() {
            return without;
        }
        let mut next: Vec<Int> = data
            .iter()
            .map(|(_, domain)| domain.next(0))
            .collect::<Option<_>>()?;
        for _ in 0..MAX_DATA_TRIED {
            values.extend(
                data.iter()
                    .map(|(symbol, _)| *symbol)
                    .zip(next.iter().copied()),
            );
            match found.contains(&self.terms, &|symbol| values.get(&symbol).copied()) {
                Some(false) => {}
                other => return other,
            }
            // The next values, in the order of the first symbol, then of the second; those of one symbol end at a
            // bound.
            let mut place = 0;
            loop {
                let Some((_, domain)) = data.get(place) else {
                    let is_all = data
                        .iter()
                        .all(|(_, domain)| domain.next(MAX_DATUM).is_none());
                    return is_all.then_some(false);
                };
                match domain
                    .next(next[place] + 1)
                    .filter(|value| *value < MAX_DATUM)
                {
                    Some(value) => {
                        next[place] = value;
                        break;
                    }
                    None => next[place] = domain.next(0)?,
                }
                place += 1;
            }
        }
        None
    }

    /// Returns the values of the symbols of all inputs that are given; nothing where an input has another form than is
    /// given.
    pub(super) fn symbol_values(&self, point: &Point) -> Option<BTreeMap<Symbol, Int>> {
        let mut values = BTreeMap::new();
        let mut set = |term: Term, value: Int| {
            if let Some(symbol) = self.terms.as_symbol(term) {
                values.insert(symbol, value);
            }
        };
        let mut ranks_given = Vec::new();
        for form in &self.inputs.forms {
            if let InputKind::Tensor {
                elements: Some(elements),
                ..
            } = &form.kind
            {
                for (at, element) in elements.iter().enumerate() {
                    if let Some(Given::Number(number)) = point.get(&element_name(&form.name, at)) {
                        set(*element, Int::from(*number));
                    }
                }
            }
            match (&form.kind, point.get(&form.name)) {
                (InputKind::Other, _) | (_, None) => {}
                (
                    InputKind::Tensor {
                        elements: Some(elements),
                        ..
                    },
                    Some(Given::Number(number)),
                ) if elements.len() == 1 => {
                    set(elements[0], Int::from(*number));
                }
                // The shape alone is given, and the elements are free.
                (InputKind::Tensor { axes, .. }, Some(Given::Sizes(sizes)))
                    if sizes.len() == axes.len() =>
                {
                    axes.iter()
                        .zip(sizes)
                        .for_each(|(axis, size)| set(*axis, Int::from(*size)));
                }
                (InputKind::Number(term), Some(Given::Number(number))) => {
                    set(*term, Int::from(*number))
                }
                (
                    InputKind::AnyRank {
                        rank,
                        axes: known,
                        tail,
                        ..
                    },
                    Some(Given::Sizes(sizes)),
                ) => {
                    ranks_given.push((*rank, Int::try_from(sizes.len()).ok()?));
                    known
                        .iter()
                        .zip(sizes)
                        .for_each(|(axis, size)| set(*axis, Int::from(*size)));
                    if let Some(tail) = tail
                        && sizes.len() >= tail.least()
                    {
                        let given = values_of_tail(tail, sizes)?;
                        given.into_iter().for_each(|(term, value)| set(term, value));
                    }
                }
                _ => return None,
            }
        }
        values.extend(ranks_given);
        Some(values)
    }
}

/// Returns the values of the terms of an open tail: its axes in front and behind, and the product of those between.
/// `None` where the product is too large.
fn values_of_tail(tail: &Tail, sizes: &[u64]) -> Option<Vec<(Term, Int)>> {
    let back = tail.axes.len() - tail.front;
    let (first, rest) = sizes.split_at(tail.front);
    let (middle, last) = rest.split_at(rest.len() - back);
    let axes = tail.axes.iter().zip(first.iter().chain(last));
    let mut values: Vec<(Term, Int)> = axes.map(|(axis, size)| (*axis, Int::from(*size))).collect();
    let mut between = middle.iter();
    let product = between.try_fold(1, |product: Int, size| {
        product.checked_mul(Int::from(*size))
    });
    values.push((tail.product, product?));
    Some(values)
}
