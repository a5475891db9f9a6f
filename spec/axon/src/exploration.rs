//! All orders of application.

use lozenge_axon_vocabulary::{Pool, Set};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::constraints::{Constraint, Constraints};
use crate::reading::Reading;
use crate::rules::{Outcome, RULES};
use crate::run::is_solved;

/// The sets to which the orders of application lead.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The fixed points, each a sorted set.
    pub fixed_points: Vec<Vec<Constraint>>,
    /// The fact that some order fails.
    pub fails: bool,
    /// The fact that some fixed point is a substitution.
    pub solves: bool,
    /// The fact that some order goes on for ever: it comes back to a set.
    pub has_cycle: bool,
    /// The fact that every set that can be reached was looked at.
    pub is_complete: bool,
    /// The number of sets that were reached.
    pub sets: usize,
}

/// Follows every order of application from a set, until this many sets are reached.
pub fn explore(set: &mut Set, reading: Reading, most: usize) -> Exploration {
    let start = sorted(Constraints::of(set));
    let pool = &mut set.pool;
    let mut result = Exploration {
        fixed_points: Vec::new(),
        fails: false,
        solves: false,
        has_cycle: false,
        is_complete: true,
        sets: 0,
    };
    let mut numbers: FxHashMap<Constraints, usize> = FxHashMap::default();
    let mut sets = vec![start.clone()];
    numbers.insert(start, 0);
    let mut edges: Vec<Vec<usize>> = Vec::new();
    let mut fixed: FxHashSet<usize> = FxHashSet::default();
    while edges.len() < sets.len() {
        if sets.len() > most {
            result.is_complete = false;
            break;
        }
        let from = edges.len();
        let (next, fails) = steps(pool, reading, &sets[from].clone());
        result.fails |= fails;
        if next.is_empty() && !fails {
            fixed.insert(from);
        }
        let mut out = Vec::new();
        for set in next {
            let number = *numbers.entry(set.clone()).or_insert_with(|| {
                sets.push(set);
                sets.len() - 1
            });
            out.push(number);
        }
        edges.push(out);
    }
    result.sets = sets.len();
    result.has_cycle = has_cycle(&edges);
    for (number, set) in sets.iter().enumerate() {
        if fixed.contains(&number) {
            result.solves |= is_solved(pool, set);
            result.fixed_points.push(set.0.clone());
        }
    }
    result
}

fn sorted(mut constraints: Constraints) -> Constraints {
    constraints.0.sort();
    constraints
}

/// Returns the sets that one step leads to, and whether a step fails.
fn steps(pool: &mut Pool, reading: Reading, constraints: &Constraints) -> (Vec<Constraints>, bool) {
    let (mut next, mut fails) = (Vec::new(), false);
    for rule in RULES {
        for index in 0..constraints.0.len() {
            match (rule.apply)(pool, reading, constraints, index) {
                None => {}
                Some(Outcome::Fail) => fails = true,
                Some(Outcome::Set(set)) => next.push(sorted(set)),
            }
        }
    }
    (next, fails)
}

/// Tells whether a walk can come back, by removing sets without further steps until none is left.
fn has_cycle(edges: &[Vec<usize>]) -> bool {
    let mut left: Vec<usize> = edges.iter().map(Vec::len).collect();
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (from, out) in edges.iter().enumerate() {
        for to in out {
            match into.get_mut(*to) {
                Some(list) => list.push(from),
                // A set that was reached and not looked at has no further steps here.
                None => left[from] -= 1,
            }
        }
    }
    let mut pending: Vec<usize> = (0..edges.len()).filter(|set| left[*set] == 0).collect();
    let mut removed = 0;
    while let Some(set) = pending.pop() {
        removed += 1;
        for from in &into[set] {
            left[*from] -= 1;
            if left[*from] == 0 {
                pending.push(*from);
            }
        }
    }
    removed < edges.len()
}
