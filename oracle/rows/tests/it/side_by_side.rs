//! §8: rows side by side that have exactly some axes, `<r> ++ <s> ~ [3, 5]`.

use lozenge_oracle::{Oracle, Reason, Satisfiability};
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_vocabulary::{ConstraintSet, Order, Verdict};

fn set(text: &str) -> ConstraintSet {
    text.replace("; ", "\n").parse().expect("in the notation")
}

/// Returns the oracle's verdict; a solution is checked, and so are the axes that the rows have together.
fn verdict(text: &str) -> Verdict {
    let set = set(text);
    match Oracle::new(Order::Marked).sat(&set) {
        Satisfiability::Sat(ground) => {
            let violated = ground.first_violated(&set.constraints, Order::Marked);
            assert_eq!(violated, None, "{text}\n{ground}");
            Verdict::Sat
        }
        other => other.verdict(),
    }
}

#[test]
fn the_rows_have_these_axes_together_in_order() {
    assert_eq!(verdict("<r> ++ <s> ~ [3, 5]"), Verdict::Sat);
    assert_eq!(
        verdict("<r> ++ <s> ~ [3, 5]; <r> ~ [3]; <s> ~ [5]"),
        Verdict::Sat
    );
    assert_eq!(verdict("<r> ++ <s> ~ [3, 5]; <r> ~ [5]"), Verdict::Unsat);
    assert_eq!(
        verdict("<r> ++ <s> ~ [3, 5]; <r> ~ [3]; <s> ~ [a]; a = 6"),
        Verdict::Unsat
    );
    assert_eq!(verdict("<r> ++ <r> ~ [3, 5]"), Verdict::Unsat);
    assert_eq!(verdict("<r> ++ <r> ~ [3, a]; a <= 3"), Verdict::Sat);
    assert_eq!(
        verdict("<r> ++ [4 <s>] ++ <t> ~ [3, a, 5]; a <= 4; <r> ~ [x]"),
        Verdict::Sat
    );
    assert_eq!(verdict("<r> ++ <s> ~ []; <r> <= [2 <t>]"), Verdict::Unsat);
    // Sizes are decided with them.
    assert_eq!(
        verdict("<r> ++ <s> ~ [3, 5]; n = |<r>|; n = 15"),
        Verdict::Sat
    );
    assert_eq!(
        verdict("<r> ++ <s> ~ [3, 5]; n = |<r>|; n = 5"),
        Verdict::Unsat
    );
}

/// Against enumeration of all small values.
#[test]
fn enumeration_agrees() {
    for text in [
        "<r> ++ <s> ~ [2, 1_]",
        "<r> ++ <s> ~ [2, 3]; <s> <= <r>",
        "<r> ++ <s> ~ [2, 3]; <r> <= <s>; <s> <= [a]",
        "<r> ++ <s> ~ [2, 2]; <r> ~ <s>",
        "<r> ++ <s> ~ [2, 3]; <r> ~ <s>",
        "[2 <r>] ++ <s> ~ [a, 3]; a <= 1_; <s> ~ [<r> 3]",
        "<r> ++ [a] ++ <s> ~ [2, 3]; a = 3; <s> ~ [2]",
    ] {
        let set = set(text);
        let universe = Universe::of(&["1_", "2", "3"], 3);
        let has_solution = Solutions::new(&set, &universe, Order::Marked)
            .next()
            .is_some();
        let expected = if has_solution {
            Verdict::Sat
        } else {
            Verdict::Unsat
        };
        assert_eq!(verdict(text), expected, "{text}");
    }
}

#[test]
fn a_core_is_subset_minimal() {
    let set = set("a = 3; <r> ++ <s> ~ [3, 5]; <t> ~ [7]; <r> ~ [5]");
    let core = Oracle::new(Order::Marked).core(&set).expect("an answer");
    let core = core.expect("it has no solution");
    assert_eq!((core.constraints, core.doubt), (vec![1, 3], None));
}

#[test]
fn other_questions_are_refused_by_name() {
    let forced = Oracle::new(Order::Marked).forced(&set("<r> ++ <s> ~ [3, 5]"));
    assert!(matches!(forced, Err(Reason::Form(_))), "{forced:?}");
}
