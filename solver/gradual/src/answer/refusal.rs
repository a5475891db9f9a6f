//! Why sizes are refused: the nodes that clash.

use super::solve_formulas;
use crate::pass::{Path, Stop};
use crate::term::{Formula, Terms};
use lozenge_graph_vocabulary::{Graph, NodeId};
use serde::Serialize;

/// A node that refuses, and what it wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The name of the node.
    pub node: String,
    /// The operator of the node.
    pub operator: String,
    /// What it wants, in words, with sizes in input symbols or numbers.
    pub words: String,
    /// The names of all nodes that want the same.
    pub nodes: Vec<String>,
}

impl Refusal {
    /// What no node refuses: a declaration or a condition does.
    pub(crate) fn about_the_point(words: String) -> Self {
        Self {
            node: String::new(),
            operator: String::new(),
            words,
            nodes: Vec::new(),
        }
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
        }
    }
}

/// The nodes that together leave no size: for each path a set that is minimal under deletion.
pub(super) fn core(terms: &mut Terms, graph: &Graph, paths: &[Path]) -> Vec<Refusal> {
    let mut core: Vec<Refusal> = Vec::new();
    for path in paths.iter().take(MAX_PATHS_TOLD) {
        let mut add = |refusal: Refusal| {
            if !core.contains(&refusal) {
                core.push(refusal);
            }
        };
        let assumed: Vec<Formula> = path.assumed.iter().map(|assumed| assumed.0).collect();
        let demands: Vec<Formula> = path.demands.iter().map(|demand| demand.formula).collect();
        let kept = minimal(terms, &assumed, &demands);
        match (&path.end, kept) {
            (_, Some(kept)) => kept.into_iter().for_each(|at| {
                let demand = &path.demands[at];
                add(Refusal::new(
                    graph,
                    demand.nodes[0],
                    &demand.words,
                    &demand.nodes,
                ));
            }),
            (Err((Stop::Refused(words) | Stop::Unspecified(words), node)), None) => {
                add(Refusal::new(graph, *node, words, &[*node]))
            }
            _ => {}
        }
    }
    core
}

/// The number of paths whose refusal is told.
const MAX_PATHS_TOLD: usize = 16;

/// The places of formulas that have no solution together, none of which can be left out. Nothing if all together have one.
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
        matches!(solve_formulas(terms, &[], &formulas), Ok(boxes) if boxes.is_empty())
    };
    if !is_refuted(&(0..demands.len()).collect::<Vec<_>>()) {
        return None;
    }
    // A prefix that suffices is found by halving, for formulas come in the order of nodes; then one after another is left out.
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
