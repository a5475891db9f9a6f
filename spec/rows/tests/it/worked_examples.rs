//! The worked examples of the formal core's §§2 to 6, by their numbers.

use lozenge_spec::{Options, Run, Strategy, solve};
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_vocabulary::{ConstraintSet, Dim, Ground, Order, Rule, Verdict};

const STRATEGIES: [Strategy; 6] = [
    Strategy::First,
    Strategy::Last,
    Strategy::Random(1),
    Strategy::Random(2),
    Strategy::Random(3),
    Strategy::Adversarial,
];

fn set(text: &str) -> ConstraintSet {
    text.parse().unwrap()
}

fn run(text: &str, close: bool) -> Vec<Run> {
    let set = set(text);
    STRATEGIES
        .iter()
        .map(|s| {
            solve(
                &set,
                &Options {
                    strategy: *s,
                    close,
                    ..Options::default()
                },
            )
        })
        .collect()
}

fn all_are(text: &str, verdict: Verdict) {
    for run in run(text, false) {
        assert_eq!(run.verdict(), verdict, "{text}: {:?}", run.failure());
    }
}

fn fired(run: &Run, rule: Rule) -> bool {
    run.config
        .trace
        .iter()
        .flatten()
        .any(|step| step.rule == rule)
}

fn value(gamma: &Ground, var: &str) -> String {
    let text = gamma.to_string();
    let line = text
        .lines()
        .find(|l| l.starts_with(&format!("{var} ")))
        .unwrap_or_else(|| panic!("{var} in {text}"));
    line.split([' ', '=', '~'])
        .skip(1)
        .collect::<Vec<_>>()
        .join(" ")
        .trim()
        .to_string()
}

/// Returns the text with its constraint lines in every order.
fn orders(text: &str) -> Vec<String> {
    let (constraints, rest): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|l| l.contains(['=', '~']));
    let mut orders = vec![Vec::new()];
    for constraint in constraints {
        orders = orders
            .iter()
            .flat_map(|o: &Vec<&str>| {
                (0..=o.len()).map(move |at| {
                    let mut o = o.clone();
                    o.insert(at, constraint);
                    o
                })
            })
            .collect();
    }
    orders
        .into_iter()
        .map(|o| [o, rest.clone()].concat().join("\n"))
        .collect()
}

#[test]
fn example_3_5_no_least_model() {
    for run in run("3 <= a", false) {
        assert_eq!(run.verdict(), Verdict::Sat);
        assert!(run.config.bindings.dims.is_empty(), "nothing is forced");
        assert_eq!(
            run.config.bounds.constraints().count(),
            1,
            "a cap is residual"
        );
    }
    let universe = Universe {
        dims: vec![Dim::Unit, Dim::new(3).unwrap(), Dim::new(5).unwrap()],
        rank: 0,
    };
    let set = set("3 <= a");
    let values: Vec<String> = Solutions::new(&set, &universe, Order::Marked)
        .map(|g| value(&g, "a"))
        .collect();
    assert_eq!(
        values,
        ["1_", "3"],
        "two models, neither an instance of the other"
    );
}

#[test]
fn example_4_5a_a_growing_cycle_fails() {
    for run in run("<r> <= [2 <s>]\n<s> <= [3 <r>]", false) {
        assert_eq!(run.verdict(), Verdict::Unsat);
        assert_eq!(run.failure().unwrap().rule, Rule::RankCycle);
    }
    all_are("<r> <= [7 <r>]", Verdict::Unsat);
}

#[test]
fn remark_4_5b_the_three_variable_cycle_fails_in_every_order() {
    for text in orders("<r> <= [<s> 2]\n<s> <= [<t> 3]\n<t> <= [<r> 5]") {
        for run in run(&text, false) {
            assert_eq!(run.verdict(), Verdict::Unsat);
            assert_eq!(run.failure().unwrap().rule, Rule::RankCycle, "{text}");
            assert_eq!(
                run.failure().unwrap().inputs,
                [0, 1, 2],
                "every fact around the cycle is named"
            );
        }
    }
}

#[test]
fn remark_4_5b_the_leading_and_the_two_variable_cycles() {
    all_are(
        "<r> <= [2 <s>]\n<s> <= [3 <t>]\n<t> <= [5 <r>]",
        Verdict::Unsat,
    );
    all_are(
        "<r> <= [2 <s>]\n<s> <= [<r> 3]\n<r> <= <s>\n<s> <= <r>",
        Verdict::Unsat,
    );
    // The zero-weight cycle is legal.
    all_are("<r> <= <s>\n<s> <= <r>", Verdict::Sat);
}

#[test]
fn remark_2_11_the_inherited_placement_is_refused_by_policy() {
    let text = "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>";
    let run = &run(text, false)[0];
    assert_eq!(run.verdict(), Verdict::Rejected);
    let failure = run.failure().unwrap();
    assert_eq!(failure.commitments.len(), 1);
    assert_eq!(failure.commitments[0].rule, Rule::ReOpenClosed);
    assert_eq!(failure.inputs, [0, 1]);
    // … and yet there is a solution.
    let set = set(text);
    let gamma: Ground = serde_json::from_str(r#"{"<r>": "[3 <> 5]"}"#).unwrap();
    assert_eq!(gamma.first_violated(&set.constraints, Order::Marked), None);
}

#[test]
fn remark_6_3_closing_agrees_in_every_order() {
    let text = "3 <= a\na <= b\n5 <= b\nleaf a, b";
    for text in orders(text) {
        for run in run(&text, true) {
            let gamma = run
                .greatest()
                .unwrap_or_else(|| panic!("{text}: {}", run.failure().unwrap()));
            assert_eq!(
                (value(&gamma, "a"), value(&gamma, "b")),
                ("3".into(), "1_".into()),
                "{text}"
            );
        }
    }
    // Once α and β are named the other way round, too.
    for run in run("3 <= b\nb <= a\n5 <= a\nleaf a, b", true) {
        assert_eq!(value(&run.greatest().unwrap(), "a"), "1_");
    }
}

/// Caps travel while solving: what is below α is below β, before anything is closed.
#[test]
fn remark_6_3_solving_alone_collapses_the_caps_in_every_order() {
    for text in orders("3 <= a\na <= b\n5 <= b\nleaf a, b") {
        for run in run(&text, false) {
            let bound: Vec<String> = run
                .config
                .bindings
                .dims
                .iter()
                .map(|(var, term)| format!("{var} = {term}"))
                .collect();
            assert_eq!(bound, ["b = 1_"], "{text}");
        }
    }
}

#[test]
fn remark_6_6_closing_chooses_between_two_solutions() {
    let closed = &run("3 <= a\nleaf a", true)[0];
    assert_eq!(value(&closed.greatest().unwrap(), "a"), "3");
    let solved = &run("3 <= a\nleaf a", false)[0];
    assert_eq!(value(&solved.greatest().unwrap(), "a"), "1_");
}

#[test]
fn definition_6_1_a_parameter_with_a_hole_is_an_error() {
    for text in [
        "param a",
        "a <= b\nparam a",
        "[a] <= <r>\nparam <r>",
        "<r> <= <s>\nparam <r>\nleaf <s>",
    ] {
        for run in run(text, true) {
            assert_eq!(run.verdict(), Verdict::Rejected, "{text}");
            assert_eq!(run.failure().unwrap().rule, Rule::CloseLeaf, "{text}");
        }
    }
    for text in [
        "3 <= a\nparam a",
        "[3] <= <r>\nparam <r>",
        "<r> <= [3]\nparam <r>",
        "leaf a",
        "[a] <= <r>\nleaf <r>",
    ] {
        for run in run(text, true) {
            assert_eq!(run.verdict(), Verdict::Sat, "{text}: {:?}", run.failure());
        }
    }
}

#[test]
fn definition_6_1_a_leaf_row_is_the_join_of_its_caps() {
    for run in run(
        "[3, 5] <= <r>\n[7, 5] <= <r>\n[9, 3, 5] <= <s>\n<r> <= <s>\nleaf <r>, <s>",
        true,
    ) {
        let gamma = run.greatest().unwrap();
        assert_eq!(
            (value(&gamma, "<r>"), value(&gamma, "<s>")),
            ("[1_, 5]".into(), "[1_, 5]".into())
        );
    }
}

#[test]
fn definition_4_3_c_a_split_surplus_is_deferred() {
    // s · x₁ = x₂ · t. The sporadic solution x₂ = [], x₁ = [5] comes from closing upward.
    for run in run("[3 <r>] ~ [<s> 3, 5]", false) {
        assert!(fired(&run, Rule::ReSplit) && fired(&run, Rule::CloseDeferred));
        assert_eq!(run.verdict(), Verdict::Sat);
        let gamma = run.greatest().unwrap();
        assert_eq!(
            (value(&gamma, "<s>"), value(&gamma, "<r>")),
            ("[]".into(), "[5]".into())
        );
    }
    // A binding of either variable makes the check exact.
    all_are(
        "[3 <r>] ~ [<s> 5]\n<s> ~ [3, 7]\n<r> ~ [7, 5]",
        Verdict::Sat,
    );
    all_are("[3 <r>] ~ [<s> 5]\n<s> ~ [7, 7]", Verdict::Unsat);
    // The principal family is foreclosed when closing upward cannot reach it: a policy rejection.
    all_are("[3 <r>] ~ [<s> 5]", Verdict::Rejected);
    // Where the lengths allow both variables, the left one is closed.
    for (text, closed) in [
        ("[3 <r>] ~ [<s> 3]", "<r>"),
        ("[3 <r>] ~ [<s> 3, 5]", "<s>"),
        ("[5, 3 <r>] ~ [<s> 3]", "<r>"),
    ] {
        let run = &run(text, false)[0];
        let chosen = run.config.commitments.iter().map(|c| c.var.to_string());
        assert_eq!(chosen.collect::<Vec<_>>()[0], closed, "{text}");
    }
}

#[test]
fn definition_4_3_d_the_rotational_case_is_deferred() {
    all_are("[3 <r>] ~ [<r> 3]", Verdict::Sat);
    // Unsatisfiable, but only the closing step finds out.
    all_are("[3 <r>] ~ [<r> 5]", Verdict::Rejected);
    // Periodic solutions that closing upward forecloses.
    all_are("[3, 5 <r>] ~ [<r> 5, 3]", Verdict::Rejected);
    all_are("[3, 5 <r>] ~ [<r> 5, 3]\n<r> ~ [3]", Verdict::Sat);
    all_are("[3, 5 <r>] ~ [<r> 5, 3]\n<r> ~ [5]", Verdict::Unsat);
    // The occurs check.
    all_are("<r> ~ [3 <r>]", Verdict::Unsat);
    all_are("[3 <r> 5] ~ [3 <r> 5]", Verdict::Sat);
    all_are("[3 <r> 5] ~ [3 <r> 7]", Verdict::Unsat);
    // Without surpluses the variable is not constrained, and nothing is chosen for it.
    for run in run("[a <r> 5] ~ [3 <r> b]", false) {
        assert_eq!(run.config.commitments, []);
        let unsolved: Vec<String> = run
            .config
            .unsolved()
            .iter()
            .map(|v| v.to_string())
            .collect();
        assert_eq!(unsolved, ["<r>"]);
    }
}

#[test]
fn section_10_a_cycle_of_dimension_inequalities_is_an_equality() {
    for run in run("a <= b\nb <= c\nc <= a\nd <= a", false) {
        assert!(fired(&run, Rule::DiAntisym));
        let bound: Vec<String> = run
            .config
            .unsolved()
            .iter()
            .map(|v| v.to_string())
            .collect();
        assert_eq!(bound.len(), 2, "a, b and c are one, d is not: {bound:?}");
        assert!(bound.contains(&"d".to_string()));
    }
}

#[test]
fn definition_4_3_b_content_is_forced_and_the_split_inherited() {
    for (text, expected) in [
        ("[3 <r> 4] ~ [3, 5, 4]", "[5]"),
        ("<r> ~ [3 <> 5]", "[3 <> 5]"),
        ("[3 <r>] ~ [3, 5 <> 4]", "[5 <> 4]"),
        // Where the declared split lies outside of the middle, the edge of the middle that is nearer to it is taken.
        ("[<r> 4] ~ [3, 5, 4 <>]", "[3, 5 <>]"),
        ("[4 <r>] ~ [4, 5, 3]", "[5, 3]"),
    ] {
        for run in run(text, false) {
            assert_eq!(value(&run.greatest().unwrap(), "<r>"), expected, "{text}");
        }
    }
    all_are("[3 <r> 4] ~ [3]", Verdict::Unsat);
    // The content is entailed, whatever the placement: no policy step lies upstream of this failure.
    all_are("<r> ~ [3, 5]\n<r> ~ [3, 6]", Verdict::Unsat);
}

#[test]
fn definition_4_3_inequalities_go_flank_by_flank() {
    // The totals fit; the flanks do not.
    all_are("[3 <>] <= [<> 3]", Verdict::Unsat);
    all_are("[3, 4 <>] <= [3 <> 4]", Verdict::Unsat);
    all_are("[3 <> 4] <= [3 <> 4]", Verdict::Sat);
    // A surplus behind the marker does not pay for a deficit in front of it.
    for run in run("[<r> 5, 6] <= [3 <s>]", false) {
        assert!(fired(&run, Rule::RiDeficit));
        assert_eq!(value(&run.greatest().unwrap(), "<r>"), "[3 <>]");
    }
    // Every explicit operand axis constrains the result axis that it faces.
    all_are("[3 <> 7, 5] <= [<> 5]", Verdict::Sat);
    all_are("[3 <> 7, 5] <= [<> 7]", Verdict::Unsat);
}

#[test]
fn remark_2_15_the_one_shot_reading() {
    let text = "[3 <r> 4] <= [3, 5, 4]";
    let one_shot = Options {
        order: Order::OneShot,
        ..Options::default()
    };
    let run_one_shot = solve(&set(text), &one_shot);
    assert_eq!(value(&run_one_shot.greatest().unwrap(), "<r>"), "[5]");
    // In the marked order a solution has rank 4 at least.
    for run in run(text, false) {
        assert_eq!(
            value(&run.greatest().unwrap(), "<r>"),
            "[<> 3, 5]".replace("<> ", "")
        );
    }
    // A variable gets as many axes as the operand has beyond the result's.
    let two = solve(&set("[3 <r>] <= [3, 5, 4]"), &one_shot);
    assert_eq!(value(&two.greatest().unwrap(), "<r>"), "[5, 4]");
    // Where the flanks fit nothing waits, and nothing is chosen.
    let fits = solve(&set("[3 <r> 4] <= [3 <> 4]"), &one_shot);
    assert!(fired(&fits, Rule::RiClosedOperand) && fits.config.commitments.is_empty());
    let shifted = set("[3 <>] <= [<> 5]");
    assert_eq!(solve(&shifted, &one_shot).verdict(), Verdict::Unsat);
    assert_eq!(
        solve(&set("[3 <>] <= [<> 3]"), &one_shot).verdict(),
        Verdict::Sat
    );
}

#[test]
fn the_first_tutorials_row_comparison() {
    // [3]·⋄·[4] against [3]·⋄·[5, 4]: the paper writes the pair the other way round; here the longer row is below.
    all_are("[3 <> 5, 4] <= [3 <> 4]", Verdict::Sat);
    all_are("[3 <> 4] <= [3 <> 5, 4]", Verdict::Unsat);
    all_are("[3 <> 5, 4] <= []", Verdict::Sat);
    all_are("[<> 1_] <= []", Verdict::Sat);
    all_are("[] <= [<> 1_]", Verdict::Unsat);
    all_are("1 = 1_", Verdict::Unsat);
    all_are("1_mono <= 3_rgb", Verdict::Unsat);
}

#[test]
fn a_binding_of_a_leaf_to_an_interior_variable_keeps_the_leaf() {
    for run in run("<w> ~ [x <y>]\n3 <= x\nparam <w>", true) {
        assert_eq!(value(&run.greatest().unwrap(), "<w>"), "[3 <>]");
    }
    for run in run("<w> ~ [x <y>]\nparam <w>", true) {
        assert_eq!(
            run.verdict(),
            Verdict::Rejected,
            "the hole of the parameter is found behind the name x"
        );
    }
}
