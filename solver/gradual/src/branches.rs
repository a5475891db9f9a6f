//! Branches: on which side of a condition all inputs lie that come to it.
//!
//! A branch is judged by what precedes it (Alg. 2 of the paper), never by what follows, for a traced program shows one
//! arm alone. Sizes are naturals, 0 included, and of ranks there is no bound.

mod places;
mod weakest;

use crate::answer::{Beforehand, Options, Point, Verdict, condition_names, point_of, steps};
use crate::limit::Limit;
use crate::pass::{Inputs, Path, Site, Stop, follow, follow_from};
use crate::residual::SizeBox;
use crate::term::{Formula, Terms};
use crate::value::Value;
use lozenge_graph_vocabulary::{Argument, BodyId, Format, Graph, Node, NodeId};
use places::{Place, Places};
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use weakest::Ranks;

/// The knowledge about a condition on which a program branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BranchVerdict {
    /// It holds for every input that comes to it, and there are some.
    Always,
    /// It holds for no input that comes to it, and there are some.
    Never,
    /// It holds for some inputs and not for others.
    Depends,
    /// No input comes to it.
    Unreachable,
    /// The procedure reached a limit, or data decide it.
    Unknown,
}

/// An input that comes to a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BranchWitness {
    /// The sizes of the inputs.
    pub at: Point,
    /// The value of the condition on this side.
    pub value: bool,
}

/// A condition on which a program branches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Branch {
    /// The name of the node that computes the condition, or of the input or constant that is it.
    pub node: String,
    /// The name of the node that takes one branch or the other; none in a traced program, which took one already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The verdict.
    pub verdict: BranchVerdict,
    /// Inputs that come to the condition, replayed: two where the verdict is `depends`.
    pub witnesses: Vec<BranchWitness>,
    /// Conditions on ranks and sizes, each of which makes it hold whatever else the input is. None of their parts can
    /// be left out, but of an axis that large ranks do not tell apart from its neighbours a bound on the rank may stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub true_if: Vec<String>,
    /// Such conditions that make it not hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub false_if: Vec<String>,
    /// The reason, where the verdict is `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The conditions of a graph with their verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Branches {
    /// The verdict on the whole graph: some input runs it, or none does. Whoever answers puts it beside the rest.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub verdict: Verdict,
    /// The conditions, in the order of the nodes.
    pub branches: Vec<Branch>,
    /// Operators that are not known, each with the name of a node.
    pub unknown: Vec<(String, String)>,
    /// The limits that kept something open.
    pub limits: Vec<String>,
}

impl Branches {
    /// Decides every condition on which a graph branches: those that a traced program left behind, and those of `If`.
    ///
    /// Declared sizes and the conditions of the options bind.
    #[must_use]
    pub fn of(graph: &Graph, options: &Options) -> Self {
        let mut terms = Terms::new();
        terms.allow(steps(graph));
        let mut inputs = Inputs::natural(graph, &mut terms, &|input| options.relax.frees(input));
        let names = condition_names(&inputs, &terms, &inputs);
        let given = Beforehand::new(graph, names, &options.conditions);
        let paths = follow_from(graph, &mut terms, &mut inputs, &|pass| given.assume(pass));
        let mut question = Question {
            graph,
            options,
            terms,
            inputs,
            places: Places::new(),
            weakest: Vec::new(),
            replayed: Vec::new(),
            limits: paths.limit.into_iter().collect(),
            stopped: Vec::new(),
        };
        let mut found: BTreeMap<NodeId, Found> = BTreeMap::new();
        let tensors = note_others(graph, &paths.paths, &mut found);
        let mut seen = FxHashSet::default();
        let mut verdict = Verdict::Unsat;
        for path in &paths.paths {
            match given.on_nodes(graph, &mut question.terms, &question.inputs, path) {
                Ok(extra) => {
                    let end = question.meet(path, extra, &mut seen, &mut found);
                    verdict = question.whole(verdict, path, end);
                }
                Err(limit) => {
                    question.limits.insert(limit);
                    question.stopped.push((limit, BTreeSet::new()));
                }
            }
        }
        if verdict == Verdict::Unsat && !question.limits.is_empty() {
            verdict = Verdict::Unknown;
        }
        let conditions = conditions(graph, &found, &tensors);
        let mut branches = Vec::with_capacity(conditions.len());
        for node in conditions {
            branches.push(question.branch(node, found.remove(&node)));
        }
        let unknown = paths.unknown.iter();
        // A limit on the way to the verdict, which another path gave, keeps nothing open where there is no condition.
        let limits = match verdict == Verdict::Sat && branches.is_empty() {
            true => BTreeSet::new(),
            false => question.limits,
        };
        Self {
            verdict,
            branches,
            unknown: unknown
                .map(|(operator, node)| (operator.clone(), graph[*node].name().to_owned()))
                .collect(),
            limits: limits.iter().map(Limit::to_string).collect(),
        }
    }
}

/// The findings of passes about one condition.
#[derive(Default)]
struct Found {
    /// The places with inputs for which it holds, and those with inputs for which it does not.
    is_true: Vec<Place>,
    is_false: Vec<Place>,
    /// True if an input comes to the condition for which data decide.
    is_data: bool,
    /// True if an operator that is not known computes it.
    is_unknown: bool,
    limits: BTreeSet<Limit>,
}

/// Conditions to which a run comes, with their values where they are known.
type Values = Vec<(NodeId, Option<bool>)>;

/// The conditions on ranks and sizes that belong to the places of both sides.
struct Weakest {
    is_true: Vec<Place>,
    is_false: Vec<Place>,
    true_if: Vec<String>,
    false_if: Vec<String>,
}

/// A question about branches, with what was computed for it.
struct Question<'g> {
    graph: &'g Graph,
    options: &'g Options,
    terms: Terms,
    inputs: Inputs,
    places: Places,
    /// The conditions on ranks and sizes that are known.
    weakest: Vec<Weakest>,
    /// The points that were replayed, with the conditions to which a pass on their numbers comes.
    replayed: Vec<(Point, Values)>,
    limits: BTreeSet<Limit>,
    /// For each path that a limit cut short the limit, and the conditions that it met.
    stopped: Vec<(Limit, BTreeSet<NodeId>)>,
}

impl Question<'_> {
    /// Returns the verdict of the whole graph, after one more path.
    fn whole(&mut self, verdict: Verdict, path: &Path, end: Place) -> Verdict {
        let boxes = self.places.boxes(end);
        if let Err((Stop::Unknown(limit), _)) = &path.end
            && !matches!(boxes, Ok([]))
        {
            let met = path.sites.iter().map(|site| site.node);
            self.stopped.push((*limit, met.collect()));
        }
        let boxes = match boxes {
            _ if verdict == Verdict::Sat => return verdict,
            Ok(boxes) => boxes,
            Err(limit) => {
                self.limits.insert(limit);
                return verdict;
            }
        };
        match &path.end {
            _ if boxes.is_empty() => verdict,
            Ok(_) if boxes.iter().any(|found| found.witness.is_some()) => Verdict::Sat,
            Ok(_) => {
                self.limits.insert(Limit::Products);
                verdict
            }
            Err((Stop::Unknown(limit), _)) => {
                self.limits.insert(*limit);
                verdict
            }
            Err(_) => verdict,
        }
    }

    /// Looks at the conditions that a path meets, and gives the place where it ends. The part that several paths have
    /// in common is looked at once.
    fn meet(
        &mut self,
        path: &Path,
        extra: Vec<Formula>,
        seen: &mut FxHashSet<(NodeId, Option<Formula>, Place)>,
        found: &mut BTreeMap<NodeId, Found>,
    ) -> Place {
        let mut place = self.places.after(&mut self.terms, Places::START, extra);
        let mut before = (0, 0);
        for site in &path.sites {
            let new = between(path, before, site.before);
            before = site.before;
            place = self.places.after(&mut self.terms, place, new);
            if matches!(self.places.boxes(place), Ok([])) {
                return place;
            }
            if seen.insert((site.node, site.truth, place)) {
                let found = found.entry(site.node).or_default();
                if let Err(limit) = self.look(site, place, found) {
                    found.limits.insert(limit);
                }
            }
        }
        let end = (path.assumed.len(), path.demands.len());
        let new = between(path, before, end);
        self.places.after(&mut self.terms, place, new)
    }

    fn look(&mut self, site: &Site, place: Place, found: &mut Found) -> Result<(), Limit> {
        let Some(truth) = site.truth else {
            found.is_data |= !self.places.boxes(place)?.is_empty();
            return Ok(());
        };
        let negation = self.terms.not(truth);
        for (side, places) in [(truth, &mut found.is_true), (negation, &mut found.is_false)] {
            let new = match self.terms.decided(side) {
                Some(false) => continue,
                Some(true) => Vec::new(),
                None => vec![side],
            };
            let place = self.places.after(&mut self.terms, place, new);
            if !self.places.boxes(place)?.is_empty() && !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(())
    }

    /// Returns the answer about one condition.
    fn branch(&mut self, node: NodeId, found: Option<Found>) -> Branch {
        let (name, branch) = names(self.graph, node);
        let found = found.unwrap_or_default();
        let mut branch = Branch {
            node: name,
            branch,
            verdict: BranchVerdict::Unknown,
            witnesses: Vec::new(),
            true_if: Vec::new(),
            false_if: Vec::new(),
            reason: None,
        };
        if found.is_data || found.is_unknown {
            let reason = match found.is_data {
                true => "the values of tensors decide it",
                false => "an operator that is not known computes it",
            };
            branch.reason = Some(reason.to_owned());
            return branch;
        }
        let mut limits = found.limits.clone();
        // Behind the place where a path was cut short it may come to the condition; in the body of a loop once more.
        let is_open = |met: &BTreeSet<NodeId>| node.body != BodyId::MAIN || !met.contains(&node);
        let stopped = self.stopped.iter().filter(|(_, met)| is_open(met));
        limits.extend(stopped.map(|(limit, _)| *limit));
        for (places, value) in [(&found.is_true, true), (&found.is_false, false)] {
            if places.is_empty() {
                continue;
            }
            match places
                .iter()
                .find_map(|place| self.witness(node, *place, value))
            {
                Some(witness) => branch.witnesses.push(witness),
                None => {
                    limits.insert(Limit::Products);
                }
            }
        }
        let is_whole = self.limits.iter().all(|limit| *limit != Limit::Paths);
        branch.verdict = match (found.is_true.is_empty(), found.is_false.is_empty()) {
            _ if branch.witnesses.len() == 2 => BranchVerdict::Depends,
            _ if !limits.is_empty() || !is_whole => {
                let limits = limits.iter().chain(self.limits.iter());
                branch.reason = limits.map(Limit::to_string).next();
                return branch;
            }
            (true, true) => BranchVerdict::Unreachable,
            (false, true) => BranchVerdict::Always,
            (true, false) => BranchVerdict::Never,
            (false, false) => return branch,
        };
        if branch.verdict == BranchVerdict::Depends {
            (branch.true_if, branch.false_if) = self.conditions(found);
        }
        branch
    }

    /// Returns the weakest conditions under which a condition holds, and those under which it does not.
    fn conditions(&mut self, found: Found) -> (Vec<String>, Vec<String>) {
        let known = self
            .weakest
            .iter()
            .find(|known| known.is_true == found.is_true && known.is_false == found.is_false);
        if let Some(known) = known {
            return (known.true_if.clone(), known.false_if.clone());
        }
        self.terms.allow(steps(self.graph));
        let ranks = Ranks::new(&self.inputs, &self.terms);
        let [yes, no] = [&found.is_true, &found.is_false].map(|places| self.places.all(places));
        let both = ranks.of_both(&mut self.terms, yes, no);
        self.weakest.push(Weakest {
            is_true: found.is_true,
            is_false: found.is_false,
            true_if: both.0.clone(),
            false_if: both.1.clone(),
        });
        both
    }

    /// Returns an input that comes to a place, if a pass on its numbers comes to the condition and finds that value.
    fn witness(&mut self, node: NodeId, place: Place, value: bool) -> Option<BranchWitness> {
        let count = self.places.boxes(place).map_or(0, <[SizeBox]>::len);
        (0..count).find_map(|at| self.witness_in(node, (place, at), value))
    }

    fn witness_in(
        &mut self,
        node: NodeId,
        (place, at): (Place, usize),
        value: bool,
    ) -> Option<BranchWitness> {
        let found = self.places.boxes(place).ok()?.get(at)?;
        let at = point_of(&self.inputs, &self.terms, found.witness.as_ref()?)?;
        let known = self.replayed.iter().position(|(point, _)| *point == at);
        let known = known.unwrap_or_else(|| {
            let sites = self.replay(&at);
            self.replayed.push((at.clone(), sites));
            self.replayed.len() - 1
        });
        let sites = &self.replayed[known].1;
        sites
            .contains(&(node, Some(value)))
            .then_some(BranchWitness { at, value })
    }

    /// Returns the conditions to which a pass on the numbers of a point comes. A refusal after a condition
    /// does not matter to it.
    fn replay(&self, at: &Point) -> Values {
        let mut terms = Terms::new();
        let is_free = |input: &str| self.options.relax.frees(input);
        let mut inputs = Inputs::at(self.graph, &mut terms, &is_free, at);
        // Only data leave several paths.
        let paths = follow(self.graph, &mut terms, &mut inputs).paths;
        let sites = paths.into_iter().flat_map(|path| path.sites);
        sites
            .map(|site| {
                let truth = site.truth.and_then(|truth| terms.decided(truth));
                (site.node, truth)
            })
            .collect()
    }
}

/// Lists the formulas that a path assumes and demands between two places.
fn between(path: &Path, from: (usize, usize), to: (usize, usize)) -> Vec<Formula> {
    let assumed = path.assumed[from.0..to.0].iter().map(|assumed| assumed.0);
    let demands = path.demands[from.1..to.1]
        .iter()
        .map(|demand| demand.formula);
    assumed.chain(demands).collect()
}

/// Returns the name of the node that computes a condition, and that of the node that branches, where that is another
/// one.
fn names(graph: &Graph, node: NodeId) -> (String, Option<String>) {
    let own = graph[node].name().to_owned();
    if graph.format == Format::Fx {
        return (own, None);
    }
    let condition = graph[node].arguments.first().and_then(Argument::as_value);
    let name = condition.map(|id| match graph[id].origin {
        lozenge_graph_vocabulary::Origin::Node { node, .. } => graph[node].name().to_owned(),
        _ => graph[id].name.clone(),
    });
    (name.unwrap_or_else(|| own.clone()), Some(own))
}

/// Lists the nodes of a traced program that may be conditions, whether passes come to them or not.
fn compared(graph: &Graph) -> Vec<NodeId> {
    if graph.format != Format::Fx {
        return Vec::new();
    }
    let recorded = &graph.recorded.branches;
    let nodes = graph
        .nodes()
        .filter(|(id, node)| recorded.contains(id) || compares_numbers(node));
    nodes.map(|(id, _)| id).collect()
}

/// Notes the comparisons to which paths come and whose values are no truth values, and returns those of tensors: such a
/// value is a tensor, on which a program branches only by its elements.
fn note_others(
    graph: &Graph,
    paths: &[Path],
    found: &mut BTreeMap<NodeId, Found>,
) -> BTreeSet<NodeId> {
    let mut tensors = BTreeSet::new();
    for node in compared(graph) {
        let Some(output) = graph[node].outputs.first().copied().flatten() else {
            continue;
        };
        for value in paths.iter().map(|path| path.values.get(output.index())) {
            match value.and_then(Option::as_ref) {
                None | Some(Value::Truth(_)) => {}
                Some(Value::Tensor(_)) => {
                    tensors.insert(node);
                    if graph.recorded.branches.contains(&node) {
                        found.entry(node).or_default().is_data = true;
                    }
                }
                Some(_) => found.entry(node).or_default().is_unknown = true,
            }
        }
    }
    tensors
}

/// Returns the conditions of a graph: those that the tracer recorded or else all truth values of a traced program, and
/// those of every `If`.
fn conditions(
    graph: &Graph,
    found: &BTreeMap<NodeId, Found>,
    tensors: &BTreeSet<NodeId>,
) -> Vec<NodeId> {
    let recorded = &graph.recorded.branches;
    let is_one = |(id, node): &(NodeId, &Node)| match graph.format {
        Format::Fx if !recorded.is_empty() => recorded.contains(id),
        Format::Fx => found.contains_key(id) || compares_numbers(node) && !tensors.contains(id),
        _ => {
            let operator = (node.operator.domain.as_str(), node.operator.name.as_str());
            matches!(operator, ("onnx", "If") | ("higher_order", "cond"))
        }
    };
    let all = graph.nodes().filter(is_one);
    all.map(|(id, _)| id).collect()
}

/// Says whether a node of a traced program compares something with a number or a tuple, as conditions on shapes do. It
/// tells conditions that no pass came to.
fn compares_numbers(node: &Node) -> bool {
    let name = node.operator.name.rsplit('.').next().unwrap_or_default();
    let is_operator = node.operator.name.contains("_operator.");
    let is_literal =
        |argument: &Argument| matches!(argument, Argument::Int(_) | Argument::Tuple(_));
    is_operator
        && matches!(name, "eq" | "ne" | "lt" | "le" | "gt" | "ge")
        && node.arguments.iter().any(is_literal)
        && node.outputs.len() == 1
}
