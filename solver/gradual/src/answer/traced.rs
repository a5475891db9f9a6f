//! The way back from a refusal to the sizes of inputs: the condition that does not hold, and what a node gets.

use super::origin::origins;
use super::{Answer, Case, Point, Refusal};
use crate::pass::{Demand, Path};
use crate::term::{Formula, Int, Symbol, Term};
use crate::value::{Tensor, Value};
use lozenge_graph_vocabulary::NodeId;
use std::collections::{BTreeMap, BTreeSet};

impl Answer {
    /// Adds to a refusal of a point the sizes of inputs on which it depends, and the reason in letters for them.
    pub(super) fn with_origins(&self, mut refusal: Refusal, point: &Point) -> Refusal {
        let values = self.symbol_values(point).unwrap_or_default();
        let symbols = match self.demand(&refusal.node, &values) {
            Some(demand) => {
                refusal.general = Some(demand.words.clone());
                self.terms.formula_symbols(demand.formula).to_vec()
            }
            None => self.read_symbols(&refusal.node),
        };
        refusal.from = origins(&self.inputs, &self.terms, &symbols);
        for origin in &mut refusal.from {
            let symbol = self.terms.symbol_named(&origin.axis);
            origin.given = symbol.and_then(|symbol| values.get(&symbol).copied());
        }
        refusal
    }

    /// Returns the condition of a node that does not hold for some values: one that certainly does not before one that
    /// is not known.
    fn demand(&self, node: &str, values: &BTreeMap<Symbol, Int>) -> Option<&Demand> {
        let holds = |formula: Formula| {
            let value = |symbol| values.get(&symbol).copied();
            self.terms.holds(formula, &value)
        };
        let cases = self
            .cases
            .iter()
            .filter(|case| self.has_ranks(case, values));
        let cases = cases.map(|case| &case.demands);
        let is_taken = |path: &&Path| {
            let mut assumed = path.assumed.iter();
            assumed.all(|(formula, _)| holds(*formula) != Some(false))
        };
        let refused = self.refused.iter().filter(is_taken);
        let refused = refused.map(|path| &path.demands);
        let is_of = |demand: &&Demand| {
            let mut nodes = demand.nodes.iter();
            nodes.any(|id| self.graph[*id].name() == node)
        };
        let own: Vec<&Demand> = cases.chain(refused).flatten().filter(is_of).collect();
        let truth = |demand: &&&Demand| holds(demand.formula);
        let certain = own.iter().find(|demand| truth(demand) == Some(false));
        certain
            .or_else(|| own.iter().find(|demand| truth(demand).is_none()))
            .copied()
    }

    /// Tells whether the ranks of a case are those of a point.
    fn has_ranks(&self, case: &Case, values: &BTreeMap<Symbol, Int>) -> bool {
        let ranks: Vec<Symbol> = self
            .inputs
            .rank_symbols()
            .into_iter()
            .map(|(_, rank)| rank)
            .collect();
        let mut boxes = case.boxes.iter();
        boxes.any(|found| {
            let mut ranks = ranks.iter();
            ranks.all(|rank| match (values.get(rank), found.domains.get(rank)) {
                (Some(value), Some(domain)) => domain.contains(*value),
                _ => true,
            })
        })
    }

    /// Returns the symbols of what a node gets.
    fn read_symbols(&self, node: &str) -> Vec<Symbol> {
        let Some(id) = self.node_named(node) else {
            return Vec::new();
        };
        let mut symbols = BTreeSet::new();
        for values in self.all_values() {
            for value in self.read_by(id, values) {
                terms_of(value).for_each(|term| symbols.extend(self.terms.symbols(term)));
            }
        }
        symbols.into_iter().collect()
    }

    /// Returns the values of each path that was followed, those that are admitted first.
    pub(super) fn all_values(&self) -> impl Iterator<Item = &[Option<Value>]> {
        let cases = self.cases.iter().map(|case| case.values.as_slice());
        cases.chain(self.refused.iter().map(|path| path.values.as_slice()))
    }

    pub(super) fn node_named(&self, name: &str) -> Option<NodeId> {
        let mut nodes = self.graph.nodes();
        nodes
            .find(|(_, node)| node.name() == name)
            .map(|(id, _)| id)
    }

    /// Returns the values that a node gets on a path.
    pub(super) fn read_by<'v>(&self, node: NodeId, values: &'v [Option<Value>]) -> Vec<&'v Value> {
        let arguments = self.graph[node].all_arguments();
        let read = arguments.flat_map(|argument| argument.values());
        read.filter_map(|id| values.get(id.index())?.as_ref())
            .collect()
    }
}

/// Returns the sizes of a value, and the integers that are known of its elements.
pub(super) fn terms_of(value: &Value) -> impl Iterator<Item = Term> {
    let of_tensor = |tensor: &Tensor| -> Vec<Term> {
        let axes = tensor.shape.iter().flat_map(|shape| shape.axes.iter());
        let elements = tensor.integers().unwrap_or_default();
        axes.copied().chain(elements).collect()
    };
    let terms: Vec<Term> = match value {
        Value::Tensor(tensor) => of_tensor(tensor),
        Value::List(list) => {
            let tensors = list.iter().filter_map(|value| match value {
                Value::Tensor(tensor) => Some(of_tensor(tensor)),
                _ => None,
            });
            tensors.flatten().collect()
        }
        Value::Pieces(pieces) => {
            let cut = pieces.cut.map(|(_, total)| total);
            let axes = pieces.each.axes.iter().copied();
            axes.chain([pieces.length]).chain(cut).collect()
        }
        Value::Integer(term) => vec![*term],
        Value::Sizes(shape) => shape.axes.to_vec(),
        _ => Vec::new(),
    };
    terms.into_iter()
}
