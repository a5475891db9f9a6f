//! §8: products with rows among their factors, by the oracle's own encoding.

use lozenge_oracle::Oracle;
use lozenge_vocabulary::{DimVar, Order, Verdict};

fn verdict(text: &str) -> Verdict {
    let set = text.replace("; ", "\n").parse();
    let oracle = Oracle::new(Order::Marked);
    oracle.sat(&set.expect("in the notation")).verdict()
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
