//! Open rows among the factors of a product, above rows of which the axes are known.

use lozenge_spec::strategy::Strategy;
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{ConstraintSet, Order, Verdict};

fn set(text: &str) -> ConstraintSet {
    text.replace("; ", "\n").parse().expect("the notation")
}

/// Returns the verdict, which must not depend on the order of processing; a solution is checked.
fn verdict(text: &str) -> Verdict {
    let set = set(text);
    let strategies = [
        Strategy::First,
        Strategy::Last,
        Strategy::Random(3),
        Strategy::Adversarial,
    ];
    let verdicts = strategies.map(|strategy| {
        let options = Options {
            strategy,
            ..Options::default()
        };
        let run = solve(&set, &options);
        if let Some(ground) = run.greatest() {
            let violated = ground.first_violated(&set.constraints, Order::Marked);
            assert_eq!(violated, None, "{text}\n{ground}");
        }
        run.verdict()
    });
    assert!(
        verdicts.iter().all(|verdict| *verdict == verdicts[0]),
        "{text}: {verdicts:?}"
    );
    verdicts[0]
}

/// Whatever the number of its axes: each is the axis below it or the unit.
#[test]
fn a_row_counts_a_divisor_of_what_a_row_below_it_counts() {
    for (text, expected) in [
        ("n = |<r>|; n = 12; [5] <= <r>", Verdict::Unsat),
        ("n = |<r>|; [5] <= <r>; n = 12", Verdict::Unsat),
        ("12 = |<r>|; [x] <= <r>; x = 5", Verdict::Unsat),
        ("12 = |<r>|; [5] <= <s>; <s> <= <r>", Verdict::Unsat),
        ("12 = |<r>|; [<s> 3] <= <r>; [5] <= <s>", Verdict::Unsat),
        ("12 = |[<r> 4]|; [5, 4] <= [<r> 4]", Verdict::Unsat),
        ("12 = 4_default * |<r>|; [5, 2] <= <r>", Verdict::Unsat),
        ("1 = |<r>|; [5] <= <r>", Verdict::Sat),
        // <r> is [5], which has more axes than are known of it.
        ("5 = |<r>|; [5] <= <r>", Verdict::Unknown),
        ("12 = 4_default * |<r>|; [5, 3] <= <r>", Verdict::Unknown),
        // 12 divides 36, and neither 1, 4, 9 nor 36 is 12: Z3 refutes it.
        ("12 = |<r>|; [4, 9] <= <r>", Verdict::Unknown),
    ] {
        assert_eq!(verdict(text), expected, "{text}");
    }
}
