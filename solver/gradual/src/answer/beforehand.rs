//! Conditions that are assumed before the first node: a pass then follows no branch and no rank that they exclude.

use super::conditions::{Names, Reader, is_known};
use crate::limit::Limit;
use crate::pass::{Inputs, Pass, Path, Stop};
use crate::term::{Formula, Terms};
use crate::value::Shape;
use lozenge_gradual_vocabulary::{Condition, Quantity};
use lozenge_graph_vocabulary::{BodyId, Graph, NodeId, ValueId};

/// The conditions of a question, those on inputs apart from those on nodes.
pub(crate) struct Beforehand<'c> {
    names: Names,
    /// The conditions on ranks and named axes alone, which need no rank to be decided.
    first: Vec<&'c Condition>,
    /// The conditions on the sizes of inputs.
    then: Vec<&'c Condition>,
    /// The inputs of which they speak.
    inputs: Vec<ValueId>,
    /// The conditions that speak of nodes.
    last: Vec<&'c Condition>,
}

impl<'c> Beforehand<'c> {
    pub(crate) fn new(graph: &Graph, names: Names, conditions: &'c [Condition]) -> Self {
        let mut all = Self {
            names,
            first: Vec::new(),
            then: Vec::new(),
            inputs: Vec::new(),
            last: Vec::new(),
        };
        let input = |name: &str| {
            let inputs = &graph.main().inputs;
            inputs.iter().copied().find(|id| graph[*id].name == name)
        };
        for condition in conditions {
            let quantities = quantities(condition);
            let tensors = quantities.iter().filter_map(|quantity| match quantity {
                Quantity::Axis { of, .. } | Quantity::Rank(of) => Some(input(of)),
                _ => None,
            });
            let tensors: Option<Vec<ValueId>> = tensors.collect();
            let has_axis = quantities
                .iter()
                .any(|quantity| matches!(quantity, Quantity::Axis { .. }));
            match tensors {
                None => all.last.push(condition),
                Some(_) if !has_axis => all.first.push(condition),
                Some(tensors) => {
                    all.inputs.extend(tensors);
                    all.then.push(condition);
                }
            }
        }
        all
    }

    /// Returns the same for those conditions alone that speak of nothing but inputs of any rank, which decide what
    /// cases there are.
    pub(crate) fn of_ranks(
        graph: &Graph,
        inputs: &Inputs,
        names: Names,
        conditions: &'c [Condition],
    ) -> Self {
        let mut all = Self::new(graph, names, conditions);
        let has_any_rank = |name: &str| inputs.has_any_rank(name);
        let is_one = |condition: &&Condition| {
            quantities(condition).iter().all(|quantity| match quantity {
                Quantity::Axis { of, .. } | Quantity::Rank(of) => has_any_rank(of),
                _ => false,
            })
        };
        all.first.retain(is_one);
        all.then.retain(is_one);
        all.inputs.retain(|input| has_any_rank(&graph[*input].name));
        all
    }

    /// Assumes the conditions on inputs.
    pub(crate) fn assume(&self, pass: &mut Pass) -> Result<(), Stop> {
        for condition in &self.first {
            self.assume_one(pass, condition)?;
        }
        for input in &self.inputs {
            pass.value(*input)?;
        }
        for condition in &self.then {
            self.assume_one(pass, condition)?;
        }
        Ok(())
    }

    fn assume_one(&self, pass: &mut Pass, condition: &Condition) -> Result<(), Stop> {
        Self::want(pass, condition)?;
        let reader = Reader {
            graph: pass.graph,
            inputs: pass.inputs,
            names: &self.names,
            met: &pass.met,
            values: &pass.values,
        };
        let formula = reader.formula(pass.terms, condition)?;
        match pass.terms.decided(formula) {
            Some(true) => {}
            Some(false) => return pass.refuse(format!("`{condition}` does not hold")),
            None => pass.assumed.push((formula, FIRST)),
        }
        Ok(())
    }

    /// Stops where a condition speaks of an axis of an input that is not told apart from its neighbours, and asks for
    /// it.
    fn want(pass: &mut Pass, condition: &Condition) -> Result<(), Stop> {
        for quantity in quantities(condition) {
            let Quantity::Axis { of, at } = quantity else {
                continue;
            };
            let inputs = &pass.graph.main().inputs;
            let position = inputs.iter().position(|id| pass.graph[*id].name == *of);
            let shape = position.and_then(|position| pass.met.get(&position).cloned());
            let Some(shape) = shape.filter(|shape: &Shape| !is_known(shape, *at)) else {
                continue;
            };
            let count = usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX);
            let (front, back) = match *at < 0 {
                true => (0, count),
                false => (count.saturating_add(1), 0),
            };
            return Err(pass.inputs.want(&shape, front, back).into());
        }
        Ok(())
    }

    /// Returns the conditions on nodes, as formulas on a path that was followed. On a path that does not come to a node
    /// its conditions do not hold.
    pub(crate) fn on_nodes(
        &self,
        graph: &Graph,
        terms: &mut Terms,
        inputs: &Inputs,
        path: &Path,
    ) -> Result<Vec<Formula>, Limit> {
        let reader = Reader {
            graph,
            inputs,
            names: &self.names,
            met: &path.met,
            values: &path.values,
        };
        let mut formulas = Vec::new();
        for condition in &self.last {
            formulas.push(match reader.formula(terms, condition) {
                Ok(formula) => formula,
                Err(_) if path.end.is_err() => Formula::FALSE,
                Err(limit) => return Err(limit),
            });
        }
        Ok(formulas)
    }
}

/// The first node, which stands for what no node asks for.
const FIRST: NodeId = NodeId {
    body: BodyId::MAIN,
    index: 0,
};

/// Lists all quantities of a condition, those of remainders too.
fn quantities(condition: &Condition) -> Vec<&Quantity> {
    let mut sums = vec![&condition.left, &condition.right];
    let mut found = Vec::new();
    while let Some(sum) = sums.pop() {
        for (quantity, _) in &sum.parts {
            match quantity {
                Quantity::Remainder(sum, _) => sums.push(sum),
                quantity => found.push(quantity),
            }
        }
    }
    found
}
