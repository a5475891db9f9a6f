//! The entries of §8 that are decided by runs: what each search found, so that a search that stops looking is noticed.

use lozenge_claims::formal_core::FORMAL_CORE;
use lozenge_claims::machinery::{Check, Effort, Evidence, Finding};

fn found(id: &str) -> Finding {
    let item = FORMAL_CORE.items().into_iter().find(|item| item.id == id);
    let item = item.unwrap_or_else(|| panic!("no entry {id}"));
    match item.checks {
        [Check::Search(search)] | [Check::Proof(search)] => search(Effort::Quick),
        _ => panic!("{id} is not decided by one check"),
    }
}

/// Returns the number before the last `of them` of a scope: the sets to which the claim applied.
fn applied(finding: &Finding) -> u64 {
    let number = finding.scope.strip_suffix(" of them").unwrap();
    number.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn the_order_of_guesses_changes_the_sizes_of_two_parts_that_may_both_be_empty() {
    let finding = found("Conj. 8.3(order)");
    assert_eq!(finding.evidence, Evidence::Falsified);
    let witness = finding.witness.unwrap();
    assert_eq!(witness.text, "t = a ^ b\nt = 1\n# discardable: a, b");
    assert_eq!(
        witness.why,
        "a before b gives a = 0, b = 1, b before a gives a = 1, b = 0"
    );
}

#[test]
fn the_guess_of_0_fails_on_a_part_above_an_atom() {
    let finding = found("Conj. 8.3(step 3)");
    assert_eq!(finding.evidence, Evidence::Falsified);
    let witness = finding.witness.unwrap();
    assert!(witness.text.contains(" <= "), "{}", witness.text);
    assert!(witness.why.contains("is a solution"), "{}", witness.why);
}

/// The printed policy for a counted row, and what closing in this project chooses in its place.
#[test]
fn one_axis_is_a_guess_and_so_are_no_more_axes() {
    let finding = found("Conj. 8.3(one axis)");
    assert_eq!(finding.evidence, Evidence::Falsified);
    let witness = finding.witness.unwrap();
    assert_eq!(witness.text, "n = |<r>|\nn = 4");
    assert!(witness.why.contains("[2, 2]"), "{}", witness.why);
    let finding = found("Conj. 8.4(c)(rows)");
    assert_eq!(finding.evidence, Evidence::Falsified);
    let witness = finding.witness.unwrap();
    assert_eq!(witness.text.trim_end(), "n = a * |<r>|\nn = 12");
    assert!(witness.why.contains("a = 4"), "{}", witness.why);
}

#[test]
fn what_holds_without_guesses_was_tried_on_many_sets() {
    for (id, least) in [
        ("Conj. 8.3(order) repaired", 20),
        ("Conj. 8.3(step 3) repaired", 20),
        ("Conj. 8.4(a)", 20),
        ("Conj. 8.4(c)", 5),
    ] {
        let finding = found(id);
        assert_eq!(finding.witness, None, "{id}");
        assert!(applied(&finding) >= least, "{id}: {}", finding.scope);
    }
}

#[test]
fn what_is_said_of_windows_and_concatenations_was_tried_on_many() {
    for (id, least, contains) in [
        ("Conj. 8.2(entailed)", 256, "4 have several"),
        (
            "Conj. 8.2(surface)",
            8_000,
            "2868 are accepted, 2848 of them with a derived index",
        ),
        ("Conj. 8.2(regions)", 100, "executed"),
        ("Conj. 8.2(gather)", 18, "any cell"),
        ("Conj. 8.3(test)", 400, "in 140 of them"),
        ("Conj. 8.4(a)(modes)", 45, "each of the five modes"),
        (
            "Conj. 8.4(a)(cycles)",
            800,
            "574 have a cycle of facts, and co_cycle refuses 54",
        ),
        ("Prop. 8.1(implemented)", 225, "in 80 of them"),
        ("Prop. 7.6(i)(affine) repaired", 1_500, "left-hand sides"),
    ] {
        let finding = found(id);
        assert!(finding.instances >= least, "{id}: {}", finding.instances);
        assert!(finding.scope.contains(contains), "{id}: {}", finding.scope);
    }
}
