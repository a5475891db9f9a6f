//! The memory limit, tested in a separate process because Z3 has one limit for the whole process.

use std::time::Duration;

use lozenge_oracle::{Limits, Oracle, Reason, Satisfiability};
use lozenge_vocabulary::{Order, notation};

#[test]
fn the_memory_limit_ends_a_question() {
    let axes: Vec<String> = (0..50).map(|k| format!("a{k}")).collect();
    let axes = axes.join(", ");
    let text = format!("[{axes} <r>] ~ [<s> {axes}]\n[{axes} <s>] ~ [<r> {axes}]\n");
    let set = notation::parse(&text).expect("the notation").set;
    let limits = Limits {
        time: Duration::from_secs(60),
        memory: 40,
        window: 1000,
        comparisons: usize::MAX,
        ..Limits::default()
    };
    let answer = Oracle::new(Order::Marked).with_limits(limits).sat(&set);
    assert_eq!(answer, Satisfiability::Unknown(Reason::Memory));
    // The memory was freed: the next question is answered.
    let small = notation::parse("<r> <= [2 <s>]").expect("the notation").set;
    let answer = Oracle::default().sat(&small);
    assert!(matches!(answer, Satisfiability::Sat(_)), "{answer:?}");
}
