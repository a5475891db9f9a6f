//! The worked examples of the formal core.

use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::{Order, Rule, Verdict};

fn solver(text: &str) -> Solver {
    Solver::new(Problem::parse(text).expect("the example is in the notation"))
}

/// Solves and closes, and checks the solution against Def. 3.4.
fn closed(text: &str) -> Solver {
    let mut solver = solver(text);
    solver.close().unwrap_or_else(|r| panic!("{text}\n{r}"));
    let set = solver.problem().to_set();
    let ground = solver.solution().ground();
    assert_eq!(
        ground.first_violated(&set.constraints, Order::Marked),
        None,
        "{text}\n{ground}"
    );
    solver
}

fn dim(solver: &Solver, name: &str) -> String {
    solver.solution().dim(name).expect("known").to_string()
}

fn row(solver: &Solver, name: &str) -> String {
    solver.solution().row(name).expect("known").to_string()
}

#[test]
fn example_3_5_has_a_model_and_no_least_one() {
    let open = closed("3 <= a");
    assert_eq!(dim(&open, "a"), "1_");
    let leaf = closed("3 <= a\nleaf a");
    assert_eq!(dim(&leaf, "a"), "3");
}

#[test]
fn example_4_5a_fails_by_its_rank_cycle() {
    for text in [
        "<r> <= [2 <s>]\n<s> <= [3 <r>]",
        "<s> <= [3 <r>]\n<r> <= [2 <s>]",
        "<r> <= [7 <r>]",
        "<a> <= [<b> 2]\n<b> <= [<c> 3]\n<c> <= [<a> 4]",
    ] {
        let refusal = solver(text).solve().expect_err(text);
        assert_eq!(
            (refusal.verdict, refusal.rule),
            (Verdict::Unsat, Rule::RankCycle)
        );
        assert_eq!(refusal.chain.len(), text.lines().count());
    }
}

#[test]
fn remark_2_11_is_rejected_by_the_inherited_placement() {
    for text in [
        "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>",
        "[3 <> 9, 5] <= <r>\n<r> ~ [3, 5]",
    ] {
        let refusal = solver(text).solve().expect_err(text);
        assert_eq!(refusal.verdict, Verdict::Rejected);
        assert_eq!(refusal.policy.expect("a choice").rule, Rule::ReOpenClosed);
        assert_eq!(refusal.chain.len(), 2);
    }
}

#[test]
fn a_length_that_is_asked_for_goes_before_the_placement() {
    let solved = closed("<r> ~ [3, 5]\n<r> <= [3 <> 5]");
    assert_eq!(row(&solved, "r"), "[3 <> 5]");
}

#[test]
fn an_equality_that_fails_through_content_is_unsat_and_a_placement_rejected() {
    let refusal = solver("<r> ~ [3, 5]\n<r> ~ [3, 6]")
        .solve()
        .expect_err("5 = 6");
    assert_eq!(refusal.verdict, Verdict::Unsat);
    let refusal = solver("<r> ~ [3, 5]\n<r> ~ [3]")
        .solve()
        .expect_err("ranks");
    assert_eq!(refusal.verdict, Verdict::Unsat);
    let refusal = solver("<r> ~ [3]\n<r> <= [7 <>]")
        .solve()
        .expect_err("3 = 7");
    assert_eq!(refusal.verdict, Verdict::Unsat);
}

#[test]
fn remark_6_3_in_every_order() {
    let lines = ["3 <= a", "a <= b", "5 <= b", "leaf a, b"];
    for a in 0..4 {
        for b in (0..4).filter(|b| *b != a) {
            for c in (0..4).filter(|c| ![a, b].contains(c)) {
                let d = 6 - a - b - c;
                let text = [lines[a], lines[b], lines[c], lines[d]].join("\n");
                let solved = closed(&text);
                assert_eq!(
                    (dim(&solved, "a"), dim(&solved, "b")),
                    ("3".into(), "1_".into())
                );
            }
        }
    }
}

#[test]
fn remark_6_6_closes_a_leaf_down_and_an_interior_up() {
    assert_eq!(dim(&closed("3 <= a\nleaf a"), "a"), "3");
    assert_eq!(dim(&closed("3 <= a"), "a"), "1_");
}

#[test]
fn a_parameter_that_nothing_determines_is_named() {
    let refusal = solver("<r> <= [3, h <>]\nparam h")
        .close()
        .expect_err("a hole");
    assert_eq!(
        (refusal.verdict, refusal.rule),
        (Verdict::Rejected, Rule::CloseLeaf)
    );
    assert!(refusal.to_string().contains("h: param"), "{refusal}");
}

#[test]
fn leaf_rows_close_to_the_join_of_their_caps() {
    let solved = closed("[2, 3 <> 4] <= <r>\n[2, 5, 6 <> 7, 4] <= <r>\nleaf <r>");
    assert_eq!(row(&solved, "r"), "[2, 1_ <> 4]");
}

#[test]
fn a_split_surplus_is_deferred_and_resolved_or_grounded() {
    // Closing either variable asks for 3 = 5; the solution r = [5], s = [3] is out of policy's reach.
    let refusal = solver("[3 <r>] ~ [<s> 5]").solve().expect_err("3 is not 5");
    assert_eq!(refusal.verdict, Verdict::Rejected);
    assert_eq!(refusal.policy.expect("a choice").rule, Rule::CloseDeferred);
    let solved = closed("[3 <r>] ~ [<s> 5]\n<s> ~ [3]");
    assert_eq!(row(&solved, "r"), "[5]");
    let solved = closed("[3 <r>] ~ [<s> 3]");
    assert_eq!(
        (row(&solved, "r"), row(&solved, "s")),
        ("[]".into(), "[]".into())
    );
}

#[test]
fn a_split_surplus_closes_the_variable_that_lengths_allow() {
    // The marker of r stands behind 4, so that of s is as near to it as it can be.
    let solved = closed("[3, 4 <r>] ~ [<s> 4]");
    assert_eq!(
        (row(&solved, "r"), row(&solved, "s")),
        ("[]".into(), "[3 <>]".into())
    );
    let mirrored = closed("[<r> 4, 3] ~ [4 <s>]");
    assert_eq!(
        (row(&mirrored, "r"), row(&mirrored, "s")),
        ("[]".into(), "[3]".into())
    );
}

/// Only the shortest of the variables that splits connect can be empty, whichever split is stated first.
#[test]
fn of_several_splits_the_shortest_variable_is_closed() {
    for text in [
        "[1_ <r>] ~ [<s> 1_]\n[1_, 1_ <t>] ~ [<r> 1_]",
        "[1_, 1_ <t>] ~ [<r> 1_]\n[1_ <r>] ~ [<s> 1_]",
        // A rotation says nothing of lengths.
        "[1_ <r>] ~ [<r> 1_]\n[1_, 1_ <t>] ~ [<r> 1_]\n<s> ~ <r>",
    ] {
        let solved = closed(text);
        let flat = |name| row(&solved, name).replace(" <>", "").replace("<> ", "");
        assert_eq!(["r", "s", "t"].map(flat), ["[1_]", "[1_]", "[]"], "{text}");
    }
}

/// A row waits for what it is below: the splits of `x` say how long it is, and `r` has to have its axes.
#[test]
fn splits_are_resolved_from_below() {
    for text in [
        "[<r> 3] ~ [3 <s>]\n[2, 3 <y>] ~ [<x> 3]\n<r> <= <x>",
        "[2, 3 <y>] ~ [<x> 3]\n[<r> 3] ~ [3 <s>]\n<r> <= <x>",
    ] {
        let refusal = solver(text).solve().expect_err("r is 3, 3, … and below 2");
        assert_eq!(refusal.verdict, Verdict::Rejected, "{text}");
    }
}

#[test]
fn a_rotation_is_deferred_and_checked() {
    let refusal = solver("[3 <r>] ~ [<r> 5]").solve().expect_err("3 is not 5");
    assert_eq!(refusal.verdict, Verdict::Rejected);
    closed("[3 <r>] ~ [<r> 3]");
    let solved = closed("[3, 5 <r>] ~ [<r> 5, 3]\n<r> ~ [3]");
    assert_eq!(row(&solved, "r"), "[3]");
}

#[test]
fn deficits_grow_flank_by_flank() {
    let solved = closed("<r> <= [3 <s>]\n<s> <= [4 <> 5]");
    assert_eq!(row(&solved, "r"), "[3, 4 <> 5]");
    let refusal = solver("[3 <> 5] <= [<> 4, 5]")
        .solve()
        .expect_err("a flank is short");
    assert_eq!(
        (refusal.verdict, refusal.rule),
        (Verdict::Unsat, Rule::RiShort)
    );
}

#[test]
fn caps_collapse_to_the_unit() {
    let mut solved = solver("3 <= a\na <= b\n5 <= b\nb <= c\nc = 4");
    let refusal = solved.solve().expect_err("the unit is not 4");
    assert_eq!(refusal.verdict, Verdict::Unsat);
    assert_eq!(refusal.chain.len(), 3, "{refusal}");
}

#[test]
fn a_cycle_of_inequalities_is_an_equality() {
    let solved = closed("a <= b\nb <= c\nc <= a\nleaf a");
    let derivation = solved.explain(&"b".parse().unwrap()).unwrap();
    assert!(
        derivation
            .steps
            .iter()
            .any(|step| step.rule == Rule::DiAntisym)
    );
    let solved = closed("a <= b\nb <= a\n3 <= a\nleaf b");
    assert_eq!(
        (dim(&solved, "a"), dim(&solved, "b")),
        ("3".into(), "3".into())
    );
}
