//! The rules of §5: each fires as printed, and the printed examples.

use std::collections::BTreeSet;

use lozenge_axon_spec::{
    Constraints, End, Options, Outcome, RULES, Reading, Rule, Strategy, explore, run,
};
use lozenge_axon_vocabulary::{Equation, Set, Word};

fn set(text: &str) -> Set {
    text.parse().unwrap()
}

/// Applies a rule to the first constraint, and returns the set as text, `FAIL`, or nothing.
fn applied(name: &str, reading: Reading, text: &str) -> Option<String> {
    let mut set = set(text);
    let constraints = Constraints::of(&set);
    let rule = Rule::named(name).unwrap();
    Some(
        match (rule.apply)(&mut set.pool, reading, &constraints, 0)? {
            Outcome::Fail => "FAIL".to_string(),
            Outcome::Set(constraints) => {
                let shown = constraints
                    .0
                    .iter()
                    .map(|constraint| constraint.show(&set.pool).to_string());
                shown.collect::<Vec<String>>().join(", ")
            }
        },
    )
}

#[test]
fn every_rule_of_section_5_fires_as_printed_and_only_there() {
    // For each rule: a set whose first constraint it matches, what it makes of it, and a set that it does not match.
    let cases: &[(&str, &str, &str, &str)] = &[
        (
            "tautology",
            "s@[a] = s@[a]\nd = 3",
            "d = 3",
            "s@[a] = s@[b]",
        ),
        (
            "substitute",
            "s = [a]\nt = s@[b]@s",
            "s = [a], t = [a]@[b]@[a]",
            "s = [a]@s\nt = s",
        ),
        ("constants_differ", "3 = 4", "FAIL", "3 = 3"),
        ("constant_left", "3 = (+ a 1)", "(+ a 1) = 3", "(+ a 1) = 3"),
        ("constant_name", "3 = a", "a = 3", "3 = (+ a 1)"),
        ("ragged_left", "* = a", "a = *1", "a = *"),
        ("operator_left", "(+ b 1) = a", "a = (+ b 1)", "(+ b 1) = 3"),
        ("list_left", "[a] = s", "s = [a]", "[a] = s@t"),
        ("append_left", "[a]@t = s", "s = [a]@t", "[a]@t = s@s"),
        ("unpack", "[a,3] = [b,c]", "a = b, 3 = c", "[a,3] = [b]"),
        ("ranks_differ", "[a,3] = [b]", "FAIL", "[a,3] = [b,c]"),
        (
            "empty_right",
            "[a,b] = s@[c,d]@t",
            "[a,b] = [c,d], s = [], t = []",
            "[a,b] = s@[c]",
        ),
        (
            "empty_left",
            "s@[c,d]@t = [a,b]",
            "[a,b] = [c,d], s = [], t = []",
            "s@[c] = [a,b]",
        ),
        (
            "last_axes",
            "s@[a,b] = t@[c]",
            "s@[a] = t@[], b = c",
            "s@[a,b] = [b,c]",
        ),
        (
            "first_axes",
            "[a,b]@s = [c]@t",
            "[b]@s = []@t, a = c",
            "[a,b]@s = t@[c]",
        ),
        ("too_many_left", "s@[a,b] = [c]", "FAIL", "s@[a,b] = [c,d]"),
        ("too_many_right", "[c] = s@[a,b]", "FAIL", "[c,d] = s@[a,b]"),
        (
            "simplify",
            "d = (+ 1 (* b a))",
            "d = (+ (* a b) 1)",
            "d = (+ (* a b) 1)",
        ),
        ("times", "(* d 2) = 6", "d = 3", "(* d 2) = 7"),
        ("plus", "(+ d 2) = 6", "d = 4", "(+ d 6) = 6"),
        ("minus", "(- d 2) = 6", "d = 8", "(- 2 d) = 6"),
        (
            "partial_expression",
            "(/ a 2) = 3\n[(+ (/ a 2) 1)] = s",
            "(/ a 2) = 3, [(+ 3 1)] = s",
            "(/ a 2) = 3\n[a] = s",
        ),
    ];
    let named: BTreeSet<&str> = cases.iter().map(|case| case.0).collect();
    let all: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(named, all);
    assert_eq!(RULES.len(), 22);
    for (rule, matches, result, other) in cases {
        assert_eq!(
            applied(rule, Reading::Literal, matches).as_deref(),
            Some(*result),
            "{rule}"
        );
        assert_eq!(
            applied(rule, Reading::Literal, other),
            None,
            "{rule} at {other}"
        );
    }
}

#[test]
fn a_list_is_an_append_in_the_reading_unit() {
    let text = "s@[a,b] = [7,2,3]";
    assert_eq!(applied("last_axes", Reading::Literal, text), None);
    assert_eq!(
        applied("last_axes", Reading::Unit, text).as_deref(),
        Some("s@[a] = [7,2], b = 3")
    );
}

/// Returns the fixed point of the default order, sorted, and how the run ends.
fn end(text: &str, reading: Reading) -> (End, Vec<String>) {
    let mut set = set(text);
    let options = Options {
        reading,
        ..Options::default()
    };
    let run = run(&mut set, &options);
    let shown = run
        .constraints
        .0
        .iter()
        .map(|constraint| constraint.show(&set.pool).to_string());
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    (run.end, shown)
}

const SQUARE: &str = "s@[d1,d2] = [n,n]\ns@[d2,d3] = [n,n]\ns@[d1,d3] = r";

#[test]
fn the_square_product_of_section_6_1_ends_in_another_name_than_printed() {
    let (found, last) = end(SQUARE, Reading::Literal);
    assert_eq!(found, End::Solved);
    assert!(!last.contains(&"r = [n,n]".to_string()), "{last:?}");
    // No order of the printed rules reaches `r = [n,n]`; one of the reading `unit` does.
    let reaches = |reading| {
        let mut set = set(SQUARE);
        let result = explore(&mut set, reading, 30_000);
        assert!(!result.fails);
        let (n, r) = (
            set.pool.dim_var("n").unwrap(),
            set.pool.shape_var("r").unwrap(),
        );
        let n = set.pool.var(n);
        let wanted = Equation::Shapes(Word::name(r), Word::list([n, n]));
        let is_reached = result
            .fixed_points
            .iter()
            .flatten()
            .any(|constraint| constraint.to_equation().as_ref() == Some(&wanted));
        (is_reached, result.is_complete, result.fixed_points.len())
    };
    assert_eq!(reaches(Reading::Literal), (false, true, 3));
    assert!(reaches(Reading::Unit).0);
}

#[test]
fn the_convolution_of_section_6_2_gives_the_printed_values() {
    let text =
        "[n,c,h,w] = i\n[k,c,r,s] = [4,8,8,8]\n[n,c,(+ 1 (- h r)),(+ 1 (- w s))] = [4,8,1024,256]";
    let (found, last) = end(text, Reading::Literal);
    assert_eq!(found, End::Solved);
    assert_eq!(
        last,
        [
            "c = 8",
            "h = 1031",
            "i = [4,8,1031,263]",
            "k = 4",
            "n = 4",
            "r = 8",
            "s = 8",
            "w = 263"
        ]
    );
    let with_k = text.replace("[n,c,(+", "[n,k,(+");
    assert_eq!(
        end(&with_k, Reading::Literal).0,
        End::Fail("constants_differ")
    );
}

#[test]
fn the_printed_rules_stop_short_where_it_was_found_that_they_do() {
    for (text, expected) in [
        ("s = [3]@s", End::Stuck),
        ("d = (+ d 1)", End::Stuck),
        ("(* d 2) = 7", End::Stuck),
        ("(+ d 5) = 3", End::Stuck),
        ("(* d 2) = -4", End::Solved),
        ("(+ a b) = 5\n(- a b) = 1", End::Stuck),
        ("(- 5 d) = 2", End::Stuck),
        ("(/ d 2) = 3", End::Stuck),
        ("(+ (- h 8) 1) = (- h 7)", End::Stuck),
        ("(+ a (+ b c)) = 5\n(+ (+ a b) c) = 6", End::Stuck),
        ("s@t = []", End::Stuck),
        ("s@s = [1,2,3]", End::Stuck),
        ("[3]@s = s@[4]", End::Stuck),
        ("[3,4] = [x]@s@[y]", End::Stuck),
        ("p@b = [a]@b", End::Stuck),
        (
            "s@[d1,d2] = [7,2,3]\ns@[d2,d3] = [6,3,4]\ns@[d1,d3] = r",
            End::Stuck,
        ),
        ("x = [n]@x", End::Stuck),
    ] {
        assert_eq!(end(text, Reading::Literal).0, expected, "{text}");
    }
    let batch = "s@[d1,d2] = [7,2,3]\ns@[d2,d3] = [7,3,4]\ns@[d1,d3] = r";
    assert_eq!(end(batch, Reading::Literal).0, End::Stuck);
    let (found, last) = end(batch, Reading::Unit);
    assert_eq!(found, End::Solved);
    assert!(last.contains(&"r = [7,2,4]".to_string()), "{last:?}");
    assert_eq!(
        end(&batch.replace("[7,3,4]", "[6,3,4]"), Reading::Unit).0,
        End::Fail("constants_differ")
    );
}

#[test]
fn the_verdict_and_the_fixed_point_depend_on_the_order() {
    let of = |text: &str, reading| explore(&mut set(text), reading, 20_000);
    for reading in [Reading::Literal, Reading::Unit] {
        let result = of("t@[1] = s\n[3] = s@t\nt = s", reading);
        assert!(
            result.fails && !result.fixed_points.is_empty() && result.is_complete,
            "{reading:?}"
        );
    }
    assert_eq!(
        of("s = t\nt = s@[1]", Reading::Literal).fixed_points.len(),
        2
    );
    assert_eq!(
        of("s = [3]@t\ns = t@[4]", Reading::Literal)
            .fixed_points
            .len(),
        2
    );
    // An order may go on for ever.
    let swapped = of("3 = 4", Reading::Literal);
    assert!(swapped.has_cycle && swapped.fails);
    let options = |strategy| Options {
        strategy,
        ..Options::default()
    };
    assert_eq!(
        run(&mut set("3 = 4"), &options(Strategy::Reversed)).end,
        End::NoFixedPoint
    );
    assert_eq!(
        run(&mut set("3 = 4"), &options(Strategy::FailFirst)).end,
        End::Fail("constants_differ")
    );
}

#[test]
fn a_trace_names_each_rule() {
    let mut set = set(SQUARE);
    let options = Options {
        traced: true,
        ..Options::default()
    };
    let run = run(&mut set, &options);
    assert_eq!(run.steps.len(), run.rules.len());
    assert_eq!(run.steps[0].rule.name, run.rules[0]);
    assert!(
        run.steps
            .iter()
            .any(|step| step.rule.name == "empty_left" && step.constraint == "s@[d1,d2] = [n,n]")
    );
}
