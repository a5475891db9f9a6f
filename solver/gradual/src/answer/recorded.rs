//! The sizes that an exporter recorded, held against those that the graph itself takes.
//!
//! A program of torch.export carries ranges of its symbols and guards: conditions under which the trace was made. Some
//! the graph needs, and others it does not. Both sets are told, with a size in each difference.

use super::{Answer, BoxReport, Given, Point, solve_formulas};
use crate::guard::{Named, guard};
use crate::pass::InputKind;
use crate::residual::SizeBox;
use crate::term::{Formula, Int, Symbol, Term};
use lozenge_graph_vocabulary::{DeclaredSize, RecordedRange, Type};
use serde::Serialize;
use std::collections::BTreeMap;

/// The claims about the sizes of inputs that an exporter recorded, beside what the graph takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedSet {
    /// The recorded set as boxes: the union of them is recorded.
    pub boxes: Vec<BoxReport>,
    /// A point that the graph takes and that was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_graph: Option<Point>,
    /// A point that was recorded and that the graph refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_recorded: Option<Point>,
    /// The ranges and guards, in the order of the file.
    pub conditions: Vec<RecordedCondition>,
    /// True if the differences are decided. Where not all conditions are read, the recorded set is an upper bound.
    pub is_decided: bool,
}

/// A condition that an exporter recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedCondition {
    /// The condition, as it is written in the file.
    pub text: String,
    /// True if it was understood.
    pub is_read: bool,
    /// A point that the graph takes and that this condition excludes: the graph does not need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excludes: Option<Point>,
}

impl Answer {
    /// Returns the recorded set beside the graph's own; nothing where the file records none.
    #[must_use]
    pub fn recorded(&mut self) -> Option<RecordedSet> {
        let graph = self.graph.clone();
        let recorded = &graph.recorded;
        if recorded.ranges.is_empty() && recorded.guards.is_empty() {
            return None;
        }
        let ranges = recorded.ranges.iter();
        let mut read: Vec<(String, Option<Formula>)> = ranges
            .flat_map(|range| self.range(range))
            .map(|(text, formula)| (text, Some(formula)))
            .collect();
        for text in &recorded.guards {
            read.push((text.clone(), self.guard(text)));
        }
        let all: Vec<Formula> = read.iter().filter_map(|(_, formula)| *formula).collect();
        let own = self.own_boxes();
        let mut is_decided = own.is_some() && all.len() == read.len();
        let own = own.unwrap_or_default();
        let mut conditions = Vec::new();
        for (text, formula) in read {
            let excludes = formula.and_then(|formula| {
                let negation = self.terms.not(formula);
                self.point_in(&own, negation, &mut is_decided)
            });
            conditions.push(RecordedCondition {
                text,
                is_read: formula.is_some(),
                excludes,
            });
        }
        let only_graph = conditions.iter().find_map(|one| one.excludes.clone());
        let whole = self.terms.all(&all);
        let taken: Vec<Formula> = own.iter().map(|own| self.terms.all(own)).collect();
        let taken = self.terms.any(&taken);
        let refused = self.terms.not(taken);
        let only_recorded = self.point_in(&[vec![whole]], refused, &mut is_decided);
        let symbols = self.inputs.certain_symbols(&self.terms);
        let found = solve_formulas(&mut self.terms, &symbols, &all);
        is_decided &= found.is_ok();
        let found = found.unwrap_or_default();
        Some(RecordedSet {
            boxes: found
                .iter()
                .map(|found| BoxReport::without_zero(&self.terms, found))
                .collect(),
            only_graph,
            only_recorded,
            conditions,
            is_decided,
        })
    }

    /// Returns the boxes of the graph's own set as formulas; nothing where it is not known.
    fn own_boxes(&mut self) -> Option<Vec<Vec<Formula>>> {
        if !self.limits.is_empty() {
            return None;
        }
        let boxes: Vec<SizeBox> = self
            .cases
            .iter()
            .flat_map(|case| case.boxes.iter().cloned())
            .collect();
        boxes
            .iter()
            .map(|found| found.formulas(&mut self.terms))
            .collect()
    }

    /// Returns a point of one of the boxes at which a formula holds.
    fn point_in(
        &mut self,
        boxes: &[Vec<Formula>],
        formula: Formula,
        is_decided: &mut bool,
    ) -> Option<Point> {
        let symbols = self.inputs.certain_symbols(&self.terms);
        for own in boxes {
            let formulas: Vec<Formula> = own.iter().copied().chain([formula]).collect();
            match solve_formulas(&mut self.terms, &symbols, &formulas) {
                Err(_) => *is_decided = false,
                Ok(found) => {
                    let witness = found.iter().find_map(|found| found.witness.as_ref());
                    if let Some(witness) = witness {
                        return Some(self.point_of(witness));
                    }
                    *is_decided &= found.is_empty();
                }
            }
        }
        None
    }

    /// Returns the point where the symbols have values.
    fn point_of(&self, values: &BTreeMap<Symbol, Int>) -> Point {
        let of = |symbol: Symbol| values.get(&symbol).copied();
        let value = |term: &Term| self.terms.value(*term, &of);
        let given = self.inputs.forms.iter().filter_map(|form| {
            let given = match &form.kind {
                InputKind::Tensor {
                    axes,
                    elements: None,
                } => {
                    let sizes = axes.iter();
                    let sizes = sizes.map(|axis| u64::try_from(value(axis)?).ok());
                    Given::Sizes(sizes.collect::<Option<_>>()?)
                }
                InputKind::Number(term) => Given::Number(i64::try_from(value(term)?).ok()?),
                InputKind::Tensor {
                    elements: Some(elements),
                    ..
                } => match &elements[..] {
                    [only] => Given::Number(i64::try_from(value(only)?).ok()?),
                    _ => return None,
                },
                _ => return None,
            };
            Some((form.name.clone(), given))
        });
        given.collect()
    }

    /// Lists the demands of each end of a range on each size that has its symbol. An end that every size has says
    /// nothing.
    fn range(&mut self, range: &RecordedRange) -> Vec<(String, Formula)> {
        let mut found = Vec::new();
        for term in self.of_symbol(&range.symbol) {
            let (bounds, text) = (self.terms.bounds(term), self.terms.text(term));
            let is_news = |least: &i64| bounds.low.is_none_or(|low| low < Int::from(*least));
            if let Some(least) = range.least.filter(is_news) {
                let formula = self.terms.at_least(term, Int::from(least));
                found.push((format!("{text} >= {least}"), formula));
            }
            if let Some(greatest) = range.greatest {
                let bound = self.terms.number(Int::from(greatest));
                let formula = self.terms.at_most(term, bound);
                found.push((format!("{text} <= {greatest}"), formula));
            }
        }
        found
    }

    /// Returns the sizes that the file declares with a symbol, and the integer inputs that it stands for.
    fn of_symbol(&self, symbol: &str) -> Vec<Term> {
        let is_it =
            |size: &DeclaredSize| matches!(size, DeclaredSize::Named(name) if name == symbol);
        let mut found = Vec::new();
        for form in &self.inputs.forms {
            match (&form.kind, &form.declared) {
                (
                    InputKind::Tensor { axes, .. },
                    Type::Tensor {
                        sizes: Some(declared),
                        ..
                    },
                ) => {
                    let axes = axes.iter().zip(declared);
                    found.extend(axes.filter(|(_, size)| is_it(size)).map(|(axis, _)| *axis));
                }
                (InputKind::Number(term), _) => {
                    let mut integers = self.graph.recorded.integers.iter();
                    if integers
                        .any(|one| self.graph[one.value].name == form.name && is_it(&one.size))
                    {
                        found.push(*term);
                    }
                }
                _ => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn guard(&mut self, text: &str) -> Option<Formula> {
        let forms = &self.inputs.forms;
        let size = |named: &Named| {
            let form = forms.iter().find(|form| form.name == named.input)?;
            match (&form.kind, named.at) {
                (InputKind::Tensor { axes, .. }, Some(at)) => axes.get(at).copied(),
                (InputKind::Number(term), None) => Some(*term),
                (
                    InputKind::Tensor {
                        elements: Some(elements),
                        ..
                    },
                    None,
                ) if elements.len() == 1 => Some(elements[0]),
                _ => None,
            }
        };
        guard(&mut self.terms, text, &size)
    }
}
