//! The time limit, tested in a separate process: Z3 counts the memory of a whole process against one limit, so the
//! memory of other tests could end these questions sooner.

use std::time::{Duration, Instant};

use lozenge_oracle::{Limits, Oracle, Reason, Satisfiability};
use lozenge_testkit::limits::{pigeons, work};
use lozenge_vocabulary::{Order, notation};

/// Returns an oracle whose questions only the time limit can end.
fn with_time(time: Duration) -> Oracle {
    Oracle::new(Order::Marked).with_limits(Limits {
        time,
        memory: 16 << 10,
        comparisons: usize::MAX,
        ..Limits::default()
    })
}

/// A question ends at its limit, and not much before it. The delay behind the limit depends on the load of the machine
/// and is not tested.
#[test]
fn a_time_limit_ends_a_question_and_no_sooner() {
    let phi = pigeons(6);
    for limit in [100, 300, 1000].map(Duration::from_millis) {
        let asked = with_time(limit);
        let start = Instant::now();
        assert_eq!(asked.sat(&phi), Satisfiability::Unknown(Reason::Time));
        let spent = start.elapsed();
        assert!(spent >= limit.mul_f64(0.8), "{spent:?}");
    }
}

/// The clock covers encoding: a question about a large set is left while it is encoded, which takes more than 40
/// seconds without a limit. The delay behind its limit depends on the load of the machine, so that only a clock that
/// nobody reads fails this test.
#[test]
fn large_sets_are_left_while_they_are_encoded() {
    for relation in ["<=", "~"] {
        let mut text = String::from("<r0> ~ [3, 5]\n");
        for line in 1..100_000 {
            text += &format!("<r{line}> {relation} <r{}>\n", line - 1);
        }
        let phi = notation::parse(&text).expect("the notation").set;
        let asked = with_time(Duration::from_millis(300));
        let (answer, worked) = work(|| asked.sat(&phi));
        assert_eq!(answer, Satisfiability::Unknown(Reason::Time));
        assert!(worked < Duration::from_secs(15), "{relation}: {worked:?}");
    }
}

/// The oracle says whether a set of very many dimensions has a solution, and does not search for the first solution,
/// because Z3 would stay in one step of this search long after the limit.
#[test]
fn the_first_solution_of_a_very_large_set_is_too_much_to_ask() {
    let lines = (1..30_000).map(|line| format!("a{} <= a{line}\n", line - 1));
    let phi = notation::parse(&lines.collect::<String>())
        .expect("the notation")
        .set;
    let asked = Oracle::new(Order::Marked);
    assert_eq!(asked.model(&phi), Err(Reason::Size));
}
