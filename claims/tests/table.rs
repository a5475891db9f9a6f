//! The whole table, quickly: every entry has evidence, every falsified one a repair that holds, the errata are up to date.

use std::path::Path;

use lozenge_claims::core::{Case, Check, Effort, Evidence};
use lozenge_claims::{Entry, Options};
use lozenge_testkit::minimise::is_minimal;
use lozenge_vocabulary::ConstraintSet;

fn quick() -> Vec<Entry> {
    lozenge_claims::table(&Options {
        effort: Effort::Quick,
        progress: false,
    })
}

/// One table for all that is asked of it: it takes most of a minute.
#[test]
fn the_quick_table() {
    let entries = quick();
    println!("{}", lozenge_claims::table_text(&entries, 160));
    for entry in &entries {
        assert!(!entry.scope.is_empty(), "{} has no scope", entry.id);
        let falsified = entry.evidence == Evidence::Falsified;
        assert_eq!(falsified, entry.witness.is_some(), "{}", entry.id);
        assert_eq!(falsified, entry.repaired_by.is_some(), "{}", entry.id);
        let counted = entry.instances > 0 || entry.evidence == Evidence::NotExecutable;
        assert!(counted, "{} was decided on nothing", entry.id);
        if entry.id.contains("repaired") {
            assert!(
                !falsified,
                "the repair {} is false:\n{:?}\n{:?}",
                entry.id, entry.witness, entry.why
            );
        }
    }
    repairs_exist(&entries);
    witnesses_are_minimal(&entries);
    errata_are_up_to_date(&entries);
    renderings_name_every_entry(&entries);
}

fn repairs_exist(entries: &[Entry]) {
    for repair in entries.iter().filter_map(|e| e.repaired_by.as_ref()) {
        assert!(
            entries.iter().any(|e| e.id == *repair),
            "{repair} is missing"
        );
    }
}

/// Each witness is read back and refutes its claim; nothing one step smaller does.
fn witnesses_are_minimal(entries: &[Entry]) {
    let mut checked = 0;
    for (claim, entry) in lozenge_claims::core::all().iter().zip(entries) {
        assert_eq!(claim.id, entry.id);
        let (Check::Sets(property) | Check::Random(property), Some(witness)) =
            (claim.check, &entry.witness)
        else {
            continue;
        };
        let refutes = |set: &ConstraintSet| {
            matches!(
                property(&Case::asking(set.clone(), Some(lozenge_claims::by_z3))),
                Some(Err(_))
            )
        };
        let set: ConstraintSet = witness.parse().unwrap();
        assert!(refutes(&set), "{}: {witness}", claim.id);
        assert!(is_minimal(&set, refutes), "{}: {witness}", claim.id);
        checked += 1;
    }
    assert!(checked > 20, "only {checked} witnesses on constraint sets");
}

fn errata_are_up_to_date(entries: &[Entry]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errata.md");
    let generated = lozenge_claims::errata(entries);
    if std::env::var_os("UPDATE_ERRATA").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "docs/errata.md is not what the table gives: run this test with UPDATE_ERRATA=1"
    );
}

fn renderings_name_every_entry(entries: &[Entry]) {
    let (page, text) = (
        lozenge_claims::page(entries),
        lozenge_claims::table_text(entries, 120),
    );
    let json: Vec<serde_json::Value> =
        serde_json::from_str(&lozenge_claims::json(entries).unwrap()).unwrap();
    assert_eq!(json.len(), entries.len());
    let fields = [
        "evidence",
        "id",
        "instances",
        "repaired_by",
        "scope",
        "seconds",
        "statement",
        "witness",
    ];
    for (entry, json) in entries.iter().zip(&json) {
        let mut own: Vec<&String> = json.as_object().unwrap().keys().collect();
        own.sort();
        assert_eq!(own, fields);
        assert!(
            page.contains(&entry.id) && text.contains(&entry.id),
            "{}",
            entry.id
        );
    }
    in_full_and_by_number(entries);
    assert!(
        page.starts_with("<!doctype html>") && !page.contains("http"),
        "the page is self-contained"
    );
}

/// Each claim can be asked for by its id and by its number, and is told in full.
fn in_full_and_by_number(entries: &[Entry]) {
    let text = lozenge_claims::in_full(entries);
    for entry in entries {
        let (_, number) = entry.id.split_once(' ').unwrap();
        assert!(
            lozenge_claims::is_asked(&entry.id, &entry.id)
                && lozenge_claims::is_asked(&entry.id, number)
        );
        let told = [&entry.id, &entry.statement, &entry.scope].map(|own| text.contains(own));
        assert_eq!(told, [true; 3], "{}", entry.id);
        for line in entry.witness.iter().flat_map(|w| w.lines()) {
            assert!(text.contains(line), "{}: {line}", entry.id);
        }
    }
    assert!(
        lozenge_claims::is_asked("Cor. 5.8 repaired", "5.8")
            && !lozenge_claims::is_asked("Cor. 5.8", "5")
    );
    assert!(
        lozenge_claims::is_asked("Rem. 6.7(i)", "6.7")
            && !lozenge_claims::is_asked("Rem. 6.7(ii)", "6.7(i)")
    );
}

/// The table as `lozenge claims` makes it: minutes on two cores.
#[test]
#[ignore = "takes minutes; run with --release"]
fn the_full_table() {
    let entries = lozenge_claims::table(&Options::default());
    println!("{}", lozenge_claims::table_text(&entries, 160));
    for entry in entries.iter().filter(|e| e.id.contains("repaired")) {
        assert!(
            entry.witness.is_none(),
            "the repair {} is false:\n{:?}\n{:?}",
            entry.id,
            entry.witness,
            entry.why
        );
    }
}
