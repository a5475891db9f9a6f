//! The algorithm solve-shapes: rules until a fixed point.

use lozenge_axon_vocabulary::{DimNode, Pool, Set};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::constraints::{Constraint, Constraints};
use crate::reading::Reading;
use crate::rules::{Outcome, RULES, Rule};

/// The choice of the rule that is applied next, and of its constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The first printed rule that matches, those that fail before the others, at the first constraint.
    #[default]
    FailFirst,
    /// The first printed rule that matches, at the first constraint.
    Printed,
    /// The last printed rule that matches, at the last constraint.
    Reversed,
    /// Any, by this seed.
    Random(u64),
}

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The reading.
    pub reading: Reading,
    /// The strategy.
    pub strategy: Strategy,
    /// The most steps. Some orders have no fixed point.
    pub steps: usize,
    /// The most parts of all terms of a set as they are written. Substitution may double them with each step.
    pub size: usize,
    /// True if the steps are kept.
    pub traced: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            reading: Reading::Literal,
            strategy: Strategy::FailFirst,
            steps: 10_000,
            size: 1 << 16,
            traced: false,
        }
    }
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The rule.
    pub rule: &'static Rule,
    /// The constraint to which it was applied, as text.
    pub constraint: String,
    /// The set after it; none after FAIL.
    pub set: Option<Vec<String>>,
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// FAIL, by the named rule.
    Fail(&'static str),
    /// A fixed point at which every constraint is `a = ṡ`, and no `a` stands anywhere else.
    Solved,
    /// A fixed point with constraints that no rule matches.
    Stuck,
    /// The limit on steps or on size is reached.
    NoFixedPoint,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The end of the run.
    pub end: End,
    /// The last set.
    pub constraints: Constraints,
    /// The rules in the order of their application.
    pub rules: Vec<&'static str>,
    /// The steps, if they were asked for.
    pub steps: Vec<Step>,
}

/// Runs the algorithm.
pub fn run(set: &mut Set, options: &Options) -> Run {
    let mut constraints = Constraints::of(set);
    let pool = &mut set.pool;
    let mut chooser = Chooser::new(options.strategy);
    let (mut rules, mut steps) = (Vec::new(), Vec::new());
    let mut written = Written::default();
    let end = loop {
        if rules.len() >= options.steps || written.size(pool, &constraints) > options.size {
            break End::NoFixedPoint;
        }
        let Some((rule, index, outcome)) = chooser.next(pool, options.reading, &constraints) else {
            break if is_solved(pool, &constraints) {
                End::Solved
            } else {
                End::Stuck
            };
        };
        rules.push(rule.name);
        let set = match &outcome {
            Outcome::Fail => None,
            Outcome::Set(set) => Some(set),
        };
        if options.traced {
            let show = |constraint: &Constraint| constraint.show(pool).to_string();
            steps.push(Step {
                rule,
                constraint: show(&constraints.0[index]),
                set: set.map(|set| set.0.iter().map(show).collect()),
            });
        }
        match outcome {
            Outcome::Fail => break End::Fail(rule.name),
            Outcome::Set(set) => constraints = set,
        }
    };
    Run {
        end,
        constraints,
        rules,
        steps,
    }
}

/// The numbers of parts of terms as they are written, with each repetition.
#[derive(Default)]
struct Written(Vec<usize>);

impl Written {
    fn size(&mut self, pool: &Pool, constraints: &Constraints) -> usize {
        for node in &pool.nodes()[self.0.len()..] {
            let size = match *node {
                DimNode::Op(_, left, right) => {
                    let [left, right] = [left, right].map(|part| self.0[part.0 as usize]);
                    left.saturating_add(right).saturating_add(1)
                }
                DimNode::Number(_) | DimNode::Var(_) | DimNode::Ragged(_) => 1,
            };
            self.0.push(size);
        }
        let sides = constraints.0.iter();
        let dims = sides.flat_map(|one| one.left.dims().into_iter().chain(one.right.dims()));
        dims.fold(constraints.0.len(), |sum, dim| {
            sum.saturating_add(self.0[dim.0 as usize])
        })
    }
}

/// Tells whether a set is a substitution: every constraint is `a = ṡ`, and no `a` stands anywhere else.
pub(crate) fn is_solved(pool: &Pool, constraints: &Constraints) -> bool {
    constraints.0.iter().enumerate().all(|(index, constraint)| {
        constraint.left.variable(pool).is_some_and(|variable| {
            let mentions = |other: &Constraint| {
                other.left.mentions(pool, variable) || other.right.mentions(pool, variable)
            };
            !constraint.right.mentions(pool, variable) && !constraints.others(index).any(mentions)
        })
    })
}

/// The choice of the next step.
struct Chooser {
    strategy: Strategy,
    random: Xoshiro256PlusPlus,
}

impl Chooser {
    fn new(strategy: Strategy) -> Chooser {
        let seed = match strategy {
            Strategy::Random(seed) => seed,
            _ => 0,
        };
        Chooser {
            strategy,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    fn next(
        &mut self,
        pool: &mut Pool,
        reading: Reading,
        constraints: &Constraints,
    ) -> Option<(&'static Rule, usize, Outcome)> {
        let count = constraints.0.len();
        let mut first = |rules: &mut dyn Iterator<Item = &'static Rule>, is_reversed: bool| {
            for rule in rules {
                for at in 0..count {
                    let index = if is_reversed { count - 1 - at } else { at };
                    if let Some(outcome) = (rule.apply)(pool, reading, constraints, index) {
                        return Some((rule, index, outcome));
                    }
                }
            }
            None
        };
        match self.strategy {
            Strategy::FailFirst => {
                let (failing, others): (Vec<_>, Vec<_>) =
                    RULES.iter().partition(|rule| rule.fails());
                first(&mut failing.into_iter().chain(others), false)
            }
            Strategy::Printed => first(&mut RULES.iter(), false),
            Strategy::Reversed => first(&mut RULES.iter().rev(), true),
            Strategy::Random(_) => {
                let mut all = Vec::new();
                for rule in RULES {
                    for index in 0..count {
                        if let Some(outcome) = (rule.apply)(pool, reading, constraints, index) {
                            all.push((rule, index, outcome));
                        }
                    }
                }
                if all.is_empty() {
                    return None;
                }
                let at = self.random.next_u64() as usize % all.len();
                Some(all.swap_remove(at))
            }
        }
    }
}
