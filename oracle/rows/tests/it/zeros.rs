//! §8: variables that may be 0, by the oracle's own encoding.

use lozenge_oracle::{Entailment, ForcedValue, Oracle, Satisfiability, Soundness};
use lozenge_vocabulary::{ConstraintSet, DimVar, Ground, Order, Substitution, Verdict};

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

/// A question about all solutions at once is not decided where variables may be 0.
#[test]
fn comparisons_of_solutions_are_refused_where_variables_may_be_zero() {
    let oracle = Oracle::new(Order::Marked);
    let (zeros, plain) = (set("t = a ^ b\nsummand a"), set("t = a ^ b"));
    let is_refused = |answer: &Entailment| match answer {
        Entailment::Unknown(reason) => reason.to_string().contains("variables may be 0"),
        _ => false,
    };
    for (one, other) in [(&zeros, &plain), (&plain, &zeros)] {
        let answer = oracle.equivalent(one, other);
        assert!(is_refused(&answer.forward), "{answer:?}");
        assert!(is_refused(&answer.backward), "{answer:?}");
    }
    let answer = oracle.most_general(&zeros, &Substitution::default(), &zeros.constraints);
    assert!(is_refused(&answer.sound), "{answer:?}");
    assert!(is_refused(&answer.general), "{answer:?}");
    assert_eq!(answer.violated, None);
    let Satisfiability::Sat(solution) = oracle.sat(&zeros) else {
        panic!("there is a solution");
    };
    let answer = oracle.greatest(&zeros, &solution);
    assert!(matches!(answer.solution, Soundness::Sound(_)));
    assert!(is_refused(&answer.marked), "{answer:?}");
    assert!(is_refused(&answer.content), "{answer:?}");
}

/// A claim that a variable is 0 is refused where the set does not allow it.
#[test]
fn a_claim_that_a_variable_is_zero_is_checked() {
    let oracle = Oracle::new(Order::Marked);
    let claimed = Ground {
        zeros: [DimVar::new("a")].into(),
        ..Ground::default()
    };
    let open = "t = a ^ b\nt = 7";
    let sound = |more: &str| oracle.sound(&set(&format!("{open}{more}")), &claimed);
    match sound("\nsummand a") {
        Soundness::Sound(full) => assert_eq!(full.to_string(), "b = 7\nt = 7\na = 0\n"),
        other => panic!("{other:?}"),
    }
    assert_eq!(sound("\nb = 5\nsummand a"), Soundness::Unsound(None));
    assert_eq!(sound("\nsummand b"), Soundness::Unsound(None));
}

#[test]
fn a_core_of_a_set_with_zeros_is_minimal() {
    let text = "e = 3\na = b ^ c\nb = a ^ d\nd >= 1\nsummand c, d";
    let core = Oracle::new(Order::Marked).core(&set(text));
    let core = core.expect("within the limits").expect("no solution");
    assert_eq!((core.constraints, core.doubt), (vec![1, 2, 3], None));
}
