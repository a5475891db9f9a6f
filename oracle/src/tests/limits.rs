//! Time, size, window and interrupts.

use std::thread;
use std::time::{Duration, Instant};

use lozenge_spec::{ConstraintSet, Order};

use super::random::{Size, random_set};
use super::set;
use crate::{Interrupt, Limits, Oracle, Reason, Satisfiability};

/// `n + 1` dimensions of `n` letters that differ pairwise: there is no solution, and no short proof.
///
/// `[w <q>] ~ [<q> x, y, …]` makes `x, y` neighbours in the cyclic word `w`; in this word any two different letters are neighbours once.
fn pigeons(n: usize) -> ConstraintSet {
    let pairs = (0..n).flat_map(|i| (i + 1..n).flat_map(move |j| [i, j]));
    let word: Vec<String> = pairs.map(|letter| (letter + 2).to_string()).collect();
    let mut text = String::new();
    for i in 0..=n {
        for j in 0..i {
            let rest: Vec<String> = (2..word.len()).map(|k| format!("u{i}_{j}_{k}")).collect();
            let (word, rest) = (word.join(", "), rest.join(", "));
            text += &format!("[{word} <q{i}_{j}>] ~ [<q{i}_{j}> x{i}, x{j}, {rest}]\n");
        }
    }
    set(&text)
}

fn oracle(limits: Limits) -> Oracle {
    Oracle::new(Order::Marked).with_limits(limits)
}

/// How long the oracle takes to give up after `limit`; the least of some attempts, for the machine may be busy with other things.
fn time_to_give_up(limit: Duration) -> Duration {
    let limits = Limits {
        time: limit,
        comparisons: usize::MAX,
        ..Limits::default()
    };
    let set = pigeons(6);
    let attempts = (0..5).map(|_| {
        let start = Instant::now();
        let answer = oracle(limits.clone()).sat(&set);
        assert_eq!(answer, Satisfiability::Unknown(Reason::Time));
        start.elapsed()
    });
    let kept = limit.mul_f64(1.2);
    attempts
        .scan(Duration::MAX, |best, spent| {
            let done = *best <= kept;
            *best = spent.min(*best);
            (!done).then_some(*best)
        })
        .last()
        .expect("one attempt at least")
}

#[test]
fn time_limits_are_kept_to_a_fifth() {
    for limit in [100, 300, 1000].map(Duration::from_millis) {
        let spent = time_to_give_up(limit);
        println!("limit {limit:?}, spent {spent:?}");
        assert!(spent >= limit.mul_f64(0.8), "{spent:?}");
        assert!(spent <= limit.mul_f64(1.2), "{spent:?}");
    }
}

#[test]
fn an_interrupt_ends_a_question_and_all_later_ones() {
    let interrupt = Interrupt::of_this_thread();
    let mut asked = oracle(Limits {
        time: Duration::from_secs(60),
        comparisons: usize::MAX,
        ..Limits::default()
    });
    asked.interrupt = Some(interrupt.clone());
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            interrupt.trip();
        });
        assert_eq!(
            asked.sat(&pigeons(6)),
            Satisfiability::Unknown(Reason::Interrupted)
        );
    });
    println!("interrupted after {:?}", start.elapsed());
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(
        asked.sat(&set("a = 3")),
        Satisfiability::Unknown(Reason::Interrupted)
    );
    // Another oracle in the same thread is not concerned, and the solver is still in order.
    assert!(matches!(
        Oracle::default().sat(&set("a = 3")),
        Satisfiability::Sat(_)
    ));
}

#[test]
fn large_sets_are_refused_by_size() {
    let axes = vec!["3"; 2000].join(", ");
    let text = format!("[{axes} <r>] ~ [<r> {axes}]\n[{axes} <r>] <= [<s> {axes}]");
    let start = Instant::now();
    assert_eq!(
        Oracle::default().sat(&set(&text)),
        Satisfiability::Unknown(Reason::Size)
    );
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn narrow_windows_are_unknown_and_not_unsat() {
    // The letters around the marker contradict each other, which no window shows.
    let answer = Oracle::new(Order::OneShot).sat(&set("[1_, 1_ <r>] <= [<r> 5]"));
    assert!(
        matches!(answer, Satisfiability::Unknown(Reason::Window(_))),
        "{answer:?}"
    );
}

#[test]
fn threads_answer_alike() {
    let ask = || -> Vec<String> {
        let sets = (0..60).map(|seed| random_set(seed, Size::SMALL));
        sets.map(|set| {
            let oracle = Oracle::default();
            let answers = (oracle.model(&set), oracle.core(&set), oracle.forced(&set));
            format!("{answers:?}")
        })
        .collect()
    };
    let here = ask();
    let there: Vec<Vec<String>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(ask)).collect();
        threads
            .into_iter()
            .map(|t| t.join().expect("no panic"))
            .collect()
    });
    assert!(there.iter().all(|answers| *answers == here));
}
