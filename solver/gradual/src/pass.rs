//! The forward pass: every value of a graph as a function of the sizes of the inputs, and what each node demands of
//! them.
//!
//! A pass follows one path. Where the structure of what follows depends on a condition that the sizes do not decide (a
//! branch, a rank), it takes the next of the choices it was given, or the first one, and another pass follows the other
//! choice.

mod arguments;
mod driver;
mod inputs;

pub(crate) use arguments::{MAX_ELEMENTS, ratio};
pub(crate) use driver::{Path, Paths, follow, follow_from};
pub(crate) use inputs::{InputForm, InputKind, Inputs, Tail, element_name};

use crate::integers::Integers;
use crate::limit::{Limit, MAX_KNOWN, MAX_RANK};
use crate::shape_functions;
use crate::term::{Formula, Int, Symbol, Term, Terms};
use crate::unary;
pub(crate) use crate::unary::domain;
use crate::value::{Shape, Value};
use lozenge_graph_vocabulary::{Argument, BodyId, Format, Graph, NodeId, Origin, ValueId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The reason why a pass ends before the last node.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The question beside the graph leaves no size, with the reason.
    Excluded(String),
    /// The node does not accept what it gets, with the reason.
    Refused(String),
    /// The specification of the operator does not say what happens.
    Unspecified(String),
    /// The procedure reached a limit.
    Unknown(Limit),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Self::Unknown(limit)
    }
}

/// A condition that nodes demand.
#[derive(Clone, Debug)]
pub(crate) struct Demand {
    pub(crate) formula: Formula,
    /// The demand of the first of the nodes, in words.
    pub(crate) words: String,
    /// The nodes, in order.
    pub(crate) nodes: Vec<NodeId>,
}

/// A condition on which a program branches, where a pass met it.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The node that computes it or, where a branch of the graph hangs on it, the node of that branch.
    pub(crate) node: NodeId,
    /// The condition; nothing where data decide it.
    pub(crate) truth: Option<Formula>,
    /// The numbers of conditions that were assumed, and of demands that were made, before it.
    pub(crate) before: (usize, usize),
}

/// A pass over a graph.
pub(crate) struct Pass<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) terms: &'a mut Terms,
    pub(crate) inputs: &'a mut Inputs,
    pub(crate) values: Vec<Option<Value>>,
    pub(crate) demands: Vec<Demand>,
    demand_of: FxHashMap<Formula, usize>,
    /// The conditions that the path assumes, with the nodes that asked.
    pub(crate) assumed: Vec<(Formula, NodeId)>,
    choices: Vec<bool>,
    taken: usize,
    domains: BTreeMap<Symbol, Integers>,
    absorbed: (usize, usize),
    /// The operators that are not known, with the first node of each.
    pub(crate) unknown: BTreeMap<String, NodeId>,
    /// The assumptions about data, with the nodes that need them.
    pub(crate) granted: BTreeSet<(String, NodeId)>,
    pub(crate) node: NodeId,
    /// The nodes that refused, with what they want, where the pass goes on behind them. Nothing where it ends at the
    /// first one.
    refused: Option<Vec<(NodeId, String)>>,
    /// The number of times that the pass came to the nodes at which data decide something.
    decided_by_data: FxHashMap<NodeId, usize>,
    /// True if the pass ended at a demand that no sizes fulfil, whatever others want.
    pub(crate) is_alone: bool,
    /// The number of tensors in the sequences that the pass made.
    listed: usize,
    /// The sizes of the inputs of undeclared rank that the path met.
    pub(crate) met: BTreeMap<usize, Shape>,
    /// The conditions that the pass met, in order.
    pub(crate) sites: Vec<Site>,
}

/// The greatest depth of calls of bodies inside one another.
const MAX_LEVELS: usize = 64;

/// The number of letters for what data decide on one path.
const MAX_DATA: usize = 8;

/// The number of tensors in all sequences of a pass together.
const MAX_LISTED: usize = 1 << 20;

/// The number of times that the body of a loop is followed.
pub(crate) const MAX_TRIPS: Int = 4_096;

impl<'a> Pass<'a> {
    pub(crate) fn new(
        graph: &'a Graph,
        terms: &'a mut Terms,
        inputs: &'a mut Inputs,
        choices: Vec<bool>,
    ) -> Self {
        Self {
            values: vec![None; graph.values.len()],
            graph,
            terms,
            inputs,
            demands: Vec::new(),
            demand_of: FxHashMap::default(),
            assumed: Vec::new(),
            choices,
            taken: 0,
            domains: BTreeMap::new(),
            absorbed: (0, 0),
            unknown: BTreeMap::new(),
            granted: BTreeSet::new(),
            node: NodeId {
                body: BodyId::MAIN,
                index: 0,
            },
            refused: None,
            decided_by_data: FxHashMap::default(),
            is_alone: false,
            listed: 0,
            met: BTreeMap::new(),
            sites: Vec::new(),
        }
    }

    /// Makes a number that data decide, at least 0, as a letter of the answer. Nothing where the pass met too many of
    /// them.
    pub(crate) fn data_number(&mut self, name: &str, high: Option<Int>) -> Option<Term> {
        if self.decided_by_data.values().sum::<usize>() >= MAX_DATA {
            return None;
        }
        let before = self.decided_by_data.entry(self.node).or_default();
        let at = (self.node, *before);
        *before += 1;
        let symbol = self.inputs.data_symbol(self.terms, at, name, high);
        Some(self.terms.of(symbol))
    }

    /// Assumes a condition on what data decide: it restricts the path, and nobody demands it.
    pub(crate) fn assume(&mut self, formula: Formula) {
        if self.terms.decided(formula) != Some(true) {
            self.assumed.push((formula, self.node));
        }
    }

    /// Weakens the demands from one on: they need not hold where the condition does.
    pub(crate) fn weaken(&mut self, from: usize, condition: Formula) {
        for mut demand in self.demands.split_off(from) {
            self.demand_of.remove(&demand.formula);
            demand.formula = self.terms.any(&[demand.formula, condition]);
            let is_open = self.terms.decided(demand.formula).is_none();
            if is_open && !self.demand_of.contains_key(&demand.formula) {
                self.demand_of.insert(demand.formula, self.demands.len());
                self.demands.push(demand);
            }
        }
        // Consequences of the demands as they were do not follow any more.
        self.domains.clear();
        self.absorbed = (0, 0);
    }

    /// Notes what is taken for granted about data at this node.
    pub(crate) fn grant(&mut self, words: impl Into<String>) {
        self.granted.insert((words.into(), self.node));
    }

    /// Notes that a program branches here.
    pub(crate) fn meet(&mut self, truth: Option<Formula>) {
        self.sites.push(Site {
            node: self.node,
            truth,
            before: (self.assumed.len(), self.demands.len()),
        });
    }

    /// Follows the nodes of the model, and gives its outputs.
    pub(crate) fn run(&mut self) -> Result<Vec<Value>, Stop> {
        self.body(BodyId::MAIN, 0)
    }

    /// Follows the nodes of the model, also behind nodes that refuse, whose results are unknown then. Gives the nodes
    /// that refuse, in order.
    pub(crate) fn refusing(mut self) -> Vec<(NodeId, String)> {
        self.refused = Some(Vec::new());
        // Where the pass ends early, the nodes up to there are told.
        let _ = self.run();
        self.refused.unwrap_or_default()
    }

    /// Follows the nodes of a body, whose inputs have values, and gives its outputs.
    pub(crate) fn body(&mut self, body: BodyId, level: usize) -> Result<Vec<Value>, Stop> {
        if level > MAX_LEVELS {
            return Ok(vec![Value::Any; self.graph[body].outputs.len()]);
        }
        let (graph, outer) = (self.graph, self.node);
        for (index, node) in (0..).zip(&graph[body].nodes) {
            self.node = NodeId { body, index };
            let results = match (shape_functions::apply(self, node, level), &mut self.refused) {
                (Err(Stop::Refused(words)), Some(refused)) => {
                    refused.push((NodeId { body, index }, words));
                    Vec::new()
                }
                (results, _) => results?,
            };
            self.node = NodeId { body, index };
            for (output, value) in node
                .outputs
                .iter()
                .zip(results.into_iter().chain(std::iter::repeat(Value::Any)))
            {
                // A traced program leaves its conditions behind as truth values.
                if let (Value::Truth(formula), Format::Fx) = (&value, graph.format) {
                    self.meet(Some(*formula));
                }
                if let Some(output) = output {
                    self.values[output.index()] = Some(value);
                }
            }
            if let Some(limit) = self.terms.exhausted() {
                return Err(limit.into());
            }
        }
        let outputs = graph[body].outputs.iter();
        let outputs = outputs.map(|output| self.argument(&output.argument));
        let outputs = outputs.collect();
        // From here on the node outside of the body acts for itself again.
        self.node = outer;
        outputs
    }

    /// Returns the value that an argument stands for.
    pub(crate) fn argument(&mut self, argument: &Argument) -> Result<Value, Stop> {
        arguments::value(self, argument)
    }

    /// Returns the value of the graph, made now if it is an input or a constant.
    pub(crate) fn value(&mut self, id: ValueId) -> Result<Value, Stop> {
        if let Some(value) = &self.values[id.index()] {
            return Ok(value.clone());
        }
        let value = match self.graph[id].origin {
            Origin::Input {
                body: BodyId::MAIN,
                position,
            } => inputs::value(self, id, position as usize)?,
            Origin::Constant(constant) => arguments::constant(self, constant),
            // A value of a body that was not followed: an optional output that nobody made.
            Origin::Input { .. } | Origin::Node { .. } => Value::Any,
        };
        self.values[id.index()] = Some(value.clone());
        Ok(value)
    }

    /// Demands a condition on behalf of the node. The words say what the node wants.
    pub(crate) fn require(
        &mut self,
        formula: Formula,
        words: impl FnOnce(&Terms) -> String,
    ) -> Result<(), Stop> {
        match self.terms.decided(formula) {
            Some(true) => return Ok(()),
            Some(false) => {
                self.is_alone = true;
                return Err(Stop::Refused(words(self.terms)));
            }
            None => {}
        }
        if self.assumed.iter().any(|(assumed, _)| *assumed == formula) {
            return Ok(());
        }
        let node = self.node;
        match self.demand_of.get(&formula) {
            Some(at) => {
                let nodes = &mut self.demands[*at].nodes;
                if nodes.last() != Some(&node) {
                    nodes.push(node);
                }
            }
            None => {
                self.demand_of.insert(formula, self.demands.len());
                let words = words(self.terms);
                self.demands.push(Demand {
                    formula,
                    words,
                    nodes: vec![node],
                });
            }
        }
        Ok(())
    }

    /// Demands a condition outside of which the specification of the operator is silent.
    pub(crate) fn require_specified(
        &mut self,
        formula: Formula,
        words: impl FnOnce(&Terms) -> String,
    ) -> Result<(), Stop> {
        self.require(formula, words).map_err(|stop| match stop {
            Stop::Refused(words) => Stop::Unspecified(words),
            stop => stop,
        })
    }

    /// Refuses, on behalf of the node.
    pub(crate) fn refuse<T>(&self, words: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Refused(words.into()))
    }

    /// Tells whether a condition holds, and splits the path if neither it nor its negation follows from what is
    /// demanded of one symbol.
    pub(crate) fn decide(&mut self, formula: Formula) -> Result<bool, Stop> {
        if let Some(truth) = self.known(formula)? {
            return Ok(truth);
        }
        let negation = self.terms.not(formula);
        for (assumed, _) in &self.assumed {
            if *assumed == formula || *assumed == negation {
                return Ok(*assumed == formula);
            }
        }
        let choice = match self.choices.get(self.taken) {
            Some(choice) => *choice,
            None => {
                self.choices.push(true);
                true
            }
        };
        self.taken += 1;
        self.assumed
            .push((if choice { formula } else { negation }, self.node));
        Ok(choice)
    }

    /// Decides a condition by itself or by what is demanded of its only symbol; `None` if neither decides it.
    pub(crate) fn known(&mut self, formula: Formula) -> Result<Option<bool>, Stop> {
        if let Some(truth) = self.terms.decided(formula) {
            return Ok(Some(truth));
        }
        let [symbol] = *self.terms.formula_symbols(formula) else {
            return Ok(None);
        };
        self.absorb()?;
        let domain = self
            .domains
            .get(&symbol)
            .cloned()
            .unwrap_or_else(|| domain(self.terms, symbol));
        let Ok(solutions) = unary::solve(self.terms, formula, symbol, &domain) else {
            return Ok(None);
        };
        Ok(if solutions.is_empty() {
            Some(false)
        } else if domain.is_subset(&solutions).unwrap_or(false) {
            Some(true)
        } else {
            None
        })
    }

    /// Narrows what each symbol can be to what was demanded and assumed since the last time.
    fn absorb(&mut self) -> Result<(), Stop> {
        let demanded = self.demands[self.absorbed.0..]
            .iter()
            .map(|demand| demand.formula);
        let new: Vec<Formula> = demanded
            .chain(
                self.assumed[self.absorbed.1..]
                    .iter()
                    .map(|assumed| assumed.0),
            )
            .collect();
        self.absorbed = (self.demands.len(), self.assumed.len());
        for formula in new {
            let [symbol] = *self.terms.formula_symbols(formula) else {
                continue;
            };
            let domain = self
                .domains
                .get(&symbol)
                .cloned()
                .unwrap_or_else(|| domain(self.terms, symbol));
            let Ok(narrowed) = unary::solve(self.terms, formula, symbol, &domain) else {
                continue;
            };
            if narrowed.is_empty() {
                return self.refuse("no size is left that all nodes up to here accept");
            }
            self.domains.insert(symbol, narrowed);
        }
        Ok(())
    }

    /// Returns the number that is the only rank which is left, where its axes can be told apart.
    fn pinned(&mut self, rank: Symbol) -> Result<Option<usize>, Stop> {
        self.absorb()?;
        let single = self.domains.get(&rank).and_then(Integers::single);
        let number = single.and_then(|rank| usize::try_from(rank).ok());
        Ok(number.filter(|rank| *rank <= MAX_KNOWN))
    }

    /// Returns the rank of a shape with a block, as a term: what is known is that it is large.
    pub(crate) fn large_rank(&mut self, shape: &Shape) -> Term {
        let rank = self.inputs.rank_of_block(shape);
        match rank {
            Some((rank, known)) => {
                let own = self.terms.of(rank);
                let more = Int::try_from(shape.axes.len()).unwrap_or(0) - known;
                self.terms.shift(own, more)
            }
            None => self.terms.number(0),
        }
    }

    /// Returns the choices of the path after a pass.
    fn into_choices(self) -> (Vec<bool>, usize) {
        (self.choices, self.taken)
    }

    /// Makes a sequence of tensors. Nothing is known of elements that are no tensors, and of more sequences than a pass
    /// may hold.
    pub(crate) fn sequence(&mut self, tensors: impl IntoIterator<Item = Value>) -> Value {
        let mut list: Vec<Value> = tensors.into_iter().collect();
        for value in &mut list {
            if !matches!(value, Value::Tensor(_) | Value::Any) {
                *value = self.not_followed();
            }
        }
        self.listed = self.listed.saturating_add(list.len());
        match self.listed <= MAX_LISTED {
            true => Value::List(list.into()),
            false => self.not_followed(),
        }
    }

    /// Notes that knowledge ends at the node, and returns a value of which nothing is known.
    pub(crate) fn not_followed(&mut self) -> Value {
        let operator = self.graph[self.node].operator.to_string();
        self.unknown.entry(operator).or_insert(self.node);
        Value::Any
    }

    /// Returns a shape of so many axes as tensors may have.
    pub(crate) fn shape(&self, axes: Vec<Term>) -> Result<Shape, Stop> {
        if axes.len() > MAX_RANK {
            Err(Limit::Axes.into())
        } else {
            Ok(Shape::new(axes))
        }
    }
}
