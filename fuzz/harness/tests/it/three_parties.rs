//! The transcribed rules, the production solver, enumeration and Z3 on random constraint sets: no `unsat` where a
//! solution was enumerated, no `sat` without one, in either reading of `<=`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use lozenge_oracle::{Limits, Oracle, Satisfiability};
use lozenge_solver::{Problem, Solver};
use lozenge_spec::{Options, solve};
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_testkit::generate::{Knobs, indexed};
use lozenge_vocabulary::{ConstraintSet, Dim, Order, Verdict};

const SEED: u64 = 0x10_2e_09_e5;

/// The number of times that each party decided, which shows that the comparison was not empty.
#[derive(Default)]
struct Tally {
    sat: AtomicUsize,
    unsat: AtomicUsize,
    rejected: AtomicUsize,
    unknown: AtomicUsize,
    enumerated: AtomicUsize,
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn compare(set: &ConstraintSet, order: Order, oracle: &Oracle, tally: &Tally) {
    let dims = [Dim::Unit, Dim::new(2).unwrap(), Dim::new(3).unwrap()].to_vec();
    let universe = Universe { dims, rank: 2 };
    let enumerated = Solutions::new(set, &universe, order).next();
    let run = solve(
        set,
        &Options {
            order,
            traced: false,
            ..Options::default()
        },
    );
    let found = oracle.sat(set);
    match &found {
        Satisfiability::Sat(gamma) => {
            assert_eq!(
                gamma.first_violated(&set.constraints, order),
                None,
                "\n{set}\nZ3's model:\n{gamma}"
            );
            count(&tally.sat);
        }
        Satisfiability::Unsat => {
            assert!(
                enumerated.is_none(),
                "Z3 says unsat of\n{set}\nwith the solution\n{}",
                enumerated.unwrap()
            );
            count(&tally.unsat);
        }
        Satisfiability::Unknown(_) => count(&tally.unknown),
    }
    tally
        .enumerated
        .fetch_add(usize::from(enumerated.is_some()), Ordering::Relaxed);
    match run.verdict() {
        Verdict::Sat => {
            let gamma = run
                .greatest()
                .expect("a solved form has a greatest solution");
            assert_eq!(
                gamma.first_violated(&set.constraints, order),
                None,
                "\n{set}\nspec's solution:\n{gamma}"
            );
            assert!(
                !matches!(found, Satisfiability::Unsat),
                "spec says sat, Z3 unsat of\n{set}"
            );
        }
        Verdict::Unsat => assert!(
            !matches!(found, Satisfiability::Sat(_)),
            "Z3 has a model, spec: {}\n{set}",
            run.failure().unwrap()
        ),
        Verdict::Rejected => count(&tally.rejected),
        Verdict::Unknown => panic!("the rules do not end on\n{set}"),
    }
    compare_solver(set, order, &found);
}

/// Compares both modes of the production solver with the answer of Z3.
fn compare_solver(set: &ConstraintSet, order: Order, found: &Satisfiability) {
    let options = lozenge_solver::Options {
        order,
        ..lozenge_solver::Options::default()
    };
    let mut solver = Solver::with(Problem::from(set), options);
    let decision = solver.decide();
    let policy = match solver.verdict() {
        Verdict::Sat => Some(solver.solution().ground()),
        Verdict::Unsat => {
            let refusal = solver.refusal().expect("a refusal");
            assert!(!is_sat(found), "the solver says unsat\n{set}\n{refusal}");
            None
        }
        _ => None,
    };
    for gamma in decision.solution.iter().chain(&policy) {
        let violated = gamma.first_violated(&set.constraints, order);
        assert_eq!(violated, None, "\n{set}\nthe solver's solution:\n{gamma}");
        let unsat = matches!(found, Satisfiability::Unsat);
        assert!(
            !unsat,
            "Z3 says unsat of\n{set}\nwith the solution\n{gamma}"
        );
    }
    if decision.verdict == Verdict::Unsat {
        assert!(!is_sat(found), "complete mode says unsat, Z3 sat of\n{set}");
    }
}

fn is_sat(found: &Satisfiability) -> bool {
    matches!(found, Satisfiability::Sat(_))
}

/// Compares `sets` sets on all cores; what is compared depends on the seed and the index alone.
fn campaign(sets: u64, order: Order, knobs: Knobs) -> Tally {
    let tally = Tally::default();
    let threads = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    thread::scope(|scope| {
        for first in 0..threads {
            let tally = &tally;
            scope.spawn(move || {
                let limits = Limits {
                    time: Duration::from_secs(30),
                    ..Limits::default()
                };
                let oracle = Oracle::new(order).with_limits(limits);
                for index in (first..sets).step_by(threads as usize) {
                    compare(&indexed(SEED, index, &knobs), order, &oracle, tally);
                }
            });
        }
    });
    tally
}

fn report(what: &str, tally: Tally) {
    let [sat, unsat, unknown, rejected, enumerated] = [
        tally.sat,
        tally.unsat,
        tally.unknown,
        tally.rejected,
        tally.enumerated,
    ]
    .map(AtomicUsize::into_inner);
    println!(
        "{what}: Z3 says {sat} sat ({enumerated} enumerated), {unsat} unsat, {unknown} unknown; {rejected} refused by policy"
    );
    let least = (sat + unsat + unknown) / 50;
    assert!(
        sat > least && unsat > least && enumerated > least,
        "the sets must be of all sorts"
    );
    // A set for which no rank bound is known may be unknown, but that must be rare.
    assert!(unknown * 100 <= sat + unsat, "{unknown} sets are unknown");
}

#[test]
fn sets_in_the_marked_order() {
    report("marked", campaign(2_200, Order::Marked, Knobs::default()));
}

#[test]
fn sets_with_more_variables_and_longer_flanks() {
    let knobs = Knobs {
        constraints: 5,
        flank: 3,
        dim_vars: 3,
        row_vars: 3,
        atoms: 2,
        tags: false,
    };
    report("wide", campaign(240, Order::Marked, knobs));
}

#[test]
fn sets_in_the_one_shot_reading() {
    report("one-shot", campaign(700, Order::OneShot, Knobs::default()));
}
