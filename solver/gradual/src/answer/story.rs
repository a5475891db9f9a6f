//! The way from the sizes of inputs to a node that refuses: the layers at which they change.

use super::traced::terms_of;
use super::{Answer, Point, Refusal};
use crate::term::{Int, Symbol, Term};
use crate::value::Value;
use lozenge_graph_vocabulary::{NodeId, Origin as MadeBy, ValueId};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A place on the way from inputs to a node: an input, or a layer that makes another size of what it gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// The name of the input or node.
    pub name: String,
    /// The operator; nothing for an input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    /// The shape that the node makes, in input symbols.
    pub shape: String,
    /// The same at the point that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<Int>>,
}

impl Answer {
    /// Returns the way to a node that refuses: the inputs on which the refusal depends, and each layer before it that
    /// makes of their sizes one that none of its arguments has, in the order of the graph. With a point, also the sizes
    /// there.
    #[must_use]
    pub fn story(&self, refusal: &Refusal, point: Option<&Point>) -> Vec<Step> {
        let Some(node) = self.node_named(&refusal.node) else {
            return Vec::new();
        };
        let symbols = refusal.from.iter();
        let symbols: Vec<Symbol> = symbols
            .filter_map(|origin| self.terms.symbol_named(&origin.axis))
            .collect();
        let is_met = |values: &&[Option<Value>]| !self.read_by(node, values).is_empty();
        let Some(values) = self.all_values().find(is_met) else {
            return Vec::new();
        };
        let given = point.and_then(|point| self.symbol_values(point));
        let given = given.unwrap_or_default();
        let (inputs, nodes) = self.before(node);
        let mentions = |id: &ValueId| {
            let value = values.get(id.index()).and_then(Option::as_ref);
            value.is_some_and(|value| !self.mentioning(value, &symbols).is_empty())
        };
        let inputs = inputs.into_iter().filter(mentions).map(|id| (None, id));
        let changing = nodes.into_iter().flat_map(|id| {
            let known: BTreeSet<Term> = self
                .read_by(id, values)
                .into_iter()
                .flat_map(|value| self.mentioning(value, &symbols))
                .collect();
            let outputs = self.graph[id].outputs.iter().flatten().copied();
            let symbols = &symbols;
            let made = outputs.filter(move |output| {
                let value = values.get(output.index()).and_then(Option::as_ref);
                value.is_some_and(|value| !self.mentioning(value, symbols).is_subset(&known))
            });
            made.map(|output| (Some(id), output)).collect::<Vec<_>>()
        });
        inputs
            .chain(changing)
            .filter_map(|(made_by, id)| {
                let value = values[id.index()].as_ref()?;
                Some(self.step(made_by, id, value, &given))
            })
            .collect()
    }

    fn step(
        &self,
        made_by: Option<NodeId>,
        id: ValueId,
        value: &Value,
        given: &BTreeMap<Symbol, Int>,
    ) -> Step {
        let sizes = match value {
            Value::Tensor(_) | Value::Sizes(_) if !given.is_empty() => self.sizes(value, given),
            _ => None,
        };
        Step {
            name: match made_by {
                Some(node) => self.graph[node].name().to_owned(),
                None => self.graph[id].name.clone(),
            },
            operator: made_by.map(|node| self.graph[node].operator.to_string()),
            shape: self.value_text(value),
            sizes,
        }
    }

    /// Returns the sizes of a tensor where the symbols have values.
    fn sizes(&self, value: &Value, given: &BTreeMap<Symbol, Int>) -> Option<Vec<Int>> {
        let shape = match value {
            Value::Tensor(tensor) => tensor.shape.as_ref()?,
            Value::Sizes(shape) => shape,
            _ => return None,
        };
        let of = |symbol: Symbol| given.get(&symbol).copied();
        let sizes = shape.axes.iter();
        sizes.map(|size| self.terms.value(*size, &of)).collect()
    }

    /// Returns the terms of a value in which one of the symbols stands.
    fn mentioning(&self, value: &Value, symbols: &[Symbol]) -> BTreeSet<Term> {
        let has = |term: &Term| {
            let mut own = self.terms.symbols(*term).iter();
            own.any(|symbol| symbols.contains(symbol))
        };
        terms_of(value).filter(has).collect()
    }

    /// Returns the inputs of the model and the nodes on which a node depends, in the order of the graph.
    fn before(&self, node: NodeId) -> (BTreeSet<ValueId>, BTreeSet<NodeId>) {
        let (mut inputs, mut nodes) = (BTreeSet::new(), BTreeSet::new());
        let mut waiting = vec![node];
        while let Some(id) = waiting.pop() {
            let arguments = self.graph[id].all_arguments();
            for value in arguments.flat_map(|argument| argument.values()) {
                match self.graph[value].origin {
                    MadeBy::Node { node, .. } if nodes.insert(node) => waiting.push(node),
                    MadeBy::Input { .. } => {
                        inputs.insert(value);
                    }
                    _ => {}
                }
            }
        }
        (inputs, nodes)
    }
}
