//! Branches: on which side of a condition all inputs lie that come to it.
//!
//! A branch is judged by what precedes it (Alg. 2 of the paper), never by what follows, for a traced program shows one arm alone. Sizes are
//! naturals, 0 included, and of ranks there is no bound.

mod weakest;

use crate::answer::{Beforehand, Options, Point, Verdict, point_of, solve_formulas};
use crate::limit::Limit;
use crate::pass::{Inputs, Pass, Path, Site, Stop, follow_from};
use crate::residual::SizeBox;
use crate::term::{Formula, Terms};
use lozenge_graph_vocabulary::{Argument, Format, Graph, Node, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use weakest::Ranks;

/// What is known about a condition on which a program branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
pub struct BranchWitness {
    /// The sizes of the inputs.
    pub at: Point,
    /// Whether the condition holds.
    pub value: bool,
}

/// A condition on which a program branches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    /// Conditions on ranks and sizes, each of which makes it hold whatever else the input is. None of their parts can be left out.
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
pub struct Branches {
    /// Whether some input runs the whole graph.
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
        let mut inputs = Inputs::natural(graph, &mut terms, &|input| options.relax.frees(input));
        let given = Beforehand::new(graph, &terms, &inputs, &options.conditions);
        let paths = follow_from(graph, &mut terms, &mut inputs, &|pass| given.assume(pass));
        let mut question = Question {
            graph,
            options,
            terms,
            inputs,
            solved: FxHashMap::default(),
            limits: paths.limit.into_iter().collect(),
        };
        let mut found: BTreeMap<NodeId, Found> = BTreeMap::new();
        let mut seen = FxHashSet::default();
        let mut verdict = Verdict::Unsat;
        for path in &paths.paths {
            match given.on_nodes(graph, &mut question.terms, &question.inputs, path) {
                Ok(extra) => {
                    verdict = question.whole(verdict, path, &extra);
                    question.meet(path, &extra, &mut seen, &mut found);
                }
                Err(limit) => {
                    question.limits.insert(limit);
                }
            }
        }
        if verdict == Verdict::Unsat && !question.limits.is_empty() {
            verdict = Verdict::Unknown;
        }
        let conditions = conditions(graph, &found);
        let mut branches = Vec::with_capacity(conditions.len());
        for node in conditions {
            branches.push(question.branch(node, found.remove(&node)));
        }
        let unknown = paths.unknown.iter();
        Self {
            verdict,
            branches,
            unknown: unknown
                .map(|(operator, node)| (operator.clone(), graph[*node].name().to_owned()))
                .collect(),
            limits: question.limits.iter().map(Limit::to_string).collect(),
        }
    }
}

/// What passes found about one condition.
#[derive(Default)]
struct Found {
    is_true: Vec<SizeBox>,
    is_false: Vec<SizeBox>,
    /// Whether an input comes to it for which data decide.
    is_data: bool,
    limits: BTreeSet<Limit>,
}

/// A question about branches, with what was computed for it.
struct Question<'g> {
    graph: &'g Graph,
    options: &'g Options,
    terms: Terms,
    inputs: Inputs,
    /// The solutions of the conditions before a place, and of some more.
    solved: FxHashMap<Vec<Formula>, Result<Vec<SizeBox>, Limit>>,
    limits: BTreeSet<Limit>,
}

impl Question<'_> {
    fn solve(&mut self, formulas: Vec<Formula>) -> Result<Vec<SizeBox>, Limit> {
        if let Some(known) = self.solved.get(&formulas) {
            return known.clone();
        }
        let found = solve_formulas(&mut self.terms, &[], &formulas);
        self.solved.insert(formulas, found.clone());
        found
    }

    /// The verdict of the whole graph, after one more path.
    fn whole(&mut self, verdict: Verdict, path: &Path, extra: &[Formula]) -> Verdict {
        match &path.end {
            _ if verdict == Verdict::Sat => return verdict,
            Err((Stop::Unknown(limit), _)) => {
                self.limits.insert(*limit);
                return verdict;
            }
            Err(_) => return verdict,
            Ok(_) => {}
        }
        let formulas = before(path, (path.assumed.len(), path.demands.len()), extra);
        match self.solve(formulas) {
            Ok(boxes) if boxes.iter().any(|found| found.witness.is_some()) => Verdict::Sat,
            Ok(boxes) if boxes.is_empty() => verdict,
            Ok(_) => {
                self.limits.insert(Limit::Products);
                verdict
            }
            Err(limit) => {
                self.limits.insert(limit);
                verdict
            }
        }
    }

    /// Looks at the conditions that a path meets. What several paths have in common is looked at once.
    fn meet(
        &mut self,
        path: &Path,
        extra: &[Formula],
        seen: &mut FxHashSet<(NodeId, Option<Formula>, Vec<Formula>)>,
        found: &mut BTreeMap<NodeId, Found>,
    ) {
        for site in &path.sites {
            let formulas = before(path, site.before, extra);
            if seen.insert((site.node, site.truth, formulas.clone())) {
                let found = found.entry(site.node).or_default();
                if let Err(limit) = self.look(site, formulas, found) {
                    found.limits.insert(limit);
                }
            }
        }
    }

    fn look(
        &mut self,
        site: &Site,
        formulas: Vec<Formula>,
        found: &mut Found,
    ) -> Result<(), Limit> {
        let Some(truth) = site.truth else {
            found.is_data |= !self.solve(formulas)?.is_empty();
            return Ok(());
        };
        let negation = self.terms.not(truth);
        for (side, boxes) in [(truth, &mut found.is_true), (negation, &mut found.is_false)] {
            let mut formulas = formulas.clone();
            match self.terms.decided(side) {
                Some(false) => continue,
                Some(true) => {}
                None => formulas.push(side),
            }
            boxes.extend(self.solve(formulas)?);
        }
        Ok(())
    }

    /// The answer about one condition.
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
        if found.is_data {
            branch.reason = Some("the values of tensors decide it".to_owned());
            return branch;
        }
        let mut limits = found.limits.clone();
        for (boxes, value) in [(&found.is_true, true), (&found.is_false, false)] {
            if boxes.is_empty() {
                continue;
            }
            match boxes
                .iter()
                .find_map(|found| self.witness(node, found, value))
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
            let ranks = Ranks::new(&self.inputs, &self.terms);
            branch.true_if = ranks.weakest(&mut self.terms, &found.is_true, &found.is_false);
            branch.false_if = ranks.weakest(&mut self.terms, &found.is_false, &found.is_true);
        }
        branch
    }

    /// An input of a box, if a pass on its numbers comes to the condition and finds that value.
    fn witness(&mut self, node: NodeId, found: &SizeBox, value: bool) -> Option<BranchWitness> {
        let at = point_of(&self.inputs, &self.terms, found.witness.as_ref()?)?;
        let mut terms = Terms::new();
        let is_free = |input: &str| self.options.relax.frees(input);
        let mut inputs = Inputs::at(self.graph, &mut terms, &is_free, &at);
        let mut pass = Pass::new(self.graph, &mut terms, &mut inputs, Vec::new());
        // What refuses after the condition does not matter.
        let _ = pass.run();
        let mut sites = std::mem::take(&mut pass.sites).into_iter();
        let is_so = sites.any(|site| {
            let truth = site.truth.and_then(|truth| pass.terms.decided(truth));
            site.node == node && truth == Some(value)
        });
        is_so.then_some(BranchWitness { at, value })
    }
}

/// What a path assumes and demands before a place, and some more.
fn before(path: &Path, (assumed, demands): (usize, usize), extra: &[Formula]) -> Vec<Formula> {
    let assumed = path.assumed[..assumed].iter().map(|assumed| assumed.0);
    let demands = path.demands[..demands].iter().map(|demand| demand.formula);
    assumed
        .chain(demands)
        .chain(extra.iter().copied())
        .collect()
}

/// The name of the node that computes a condition, and that of the node that branches, where that is another one.
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

/// The conditions of a graph: those that the tracer recorded or else all truth values of a traced program, and those of every `If`.
fn conditions(graph: &Graph, found: &BTreeMap<NodeId, Found>) -> Vec<NodeId> {
    let recorded = &graph.recorded.branches;
    let is_one = |(id, node): &(NodeId, &Node)| match graph.format {
        Format::Fx if !recorded.is_empty() => recorded.contains(id),
        Format::Fx => found.contains_key(id) || compares_numbers(node),
        _ => node.operator.name == "If" && node.operator.domain == "onnx",
    };
    let all = graph.nodes().filter(is_one);
    all.map(|(id, _)| id).collect()
}

/// Whether a node of a traced program compares something with a number or a tuple, as conditions on shapes do. It tells conditions that no pass came
/// to.
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
