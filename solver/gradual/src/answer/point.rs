//! Points: whether given sizes are admitted, and which admitted sizes are nearest.

use super::{Answer, Options, Refusal, Sizes, conditions, solve};
use crate::integers::Integers;
use crate::limit::{K, Limit};
use crate::pass::{InputKind, Inputs, Stop, follow, tail_ends};
use crate::term::{Int, Rewriting, Symbol, Term, Terms};
use crate::value::Value;
use lozenge_graph_vocabulary::{DeclaredSize, Graph, Type};
use serde::Serialize;
use std::collections::BTreeMap;

/// What is given for one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Given {
    /// The sizes of the axes.
    Sizes(Vec<u64>),
    /// The value of an input that is one integer.
    Number(i64),
}

/// Sizes of inputs, by the names of the inputs. An input that is left out is free.
pub type Point = BTreeMap<String, Given>;

/// The nearest admitted sizes along one axis, while the others keep what was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Nearest {
    /// The name of the axis.
    pub axis: String,
    /// The greatest admitted size below.
    pub below: Option<i128>,
    /// The least admitted size above.
    pub above: Option<i128>,
}

/// The answer about one point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PointAnswer {
    /// Whether it is admitted; nothing if that is unknown or not specified.
    pub admitted: Option<bool>,
    /// The sizes of the outputs, where they are numbers, by the names of the outputs.
    pub outputs: Vec<(String, Option<Vec<i128>>)>,
    /// Why it is refused.
    pub refusals: Vec<Refusal>,
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
    if let Some(words) = against_declaration(declared, options, point) {
        return PointAnswer {
            admitted: Some(false),
            outputs: Vec::new(),
            refusals: vec![Refusal::about_the_point(words)],
            unknown: Vec::new(),
            limits: Vec::new(),
        };
    }
    let mut terms = Terms::new();
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
                if answer.admitted != Some(true) {
                    answer.outputs = output_sizes(graph, &terms, outputs);
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
        answer.refusals = super::refusal::core(&mut terms, graph, &refused);
        broken.dedup();
        let broken = broken.into_iter().map(Refusal::about_the_point);
        answer.refusals.extend(broken);
    }
    answer
}

/// The sizes of the outputs, where they are numbers.
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

/// What contradicts the declarations that bind.
fn against_declaration(inputs: &Inputs, options: &Options, point: &Point) -> Option<String> {
    for (name, given) in point {
        let Some(form) = inputs.forms.iter().find(|form| form.name == *name) else {
            return Some(format!("the model has no input `{name}`"));
        };
        let (
            Type::Tensor {
                sizes: Some(declared),
                ..
            },
            Given::Sizes(sizes),
        ) = (&form.declared, given)
        else {
            continue;
        };
        if declared.len() != sizes.len() {
            return Some(format!(
                "`{name}` is declared with rank {}, and {} sizes are given",
                declared.len(),
                sizes.len()
            ));
        }
        for (at, (declared, size)) in declared.iter().zip(sizes).enumerate() {
            if let DeclaredSize::Known(number) = declared
                && number != size
                && !options.relax.frees(name)
            {
                return Some(format!(
                    "axis {at} of `{name}` is declared as {number}, and {size} is given"
                ));
            }
        }
    }
    None
}

impl Answer {
    /// Decides about one point by a forward pass on its numbers. The set is not asked.
    #[must_use]
    pub fn at(&self, point: &Point) -> PointAnswer {
        decide(
            &self.graph,
            &self.options,
            (&self.inputs, &self.terms),
            point,
        )
    }

    /// Whether a point is admitted; nothing if that is unknown or not specified.
    #[must_use]
    pub fn admits(&self, point: &Point) -> Option<bool> {
        self.at(point).admitted
    }

    /// Whether the printed set holds a point of which every size is given; nothing where a relation is not decided.
    #[must_use]
    pub fn set_holds(&self, point: &Point) -> Option<bool> {
        let values = self.symbol_values(point)?;
        let mut is_open = false;
        for found in self.cases.iter().flat_map(|case| &case.boxes) {
            match found.contains(&self.terms, &|symbol| values.get(&symbol).copied()) {
                Some(true) => return Some(true),
                Some(false) => {}
                // A symbol of another rank than the point has.
                None if found
                    .domains
                    .keys()
                    .any(|symbol| !values.contains_key(symbol)) => {}
                None => is_open = true,
            }
        }
        if is_open { None } else { Some(false) }
    }

    /// The nearest admitted sizes below and above, along each axis of a point of which every size is given.
    #[must_use]
    pub fn nearest(&mut self, point: &Point) -> Vec<Nearest> {
        // What a declaration refuses stays refused along every other axis.
        if against_declaration(&self.inputs, &self.options, point).is_some() {
            return Vec::new();
        }
        let Some(values) = self.symbol_values(point) else {
            return Vec::new();
        };
        let mut nearest = Vec::new();
        for (symbol, value) in &values {
            if self.inputs.is_rank(*symbol) || self.inputs.is_derived(&self.terms, *symbol) {
                continue;
            }
            let mut entry = Nearest {
                axis: self.terms.name(*symbol).to_owned(),
                below: None,
                above: None,
            };
            for at in 0..self.cases.len() {
                let Some(domain) = self.along(at, *symbol, &values) else {
                    continue;
                };
                entry.below = entry.below.max(domain.previous(value - 1));
                entry.above = [entry.above, domain.next(value + 1)]
                    .into_iter()
                    .flatten()
                    .min();
            }
            nearest.push(entry);
        }
        nearest
    }

    /// What a symbol can be in a case while the others have values.
    fn along(
        &mut self,
        case: usize,
        symbol: Symbol,
        values: &BTreeMap<Symbol, Int>,
    ) -> Option<Integers> {
        let mut union = Integers::none();
        for found in self.cases[case].boxes.clone() {
            let others: Vec<Symbol> = found
                .domains
                .keys()
                .copied()
                .filter(|other| *other != symbol)
                .collect();
            if !others.iter().all(|other| {
                values
                    .get(other)
                    .is_some_and(|value| found.domains[other].contains(*value))
            }) {
                continue;
            }
            let mut formulas = found.relations.clone();
            for (dependent, term) in &found.equal {
                let own = self.terms.of(*dependent);
                formulas.push(self.terms.equal(own, *term));
            }
            for other in others {
                let value = self.terms.number(values[&other]);
                let mut rewriting = Rewriting::symbol(&mut self.terms, other, value);
                formulas = formulas
                    .into_iter()
                    .map(|formula| rewriting.formula(&mut self.terms, formula))
                    .collect();
            }
            let domain = found.domains.get(&symbol).cloned()?;
            for part in crate::residual::boxes(
                &mut self.terms,
                BTreeMap::from([(symbol, domain)]),
                &formulas,
            )
            .ok()?
            {
                union = union.unite(&part.domains[&symbol]).ok()?;
            }
        }
        Some(union)
    }

    /// The values of the symbols where every size of every input is given.
    fn symbol_values(&self, point: &Point) -> Option<BTreeMap<Symbol, Int>> {
        let mut values = BTreeMap::new();
        let mut set = |term: Term, value: Int| {
            if let Some(symbol) = self.terms.as_symbol(term) {
                values.insert(symbol, value);
            }
        };
        let mut ranks_given = Vec::new();
        for form in &self.inputs.forms {
            match (&form.kind, point.get(&form.name)) {
                (InputKind::Other, _) => {}
                (
                    InputKind::Tensor {
                        axes,
                        elements: None,
                    },
                    Some(Given::Sizes(sizes)),
                ) if sizes.len() == axes.len() => {
                    axes.iter()
                        .zip(sizes)
                        .for_each(|(axis, size)| set(*axis, Int::from(*size)));
                }
                (
                    InputKind::Tensor {
                        elements: Some(elements),
                        ..
                    },
                    Some(Given::Number(number)),
                ) if elements.len() == 1 => {
                    set(elements[0], Int::from(*number));
                }
                (
                    InputKind::Tensor {
                        axes,
                        elements: None,
                    },
                    None,
                ) if axes.is_empty() => {}
                (InputKind::Number(term), Some(Given::Number(number))) => {
                    set(*term, Int::from(*number))
                }
                (
                    InputKind::AnyRank {
                        rank,
                        axes: known,
                        tail,
                    },
                    Some(Given::Sizes(sizes)),
                ) => {
                    ranks_given.push((*rank, Int::try_from(sizes.len()).ok()?));
                    let (front, back) = tail_ends();
                    if sizes.len() < K {
                        known
                            .iter()
                            .zip(sizes)
                            .for_each(|(axis, size)| set(*axis, Int::from(*size)));
                    } else if let Some((axes, product)) = tail {
                        let (middle, end) = (
                            &sizes[front..sizes.len() - back],
                            &sizes[sizes.len() - back..],
                        );
                        axes.iter()
                            .zip(sizes[..front].iter().chain(end))
                            .for_each(|(axis, size)| set(*axis, Int::from(*size)));
                        set(
                            *product,
                            middle.iter().try_fold(1, |product: Int, size| {
                                product.checked_mul(Int::from(*size))
                            })?,
                        );
                    }
                }
                _ => return None,
            }
        }
        values.extend(ranks_given);
        Some(values)
    }
}
