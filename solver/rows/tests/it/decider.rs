//! Complete mode on a problem that grows and is taken back gives the verdicts and the least ranks that it gives from
//! the beginning.

use std::collections::BTreeMap;

use crate::random_sets::{Draw, Shape, set, tangle};
use lozenge_solver::{Decider, Decision, Limits, Options, Problem, Solver};
use lozenge_vocabulary::{Constraint, ConstraintSet, Order, Verdict};

const SHAPES: [Shape; 2] = [
    Shape {
        constraints: 6,
        flank: 2,
        row_vars: 3,
        dim_vars: 2,
        equalities: 6,
    },
    Shape {
        constraints: 4,
        flank: 3,
        row_vars: 2,
        dim_vars: 1,
        equalities: 8,
    },
];

fn options(order: Order) -> Options {
    Options {
        order,
        ..Options::default()
    }
}

/// Returns the part of an answer that is the same however a problem came about, checked by the definition of
/// satisfaction.
fn answer(decision: &Decision, constraints: &[Constraint], order: Order) -> (Verdict, Option<u64>) {
    if let Some(ground) = &decision.solution {
        assert_eq!(ground.first_violated(constraints, order), None);
    }
    (decision.verdict, decision.rank)
}

fn anew(constraints: &[Constraint], order: Order) -> Decision {
    let set: ConstraintSet = constraints.iter().cloned().collect();
    Solver::with(Problem::from(&set), options(order)).decide()
}

#[test]
fn a_decider_answers_as_if_it_were_new() {
    let mut tally: BTreeMap<Verdict, usize> = BTreeMap::new();
    let (mut taken_back, mut kept, mut searched) = (0, 0, 0);
    for (seed, order) in (0..3000).flat_map(|seed| [(seed, Order::Marked), (seed, Order::OneShot)])
    {
        let set = match seed % 3 {
            2 => Problem::parse(&tangle(seed)).expect("it parses").to_set(),
            shape => set(seed, &SHAPES[shape as usize]),
        };
        let mut draw = Draw::new(seed + 77);
        let mut decider = Decider::with(Problem::new(), options(order));
        // The constraints that are there, and how many of them each snapshot has.
        let (mut here, mut marks): (Vec<Constraint>, Vec<usize>) = (Vec::new(), Vec::new());
        for constraint in set
            .constraints
            .iter()
            .cycle()
            .take(2 * set.constraints.len())
        {
            match draw.below(6) {
                0 => {
                    decider.snapshot();
                    marks.push(here.len());
                }
                1 => {
                    let mark = marks.pop();
                    assert_eq!(decider.rollback(), mark.is_some());
                    here.truncate(mark.unwrap_or(here.len()));
                    taken_back += usize::from(mark.is_some());
                }
                2 => {
                    let open = marks.pop().is_some();
                    assert_eq!(decider.keep(), open);
                    kept += usize::from(open);
                }
                _ => {
                    decider.add(constraint);
                    here.push(constraint.clone());
                }
            }
            if draw.below(3) > 0 {
                let grown = decider.decide();
                let fresh = anew(&here, order);
                assert_eq!(
                    answer(&grown, &here, order),
                    answer(&fresh, &here, order),
                    "{seed}, {order:?}:\n{}\n{grown:?}\n{fresh:?}",
                    decider.problem().to_set()
                );
                *tally.entry(grown.verdict).or_default() += 1;
                searched += usize::from(fresh.branches > 0);
            }
            if draw.below(4) == 0 {
                let (grown, certificate) = decider.certify();
                let fresh = anew(&here, order);
                assert_eq!(answer(&grown, &here, order), answer(&fresh, &here, order));
                assert_eq!(certificate.is_some(), grown.verdict == Verdict::Unsat);
            }
        }
    }
    println!("{tally:?}, {taken_back} taken back, {kept} kept, {searched} searched");
    assert!(tally[&Verdict::Sat] > 5_000 && tally[&Verdict::Unsat] > 5_000);
    assert!(searched > 1_000);
    assert!(taken_back > 1_000 && kept > 1_000);
}

/// Writes a level: `<aN>` has 2^(N+1) equal axes, and so has `<bN>`, whose marker is at the other edge.
fn level(i: usize) -> String {
    let j = i + 1;
    format!(
        "<r{i}> <= <a{i}>\n<r{i}> <= <b{i}>\n<a{j}> ~ <r{i}>\n<b{j}> ~ <r{i}>\n[5 <a{j}>] <= <a{j}>\n[<b{j}> 5] <= <b{j}>"
    )
}

const GROUND_LEVEL: &str = "<a0> ~ [3, 3]\n<b0> ~ <a0>\n[5 <a0>] <= <a0>\n[<b0> 5] <= <b0>";

/// The clashes of the levels below are not met again.
#[test]
fn what_was_excluded_stays_excluded() {
    let mut decider = Decider::new(Problem::parse(GROUND_LEVEL).unwrap());
    let mut text = GROUND_LEVEL.to_string();
    let (mut kept, mut anew) = (0, 0);
    for i in 0..8 {
        decider.problem_mut().read(&level(i)).unwrap();
        text = format!("{text}\n{}", level(i));
        let fresh = Solver::new(Problem::parse(&text).unwrap()).decide();
        let grown = decider.decide();
        assert_eq!((grown.verdict, grown.rank), (fresh.verdict, fresh.rank));
        kept += grown.clauses;
        anew += fresh.clauses;
    }
    assert!(kept > 0 && 3 * kept < anew, "{kept} and {anew}");
}

/// Shows that facts learned before a snapshot are there after a rollback, and none that rests on what was taken back.
#[test]
fn a_rollback_keeps_what_was_learned_before() {
    let mut decider = Decider::new(Problem::parse(GROUND_LEVEL).unwrap());
    (0..4).for_each(|i| decider.problem_mut().read(&level(i)).unwrap());
    let first = decider.decide();
    assert!(first.clauses > 0);
    decider.snapshot();
    // `<a4>` has 32 axes, so that it cannot have 31.
    decider.add(&"<a4> ~ [<x> 3, 7]".parse().unwrap());
    assert_eq!(decider.decide().verdict, Verdict::Unsat);
    assert_eq!(decider.decide().verdict, Verdict::Unsat);
    assert!(decider.rollback());
    let again = decider.decide();
    assert_eq!(
        (again.verdict, again.rank, again.clauses),
        (Verdict::Sat, first.rank, 0)
    );
}

/// A search that a limit stopped begins anew, with as much of everything as before.
#[test]
fn a_limit_counts_for_each_question() {
    let limits = Limits {
        clauses: 1,
        ..Limits::default()
    };
    let problem = Problem::parse("[3, 3 <r>] ~ [<r> 5, 5]").unwrap();
    let mut decider = Decider::with(
        problem,
        Options {
            limits,
            ..Options::default()
        },
    );
    for _ in 0..2 {
        let decision = decider.decide();
        let named = "the limit of 1 excluded clashes was reached; --clauses raises it";
        assert_eq!(decision.limit.as_deref(), Some(named));
    }
    decider.add(&"<r> <= [7 <>]".parse().unwrap());
    assert_eq!(decider.decide().verdict, Verdict::Unsat);
}

/// Sizes are decided from the beginning.
#[test]
fn sizes_that_are_related_are_decided_too() {
    let mut decider = Decider::new(Problem::parse("<r> ~ [n, 3]").unwrap());
    assert_eq!(decider.decide().verdict, Verdict::Sat);
    decider.snapshot();
    decider.problem_mut().read("n >= 4\nn = 3").unwrap();
    assert_eq!(decider.decide().verdict, Verdict::Unsat);
    assert!(decider.rollback());
    assert_eq!(decider.decide().verdict, Verdict::Sat);
}
