//! Complete mode on random sets: it says `sat` with a solution of least rank, or `unsat` where enumeration finds none.

use crate::random_sets::{Shape, enumerate, set};
use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::{Order, Row, Verdict};

const SHAPES: [Shape; 4] = [
    Shape {
        constraints: 3,
        flank: 1,
        row_vars: 2,
        dim_vars: 1,
        equalities: 5,
    },
    Shape {
        constraints: 4,
        flank: 2,
        row_vars: 2,
        dim_vars: 2,
        equalities: 7,
    },
    Shape {
        constraints: 3,
        flank: 2,
        row_vars: 1,
        dim_vars: 1,
        equalities: 8,
    },
    Shape {
        constraints: 5,
        flank: 1,
        row_vars: 3,
        dim_vars: 1,
        equalities: 5,
    },
];

#[test]
fn decisions_agree_with_enumeration() {
    let mut tally = std::collections::BTreeMap::new();
    for (number, shape) in SHAPES.iter().enumerate() {
        for seed in 0..sets() {
            let set = set(seed, shape);
            let mut solver = Solver::new(Problem::from(&set));
            let decision = solver.decide();
            let policy = solver.verdict();
            *tally
                .entry((policy, decision.verdict, decision.branches > 0))
                .or_insert(0) += 1;
            let shown = format!("set {seed} of {number}:\n{set}\n{decision:?}");
            assert_ne!(
                (policy, decision.verdict),
                (Verdict::Sat, Verdict::Unsat),
                "{shown}"
            );
            assert_ne!(
                (policy, decision.verdict),
                (Verdict::Unsat, Verdict::Sat),
                "{shown}"
            );
            let rank = |rows: &mut dyn Iterator<Item = &Row>| rows.map(Row::rank).sum::<usize>();
            let bound = match &decision.solution {
                Some(ground) => {
                    assert_eq!(
                        ground.first_violated(&set.constraints, Order::Marked),
                        None,
                        "{shown}"
                    );
                    rank(&mut ground.rows.values())
                }
                None => {
                    assert_eq!(decision.verdict, Verdict::Unsat, "{shown}");
                    usize::MAX
                }
            };
            // A short enumeration: nothing of smaller rank, nothing at all where there should be nothing.
            if seed < sets() / 10 || decision.branches > 0 {
                enumerate(&set, 1, &mut |ground| {
                    assert!(
                        rank(&mut ground.rows.values()) >= bound,
                        "{shown}\n{ground}"
                    );
                    false
                });
            }
        }
    }
    println!("{tally:?}");
    assert!(
        tally[&(Verdict::Rejected, Verdict::Sat, true)] > 0,
        "{tally:?}"
    );
    assert!(
        tally[&(Verdict::Rejected, Verdict::Unsat, true)] > 0,
        "{tally:?}"
    );
}

/// Returns the number of sets of each shape; `LOZENGE_SETS` asks for more.
fn sets() -> u64 {
    std::env::var("LOZENGE_SETS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(2000)
}
