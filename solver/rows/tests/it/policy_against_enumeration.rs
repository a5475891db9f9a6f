//! Policy mode on random sets: every `sat` comes with a solution, no `unsat` is said where one exists.

use crate::random_sets::{Shape, enumerate, set};
use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::{ConstraintSet, Order, Var, Verdict};

const SHAPES: [Shape; 3] = [
    Shape {
        constraints: 4,
        flank: 1,
        row_vars: 2,
        dim_vars: 2,
        equalities: 3,
    },
    Shape {
        constraints: 5,
        flank: 2,
        row_vars: 2,
        dim_vars: 1,
        equalities: 0,
    },
    Shape {
        constraints: 3,
        flank: 2,
        row_vars: 3,
        dim_vars: 2,
        equalities: 6,
    },
];

fn check_solution(solver: &Solver, set: &ConstraintSet, seed: u64) {
    let ground = solver.solution().ground();
    assert_eq!(
        ground.first_violated(&set.constraints, Order::Marked),
        None,
        "set {seed}:\n{set}\n{ground}"
    );
}

#[test]
fn every_solution_solves_and_no_unsat_has_one() {
    let mut tally = std::collections::BTreeMap::new();
    for (number, shape) in SHAPES.iter().enumerate() {
        for seed in 0..sets() {
            let set = set(seed, shape);
            let mut solver = Solver::new(Problem::from(&set));
            let verdict = solver.verdict();
            *tally.entry((number, verdict)).or_insert(0) += 1;
            match verdict {
                Verdict::Sat => {
                    check_solution(&solver, &set, seed);
                    if solver.close().is_ok() {
                        check_solution(&solver, &set, seed);
                        *tally.entry((number + 10, verdict)).or_insert(0) += 1;
                    }
                }
                Verdict::Unsat => {
                    let mut witness = String::new();
                    let rows = set
                        .vars()
                        .iter()
                        .filter(|v| matches!(v, Var::Row(_)))
                        .count();
                    enumerate(&set, if rows < 2 { 2 } else { 1 }, &mut |ground| {
                        witness = ground.to_string();
                        true
                    });
                    assert_eq!(
                        witness,
                        "",
                        "set {seed} of {number} has a solution:\n{set}\n{}",
                        solver.refusal().unwrap()
                    );
                }
                _ => {}
            }
        }
    }
    // Each shape must reach both answers often, or the test says little.
    for number in 0..SHAPES.len() {
        for verdict in [Verdict::Sat, Verdict::Unsat] {
            assert!(tally[&(number, verdict)] as u64 > sets() / 10, "{tally:?}");
        }
    }
    println!("{tally:?}");
}

/// Returns the number of sets of each shape; `LOZENGE_SETS` asks for more.
fn sets() -> u64 {
    std::env::var("LOZENGE_SETS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(2000)
}
