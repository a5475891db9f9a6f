//! Migration: the annotations that the inputs of a model may get (Q(1) and Q(2) of the paper), in the reading in which
//! it runs.
//!
//! The answer is the set of admitted sizes in the words of the paper: for every rank that an input may have, which of
//! its sizes are numbers, in which range they lie, and how inputs depend on each other. Sizes are naturals, 0 included.

use crate::answer::{
    Answer, Given, Options, Point, PointAnswer, Refusal, ShapeReport, Sizes, Verdict, point_of,
};
use crate::integers::Integers;
use crate::limit::Limit;
use crate::pass::{InputForm, InputKind};
use crate::residual::SizeBox;
use crate::term::{Int, Symbol, Term};
use lozenge_graph_vocabulary::Graph;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The annotations of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Migration {
    /// The verdict: there is a static migration that runs, or none.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub verdict: Verdict,
    /// The inputs. The classes at one place of all inputs belong together; the union over the places is what is
    /// admitted.
    pub inputs: Vec<Annotation>,
    /// Sizes that are admitted, if there are some.
    pub example: Option<Point>,
    /// The type of each value in input symbols; `·` stands for a size that differs between classes, `any` for a type
    /// that does.
    #[serde(serialize_with = "as_map")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, String>"))]
    pub nodes: Vec<ShapeReport>,
    /// The nodes that together leave no size, where none is admitted, with what each wants. In JSON `core` has the
    /// names alone, as in every answer.
    #[serde(rename = "reasons")]
    pub core: Vec<Refusal>,
    /// Operators that are not known, each with the name of a node. The annotations are an upper bound then.
    pub unknown: Vec<(String, String)>,
    /// The number of points at the ends of ranges that were replayed, on both sides.
    pub replayed: usize,
    /// The number of those that were not, as replaying all would take too long.
    #[serde(skip_serializing_if = "is_nothing")]
    pub not_replayed: usize,
    /// The limits that kept something open.
    pub limits: Vec<String>,
}

/// The annotations that an input may have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Annotation {
    /// The name of the input.
    pub name: String,
    /// The classes.
    pub classes: Vec<RankClass>,
}

/// A rank that an input may have, with what its sizes can be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RankClass {
    /// The rank; nothing where it does not matter, as no node uses the input.
    pub rank: Option<usize>,
    /// True if greater ranks belong to the class as well.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub and_more: bool,
    /// The sizes. Where greater ranks belong to the class, or the rank is greater than their number, they are the first
    /// and the last ones, and relations restrict those between them.
    pub dims: Vec<Dimension>,
    /// The relations between sizes beside their ranges, of this input and of others.
    pub relations: Vec<String>,
}

/// A size of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dimension {
    /// The name of the size, or the number that it is.
    pub name: String,
    /// True if it may be a number.
    #[serde(rename = "static")]
    pub is_static: bool,
    /// The least and the greatest size; nothing where there is no greatest one.
    pub range: [Option<Int>; 2],
    /// The distance of the sizes in the range: 1 unless they are those with one remainder.
    pub modulus: Int,
    /// All sizes, as text.
    pub values: String,
    /// A size of it in an admitted point.
    pub example: Option<Int>,
    /// The refusal of the size before the least one, where the others are those of the example.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<End>,
    /// The refusal of the size after the greatest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<End>,
}

/// A refused size, and who refuses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct End {
    /// The size.
    pub size: Int,
    /// The name of the node that refuses it; empty where a condition or a declaration does.
    pub node: String,
    /// The node's demand, in words.
    pub words: String,
}

impl Migration {
    /// Computes the annotations of all inputs. Declared sizes and the conditions of the options bind.
    #[must_use]
    pub fn of(graph: Arc<Graph>, options: &Options) -> Self {
        let mut answer = Sizes::natural(graph, options);
        let mut inputs: Vec<Annotation> = answer
            .inputs
            .forms
            .iter()
            .map(|form| Annotation {
                name: form.name.clone(),
                classes: Vec::new(),
            })
            .collect();
        let mut ends = Ends {
            outside: BTreeMap::new(),
            replayed: 0,
            left: MAX_REPLAYED,
            not_replayed: 0,
            refused: Vec::new(),
        };
        let mut example = None;
        for found in answer.all_boxes() {
            ends.replay(&answer, &found);
            example = example.or_else(|| {
                let witness = found.witness.as_ref()?;
                point_of(&answer.inputs, &answer.terms, witness)
            });
            for (input, form) in inputs.iter_mut().zip(&answer.inputs.forms) {
                input.classes.push(answer.class(form, &found, &ends));
            }
        }
        let nodes = answer.joined_shapes();
        let limits = answer.limits();
        let limits = limits.iter().map(Limit::to_string);
        Self {
            verdict: match ends.refused.is_empty() {
                true => answer.verdict(),
                false => Verdict::Unknown,
            },
            inputs,
            example,
            nodes,
            core: answer.core.clone(),
            unknown: answer.unknown_operators(),
            replayed: ends.replayed,
            not_replayed: ends.not_replayed,
            limits: limits.chain(ends.refused).collect(),
        }
    }
}

/// The number of nodes that replaying the ends of ranges may run, with the sizes of the points, over all points.
const MAX_REPLAYED: usize = 100_000;

fn is_nothing(number: &usize) -> bool {
    *number == 0
}

/// The ends of the ranges of a box, replayed.
struct Ends {
    outside: BTreeMap<Symbol, [Option<End>; 2]>,
    replayed: usize,
    left: usize,
    not_replayed: usize,
    /// The ends that are printed as admitted and that a run refuses, in words. There are none unless the procedure is
    /// wrong.
    refused: Vec<String>,
}

impl Ends {
    fn replay(&mut self, answer: &Answer, found: &SizeBox) {
        self.outside.clear();
        let Some(witness) = &found.witness else {
            return;
        };
        for (symbol, domain) in &found.domains {
            // A size on which another one depends cannot be moved alone.
            let is_related = found.equal.iter().any(|(other, term)| {
                other == symbol || answer.terms.symbols(*term).contains(symbol)
            }) || found
                .relations
                .iter()
                .any(|relation| answer.terms.formula_symbols(*relation).contains(symbol));
            let is_size = !answer.inputs.is_rank(*symbol)
                && !answer.inputs.is_derived(&answer.terms, *symbol);
            if is_related || !is_size {
                continue;
            }
            let (low, high) = hull(domain);
            for inside in [low, high] {
                let Some(run) = self.at(answer, witness, (*symbol, inside)) else {
                    continue;
                };
                if run.admitted == Some(false) {
                    let name = answer.terms.name(*symbol);
                    let size = inside.unwrap_or_default();
                    let words =
                        format!("{name} = {size} is an end of the answer, and a run refuses it");
                    self.refused.push(words);
                }
            }
            let beyond = [low.map(|low| low - 1), high.map(|high| high + 1)];
            let both = beyond.map(|size| {
                let run = self.at(answer, witness, (*symbol, size))?;
                let refusal = run.refusals.into_iter().next();
                (run.admitted != Some(true)).then(|| End {
                    size: size.unwrap_or_default(),
                    node: refusal
                        .as_ref()
                        .map(|refusal| refusal.node.clone())
                        .unwrap_or_default(),
                    words: refusal.map(|refusal| refusal.words).unwrap_or_default(),
                })
            });
            self.outside.insert(*symbol, both);
        }
    }

    /// Returns the run where one size is another one than in a known point; nothing if there is no such size, or the
    /// budget is used up.
    fn at(
        &mut self,
        answer: &Answer,
        witness: &BTreeMap<Symbol, Int>,
        (symbol, value): (Symbol, Option<Int>),
    ) -> Option<PointAnswer> {
        let mut values = witness.clone();
        values.insert(symbol, value.filter(|value| *value >= 0)?);
        let point = point_of(&answer.inputs, &answer.terms, &values)?;
        let sizes = point.values().map(|given| match given {
            Given::Sizes(sizes) => sizes.len(),
            Given::Number(_) => 1,
        });
        let cost = answer.graph.node_count() + sizes.sum::<usize>();
        match self.left.checked_sub(cost) {
            Some(left) => self.left = left,
            None => {
                self.not_replayed += 1;
                return None;
            }
        }
        self.replayed += 1;
        Some(answer.at(&point))
    }
}

/// Returns the least and the greatest number of a set.
fn hull(domain: &Integers) -> (Option<Int>, Option<Int>) {
    let firsts: Option<Vec<Int>> = domain.spans().map(|span| span.first).collect();
    let lasts: Option<Vec<Int>> = domain.spans().map(|span| span.last).collect();
    let low = firsts.and_then(|firsts| firsts.into_iter().min());
    (low, lasts.and_then(|lasts| lasts.into_iter().max()))
}

impl Answer {
    /// Returns the boxes of all cases, merged as far as the cases have the same symbols.
    fn all_boxes(&mut self) -> Vec<SizeBox> {
        let boxes = self
            .cases
            .iter()
            .flat_map(|case| case.boxes.iter().cloned());
        let boxes: Vec<SizeBox> = boxes.collect();
        crate::residual::merge(&mut self.terms, boxes.clone()).unwrap_or(boxes)
    }

    fn class(&self, form: &InputForm, found: &SizeBox, ends: &Ends) -> RankClass {
        let (rank, and_more, axes): (_, _, Vec<Term>) = match &form.kind {
            InputKind::Tensor { axes, elements } => {
                let elements = elements.iter().flatten().copied();
                (
                    Some(axes.len()),
                    false,
                    axes.iter().copied().chain(elements).collect(),
                )
            }
            InputKind::Number(term) => (Some(0), false, vec![*term]),
            InputKind::Other => (None, false, Vec::new()),
            InputKind::AnyRank {
                rank, axes, tail, ..
            } => {
                let domain = found.domains.get(rank);
                let least = domain.and_then(|domain| usize::try_from(domain.next(0)?).ok());
                let single = domain.is_some_and(|domain| domain.single().is_some());
                match (least, tail) {
                    (Some(rank), Some(tail)) if self.is_met(tail, found) => {
                        (Some(rank), !single, tail.axes.clone())
                    }
                    (Some(rank), _) if single && rank <= axes.len() => {
                        (Some(rank), false, axes[..rank].to_vec())
                    }
                    (least, _) => (least.filter(|_| single), false, Vec::new()),
                }
            }
        };
        let dims: Vec<Dimension> = axes
            .iter()
            .map(|axis| self.dimension(*axis, found, ends))
            .collect();
        let symbols: Vec<Symbol> = axes
            .iter()
            .filter_map(|axis| self.terms.as_symbol(*axis))
            .collect();
        let equal = found.equal.iter().filter(|(symbol, term)| {
            symbols.contains(symbol)
                || self
                    .terms
                    .symbols(*term)
                    .iter()
                    .any(|symbol| symbols.contains(symbol))
        });
        let equal = equal.map(|(symbol, term)| {
            format!("{} = {}", self.terms.name(*symbol), self.terms.text(*term))
        });
        let relations = found.relations.iter().filter(|relation| {
            let own = self.terms.formula_symbols(**relation);
            own.iter().any(|symbol| symbols.contains(symbol))
        });
        let relations = relations.map(|relation| self.terms.formula_text(*relation));
        RankClass {
            rank,
            and_more,
            dims,
            relations: self
                .between(form, found)
                .into_iter()
                .chain(equal)
                .chain(relations)
                .collect(),
        }
    }

    /// Tells what the sizes between the first and the last ones of a large rank can be together, if not all numbers.
    fn between(&self, form: &InputForm, found: &SizeBox) -> Option<String> {
        let InputKind::AnyRank {
            tail: Some(tail), ..
        } = &form.kind
        else {
            return None;
        };
        let product = self.terms.as_symbol(tail.product)?;
        let domain = found.domains.get(&product)?;
        let is_determined = found.equal.iter().any(|(symbol, _)| *symbol == product);
        if is_determined || *domain == Integers::between(Some(0), None) {
            return None;
        }
        let name = self.terms.name(product);
        Some(match domain.single() {
            Some(number) => format!("{name} = {number}"),
            None => format!("{name} : {domain}"),
        })
    }

    fn dimension(&self, axis: Term, found: &SizeBox, ends: &Ends) -> Dimension {
        let name = self.terms.text(axis);
        let symbol = self.terms.as_symbol(axis);
        let domain = match (self.terms.as_number(axis), symbol) {
            (Some(number), _) => Integers::just(number),
            (None, Some(symbol)) => found
                .domains
                .get(&symbol)
                .cloned()
                .unwrap_or_else(|| crate::pass::domain(&self.terms, symbol)),
            (None, None) => Integers::between(Some(0), None),
        };
        let (low, high) = hull(&domain);
        let mut spans = domain.spans();
        let modulus = match (spans.next(), spans.next()) {
            (Some(span), None) if span.first != span.last => span.period,
            _ => 1,
        };
        let outside = symbol.and_then(|symbol| ends.outside.get(&symbol).cloned());
        let [below, above] = outside.unwrap_or_default();
        let witness = found.witness.as_ref();
        Dimension {
            name,
            is_static: !domain.is_empty(),
            range: [low, high],
            modulus,
            values: domain.to_string(),
            example: match symbol {
                Some(symbol) => witness
                    .and_then(|witness| witness.get(&symbol).copied())
                    .or(low),
                None => low,
            },
            below,
            above,
        }
    }
}

/// Writes names and types as a mapping.
fn as_map<S: serde::Serializer>(shapes: &[ShapeReport], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(shapes.iter().map(|shape| (&shape.name, &shape.shape)))
}
