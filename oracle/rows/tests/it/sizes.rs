//! Windows and bounds of sizes, from the definition of satisfaction alone.

use lozenge_oracle::{Entailment, ForcedValue, Oracle, Satisfiability};
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_vocabulary::{Basis, Constraint, ConstraintSet, Dim, Order, Verdict};

fn set(text: &str) -> ConstraintSet {
    let text = text.replace("; ", "\n");
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn verdict(text: &str) -> Verdict {
    Oracle::new(Order::Marked).sat(&set(text)).verdict()
}

/// Returns the values that all solutions have in common, as `batch` prints them.
fn forced(text: &str) -> String {
    let forced = Oracle::new(Order::Marked)
        .forced(&set(text))
        .unwrap()
        .expect("a solution");
    assert!(forced.undetermined.is_empty(), "{text}");
    let shown = |(var, value): (String, ForcedValue)| match value {
        ForcedValue::Dim(dim) => format!("\"{var}\":\"{dim}\""),
        ForcedValue::Zero => format!("\"{var}\":\"0\""),
        ForcedValue::Rank(number) => format!("\"{var}\":{number}"),
        ForcedValue::Size(number) => format!("\"{var}\":{number}"),
    };
    let values: Vec<String> = forced.map().into_iter().map(shown).collect();
    format!("{{{}}}", values.join(","))
}

#[test]
fn windows_are_decided() {
    for text in [
        "i = 2*o + k; i = 8; k = 3",
        "i = 4*o + k; i = 2*p + q; k = 2; q = 1",
        "i = 2*o; i = 2*p + q; q = 1",
        "3 <= o; 4 <= o; i = o + k; i = 5",
        "i = 2*o; i = 1_",
        "i = o + k; i = 5; k = 3_px; o = 3_px",
        "a = b + k; b = a + l; k = 2",
        "a >= 4; a = 3",
        "[o] ~ <y>; [4] <= <y>; [5] <= <y>; i = 2*o",
    ] {
        assert_eq!(verdict(text), Verdict::Unsat, "{text}");
    }
    for text in [
        "i = 2*o + k",
        "i = o + k; i = 5; k = 3_px",
        "i = 2*o + k; k = 1; i <= y; 4 <= y",
        "a = b + k; b = a + l",
        "<x> ~ [8, i, 3]; i = 2*o + k; k = 3; <y> ~ [8, o, 3]; <z> <= <y>",
    ] {
        assert_eq!(verdict(text), Verdict::Sat, "{text}");
    }
}

#[test]
fn concatenations_and_products_are_decided() {
    for text in [
        "t = a ^ b; t = 5; a = 5",
        "t = a ^ b; a = 1_",
        "t = a ^ b; a = 2_px; b = 3",
        "a = b ^ c; b = a ^ d",
        "t = a ^ b; 3 <= a; 4 <= a",
        "n = a * b; n = 12; a = 5",
        "n = a * b; n = 1_",
        "n = a * a; n = 12",
        "n = a * b; t = a ^ b; n = 9; t = 7",
    ] {
        assert_eq!(verdict(text), Verdict::Unsat, "{text}");
    }
    for text in [
        "t = a ^ b; t = c ^ d; a = 2; b = 3; c = 1; d = 4",
        "n = a * b; n = 1; a = 1_; b = 1_",
        "n = a * b; n = 12_px; a = 4_rgb",
        "n = a * b; 3 <= a; 4 <= a",
    ] {
        assert_eq!(verdict(text), Verdict::Sat, "{text}");
    }
    assert_eq!(
        forced("n = a * b; n = 12; a = 4"),
        r#"{"a":"4","n":"12","size b":3}"#
    );
    assert_eq!(
        forced("t = a ^ b; u = b ^ a ^ a; t = 5_px; u = 7_px"),
        r#"{"a":"2_px","b":"3_px","t":"5_px","u":"7_px"}"#
    );
}

#[test]
fn what_is_forced_is_said_of_sizes_as_well() {
    assert_eq!(
        forced("i = 2*o + k; i = 7; k = 3"),
        r#"{"i":"7","k":"3","o":"3"}"#
    );
    assert_eq!(
        forced("3 <= o; i = o + k; i = 5"),
        r#"{"i":"5","o":"3","size k":3}"#
    );
    assert_eq!(forced("i = same(2*o + k); i = 7"), r#"{"i":"7","o":"4"}"#);
    // A basis that no constraint determines is not forced.
    assert_eq!(forced("i = o + k; k = 3"), r#"{"k":"3"}"#);
    assert_eq!(
        forced("a >= 3; a <= b; b = 5_px"),
        r#"{"a":"5_px","b":"5_px"}"#
    );
}

#[test]
fn models_are_the_first_ones_and_cores_are_minimal() {
    let oracle = Oracle::new(Order::Marked);
    let model = oracle
        .model(&set("i = 2*o + k; k >= 3; o >= 2"))
        .unwrap()
        .unwrap();
    assert_eq!(model.to_string(), "i = 5\nk = 3\no = 2\n");
    // A dimension that the set names goes before all others, the last one that it names too.
    let named = oracle.model(&set("b = 5; a >= 2")).unwrap().unwrap();
    assert_eq!(named.to_string(), "a = 5\nb = 5\n");
    let core = oracle
        .core(&set("j = 7; i = 2*o + k; i = 8; k = 3"))
        .unwrap()
        .unwrap();
    assert_eq!(core.constraints, [1, 2, 3]);
    let goal: Constraint = "i >= 5".parse().unwrap();
    let premises = set("i = 2*o + k; k = 3; o >= 2");
    assert_eq!(oracle.entails(&premises, &goal), Entailment::Holds);
    let goal: Constraint = "i = 5".parse().unwrap();
    assert!(matches!(
        oracle.entails(&premises, &goal),
        Entailment::Fails(_)
    ));
    let goal: Constraint = "i = 2*o + 1*3".parse().unwrap();
    assert_eq!(oracle.entails(&premises, &goal), Entailment::Holds);
    let goal: Constraint = "i = 2*o + 1*2".parse().unwrap();
    assert!(matches!(
        oracle.entails(&premises, &goal),
        Entailment::Fails(_)
    ));
}

/// A solution whose sizes are not numbers of 64 bits cannot be shown.
#[test]
fn sizes_beyond_64_bits_are_the_reason_of_no_answer() {
    let half = 1_u64 << 63;
    for (text, is_shown) in [
        (format!("a = {half}; t = a ^ b"), true),
        (format!("a = {half}; t = a ^ a"), false),
        (format!("a = {half}; t = a ^ a; b = 3"), false),
    ] {
        match Oracle::new(Order::Marked).sat(&set(&text)) {
            Satisfiability::Sat(_) => assert!(is_shown, "{text}"),
            Satisfiability::Unknown(reason) => {
                assert!(!is_shown, "{text}");
                assert_eq!(reason.to_string(), "a size beyond 64 bits", "{text}");
            }
            Satisfiability::Unsat => panic!("{text}"),
        }
    }
}

/// Every window of a small scope with constants has a solution exactly if some sizes of the scope, or larger ones,
/// satisfy it.
#[test]
fn single_windows_agree_with_enumeration() {
    let oracle = Oracle::new(Order::Marked);
    let bases = [Basis::Default, Basis::named("px")];
    let atoms = (1..=12).flat_map(|size| {
        bases
            .iter()
            .filter_map(move |basis| Dim::based(size, basis.clone()))
    });
    let universe = Universe {
        dims: std::iter::once(Dim::Unit).chain(atoms).collect(),
        rank: 0,
    };
    let (mut sat, mut unsat) = (0, 0);
    let modes = [
        ("", ""),
        ("pad", ", 1"),
        ("pad", ", 0, 2"),
        ("floor", ""),
        ("floor", ", 1"),
        ("floor", ", 0, 2"),
        ("ceil", ""),
        ("ceil", ", 1"),
        ("ceil", ", 0, 2"),
        ("same", ""),
        ("same_lower", ""),
    ];
    let axes = [
        ("5", "o", "3"),
        ("6_px", "o", "k"),
        ("i", "2", "2_px"),
        ("i", "1_", "k"),
        ("4", "2", "k"),
    ];
    let numbers = || (1..=3).flat_map(|stride| (1..=2).map(move |dilation| (stride, dilation)));
    for ((mode, margins), (stride, dilation)) in modes
        .into_iter()
        .flat_map(|mode| numbers().map(move |numbers| (mode, numbers)))
    {
        for (axis, over, tap) in axes {
            let sum = format!("{stride}*{over} + {dilation}*{tap}");
            let window = match mode {
                "" => format!("{axis} = {sum}"),
                mode => format!("{axis} = {mode}({sum}{margins})"),
            };
            let set = set(&window);
            let found = Solutions::new(&set, &universe, Order::Marked).next();
            let said = oracle.sat(&set);
            match &said {
                Satisfiability::Sat(_) => sat += 1,
                Satisfiability::Unsat => unsat += 1,
                Satisfiability::Unknown(reason) => panic!("{window}: {reason}"),
            }
            let is_sat = said.verdict() == Verdict::Sat;
            assert_eq!(is_sat, found.is_some(), "{window}: {found:?}");
        }
    }
    assert!(sat > 100 && unsat > 50, "{sat} {unsat}");
}
