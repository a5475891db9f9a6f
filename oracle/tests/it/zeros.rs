//! §8: variables that may be 0, by the oracle's own encoding.

use lozenge_oracle::{Entailment, ForcedValue, Oracle, Satisfiability, Soundness};
use lozenge_vocabulary::{ConstraintSet, Order, Verdict};

fn set(text: &str) -> ConstraintSet {
    text.parse().expect("in the notation")
}

fn verdict(text: &str) -> Verdict {
    Oracle::new(Order::Marked).sat(&set(text)).verdict()
}

#[test]
fn what_is_declared_a_summand_may_be_zero_and_nothing_else() {
    let cycle = "a = b ^ c\nb = a ^ d";
    assert_eq!(verdict(cycle), Verdict::Unsat);
    assert_eq!(verdict(&format!("{cycle}\nsummand c")), Verdict::Unsat);
    assert_eq!(verdict(&format!("{cycle}\nsummand c, d")), Verdict::Sat);
    // A whole, a factor, a tap, an axis of a row and what is bounded are never 0.
    for other in [
        "c = x ^ y",
        "n = c * 3",
        "i = o + c",
        "<r> ~ [c]",
        "c >= 1",
        "c <= 1_",
        "c = e",
    ] {
        let text = format!("{cycle}\n{other}\nsummand c, d");
        assert_eq!(verdict(&text), Verdict::Unsat, "{other}");
    }
    assert_eq!(
        verdict(&format!("{cycle}\nc <= d\nsummand c, d")),
        Verdict::Sat
    );
}

#[test]
fn zeros_are_forced_where_every_solution_has_them() {
    let forced = |text: &str| {
        let forced = Oracle::new(Order::Marked).forced(&set(text));
        let map = forced
            .expect("within the limits")
            .expect("a solution")
            .map();
        let zeros = map
            .into_iter()
            .filter(|(_, value)| *value == ForcedValue::Zero);
        zeros.map(|(var, _)| var).collect::<Vec<String>>()
    };
    assert_eq!(forced("a = b ^ c\nb = a ^ d\nsummand c, d"), ["c", "d"]);
    assert_eq!(forced("t = a ^ b ^ c\nt = 7\nsummand a, c"), [""; 0]);
    assert_eq!(
        forced("t = a ^ b ^ c\nt = 7\nb = 7\nsummand a, c"),
        ["a", "c"]
    );
}

#[test]
fn a_solution_with_zeros_is_checked_and_entailment_knows_them() {
    let oracle = Oracle::new(Order::Marked);
    let given = set("7_default = a ^ b\nsummand a");
    let Satisfiability::Sat(ground) = oracle.sat(&set("t = a ^ b\nt = 7\nb = 7\nsummand a")) else {
        panic!("there is a solution");
    };
    assert_eq!(ground.to_string(), "b = 7\nt = 7\na = 0\n");
    let mut claimed = ground.clone();
    claimed.dims.retain(|var, _| var.name() == "b");
    assert!(matches!(
        oracle.sound(&given, &claimed),
        Soundness::Sound(_)
    ));
    let undeclared = set("7_default = a ^ b");
    assert!(matches!(
        oracle.sound(&undeclared, &claimed),
        Soundness::Unsound(_)
    ));
    let bounded = "a <= 1_".parse().expect("a constraint");
    assert!(matches!(
        oracle.entails(&given, &bounded),
        Entailment::Fails(_)
    ));
}
