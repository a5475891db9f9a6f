//! The answer: the set of admitted sizes, as boxes for each case of ranks and branches.

mod beforehand;
mod box_report;
mod cause;
mod conditions;
mod declared;
mod given;
mod lock;
mod nearest;
mod origin;
mod point;
mod recorded;
mod refusal;
mod render;
mod report;
mod simpler;
mod story;
mod traced;
mod warnings;
mod witness;
mod zero;

pub(crate) use beforehand::Beforehand;
pub use box_report::{BoxReport, SymbolReport};
pub use cause::Cause;
pub(crate) use conditions::names as condition_names;
pub use given::{Given, Point, written};
pub use lock::{Against, Lock, LockDifference, LockError};
pub use nearest::{Change, Nearest};
pub use origin::Origin;
pub use point::PointAnswer;
pub use recorded::{RecordedCondition, RecordedSet};
pub use refusal::Refusal;
pub use report::{CaseReport, Report, ShapeReport};
pub use story::Step;
pub use warnings::{Warning, WarningKind};
pub(crate) use witness::point_of;
pub(crate) use zero::AtZero;

use crate::integers::Integers;
use crate::limit::{Limit, MAX_STEPS, STEPS_A_NODE};
use crate::pass::{Demand, Inputs, Path, Paths, Stop, domain, follow_from};
use crate::residual::{SizeBox, merge};
use crate::term::{Formula, Symbol, Terms};
use crate::value::Value;
use lozenge_gradual_vocabulary::Condition;
use lozenge_graph_vocabulary::{Graph, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The choice of declared sizes that are freed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Relax {
    /// None: declared sizes bind.
    #[default]
    Nothing,
    /// The declared sizes of all inputs.
    All,
    /// The declared sizes of the inputs with these names.
    Inputs(Vec<String>),
}

impl Relax {
    pub(crate) fn frees(&self, input: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::All => true,
            Self::Inputs(names) => names.iter().any(|name| name == input),
        }
    }
}

/// The options of a question beside the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The choice of declared sizes that are freed.
    pub relax: Relax,
    /// The conditions that have to hold of the sizes.
    pub conditions: Vec<Condition>,
}

/// A case: a path through the branches and ranks, with the sizes that take it.
pub(crate) struct Case {
    pub(crate) boxes: Vec<SizeBox>,
    pub(crate) demands: Vec<Demand>,
    pub(crate) outputs: Vec<Value>,
    pub(crate) values: Vec<Option<Value>>,
}

/// The verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Some sizes are admitted.
    Sat,
    /// None are.
    Unsat,
    /// The procedure reached a limit.
    Unknown,
}

/// The admitted sizes of a graph.
pub struct Answer {
    pub(crate) graph: Arc<Graph>,
    pub(crate) options: Options,
    pub(crate) terms: Terms,
    pub(crate) inputs: Inputs,
    pub(crate) cases: Vec<Case>,
    pub(crate) zeros: Vec<AtZero>,
    /// The first paths that admit nothing, for stories.
    pub(crate) refused: Vec<Path>,
    /// The reasons why nothing is admitted, if that is so.
    pub(crate) core: Vec<Refusal>,
    pub(crate) unknown: BTreeMap<String, NodeId>,
    pub(crate) granted: BTreeSet<(String, NodeId)>,
    pub(crate) limits: BTreeSet<Limit>,
}

/// The question which sizes a graph admits.
#[derive(Clone, Copy, Debug)]
pub struct Sizes;

impl Sizes {
    /// Computes which input sizes the graph admits.
    #[must_use]
    pub fn of(graph: Arc<Graph>, options: &Options) -> Answer {
        let mut terms = Terms::new();
        terms.allow(steps(&graph));
        let is_free = |input: &str| options.relax.frees(input);
        let mut inputs = Inputs::new(&graph, &mut terms, &is_free);
        let names = condition_names(&inputs, &terms, &inputs);
        let given = Beforehand::of_ranks(&graph, &inputs, names, &options.conditions);
        let paths = follow_from(&graph, &mut terms, &mut inputs, &|pass| given.assume(pass));
        let mut answer = Answer {
            graph,
            options: options.clone(),
            terms,
            inputs,
            cases: Vec::new(),
            zeros: Vec::new(),
            refused: Vec::new(),
            core: Vec::new(),
            unknown: BTreeMap::new(),
            granted: BTreeSet::new(),
            limits: BTreeSet::new(),
        };
        answer.absorb(paths);
        answer.look_at_zero();
        answer
    }

    /// Returns the same where a size may be 0 like any other, if the specification of each operator says what 0 does.
    /// The conditions are assumed before the first node, so that ranks which they exclude cost nothing.
    pub(crate) fn natural(graph: Arc<Graph>, options: &Options) -> Answer {
        let mut terms = Terms::new();
        terms.allow(steps(&graph));
        let mut inputs = Inputs::natural(&graph, &mut terms, &|input| options.relax.frees(input));
        let names = condition_names(&inputs, &terms, &inputs);
        let given = Beforehand::new(&graph, names, &options.conditions);
        let paths = follow_from(&graph, &mut terms, &mut inputs, &|pass| given.assume(pass));
        let mut answer = Answer {
            graph,
            options: options.clone(),
            terms,
            inputs,
            cases: Vec::new(),
            zeros: Vec::new(),
            refused: Vec::new(),
            core: Vec::new(),
            unknown: BTreeMap::new(),
            granted: BTreeSet::new(),
            limits: BTreeSet::new(),
        };
        answer.absorb(paths);
        answer
    }
}

impl Answer {
    /// Says whether some sizes are admitted.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self
            .cases
            .iter()
            .flat_map(|case| &case.boxes)
            .any(|found| found.witness.is_some())
        {
            return Verdict::Sat;
        }
        let is_open = self.cases.iter().any(|case| !case.boxes.is_empty());
        if is_open || !self.limits.is_empty() {
            Verdict::Unknown
        } else {
            Verdict::Unsat
        }
    }

    /// Returns the number of steps that were taken so far: a measure of work that is the same on every machine.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.terms.steps()
    }

    /// Returns the limits that kept a part of the answer open. Where no point was found of a set that may be empty, the
    /// conditions on several sizes that are left in it are not decided.
    #[must_use]
    pub fn limits(&self) -> Vec<Limit> {
        let is_sought = self.limits.is_empty() && self.verdict() == Verdict::Unknown;
        let undecided = is_sought.then_some(Limit::Products);
        self.limits.iter().copied().chain(undecided).collect()
    }

    /// Returns the operators whose shape functions are not known, each with the name of a node. Where there are some,
    /// the set is an upper bound.
    #[must_use]
    pub fn unknown_operators(&self) -> Vec<(String, String)> {
        self.unknown
            .iter()
            .map(|(operator, node)| (operator.clone(), self.graph[*node].name().to_owned()))
            .collect()
    }

    /// Lists what was taken for granted about data, each with the name of the node.
    #[must_use]
    pub fn assumptions(&self) -> Vec<(String, String)> {
        self.granted
            .iter()
            .map(|(words, node)| (words.clone(), self.graph[*node].name().to_owned()))
            .collect()
    }

    /// Returns the nodes that together leave no size, where none is admitted.
    #[must_use]
    pub fn core(&self) -> &[Refusal] {
        &self.core
    }

    fn absorb(&mut self, paths: Paths) {
        self.unknown = paths.unknown;
        self.granted = paths.granted;
        self.limits.extend(paths.limit);
        let mut refused = Vec::new();
        let inputs = self.inputs.clone();
        let names = conditions::names(&inputs, &self.terms, &inputs);
        for mut path in paths.paths {
            if let Err(limit) = self.state((&names, &inputs), &mut path) {
                self.limits.insert(limit);
                continue;
            }
            match solve(&mut self.terms, &self.inputs, &path) {
                Err(limit) => {
                    self.limits.insert(limit);
                }
                Ok(boxes) if boxes.is_empty() => refused.push(path),
                Ok(boxes) => match path.end {
                    Ok(outputs) => {
                        let Path {
                            demands, values, ..
                        } = path;
                        self.cases.push(Case {
                            boxes,
                            demands,
                            outputs,
                            values,
                        });
                    }
                    Err((Stop::Unknown(limit), _)) => {
                        self.limits.insert(limit);
                    }
                    Err(_) => refused.push(path),
                },
            }
        }
        if self.cases.is_empty() && self.limits.is_empty() {
            let conditions = &self.options.conditions;
            let terms = &mut self.terms;
            self.core = refusal::core(terms, &self.graph, &inputs, &refused, conditions);
        }
        refused.truncate(MAX_REFUSED);
        self.refused = refused;
    }

    /// Adds the conditions that are asked beside the graph to what a path assumes.
    fn state(&mut self, at: (&conditions::Names, &Inputs), path: &mut Path) -> Result<(), Limit> {
        conditions::state(
            &self.options.conditions,
            &self.graph,
            &mut self.terms,
            at,
            path,
        )
        .map(|_| ())
    }

    /// Returns the outputs and the boxes of cases, those with the same outputs and ranks together.
    fn groups(&mut self) -> Vec<(Vec<Value>, Vec<SizeBox>, Vec<usize>)> {
        type Group = (Vec<Value>, Vec<Symbol>, Vec<SizeBox>, Vec<usize>);
        let mut groups: Vec<Group> = Vec::new();
        for (at, case) in self.cases.iter().enumerate() {
            let symbols: Vec<Symbol> = case
                .boxes
                .iter()
                .take(1)
                .flat_map(|found| found.domains.keys().copied())
                .collect();
            match groups
                .iter_mut()
                .find(|group| group.0 == case.outputs && group.1 == symbols)
            {
                Some(group) => {
                    group.2.extend(case.boxes.iter().cloned());
                    group.3.push(at);
                }
                None => groups.push((case.outputs.clone(), symbols, case.boxes.clone(), vec![at])),
            }
        }
        let merged = groups.into_iter().map(|(outputs, _, boxes, cases)| {
            (
                outputs,
                merge(&mut self.terms, boxes.clone()).unwrap_or(boxes),
                cases,
            )
        });
        merged.collect()
    }
}

/// The number of paths that admit nothing of which the values are kept.
const MAX_REFUSED: usize = 16;

/// Returns the number of steps that a question about a graph may take.
pub(crate) fn steps(graph: &Graph) -> u64 {
    let nodes = u64::try_from(graph.node_count()).unwrap_or(u64::MAX);
    MAX_STEPS.saturating_add(nodes.saturating_mul(STEPS_A_NODE))
}

/// Returns the solutions of what a path assumes and demands.
pub(crate) fn solve(
    terms: &mut Terms,
    inputs: &Inputs,
    path: &Path,
) -> Result<Vec<SizeBox>, Limit> {
    if matches!(
        path.end,
        Err((
            Stop::Excluded(_) | Stop::Refused(_) | Stop::Unspecified(_),
            _
        ))
    ) {
        return Ok(Vec::new());
    }
    let formulas: Vec<Formula> = path
        .assumed
        .iter()
        .map(|assumed| assumed.0)
        .chain(path.asked.iter().copied())
        .chain(path.demands.iter().map(|demand| demand.formula))
        .collect();
    let met = path.met.values().flat_map(|shape| {
        shape
            .axes
            .iter()
            .copied()
            .chain(shape.block.map(|block| block.product))
    });
    let met: Vec<Symbol> = met
        .filter_map(|axis| terms.as_symbol(axis))
        .chain(inputs.certain_symbols(terms))
        .collect();
    solve_formulas(terms, &met, &formulas)
}

/// Returns the solutions of formulas over their symbols and some more.
pub(crate) fn solve_formulas(
    terms: &mut Terms,
    more: &[Symbol],
    formulas: &[Formula],
) -> Result<Vec<SizeBox>, Limit> {
    let domains = domains(terms, more, formulas);
    crate::residual::boxes(terms, domains, formulas)
}

/// Says whether formulas certainly have no solution together.
pub(crate) fn are_refuted(terms: &mut Terms, formulas: &[Formula]) -> bool {
    let domains = domains(terms, &[], formulas);
    crate::residual::is_empty(terms, domains, formulas)
}

/// Lists what the symbols of formulas and some more can be.
fn domains(terms: &Terms, more: &[Symbol], formulas: &[Formula]) -> BTreeMap<Symbol, Integers> {
    let spoken = formulas
        .iter()
        .flat_map(|formula| terms.formula_symbols(*formula));
    let symbols: BTreeSet<Symbol> = spoken.chain(more).copied().collect();
    let domains = symbols
        .into_iter()
        .map(|symbol| (symbol, domain(terms, symbol)));
    domains.collect()
}
