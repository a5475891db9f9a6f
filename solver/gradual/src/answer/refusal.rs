//! Refusals of sizes: the nodes that clash.

use super::are_refuted;
use super::origin::{Origin, origins};
use crate::pass::{Demand, Inputs, Path, Stop};
use crate::term::{Formula, Terms};
use lozenge_gradual_vocabulary::Condition;
use lozenge_graph_vocabulary::{Graph, NodeId};
use serde::Serialize;

/// A node that refuses, and what it wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refusal {
    /// The name of the node.
    pub node: String,
    /// The operator of the node.
    pub operator: String,
    /// The demand of the node, in words, with sizes in input symbols or numbers.
    pub words: String,
    /// The names of all nodes that want the same.
    pub nodes: Vec<String>,
    /// The sizes of inputs on which it depends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<Origin>,
    /// At a point, what the node does not take of any sizes, in input symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub general: Option<String>,
}

impl Refusal {
    /// Returns the names of the nodes that refuse, each once. What a declaration or a condition refuses has none.
    #[must_use]
    pub fn nodes(refusals: &[Self]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for refusal in refusals {
            if !refusal.node.is_empty() && !names.contains(&refusal.node) {
                names.push(refusal.node.clone());
            }
        }
        names
    }

    /// Makes a refusal by a declaration or a condition, which no node causes.
    pub(crate) fn about_the_point(words: String) -> Self {
        Self {
            node: String::new(),
            operator: String::new(),
            words,
            nodes: Vec::new(),
            from: Vec::new(),
            general: None,
        }
    }

    /// Makes the refusal of a condition that is asked beside the graph.
    pub(super) fn of_condition(condition: &Condition) -> Self {
        Self::about_the_point(format!("the condition `{condition}`"))
    }

    pub(crate) fn new(graph: &Graph, node: NodeId, words: &str, nodes: &[NodeId]) -> Self {
        let mut names: Vec<String> = nodes
            .iter()
            .map(|node| graph[*node].name().to_owned())
            .collect();
        names.dedup();
        Self {
            node: graph[node].name().to_owned(),
            operator: graph[node].operator.to_string(),
            words: words.to_owned(),
            nodes: names,
            from: Vec::new(),
            general: None,
        }
    }

    /// Makes the refusal of those who demand something, with the sizes of inputs on which that depends.
    pub(super) fn of_demand(
        graph: &Graph,
        inputs: &Inputs,
        terms: &Terms,
        demand: &Demand,
    ) -> Self {
        let symbols = terms.formula_symbols(demand.formula);
        Self {
            from: origins(inputs, terms, symbols),
            ..Self::new(graph, demand.nodes[0], &demand.words, &demand.nodes)
        }
    }
}

/// Returns the nodes that together leave no size: for each path a set that is minimal under deletion.
///
/// Conditions that are asked beside the graph are named where they are needed to leave none.
pub(super) fn core(
    terms: &mut Terms,
    graph: &Graph,
    inputs: &Inputs,
    paths: &[Path],
    conditions: &[Condition],
) -> Vec<Refusal> {
    let mut core: Vec<Refusal> = Vec::new();
    for path in paths.iter().take(MAX_PATHS_TOLD) {
        let mut add = |refusal: Refusal| {
            if !core.contains(&refusal) {
                core.push(refusal);
            }
        };
        // A condition of the question was assumed before the first node, and is asked as well: it can be left out like
        // any other.
        let assumed = path.assumed.iter().map(|assumed| assumed.0);
        let assumed: Vec<Formula> = assumed
            .filter(|assumed| !path.asked.contains(assumed))
            .collect();
        let demands = path.demands.iter().map(|demand| demand.formula);
        let asked = path.asked.iter().copied().chain(demands);
        // A demand that no sizes fulfil needs no other beside it.
        let kept = match path.is_alone {
            true => None,
            false => minimal(terms, &assumed, &asked.collect::<Vec<_>>()),
        };
        match (&path.end, kept) {
            (_, Some(kept)) => {
                kept.into_iter()
                    .for_each(|at| match at.checked_sub(path.asked.len()) {
                        None => add(Refusal::of_condition(&conditions[at])),
                        Some(at) => {
                            let demand = &path.demands[at];
                            add(Refusal::of_demand(graph, inputs, terms, demand));
                        }
                    })
            }
            (Err((Stop::Excluded(words), _)), None) => add(Refusal::about_the_point(words.clone())),
            (Err((Stop::Refused(words) | Stop::Unspecified(words), node)), None) => {
                // A program without nodes has none that could refuse.
                add(match graph[node.body].nodes.get(node.index as usize) {
                    Some(_) => Refusal::new(graph, *node, words, &[*node]),
                    None => Refusal::about_the_point(words.clone()),
                })
            }
            _ => {}
        }
    }
    core
}

/// The number of paths whose refusal is told.
const MAX_PATHS_TOLD: usize = 16;

/// Returns the places of formulas that have no solution together, none of which can be left out. Nothing if all
/// together have one.
pub(crate) fn minimal(
    terms: &mut Terms,
    assumed: &[Formula],
    demands: &[Formula],
) -> Option<Vec<usize>> {
    let mut is_refuted = |kept: &[usize]| {
        let formulas: Vec<Formula> = assumed
            .iter()
            .copied()
            .chain(kept.iter().map(|at| demands[*at]))
            .collect();
        are_refuted(terms, &formulas)
    };
    if !is_refuted(&(0..demands.len()).collect::<Vec<_>>()) {
        return None;
    }
    // A prefix that suffices is found by halving, for formulas come in the order of nodes; then one after another is
    // left out.
    let (mut low, mut high) = (0, demands.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if is_refuted(&(0..middle).collect::<Vec<_>>()) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let mut kept: Vec<usize> = (0..high).collect();
    for at in (0..kept.len()).rev() {
        let mut fewer = kept.clone();
        fewer.remove(at);
        if is_refuted(&fewer) {
            kept = fewer;
        }
    }
    Some(kept)
}
