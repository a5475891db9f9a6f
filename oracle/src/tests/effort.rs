//! How many checks of Z3 an answer takes.

use super::set;
use crate::{Oracle, Satisfiability, smt};

fn oracle() -> Oracle {
    Oracle::default()
}

/// How many checks Z3 makes for a question, which is asked in a new thread.
pub(super) fn checks(ask: impl FnOnce() + Send) -> u32 {
    let count = || {
        ask();
        smt::of_this_thread().checks()
    };
    std::thread::scope(|s| s.spawn(count).join()).expect("no panic")
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
