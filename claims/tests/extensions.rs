//! The entries of §8 that are decided by runs: what each search found, so that a search that stops looking is noticed.

use lozenge_claims::formal_core::FORMAL_CORE;
use lozenge_claims::machinery::{Check, Effort, Evidence, Finding};

fn found(id: &str) -> Finding {
    let item = FORMAL_CORE.items().into_iter().find(|item| item.id == id);
    let item = item.unwrap_or_else(|| panic!("no entry {id}"));
    match item.checks {
        [Check::Search(search)] => search(Effort::Quick),
        _ => panic!("{id} is not decided by one search"),
    }
}

/// The number before the last `of them` of a scope: the sets to which the claim applied.
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
