//! Closing (Def. 6.1): which leaf is closed first, what its bound is, and that no variable is left open.

use lozenge_spec::cause::Commitment;
use lozenge_spec::{Options, Run, solve};
use lozenge_vocabulary::{Rule, Verdict};

fn closed(text: &str) -> Run {
    let options = Options {
        close: true,
        ..Options::default()
    };
    solve(&text.parse().expect("the notation"), &options)
}

/// Returns the closed values, as text.
fn values(text: &str) -> String {
    let run = closed(text);
    let gamma = run.greatest();
    gamma.map_or_else(
        || panic!("{text}: {:?}", run.failure()),
        |gamma| gamma.to_string(),
    )
}

/// Runs a set that is refused, and returns the verdict, and each policy step upstream with the constraints that asked
/// for it.
fn refused(text: &str) -> (Verdict, Vec<String>) {
    let run = closed(text);
    let failure = run.failure().unwrap_or_else(|| panic!("{text}"));
    let step = |c: &Commitment| format!("{} = {} by {:?}", c.var, c.value, c.inputs);
    (
        run.verdict(),
        failure.commitments.iter().map(step).collect(),
    )
}

/// Known leaves are closed first and decide the unknown ones: a leaf with an atom below it does not wait for one
/// without.
#[test]
fn a_leaf_with_a_known_bound_is_closed_before_one_without() {
    assert_eq!(values("b <= a\n5 <= a\nleaf a, b"), "a = 5\nb = 5\n");
    assert_eq!(
        values("b <= m\nm <= a\n5 <= a\nleaf a, b"),
        "a = 5\nb = 5\nm = 5\n"
    );
    assert_eq!(
        values("z <= b\nb <= a\n5 <= a\nleaf a, b"),
        "a = 5\nb = 5\nz = 5\n"
    );
    assert_eq!(values("5 <= w\nv <= w\nleaf v, w"), "v = 5\nw = 5\n");
    assert_eq!(values("5 <= w\nv <= w\nparam v, w"), "v = 5\nw = 5\n");
}

#[test]
fn a_hole_is_filled_by_what_is_known_above_it() {
    let text = "[x] <= <b>\n<b> <= <a>\n[5] <= <a>\nleaf <a>, <b>";
    assert_eq!(values(text), "x = 5\n<a> ~ [5]\n<b> ~ [5]\n");
    for tag in ["leaf", "param"] {
        let text = format!("[5] <= <w>\n<v> <= <w>\n{tag} <v>, <w>");
        assert_eq!(values(&text), "<v> ~ [5]\n<w> ~ [5]\n");
    }
}

/// Each of the two leaves has a hole where the other one's axis is known. Neither guess comes before that knowledge.
#[test]
fn the_known_axes_of_a_row_with_a_hole_come_before_any_guess() {
    let text = "[x, y] <= <w>\n<w> <= <t>\n[5, z] <= <t>\nleaf <t>, <w>";
    let expected = "x = 5\ny = 1_\nz = 1_\n<t> ~ [5, 1_]\n<w> ~ [5, 1_]\n";
    assert_eq!(values(text), expected);
    // As a parameter <w> is refused for its second axis only.
    let refused = closed(&text.replace("leaf", "param"));
    assert_eq!(refused.verdict(), Verdict::Rejected);
    let reason = &refused.failure().unwrap().reason;
    assert!(reason.contains("determines its size"), "{reason}");
}

#[test]
fn a_bound_is_forwarded_through_rows_that_are_not_leaves() {
    assert_eq!(
        values("[3] <= <b>\n<b> <= <a>\nleaf <a>"),
        "<a> ~ [3]\n<b> ~ [3]\n"
    );
}

/// A bare variable that nothing bounds is an adjacency, for dimensions and rows alike: one more use of `y` does not
/// remove axes of `w`.
#[test]
fn a_bare_variable_that_nothing_bounds_adds_nothing() {
    let rows = "[4] <= <y>\n<y> <= <w>\nleaf <w>";
    assert_eq!(values(rows), "<w> ~ [4]\n<y> ~ [4]\n");
    assert_eq!(
        values(&format!("<e> <= <y>\n{rows}")),
        "<e> ~ [4]\n<w> ~ [4]\n<y> ~ [4]\n"
    );
    let dims = "4 <= y\ny <= w\nleaf w";
    assert_eq!(values(dims), "w = 4\ny = 4\n");
    assert_eq!(values(&format!("e <= y\n{dims}")), "e = 4\nw = 4\ny = 4\n");
    assert_eq!(
        values("<x> <= <a>\n[5] <= <a>\nleaf <a>"),
        "<a> ~ [5]\n<x> ~ [5]\n"
    );
    // The same holds if only another such variable, or the variable itself, is below it.
    let text = "<x> <= <y>\n<y> <= <a>\n<a> <= <x>\n[5] <= <b>\n<a> <= <b>\nleaf <b>";
    assert!(values(text).contains("<b> ~ [5]"), "{}", values(text));
}

#[test]
fn beside_axes_of_a_cap_a_row_without_a_bound_stands_for_no_axes() {
    assert_eq!(
        values("[5 <x>] <= <a>\nleaf <a>"),
        "<a> ~ [5 <>]\n<x> ~ []\n"
    );
    let behind_another = "<x> <= <y>\n[5 <y>] <= <a>\n[9 <a>] <= <b>\nleaf <b>";
    assert!(values(behind_another).contains("<b> ~ [9, 5 <>]"));
}

#[test]
fn a_row_whose_caps_lead_round_in_a_cycle_stands_for_no_axes_there() {
    assert_eq!(values("[1_ <r>] <= <r>\nleaf <r>"), "<r> ~ [1_ <>]\n");
    assert_eq!(
        values("[4 <s>] <= <r>\n[5 <r>] <= <s>\nleaf <r>, <s>"),
        "<r> ~ [4 <>]\n<s> ~ [5 <>]\n"
    );
}

/// Two leaves with known bounds above one variable: nothing says which of them gives way. The answer is the same in
/// every order of the constraints, and whatever the leaves are called.
#[test]
fn leaves_that_clash_in_one_round_are_rejected_and_both_are_named() {
    let clash = (
        Verdict::Rejected,
        vec!["a = 3 by [0]".into(), "b = 5 by [1]".into()],
    );
    assert_eq!(refused("3 <= a\n5 <= b\nc <= a\nc <= b\nleaf a, b"), clash);
    let clash = (
        Verdict::Rejected,
        vec!["z = 3 by [1]".into(), "b = 5 by [0]".into()],
    );
    let exchanged = "5 <= b\n3 <= z\nc <= z\nc <= b\nleaf b, z";
    let (verdict, mut steps) = refused(exchanged);
    steps.sort_by(|a, b| b.cmp(a));
    assert_eq!((verdict, steps), clash);
    let rows = "[3] <= <a>\n[5] <= <b>\n<c> <= <a>\n<c> <= <b>\nleaf <a>, <b>";
    let clash = vec!["<a> = [3] by [0]".into(), "<b> = [5] by [1]".into()];
    assert_eq!(refused(rows), (Verdict::Rejected, clash));
    // A dimension and a row are closed in one round as well.
    let mixed = "3 <= a\n[5] <= <b>\nc <= a\n[c] <= <b>\nleaf a, <b>";
    let clash = vec!["a = 3 by [0]".into(), "<b> = [5] by [1, 3]".into()];
    assert_eq!(refused(mixed), (Verdict::Rejected, clash));
}

/// Of two leaves with known bounds the lower one is closed in an earlier round, so that the other sees its value.
#[test]
fn a_leaf_waits_for_the_known_leaves_below_it() {
    let text = "3 <= b\nc <= b\n[b, 4] <= <a>\n[3, c] <= <a>\nleaf b, <a>";
    assert_eq!(values(text), "b = 3\nc = 3\n<a> ~ [3, 1_]\n");
}

/// A leaf below it that only an axis of its own bounds hands that bound on.
#[test]
fn a_leaf_has_the_bound_of_a_bare_leaf_below_it() {
    let text = "[3] <= <r>\n<s> <= <r>\n<s> <= [1]\nleaf <r>, <s>";
    assert_eq!(values(text), "<r> ~ [1_]\n<s> ~ [1]\n");
}

/// A row of which an axis is open is closed behind the rows of which all is known.
#[test]
fn an_extent_waits_for_known_bounds() {
    let text = "<s> <= <r>\n[5, c] <= <r>\n[c, 3] <= <s>\nc >= 15\nleaf <r>, <s>";
    let run = closed(text);
    let failure = run.failure().expect("rejected");
    assert_eq!(failure.rule, Rule::DiGround, "{failure}");
}

/// It waits only where the lower one can still raise its bound: not for an axis further in, and not where the bound is
/// 1∅.
#[test]
fn a_leaf_does_not_wait_for_what_can_no_longer_change_it() {
    let beyond = "[3 <> 2] <= <r>\n[b <r>] <= [1_]\n[b, 2 <r> b] <= <r>\nparam <r>";
    let at_the_top =
        "2 <= b\na <= b\n[a <> b, 3] <= <r>\n[3 <> 1_, b] <= <r>\nleaf b, <r>\nparam a";
    for text in [beyond, at_the_top] {
        assert_eq!(closed(text).verdict(), Verdict::Rejected, "{text}");
    }
    let can_rise = at_the_top.replace("b, 3", "b, b");
    assert_eq!(values(&can_rise), "a = 2\nb = 2\n<r> ~ [1_ <> 1_, 2]\n");
}

/// Bounds are computed from below, even on cycles: a row above a cycle has the bounds of the cycle.
#[test]
fn a_bound_that_rests_on_itself_is_carried_upward() {
    assert_eq!(values("[1_ <r>] <= <r>\nleaf <r>"), "<r> ~ [1_ <>]\n");
    let above = "[<s> 3] <= <r>\n[1_ <s>] <= <s>\nleaf <r>";
    assert_eq!(values(above), "<r> ~ [1_ <> 3]\n<s> ~ [1_ <>]\n");
    let two = "[<s> 3] <= <r>\n[1_ <t>] <= <s>\n[1_, 1_ <s>] <= <t>\nleaf <r>";
    assert_eq!(values(two), "<r> ~ [1_ <> 3]\n<s> ~ [1_ <>]\n<t> ~ []\n");
}

/// A parameter's row of which nothing is known, and that has to fit below another unknown leaf.
#[test]
fn a_hidden_row_of_a_parameter_is_refused() {
    for text in [
        "<v> <= <w>\nparam <v>\nleaf <w>",
        "<v> <= <u>\n<u> <= <w>\nparam <v>, <w>",
        "<v> ~ <u>\n<u> <= <w>\nparam <v>\nleaf <w>",
        "[1_ <r>] <= [1_, 1_ <s>]\n[1_, 1_ <t> 1_] ~ [1_ <r> 1_]\nparam <r>\nleaf <s>",
        "[1_, 1_ <t> 1_] ~ [1_ <r> 1_]\n[1_ <r>] <= [1_, 1_ <s>]\nparam <r>\nleaf <s>",
    ] {
        assert_eq!(closed(text).verdict(), Verdict::Rejected, "{text}");
    }
    // A leaf above the rest of a row whose axes are known so far hides nothing: it is closed.
    assert_eq!(
        values("<p> <= [2 <t>]\nparam <p>\nleaf <t>"),
        "<p> ~ [2 <>]\n<t> ~ []\n"
    );
    // An interior above it asks for nothing.
    assert_eq!(values("<v> <= <w>\nparam <v>"), "<v> ~ []\n<w> ~ []\n");
    assert_eq!(values("<w> <= <v>\nparam <v>"), "<v> ~ []\n<w> ~ []\n");
    assert_eq!(
        values("<v> <= [2]\n<v> <= <w>\nparam <v>"),
        "<v> ~ [2]\n<w> ~ []\n"
    );
}

/// A parameter and the optimiser's state for it are equal rows, so neither counts as lying below another leaf.
#[test]
fn rows_of_parameters_on_a_cycle_are_one_row() {
    let cycle = "<p> <= <m>\n<m> <= <s>\n<s> <= <p>\nparam <p>, <m>";
    assert_eq!(values(cycle), "<m> ~ []\n<p> ~ []\n<s> ~ []\n");
    let hidden = format!("{cycle}\n<s> <= <h>\nleaf <h>");
    assert_eq!(closed(&hidden).verdict(), Verdict::Rejected);
    let known = format!("{cycle}\n<h> <= <p>\n<h> <= [3]");
    assert_eq!(
        values(&known),
        "<h> ~ [3]\n<m> ~ [3]\n<p> ~ [3]\n<s> ~ [3]\n"
    );
}

#[test]
fn the_same_atom_below_a_leaf_twice_is_one_cap() {
    assert_eq!(values("3 <= a\n3 <= a\nleaf a"), "a = 3\n");
    assert_eq!(values("3 <= a\n5 <= a\nleaf a"), "a = 1_\n");
}

#[test]
fn closing_binds_every_variable() {
    let run = closed("b <= a\n<r> <= <s>\nleaf a");
    assert_eq!(run.config.unsolved(), []);
    let rules: Vec<Rule> = run.config.commitments.iter().map(|c| c.rule).collect();
    let interior = [Rule::CloseInterior; 3];
    assert_eq!(rules, [&[Rule::CloseLeaf], &interior[..]].concat());
}

/// Each of the equations says that its left variable is one axis longer than the right one. Closed to no axes, a longer
/// variable than the shortest would leave none for the others.
#[test]
fn of_connected_equations_one_is_resolved_that_closes_a_shortest_variable() {
    let equations = [
        "[3 <x>] ~ [<y> 3, 3]",
        "[3 <y>] ~ [<z> 3, 3]",
        "[3 <z>] ~ [<w> 3, 3]",
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
        let text = order.map(|at| equations[at]).join("\n");
        assert_eq!(
            values(&text),
            "<w> ~ []\n<x> ~ [3, 3, 3]\n<y> ~ [3, 3]\n<z> ~ [3]\n",
            "{text}"
        );
    }
}

/// A step of closing consumes no constraint, so a trivial one names the variable at which it fails.
#[test]
fn a_failed_step_of_closing_names_its_variable() {
    let at = |text: &str| {
        let run = closed(text);
        let failure = run.failure().unwrap_or_else(|| panic!("{text}"));
        failure.constraint.to_string()
    };
    assert_eq!(at("param a"), "1_ <= a");
    assert_eq!(at("i = 2*o + k"), "1_ <= i");
    assert_eq!(at("<v> <= <w>\nparam <v>\nleaf <w>"), "<v> <= <v>");
}

#[test]
fn bounds_are_counted() {
    let stored = |text: &str| {
        let bounds = closed(text).config.bounds;
        (bounds.len(), bounds.is_empty())
    };
    assert_eq!(stored("a = 3"), (0, true));
    let (count, is_empty) = stored("a <= b\nleaf b");
    assert_eq!(count == 0, is_empty);
    assert!(
        !solve(&"a <= b".parse().unwrap(), &Options::default())
            .config
            .bounds
            .is_empty()
    );
}

/// Def. 4.3(b) and (c): an empty middle leaves nothing to choose, and a variable stands for the longer row on either
/// side.
#[test]
fn what_leaves_nothing_to_choose_is_no_policy() {
    assert_eq!(
        refused("[3 <r>] ~ [3]\n<r> ~ [5]"),
        (Verdict::Unsat, Vec::new())
    );
    // The place of a marker among no axes, on which an inequality depends, is no choice either.
    assert_eq!(
        refused("[3 <r>] ~ [3]\n<r> <= [5]"),
        (Verdict::Unsat, Vec::new())
    );
    for text in ["[3 <r>] ~ <s>", "<s> ~ [3 <r>]"] {
        let run = solve(&text.parse().unwrap(), &Options::default());
        let bound: Vec<String> = run
            .config
            .bindings
            .rows
            .values()
            .map(ToString::to_string)
            .collect();
        assert_eq!(bound, ["[3 <r>]"], "{text}");
    }
}
