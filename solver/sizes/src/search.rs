//! The search over the nonlinear constraints: alternatives and products.
//!
//! The linear constraints are decided first. Where their solution violates an alternative or a product, the search
//! branches on it. A refutation that does not use the decision of a branch refutes the search node above it.

use crate::constraint::{Derived, Linear, Product, Values, any};
use crate::elimination::Stop;
use crate::equation::by_equation;
use crate::form::{Form, Variable};
use crate::interval::Intervals;
use crate::limit::Limit;
use crate::linear::{Context, Decided, decide};
use crate::origin::{Leaf, Leaves, Origin};
use crate::product::{Choice, branch, consequences, narrowest};

/// The constraints of a question.
#[derive(Debug, Default)]
pub(crate) struct Problem {
    pub(crate) linear: Vec<Derived>,
    /// Disjunctions: at least one of the alternatives holds, each of which is a conjunction.
    pub(crate) alternatives: Vec<(Vec<Vec<Linear>>, Origin)>,
    /// Products, which hold by definition of the variable of the product.
    pub(crate) products: Vec<Product>,
}

/// A choice, with the results of its branches so far.
#[derive(Debug)]
struct Frame {
    choice: Choice,
    /// The branch after the one that is being tried.
    next: usize,
    decision: Leaf,
    /// The number of linear constraints above the choice.
    length: usize,
    refuted: Leaves,
    /// The limit because of which a branch was left open.
    open: Option<Limit>,
}

impl Frame {
    /// Tells whether the branch that is being tried is unbounded.
    fn is_open(&self) -> bool {
        self.choice.last_is_open && self.next == self.choice.branches.len()
    }
}

/// The end of a branch: the leaves of its refutation, or the limit because of which it is left open.
type Closed = Result<Leaves, Limit>;

/// The result of visiting a branch.
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
                // The first branch is entered like the others, as if after the refutation of a branch before it.
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
        let derived = derived.map(|linear| Derived {
            linear,
            origin: Some(origin),
        });
        problem.linear.extend(derived);
        true
    }

    /// Returns the result of the choice when no branch is left.
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
        intervals = match propagate(problem, context)? {
            Ok(found) => found,
            Err(leaves) => return Ok(Node::Closed(Ok(leaves))),
        };
    }
    // If the linear decision takes long, the narrowest interval is halved first, which always ends, and soon if the
    // intervals are short.
    let decided = match approximate(&problem.linear, context)? {
        Some(decided) => decided,
        None => {
            if problem.products.is_empty() {
                intervals = match propagate(problem, context)? {
                    Ok(found) => found,
                    Err(leaves) => return Ok(Node::Closed(Ok(leaves))),
                };
            }
            match halve(problem, &intervals)? {
                Some(choice) => return Ok(Node::Branch(choice)),
                None => decide(&problem.linear, context)?,
            }
        }
    };
    let values = match decided {
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
    choose(problem, &violated, &intervals, is_open, context)
}

/// Returns the branches for one of these products.
fn choose(
    problem: &Problem,
    products: &[Product],
    intervals: &Intervals,
    is_open: bool,
    context: &mut Context,
) -> Result<Node, Limit> {
    let (origins, meter) = (&mut context.origins, &mut context.meter);
    if !has_bounded_factor(products, intervals) {
        let (linear, all) = (&problem.linear, &problem.products);
        if let Some(choice) = by_equation(products, all, linear, intervals, origins, meter)? {
            return Ok(Node::Branch(choice));
        }
    }
    if is_open {
        return Err(Limit::UnboundedProduct);
    }
    match branch(products, intervals, origins, meter)? {
        Some(choice) => Ok(Node::Branch(choice)),
        None => Err(Limit::UnboundedProduct),
    }
}

/// Tells whether one of these products or a factor of one has finitely many values by its bounds.
fn has_bounded_factor(products: &[Product], intervals: &Intervals) -> bool {
    products.iter().any(|product| {
        let [left, right] = product.factors;
        [product.whole, left, right]
            .into_iter()
            .any(|variable| intervals.of(variable).width().is_some())
    })
}

/// Decides linear constraints if that takes little work. To eliminate all variables of one long sum takes the square of
/// its length.
fn approximate(linear: &[Derived], context: &mut Context) -> Result<Option<Decided>, Limit> {
    let mut part = context.meter.at_most(little(linear));
    let whole = std::mem::replace(&mut context.meter, part.meter);
    let decided = decide(linear, context);
    part.meter = std::mem::replace(&mut context.meter, whole);
    context.meter.settle(part)?;
    match decided {
        Ok(decided) => Ok(Some(decided)),
        Err(Limit::Work | Limit::Overflow) => Ok(None),
        Err(limit) => Err(limit),
    }
}

/// Returns the work after which deciding linear constraints takes long.
fn little(linear: &[Derived]) -> u64 {
    let lengths = linear
        .iter()
        .map(|derived| derived.linear.form().len() as u64);
    let terms: u64 = lengths.clone().sum();
    let longest = lengths.max().unwrap_or(0);
    64 * terms + 8 * longest * longest + 4096
}

/// Returns the halves of the narrowest interval, among factors of products that are not linear yet or, if there are
/// none, among all variables.
fn halve(problem: &Problem, intervals: &Intervals) -> Result<Option<Choice>, Limit> {
    let products = problem.products.iter();
    let open = products.filter(|product| intervals.is_open(product));
    let factors: Vec<Variable> = open.flat_map(|product| product.factors).collect();
    let variables = match factors.is_empty() {
        false => factors,
        true => {
            let forms = problem.linear.iter().map(|derived| derived.linear.form());
            forms.flat_map(Form::variables).collect()
        }
    };
    Ok(narrowest(&variables, intervals)?)
}

/// Propagates bounds of variables and adds their linear consequences to the problem; or finds a contradiction.
fn propagate(
    problem: &mut Problem,
    context: &mut Context,
) -> Result<Result<Intervals, Leaves>, Limit> {
    let (origins, meter) = (&mut context.origins, &mut context.meter);
    let found = Intervals::propagate(&problem.linear, &problem.products, origins, meter);
    match found {
        Err(Stop::Limit(limit)) => Err(limit),
        Err(Stop::Contradiction(origin)) => Ok(Err(context.leaves([origin])?)),
        Ok(intervals) => {
            let derived = consequences(&problem.products, &intervals, origins)?;
            problem.linear.extend(derived);
            Ok(Ok(intervals))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::Fresh;
    use crate::limit::Meter;
    use crate::number::Int;
    use crate::origin::Origins;

    fn context() -> Context {
        Context {
            fresh: Fresh(100),
            origins: Origins::new(),
            meter: Meter::new(1 << 16),
        }
    }

    /// Returns the two constraints `low ≤ variable ≤ high`.
    fn between(variable: Variable, low: Int, high: Int) -> [Derived; 2] {
        let own = Form::variable(variable);
        let sides = [
            own.clone().shifted(-low),
            own.scaled(-1).and_then(|form| form.shifted(high)),
        ];
        sides.map(|form| Derived {
            linear: Linear::NonNegative(form.expect("small")),
            origin: None,
        })
    }

    /// Returns a sum of this many variables that is at least 0.
    fn sum_of(length: u32) -> Derived {
        let variables = (0..length).map(|number| Form::variable(Variable(number)));
        let sum = variables.fold(Form::default(), |sum, one| {
            sum.plus(1, &one).expect("small")
        });
        Derived {
            linear: Linear::NonNegative(sum),
            origin: None,
        }
    }

    #[test]
    fn a_long_sum_may_take_the_square_of_its_length() {
        assert_eq!(little(&[]), 4096);
        assert_eq!(little(&[sum_of(3), sum_of(5)]), 4096 + 64 * 8 + 8 * 25);
        assert_eq!(little(&[sum_of(5), sum_of(3)]), 4096 + 64 * 8 + 8 * 25);
    }

    #[test]
    fn factors_that_are_not_linear_yet_are_halved_before_other_variables() {
        let [left, right, whole, narrow] = [0, 1, 2, 3].map(Variable);
        let halved = |left_bounds: (Int, Int)| {
            let mut problem = Problem::default();
            problem
                .linear
                .extend(between(left, left_bounds.0, left_bounds.1));
            problem.linear.extend(between(right, 1, 100));
            problem.linear.extend(between(narrow, 1, 4));
            problem.products.push(Product {
                whole,
                factors: [left, right],
            });
            let mut context = context();
            let intervals = propagate(&mut problem, &mut context).expect("little work");
            let intervals = intervals.expect("no contradiction");
            let choice = halve(&problem, &intervals).expect("small");
            let form = choice.expect("there are intervals").branches[0][0]
                .form()
                .clone();
            form.variables().next()
        };
        assert_eq!(halved((1, 20)), Some(left));
        // With one value for a factor the product is linear.
        assert_eq!(halved((3, 3)), Some(narrow));
    }
}
