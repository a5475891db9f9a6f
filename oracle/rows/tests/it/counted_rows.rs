//! §8: products with rows among their factors, by the oracle's own encoding.

use std::time::Duration;

use lozenge_oracle::{Limits, Oracle, Satisfiability};
use lozenge_vocabulary::{ConstraintSet, DimVar, Order, Verdict};

fn set(text: &str) -> ConstraintSet {
    let text = text.replace("; ", "\n");
    text.parse().expect("in the notation")
}

fn verdict(text: &str) -> Verdict {
    Oracle::new(Order::Marked).sat(&set(text)).verdict()
}

/// A11.
#[test]
fn a_row_counts_all_its_axes() {
    let set = "n = |<r>|\n<r> ~ [2, 3, 4]".parse().expect("a set");
    let forced = Oracle::new(Order::Marked).forced(&set).expect("an answer");
    let forced = forced.expect("a solution");
    let n = DimVar::new("n");
    let dim = forced.dims.get(&n).map(lozenge_vocabulary::Dim::size);
    assert_eq!(dim.or(forced.sizes.get(&n).copied()), Some(24));
    assert_eq!(verdict("n = |<r>|; <r> ~ [2, 3]; n = 6"), Verdict::Sat);
    for other in [1, 2, 3, 4, 5, 12, 36] {
        let text = format!("n = |<r>|; <r> ~ [2, 3]; n = {other}");
        assert_eq!(verdict(&text), Verdict::Unsat, "{text}");
    }
    assert_eq!(verdict("n = |[]|; n = 1"), Verdict::Sat);
    assert_eq!(verdict("n = |[]|; n = 2"), Verdict::Unsat);
}

/// The axes in front of the marker and behind it count alike.
#[test]
fn a_bounded_row_counts_both_flanks() {
    let wide = "<r> <= [2 <s> 3]; <s> ~ []; [2 <t> 3] <= <r>; <t> ~ []; n = |<r>|";
    assert_eq!(verdict(&format!("{wide}; n = 6")), Verdict::Sat);
    assert_eq!(verdict(&format!("{wide}; n = 5")), Verdict::Unsat);
}

#[test]
fn an_open_row_has_the_axes_that_a_product_needs() {
    assert_eq!(verdict("n = |<r>|; n = 24"), Verdict::Sat);
    assert_eq!(verdict("n = |[5 <r>]|; n = 24"), Verdict::Unsat);
    assert_eq!(
        verdict("n = |<r>|; m = |<r>|; n = 2; m = 3"),
        Verdict::Unsat
    );
    assert_eq!(verdict("1_ = |<r>|"), Verdict::Unsat);
}

/// The axes that the window shows count whatever lies beyond it.
#[test]
fn a_row_of_any_length_counts_a_multiple_of_the_axes_that_are_known() {
    for number in 1..=24 {
        let expected = match number % 5 {
            0 => Verdict::Sat,
            _ => Verdict::Unsat,
        };
        let text = format!("n = |<r>|; n = {number}; <r> <= [5]");
        assert_eq!(verdict(&text), expected, "{text}");
    }
    assert_eq!(
        verdict("n = |<r>|; n = 12; <r> <= [2 <s> 5]"),
        Verdict::Unsat
    );
    assert_eq!(verdict("n = |<r>|; n = 30; <r> <= [2 <s> 5]"), Verdict::Sat);
    assert_eq!(verdict("n = a * |<r>|; n = 12; <r> <= [5]"), Verdict::Unsat);
    assert_eq!(verdict("n = |<r>|; n = 12; [5] <= <r>"), Verdict::Unsat);
}

/// Z3 may look for ever for sizes that nothing bounds, and no limit on time is to blame.
#[test]
fn products_of_unbounded_sizes_are_given_as_the_reason() {
    let limits = Limits {
        time: Duration::from_millis(500),
        ..Limits::default()
    };
    let oracle = Oracle::new(Order::Marked).with_limits(limits);
    let reason = |text: &str| match oracle.sat(&set(text)) {
        Satisfiability::Unknown(reason) => reason.to_string(),
        other => panic!("{text}: {other:?}"),
    };
    let squares = "s = x * x; t = s ^ 1; t = y * 3";
    assert_eq!(reason(squares), "a product of unbounded sizes");
    let bounded = oracle.sat(&set(&format!("{squares}; t = 28")));
    assert_eq!(bounded.verdict(), Verdict::Unsat);
}
