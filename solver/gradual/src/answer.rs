//! The answer: the set of admitted sizes, as boxes for each case of ranks and branches.

mod point;
mod refusal;
mod render;
mod report;

pub use point::{Given, Nearest, Point, PointAnswer};
pub use refusal::Refusal;
pub use report::{BoxReport, CaseReport, Report, ShapeReport, SymbolReport};

use crate::integers::Integers;
use crate::limit::Limit;
use crate::pass::{Demand, Inputs, Path, Paths, Stop, domain, follow};
use crate::residual::{Residual, SizeBox, merge};
use crate::term::{Formula, Symbol, Terms};
use crate::value::Value;
use lozenge_graph_vocabulary::{Graph, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Which declared sizes are freed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Relax {
    /// None: declared sizes bind.
    #[default]
    Nothing,
    /// Those of all inputs.
    All,
    /// Those of the inputs with these names.
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

/// What is asked beside the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Which declared sizes are freed.
    pub relax: Relax,
}

/// A case: a path through the branches and ranks, with the sizes that take it.
pub(crate) struct Case {
    pub(crate) boxes: Vec<SizeBox>,
    pub(crate) demands: Vec<Demand>,
    pub(crate) assumed: Vec<(Formula, NodeId)>,
    pub(crate) outputs: Vec<Value>,
    pub(crate) values: Vec<Option<Value>>,
}

/// Whether a size 0 of an axis is admitted while all other sizes are at least 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AtZero {
    pub(crate) axis: String,
    pub(crate) is_admitted: bool,
}

/// The verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
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
    /// Why nothing is admitted, if that is so.
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
        let is_free = |input: &str| options.relax.frees(input);
        let mut inputs = Inputs::new(&graph, &mut terms, &is_free);
        let paths = follow(&graph, &mut terms, &mut inputs);
        let mut answer = Answer {
            graph,
            options: options.clone(),
            terms,
            inputs,
            cases: Vec::new(),
            zeros: Vec::new(),
            core: Vec::new(),
            unknown: BTreeMap::new(),
            granted: BTreeSet::new(),
            limits: BTreeSet::new(),
        };
        answer.absorb(paths);
        answer.look_at_zero();
        answer
    }
}

impl Answer {
    /// Whether some sizes are admitted.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.cases.iter().flat_map(|case| &case.boxes).any(|found| found.witness.is_some()) {
            return Verdict::Sat;
        }
        let is_open = self.cases.iter().any(|case| !case.boxes.is_empty());
        if is_open || !self.limits.is_empty() { Verdict::Unknown } else { Verdict::Unsat }
    }

    /// The limits that kept a part of the answer open.
    #[must_use]
    pub fn limits(&self) -> Vec<Limit> {
        self.limits.iter().copied().collect()
    }

    /// The operators whose shape functions are not known, each with the name of a node. Where there are some, the set is an upper bound.
    #[must_use]
    pub fn unknown_operators(&self) -> Vec<(String, String)> {
        self.unknown.iter().map(|(operator, node)| (operator.clone(), self.graph[*node].name().to_owned())).collect()
    }

    /// What was taken for granted about data, each with the name of the node.
    #[must_use]
    pub fn assumptions(&self) -> Vec<(String, String)> {
        self.granted.iter().map(|(words, node)| (words.clone(), self.graph[*node].name().to_owned())).collect()
    }

    /// The nodes that together leave no size, where none is admitted.
    #[must_use]
    pub fn core(&self) -> &[Refusal] {
        &self.core
    }

    fn absorb(&mut self, paths: Paths) {
        self.unknown = paths.unknown;
        self.granted = paths.granted;
        self.limits.extend(paths.limit);
        let mut residual = Residual::default();
        let mut refused = Vec::new();
        for path in paths.paths {
            match solve(&mut residual, &mut self.terms, &self.inputs, &path) {
                Err(limit) => {
                    self.limits.insert(limit);
                }
                Ok(boxes) if boxes.is_empty() => refused.push(path),
                Ok(boxes) => match path.end {
                    Ok(outputs) => {
                        let Path { assumed, demands, values, .. } = path;
                        self.cases.push(Case { boxes, demands, assumed, outputs, values });
                    }
                    Err((Stop::Unknown(limit), _)) => {
                        self.limits.insert(limit);
                    }
                    Err(_) => refused.push(path),
                },
            }
        }
        if self.cases.is_empty() && self.limits.is_empty() {
            self.core = refusal::core(&mut residual, &mut self.terms, &self.inputs, &self.graph, &refused);
        }
    }

    /// Asks for each free axis whether it may be 0.
    fn look_at_zero(&mut self) {
        let axes: Vec<String> = self.inputs.axis_names().to_vec();
        if axes.len() > MAX_ZEROS || self.graph.node_count() > MAX_NODES_AT_ZERO {
            return;
        }
        for axis in axes {
            let mut terms = Terms::new();
            let relax = self.options.relax.clone();
            let mut inputs = Inputs::with_zero(&self.graph, &mut terms, &|input| relax.frees(input), &axis);
            let paths = follow(&self.graph, &mut terms, &mut inputs);
            let mut residual = Residual::default();
            let mut is_known = paths.limit.is_none();
            let mut is_admitted = false;
            for path in &paths.paths {
                match (solve(&mut residual, &mut terms, &inputs, path), &path.end) {
                    (Ok(boxes), Ok(_)) => is_admitted |= !boxes.is_empty(),
                    (Ok(boxes), Err((Stop::Unknown(_), _))) => is_known &= boxes.is_empty(),
                    (Ok(_), Err(_)) => {}
                    (Err(_), _) => is_known = false,
                }
            }
            if is_known || is_admitted {
                self.zeros.push(AtZero { axis, is_admitted });
            }
        }
    }

    /// The outputs and the boxes of cases, those with the same outputs and ranks together.
    fn groups(&mut self) -> Vec<(Vec<Value>, Vec<SizeBox>)> {
        let mut groups: Vec<(Vec<Value>, Vec<Symbol>, Vec<SizeBox>)> = Vec::new();
        for case in &self.cases {
            let symbols: Vec<Symbol> = case.boxes.iter().take(1).flat_map(|found| found.domains.keys().copied()).collect();
            match groups.iter_mut().find(|group| group.0 == case.outputs && group.1 == symbols) {
                Some(group) => group.2.extend(case.boxes.iter().cloned()),
                None => groups.push((case.outputs.clone(), symbols, case.boxes.clone())),
            }
        }
        let merged = groups.into_iter().map(|(outputs, _, boxes)| (outputs, merge(&mut self.terms, boxes.clone()).unwrap_or(boxes)));
        merged.collect()
    }
}

/// The number of axes up to which each is asked about 0, and of nodes.
const MAX_ZEROS: usize = 16;
const MAX_NODES_AT_ZERO: usize = 20_000;

/// The solutions of what a path assumes and demands.
pub(crate) fn solve(residual: &mut Residual, terms: &mut Terms, inputs: &Inputs, path: &Path) -> Result<Vec<SizeBox>, Limit> {
    if matches!(path.end, Err((Stop::Refused(_) | Stop::Unspecified(_), _))) {
        return Ok(Vec::new());
    }
    let formulas: Vec<Formula> = path.assumed.iter().map(|assumed| assumed.0).chain(path.demands.iter().map(|demand| demand.formula)).collect();
    solve_formulas(residual, terms, inputs, &formulas)
}

pub(crate) fn solve_formulas(residual: &mut Residual, terms: &mut Terms, inputs: &Inputs, formulas: &[Formula]) -> Result<Vec<SizeBox>, Limit> {
    let mut symbols: BTreeSet<Symbol> = formulas.iter().flat_map(|formula| terms.formula_symbols(*formula)).copied().collect();
    symbols.extend(inputs.certain_symbols(terms));
    let domains: BTreeMap<Symbol, Integers> = symbols.into_iter().map(|symbol| (symbol, domain(terms, symbol))).collect();
    residual.boxes(terms, domains, formulas)
}
