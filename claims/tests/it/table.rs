//! The whole table of the formal core at the quick effort: every entry has evidence, every falsified one has a repair
//! that holds, and the errata are up to date.

use std::path::Path;
use std::sync::LazyLock;

use lozenge_claims::formal_core::{Case, FORMAL_CORE, Reading, drawn};
use lozenge_claims::machinery::{
    Check, Effort, Entry, Evidence, Item, Options, Provenance, Read, Subject, decide, errata,
    in_full, is_part_of, page, table_text,
};
use lozenge_vocabulary::ConstraintSet;

fn decided(effort: Effort) -> Vec<Entry> {
    let mut options = Options {
        effort,
        ..Options::default()
    };
    decide(
        &FORMAL_CORE,
        &FORMAL_CORE.items(),
        &mut options,
        &mut |_| {},
    )
    .unwrap()
}

/// One table for all tests, since it takes most of a minute.
static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| decided(Effort::Quick));

fn falsified() -> impl Iterator<Item = &'static Entry> {
    TABLE.iter().filter(|e| e.evidence == Evidence::Falsified)
}

#[test]
fn every_entry_has_a_scope_and_was_decided_on_something() {
    println!("{}", table_text(&TABLE, 160));
    for entry in TABLE.iter() {
        assert!(!entry.scope.is_empty(), "{} has no scope", entry.id);
        let counted = entry.instances > 0 || entry.evidence == Evidence::NotExecutable;
        assert!(counted, "{} was decided on nothing", entry.id);
    }
}

#[test]
fn exactly_the_falsified_entries_have_a_witness_and_a_repair() {
    for entry in TABLE.iter() {
        let falsified = entry.evidence == Evidence::Falsified;
        assert_eq!(falsified, entry.witness.is_some(), "{}", entry.id);
        assert_eq!(falsified, entry.repaired_by.is_some(), "{}", entry.id);
    }
}

#[test]
fn every_repair_is_in_the_table_and_holds() {
    for entry in falsified() {
        let repair = TABLE
            .iter()
            .find(|e| Some(&e.id) == entry.repaired_by.as_ref());
        assert!(repair.is_some(), "the repair of {} is missing", entry.id);
    }
    let repairs = TABLE.iter().filter(|e| e.repairs.is_some());
    for repair in repairs {
        assert!(
            repair.witness.is_none(),
            "{} is false:\n{:?}\n{:?}",
            repair.id,
            repair.witness,
            repair.why
        );
    }
}

/// The kind of evidence of every entry, with the bounds and the rules, is in a snapshot, so that every change is seen.
#[test]
fn the_kinds_of_evidence_are_as_committed() {
    let line = |entry: &Entry| {
        let rules = entry.rules.as_ref().map(|rules| format!("; rules {rules}"));
        format!(
            "{}: {}{}\n",
            entry.id,
            entry.evidence_in_words(),
            rules.unwrap_or_default()
        )
    };
    let lines: String = TABLE.iter().map(line).collect();
    insta::assert_snapshot!(lines);
}

/// Returns the properties of an item that were decided on single sets.
fn properties(item: &Item<Case>) -> impl Iterator<Item = impl Fn(&ConstraintSet) -> bool> {
    item.checks.iter().filter_map(|check| match *check {
        Check::Survey(rules, property) | Check::Sample(rules, property) => {
            Some(move |set: &ConstraintSet| {
                let case = Case::new(set.clone()).under(rules);
                matches!(property(&case), Some(Err(_)))
            })
        }
        _ => None,
    })
}

#[test]
fn each_witness_refutes_its_claim_and_nothing_smaller_does() {
    let mut checked = 0;
    for (item, entry) in FORMAL_CORE.items().iter().zip(TABLE.iter()) {
        assert_eq!(item.id, entry.id);
        let Some(witness) = &entry.witness else {
            continue;
        };
        let Ok(set) = witness.parse::<ConstraintSet>() else {
            continue;
        };
        let Some(refutes) = properties(item).find(|refutes| refutes(&set)) else {
            assert_eq!(properties(item).count(), 0, "{}: {witness}", item.id);
            continue;
        };
        assert!(Case::is_minimal(&set, &refutes), "{}: {witness}", item.id);
        checked += 1;
    }
    assert!(checked > 20, "only {checked} witnesses on constraint sets");
}

#[test]
fn each_falsification_by_a_run_names_its_rules_and_reads_its_witness_under_all() {
    let mut named = 0;
    for entry in falsified().filter(|entry| !entry.readings.is_empty()) {
        let rules: Vec<String> = entry.readings.iter().map(|r| r.rules.clone()).collect();
        assert_eq!(rules, Reading::ALL.map(|r| r.to_string()), "{}", entry.id);
        let is_own = |read: &&Read| Some(&read.rules) == entry.rules.as_ref();
        let own = entry.readings.iter().find(is_own);
        assert_ne!(own.and_then(|own| own.refutes), Some(false), "{}", entry.id);
        named += 1;
    }
    assert!(named > 25, "only {named} falsifications name their rules");
}

/// A set that is a witness of several entries has the same outcome in all of them.
#[test]
fn a_set_that_is_a_witness_twice_is_read_alike() {
    let mut twice = 0;
    for (i, a) in falsified().enumerate() {
        for b in falsified().skip(i + 1) {
            let same = a.witness == b.witness && !a.readings.is_empty();
            if same && !b.readings.is_empty() {
                let outcomes = |entry: &Entry| -> Vec<String> {
                    entry.readings.iter().map(|r| r.outcome.clone()).collect()
                };
                assert_eq!(outcomes(a), outcomes(b), "{} and {}", a.id, b.id);
                twice += 1;
            }
        }
    }
    assert!(twice > 5, "only {twice} pairs share a witness");
}

#[test]
fn the_errata_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/generated/errata.md");
    let generated = errata(&FORMAL_CORE.heading, &TABLE);
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "docs/generated/errata.md is not what the table gives: run this test with LOZENGE_WRITE=1"
    );
}

#[test]
fn the_front_page_says_how_many_are_false() {
    let readme = include_str!("../../../README.md");
    let said = format!("; {} are false", falsified().count());
    assert!(readme.contains(&said), "README.md does not say `{said}`");
}

#[test]
fn the_page_names_every_entry_once_and_needs_no_other_file() {
    let provenance = Provenance {
        effort: Effort::Quick,
        date: "2026-01-31".into(),
        commit: Some("abc1234".into()),
    };
    let page = page(&[FORMAL_CORE.heading], &provenance, &TABLE, drawn);
    assert!(page.starts_with("<!DOCTYPE html>"));
    for mark in ["2026-01-31", "abc1234", "quick run"] {
        assert!(page.contains(mark), "{mark}");
    }
    assert_eq!(page.matches("<article ").count(), TABLE.len());
    for anchor in [
        "id=\"Thm-5-2-a\"",
        "href=\"#Thm-5-2-a\"",
        "href=\"#Thm-5-2-a-repaired\"",
    ] {
        assert!(page.contains(anchor), "{anchor}");
    }
    for fetching in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(fetching), "the page has {fetching}");
    }
}

#[test]
fn each_entry_is_shown_in_full() {
    let text = in_full(&TABLE);
    for entry in TABLE.iter() {
        let own = [&entry.id, &entry.statement, &entry.scope];
        assert_eq!(own.map(|own| text.contains(own)), [true; 3], "{}", entry.id);
        for line in entry.witness.iter().flat_map(|w| w.lines()) {
            assert!(text.contains(line), "{}: {line}", entry.id);
        }
    }
}

#[test]
fn a_claim_is_asked_for_by_its_id_or_its_number() {
    for entry in TABLE.iter() {
        let (_, number) = entry.id.split_once(' ').unwrap();
        assert!(is_part_of(&entry.id, &entry.id) && is_part_of(&entry.id, number));
    }
    assert!(is_part_of("Cor. 5.8 repaired", "5.8") && !is_part_of("Cor. 5.8", "5"));
    assert!(is_part_of("Rem. 6.7(i)", "6.7") && !is_part_of("Rem. 6.7(ii)", "6.7(i)"));
}

/// The table as `lozenge claims` makes it: minutes on two cores.
#[test]
#[ignore = "takes minutes; run with --release"]
fn the_full_table() {
    let entries = decided(Effort::Full);
    println!("{}", table_text(&entries, 160));
    for entry in entries.iter().filter(|e| e.repairs.is_some()) {
        assert!(
            entry.witness.is_none(),
            "{} is false: {:?}",
            entry.id,
            entry.why
        );
    }
}
