//! All paths of a graph, one pass each.

use super::{Demand, Inputs, Pass, Site, Stop};
use crate::limit::{Limit, MAX_PATHS};
use crate::term::{Formula, Terms};
use crate::value::{Shape, Value};
use lozenge_graph_vocabulary::{Graph, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// The result of a pass along one path.
pub(crate) struct Path {
    /// The conditions under which the graph takes this path.
    pub(crate) assumed: Vec<(Formula, NodeId)>,
    /// The conditions of the question on the path beside the graph, in their order.
    pub(crate) asked: Vec<Formula>,
    pub(crate) demands: Vec<Demand>,
    /// The outputs, or why and at which node the path ended.
    pub(crate) end: Result<Vec<Value>, (Stop, NodeId)>,
    /// True if it ended at a demand that no sizes fulfil, whatever others want.
    pub(crate) is_alone: bool,
    /// The sizes of the inputs of undeclared rank.
    pub(crate) met: BTreeMap<usize, Shape>,
    /// The values of the graph as far as the pass came.
    pub(crate) values: Vec<Option<Value>>,
    /// The conditions that the pass met, in order.
    pub(crate) sites: Vec<Site>,
}

/// All paths, with what they have in common.
#[derive(Default)]
pub(crate) struct Paths {
    pub(crate) paths: Vec<Path>,
    pub(crate) unknown: BTreeMap<String, NodeId>,
    pub(crate) granted: BTreeSet<(String, NodeId)>,
    /// The limit that kept some paths from being followed.
    pub(crate) limit: Option<Limit>,
}

/// Follows every path.
pub(crate) fn follow(graph: &Graph, terms: &mut Terms, inputs: &mut Inputs) -> Paths {
    follow_from(graph, terms, inputs, &|_| Ok(()))
}

/// Follows every path, each of which begins with something that is done before the first node. Where an axis is asked
/// for that is not told apart from its neighbours, all begins anew.
pub(crate) fn follow_from(
    graph: &Graph,
    terms: &mut Terms,
    inputs: &mut Inputs,
    begin: &dyn Fn(&mut Pass) -> Result<(), Stop>,
) -> Paths {
    loop {
        let all = follow_once(graph, terms, inputs, begin);
        if all.limit.is_some() || !inputs.widen() {
            return all;
        }
    }
}

fn follow_once(
    graph: &Graph,
    terms: &mut Terms,
    inputs: &mut Inputs,
    begin: &dyn Fn(&mut Pass) -> Result<(), Stop>,
) -> Paths {
    let mut all = Paths::default();
    let mut choices = Vec::new();
    loop {
        let mut pass = Pass::new(graph, terms, inputs, choices);
        let end = match begin(&mut pass) {
            Ok(()) => pass.run(),
            Err(Stop::Refused(words)) => Err(Stop::Excluded(words)),
            Err(stop) => Err(stop),
        };
        let end = end.map_err(|stop| (stop, pass.node));
        all.unknown.append(&mut pass.unknown);
        all.granted.append(&mut pass.granted);
        all.paths.push(Path {
            assumed: std::mem::take(&mut pass.assumed),
            asked: Vec::new(),
            demands: std::mem::take(&mut pass.demands),
            is_alone: end.is_err() && pass.is_alone,
            end,
            met: std::mem::take(&mut pass.met),
            values: std::mem::take(&mut pass.values),
            sites: std::mem::take(&mut pass.sites),
        });
        let (mut taken, count) = pass.into_choices();
        taken.truncate(count);
        while taken.last() == Some(&false) {
            taken.pop();
        }
        let Some(last) = taken.last_mut() else {
            return all;
        };
        *last = false;
        choices = taken;
        all.limit = terms
            .exhausted()
            .or_else(|| (all.paths.len() >= MAX_PATHS).then_some(Limit::Paths));
        if all.limit.is_some() {
            return all;
        }
    }
}
