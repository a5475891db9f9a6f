//! Closing (Def. 6.1): which leaf comes first, what its bound is, and that nothing is left open.

use lozenge_spec::{Options, Run, solve};
use lozenge_vocabulary::Rule;

fn closed(text: &str) -> Run {
    let options = Options {
        close: true,
        ..Options::default()
    };
    solve(&text.parse().expect("the notation"), &options)
}

/// The closed values, as text.
fn values(text: &str) -> String {
    let run = closed(text);
    let gamma = run.greatest();
    gamma.map_or_else(
        || panic!("{text}: {:?}", run.failure()),
        |gamma| gamma.to_string(),
    )
}

/// Nothing is committed while its bound can still grow (Rem. 6.3): what is below comes first, whatever its name.
/// Closed from above, `a` would be 5, and `b` with it.
#[test]
fn the_lower_of_two_leaf_dimensions_is_closed_first() {
    assert_eq!(
        values("b <= a\n5 <= a\nleaf a, b"),
        "a = 1_\nb = 1_\n",
        "directly below"
    );
    assert_eq!(
        values("b <= m\nm <= a\n5 <= a\nleaf a, b"),
        "a = 1_\nb = 1_\nm = 1_\n",
        "below through an interior variable"
    );
    assert_eq!(
        values("z <= b\nb <= a\n5 <= a\nleaf a, b"),
        "a = 1_\nb = 1_\nz = 1_\n",
        "an interior variable below a leaf is not waited for"
    );
}

#[test]
fn the_lower_of_two_leaf_rows_is_closed_first() {
    // The hole of <b> is filled by the unit before <a> commits; from above it would be 5.
    let text = "[x] <= <b>\n<b> <= <a>\n[5] <= <a>\nleaf <a>, <b>";
    assert_eq!(values(text), "x = 1_\n<a> ~ [1_]\n<b> ~ [1_]\n");
}

#[test]
fn a_bound_is_forwarded_through_rows_that_are_not_leaves() {
    assert_eq!(
        values("[3] <= <b>\n<b> <= <a>\nleaf <a>"),
        "<a> ~ [3]\n<b> ~ [3]\n"
    );
}

#[test]
fn a_row_without_caps_stands_for_no_axes_in_the_cap_of_another() {
    assert_eq!(
        values("<x> <= <a>\n[5] <= <a>\nleaf <a>"),
        "<a> ~ []\n<x> ~ []\n"
    );
}

#[test]
fn a_row_whose_caps_lead_round_in_a_circle_stands_for_no_axes_there() {
    assert_eq!(values("[1_ <r>] <= <r>\nleaf <r>"), "<r> ~ [1_ <>]\n");
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
