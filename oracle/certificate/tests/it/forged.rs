//! Certificates that break one rule each, about sets that have a solution. None is accepted. Each is complete but for
//! that rule, so that a checker without the rule would accept it.

use lozenge_certificate::{Proved, verify};
use lozenge_vocabulary::{ConstraintSet, Order};
use serde_json::{Value, json};

fn parsed(set: &str) -> ConstraintSet {
    set.parse().expect("in the notation")
}

fn certificate(quotients: Value, clashes: Value, tree: Value) -> String {
    json!({"version": 1, "order": "marked", "quotients": quotients, "clashes": clashes, "tree": tree})
        .to_string()
}

/// Checks that a set has this solution and that the certificate that it has none is not accepted; the reason for that.
fn refused(set: &str, solution: Value, certificate: &str) -> String {
    let set = parsed(set);
    let model = json!({"version": 1, "order": "marked", "model": solution}).to_string();
    assert_eq!(
        verify(&model, &set, Order::Marked),
        Ok(Proved::Sat),
        "{set}"
    );
    let rejected = verify(certificate, &set, Order::Marked).expect_err(certificate);
    rejected.to_string()
}

/// Returns a step over an equation.
fn step(constraint: usize, from: &str, enter: Value, land: Value) -> Value {
    json!({"constraint": constraint, "from": from, "enter": enter, "by": "equal", "land": land})
}

/// Returns an axis of a row without a marker: all of its axes are behind it.
fn axis(number: u32) -> Value {
    json!({"trailing": number})
}

/// Returns an axis in front of a row variable.
fn leading(number: u32) -> Value {
    json!({"leading": number})
}

/// Returns a walk of single steps.
fn walk(steps: &[Value]) -> Value {
    steps.iter().map(|step| json!({"step": step})).collect()
}

/// Returns the tree that assumes one condition after the other and ends with clash 0. Each condition stands with the
/// inequalities that contradict its negation.
fn assuming(conditions: &[(Value, Value)]) -> Value {
    let mut tree = Vec::new();
    for (depth, (form, because)) in conditions.iter().enumerate() {
        let (negative, other) = (2 * depth + 1, 2 * depth + 2);
        tree.push(json!({"split": {"form": form, "negative": negative, "other": other}}));
        let mut sum = vec![json!([{"assumed": depth}, 1])];
        sum.extend(because.as_array().expect("a list").iter().cloned());
        tree.push(json!({"sum": sum}));
    }
    tree.push(json!({"clash": 0}));
    tree.into()
}

/// States that a row has an axis `at`, from its length, which the constraint fixes.
fn reaches(row: &str, at: i64, constraint: usize) -> (Value, Value) {
    let form = json!({format!("X<{row}>"): 1, format!("Y<{row}>"): 1, "1": -1 - at});
    (form, json!([[{"length": [constraint, 0]}, 1]]))
}

#[test]
fn a_contradiction_of_lengths_is_accepted_with_idle_parts() {
    let unsat = parsed("<r> ~ [2]\n<r> ~ []");
    let sum = json!([{"sum": [[{"length": [0, 0]}, 1], [{"length": [1, 1]}, 1], [{"natural": "X<r>"}, 0]]}]);
    for quotients in [
        json!([]),
        json!([{"form": {"X<r>": 1}, "by": 1}, {"form": {"q0": 2}, "by": 3}]),
        json!([{"form": {"nobody": 0}, "by": 1}]),
    ] {
        let certificate = certificate(quotients, json!([]), sum.clone());
        assert_eq!(
            verify(&certificate, &unsat, Order::Marked),
            Ok(Proved::Unsat)
        );
    }
}

#[test]
fn what_is_no_solution_is_not_accepted_as_one() {
    let model = json!({"version": 1, "order": "marked", "model": {"a": "3"}}).to_string();
    assert_eq!(
        verify(&model, &parsed("a = 3"), Order::Marked),
        Ok(Proved::Sat)
    );
    assert!(verify(&model, &parsed("a = 2"), Order::Marked).is_err());
    assert!(verify(&model, &parsed("b = 3"), Order::Marked).is_err());
}

/// `a = b ^ c` and `a = c` have no solution, since b is at least 1.
#[test]
fn no_variable_of_a_model_is_zero() {
    let set = parsed("a = c\na = b ^ c");
    let model = json!({"version": 1, "order": "marked", "model": {"a": "3", "b": "0", "c": "3"}})
        .to_string();
    let rejected = verify(&model, &set, Order::Marked).expect_err("no solution");
    assert!(rejected.to_string().contains("is 0"), "{rejected}");
}

/// Only `q0` is the name of the first quotient.
#[test]
fn a_quotient_has_one_name() {
    let unsat = parsed("<r> ~ [2]\n<r> ~ []");
    let sum = json!([{"sum": [[{"length": [0, 0]}, 1], [{"length": [1, 1]}, 1]]}]);
    for (name, is_one) in [("q0", true), ("q00", false), ("q+0", false)] {
        let quotients = json!([{"form": {"X<r>": 1}, "by": 1}, {"form": {name: 2}, "by": 3}]);
        let accepted = verify(
            &certificate(quotients, json!([]), sum.clone()),
            &unsat,
            Order::Marked,
        );
        assert_eq!(accepted.is_ok(), is_one, "{name}");
    }
}

#[test]
fn a_quotient_is_defined_by_what_is_before_it_and_divides_by_a_positive_number() {
    let both = json!([{"sum": [[{"quotient": [0, 0]}, 1], [{"quotient": [0, 1]}, 1]]}]);
    let room = json!([{"sum": [[{"quotient": [0, 1]}, 1]]}]);
    for (quotient, tree) in [
        // `q0 = q0 + 1`.
        (json!({"form": {"q0": 1, "1": 1}, "by": 1}), &room),
        (json!({"form": {"nobody": 1}, "by": 0}), &both),
        (json!({"form": {}, "by": 0}), &both),
        (json!({"form": {}, "by": -1}), &both),
    ] {
        let forged = certificate(json!([quotient]), json!([]), tree.clone());
        let reason = refused("<r> ~ [2]", json!({"<r>": "[2]"}), &forged);
        assert!(reason.contains("quotient 0"), "{reason}");
    }
}

#[test]
fn only_lengths_are_natural_numbers() {
    // `q0 = -1`.
    let quotients = json!([{"form": {"1": -1}, "by": 1}]);
    for name in ["q0", "Z<r>", "X<r", "r>"] {
        let tree = json!([{"sum": [[{"quotient": [0, 0]}, 1], [{"natural": name}, 1]]}]);
        let forged = certificate(quotients.clone(), json!([]), tree);
        let reason = refused("<r> ~ [2]", json!({"<r>": "[2]"}), &forged);
        assert!(reason.contains("no inequality"), "{reason}");
    }
}

#[test]
fn an_inequality_is_not_turned_around() {
    let tree = json!([{"sum": [[{"length": [0, 0]}, -1], [{"length": [0, 1]}, -1]]}]);
    let forged = certificate(json!([]), json!([]), tree);
    let reason = refused("[2, 3] <= [3]", json!({}), &forged);
    assert!(reason.contains("node 0 does not contradict"), "{reason}");
}

/// Two walks that meet nowhere, or that carry the same atom.
#[test]
fn walks_clash_only_with_different_atoms_at_one_place() {
    let from = |constraint, at| walk(&[step(constraint, "right", axis(at), json!("content"))]);
    let of_two = |set, solution: Value, walks: Value, conditions: &[(Value, Value)]| {
        let forged = certificate(json!([]), json!([{"walks": walks}]), assuming(conditions));
        refused(set, solution, &forged)
    };
    // Different rows.
    of_two(
        "<r> ~ [2]\n<s> ~ [3]",
        json!({"<r>": "[2]", "<s>": "[3]"}),
        json!([from(0, 0), from(1, 0)]),
        &[reaches("r", 0, 0), reaches("s", 0, 1)],
    );
    // The same atom in one row.
    of_two(
        "<r> ~ [2]",
        json!({"<r>": "[2]"}),
        json!([from(0, 0), from(0, 0)]),
        &[reaches("r", 0, 0)],
    );
    // Different places, in both orders.
    for (first, second) in [(0, 1), (1, 0)] {
        of_two(
            "<r> ~ [2, 3]",
            json!({"<r>": "[2, 3]"}),
            json!([from(0, first), from(0, second)]),
            &[reaches("r", 0, 0), reaches("r", 1, 0)],
        );
    }
}

#[test]
fn a_walk_lands_inside_of_a_row_and_on_the_axis_at_its_place() {
    // Both would land in front of `<s>`.
    let before = |constraint, from| walk(&[step(constraint, from, leading(0), json!("content"))]);
    let inside = json!({"X<s>": 1, "Y<s>": 1});
    let forged = certificate(
        json!([]),
        json!([{"walks": [before(0, "left"), before(1, "right")]}]),
        assuming(&[(
            inside,
            json!([[{"natural": "X<s>"}, 1], [{"natural": "Y<s>"}, 1]]),
        )]),
    );
    refused(
        "[2 <r>] ~ [2 <s>]\n[3 <s>] ~ [3 <t>]",
        json!({"<r>": "[]", "<s>": "[]", "<t>": "[]"}),
        &forged,
    );
    // On an axis beside the one that it faces.
    for (enter, land) in [(0, 1), (1, 0)] {
        let walks = json!([walk(&[step(0, "left", axis(enter), axis(land))])]);
        let forged = certificate(json!([]), json!([{"walks": walks}]), assuming(&[]));
        refused("[2, 3] ~ [2, 3]", json!({}), &forged);
    }
}

#[test]
fn a_step_begins_where_the_walk_is() {
    // In `<r>`, and then in `<s>`.
    let walks = json!([walk(&[
        step(0, "right", axis(0), json!("content")),
        step(1, "left", json!("content"), axis(0)),
    ])]);
    let forged = certificate(
        json!([]),
        json!([{"walks": walks}]),
        assuming(&[reaches("r", 0, 0)]),
    );
    refused(
        "<r> ~ [2]\n<s> ~ [3]",
        json!({"<r>": "[2]", "<s>": "[3]"}),
        &forged,
    );
    // On `a`, and then on `b`.
    let walks = json!([walk(&[
        step(0, "right", leading(0), leading(0)),
        step(1, "left", leading(0), leading(0)),
    ])]);
    let forged = certificate(json!([]), json!([{"walks": walks}]), assuming(&[]));
    refused("a = 2\nb = 3", json!({"a": "2", "b": "3"}), &forged);
}

/// Returns a walk that begins in `<r>` with the 2, goes through a loop, and meets the 3.
fn looped(steps: Value, drift: i64, conditions: &[(Value, Value)]) -> String {
    let begin = step(0, "right", axis(0), json!("content"));
    let round = json!({"loop": {"steps": steps, "drift": drift, "times": {"1": 1}}});
    let other = walk(&[step(0, "right", axis(1), json!("content"))]);
    let walks = json!([[{"step": begin}, round], other]);
    certificate(json!([]), json!([{"walks": walks}]), assuming(conditions))
}

#[test]
fn a_loop_comes_back_to_its_row_as_far_as_it_says() {
    let in_r = [reaches("r", 0, 0), reaches("r", 1, 0)];
    // Into `<s>`, which is one axis longer.
    let longer = json!({"X<s>": 1, "Y<s>": 1, "1": -2});
    let lengths = json!([[{"length": [1, 1]}, 1], [{"length": [0, 0]}, 1]]);
    let mut conditions = in_r.to_vec();
    conditions.push((longer, lengths));
    let steps = json!([step(1, "left", json!("content"), json!("content"))]);
    let set = "<r> ~ [2, 3]\n[9 <r>] ~ <s>";
    let solution = json!({"<r>": "[2, 3]", "<s>": "[9, 2, 3]"});
    let reason = refused(set, solution, &looped(steps, 1, &conditions));
    assert!(reason.contains("the row in which it begins"), "{reason}");
    // Into `<r>`, at the same place.
    for drift in [1, -1] {
        let steps = json!([step(1, "left", json!("content"), json!("content"))]);
        let set = "<r> ~ [2, 3]\n<r> ~ <r>";
        refused(set, json!({"<r>": "[2, 3]"}), &looped(steps, drift, &in_r));
    }
    // Over a written axis.
    let steps = json!([
        step(1, "left", json!("content"), axis(0)),
        step(1, "right", axis(0), json!("content")),
    ]);
    let set = "<r> ~ [2, 3]\n<r> ~ [a, b]";
    let solution = json!({"<r>": "[2, 3]", "a": "2", "b": "3"});
    let reason = refused(set, solution, &looped(steps, 0, &in_r));
    assert!(reason.contains("stays in rows"), "{reason}");
}
