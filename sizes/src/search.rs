//! The search over what is not linear: alternatives and products.
//!
//! The linear constraints are decided first. Where their solution violates an alternative or a product, the search branches on
//! it; a refutation that does not use the decision of a branch refutes what lies above it.

use crate::constraint::{Derived, Linear, Product, Values, any};
use crate::elimination::Stop;
use crate::interval::Intervals;
use crate::limit::Limit;
use crate::linear::{Context, Decided, decide};
use crate::origin::{Leaf, Leaves, OriginId};
use crate::product::{Choice, branch, consequences};

/// The constraints of a question.
#[derive(Debug, Default)]
pub(crate) struct Problem {
    pub(crate) linear: Vec<Derived>,
    /// At least one of the alternatives holds, each a conjunction.
    pub(crate) alternatives: Vec<(Vec<Vec<Linear>>, OriginId)>,
    /// These hold by definition of the product's variable.
    pub(crate) products: Vec<Product>,
}

/// A choice with what became of its branches.
#[derive(Debug)]
struct Frame {
    choice: Choice,
    /// The branch after the one that is being tried.
    next: usize,
    decision: Leaf,
    /// The linear constraints above the choice.
    length: usize,
    refuted: Leaves,
    /// Why a branch was left open.
    open: Option<Limit>,
}

impl Frame {
    /// Whether the branch that is being tried has no bound.
    fn is_open(&self) -> bool {
        self.choice.last_is_open && self.next == self.choice.branches.len()
    }
}

/// The end of a branch: what refutes it, or why it is left open.
type Closed = Result<Leaves, Limit>;

/// What a branch leads to.
enum Node {
    Satisfied(Values),
    Closed(Closed),
    Branch(Choice),
}

/// Decides whether some constraints have a common solution.
pub(crate) fn satisfy(mut problem: Problem, context: &mut Context) -> Result<Decided, Limit> {
    let mut frames: Vec<Frame> = Vec::new();
    loop {
        let is_open = frames.iter().any(Frame::is_open);
        let mut closed = match node(&mut problem, is_open, context) {
            Ok(Node::Satisfied(values)) => return Ok(Decided::Satisfied(values)),
            Ok(Node::Branch(choice)) => {
                let (decision, _) = context.origins.decision();
                frames.push(Frame {
                    choice,
                    next: 0,
                    decision,
                    length: problem.linear.len(),
                    refuted: Leaves::new(),
                    open: None,
                });
                // The first branch is entered like every other one, after an empty refutation of nothing.
                Ok(Leaves::from([decision]))
            }
            Ok(Node::Closed(closed)) => closed,
            Err(Limit::Work) => return Err(Limit::Work),
            Err(limit) => Err(limit),
        };
        loop {
            let Some(frame) = frames.last_mut() else {
                return closed.map(Decided::Refuted);
            };
            match closed {
                Ok(mut leaves) => {
                    if !leaves.remove(&frame.decision) {
                        frames.pop();
                        closed = Ok(leaves);
                        continue;
                    }
                    frame.refuted.append(&mut leaves);
                }
                Err(limit) => frame.open = Some(limit),
            }
            problem.linear.truncate(frame.length);
            if frame.enter(&mut problem, context) {
                break;
            }
            closed = frame.close(context);
            frames.pop();
        }
    }
}

impl Frame {
    /// Adds the constraints of the next branch, if there is one.
    fn enter(&mut self, problem: &mut Problem, context: &mut Context) -> bool {
        let Some(constraints) = self.choice.branches.get(self.next) else {
            return false;
        };
        self.next += 1;
        let (decision, origin) = context.origins.decision();
        self.decision = decision;
        let derived = constraints.iter().cloned();
        let derived = derived.map(|linear| Derived { linear, origin });
        problem.linear.extend(derived);
        true
    }

    /// What becomes of the choice when no branch is left.
    fn close(&mut self, context: &mut Context) -> Closed {
        if let Some(limit) = self.open {
            return Err(limit);
        }
        let mut leaves = context.leaves([self.choice.because])?;
        leaves.append(&mut self.refuted);
        Ok(leaves)
    }
}

fn node(problem: &mut Problem, is_open: bool, context: &mut Context) -> Result<Node, Limit> {
    let mut intervals = Intervals::default();
    if !problem.products.is_empty() {
        match propagate(problem, context) {
            Ok(found) => intervals = found,
            Err(Stop::Limit(limit)) => return Err(limit),
            Err(Stop::Contradiction(origin)) => {
                return Ok(Node::Closed(Ok(context.leaves([origin])?)));
            }
        }
    }
    let values = match decide(&problem.linear, context)? {
        Decided::Satisfied(values) => values,
        Decided::Refuted(leaves) => return Ok(Node::Closed(Ok(leaves))),
    };
    for (alternatives, origin) in &problem.alternatives {
        context.meter.spend(alternatives.len())?;
        if !any(alternatives, &values)? {
            return Ok(Node::Branch(Choice {
                branches: alternatives.clone(),
                because: *origin,
                last_is_open: false,
            }));
        }
    }
    let mut violated = Vec::new();
    for product in &problem.products {
        if !product.holds(&values)? {
            violated.push(*product);
        }
    }
    if violated.is_empty() {
        return Ok(Node::Satisfied(values));
    }
    if is_open {
        return Err(Limit::UnboundedProduct);
    }
    let (origins, meter) = (&mut context.origins, &mut context.meter);
    match branch(&violated, &intervals, origins, meter)? {
        Some(choice) => Ok(Node::Branch(choice)),
        None => Err(Limit::UnboundedProduct),
    }
}

/// Bounds of variables, with their linear consequences added to the problem.
fn propagate(problem: &mut Problem, context: &mut Context) -> Result<Intervals, Stop> {
    let (origins, meter) = (&mut context.origins, &mut context.meter);
    let intervals = Intervals::propagate(&problem.linear, &problem.products, origins, meter)?;
    let derived = consequences(&problem.products, &intervals, origins)?;
    problem.linear.extend(derived);
    Ok(intervals)
}
