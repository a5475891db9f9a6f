//! The number of checks of Z3 that an answer takes.

use std::rc::Rc;

use super::set;
use crate::smt::Smt;
use crate::{Oracle, Satisfiability, smt};

fn oracle() -> Oracle {
    Oracle::default()
}

/// Counts the checks of Z3 for a question, which is asked in a new thread.
pub(super) fn checks(ask: impl FnOnce() + Send) -> u32 {
    checks_of(smt::of_this_thread, ask)
}

/// Does the same for one of the thread's solvers.
fn checks_of(solver: fn() -> Rc<Smt>, ask: impl FnOnce() + Send) -> u32 {
    let count = || {
        ask();
        solver().checks()
    };
    std::thread::scope(|s| s.spawn(count).join()).expect("no panic")
}

/// The least size of an atom that no constraint names is found by halving.
#[test]
fn few_questions_find_the_least_size() {
    let phi = set("a >= 1000\na <= b");
    let asked = checks_of(smt::with_sizes, || {
        let model = oracle().model(&phi).expect("in time").expect("a solution");
        assert_eq!(model.to_string(), "a = 1000\nb = 1_\n");
    });
    assert!(asked <= 40, "{asked}");
}

#[test]
fn counting_does_not_look_for_the_order() {
    let phi = set("<r> ~ [a, b, c]\n3 <= a\n3 <= b\n3 <= c");
    let counted = checks(|| assert_eq!(oracle().count(&phi, 20).found.len(), 20));
    let listed = checks(|| assert_eq!(oracle().enumerate(&phi, 20).found.len(), 20));
    assert_eq!(counted, 20);
    assert!(listed > counted, "{listed}");
}

#[test]
fn what_no_length_can_mend_is_refuted_by_one_question() {
    assert_eq!(
        checks(|| assert_eq!(oracle().sat(&set("3 = 4")), Satisfiability::Unsat)),
        1
    );
    let rows = "[3 <r>] <= [4 <s>]";
    assert_eq!(
        checks(|| assert_eq!(oracle().sat(&set(rows)), Satisfiability::Unsat)),
        1
    );
}
