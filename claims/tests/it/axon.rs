//! The statements of Axon: which of them are false as printed, and that every repair holds.

use std::path::Path;
use std::sync::LazyLock;

use lozenge_claims::axon::AXON;
use lozenge_claims::machinery::{Effort, Entry, Evidence, Options, decide, errata};

static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| decided(Effort::Quick));

fn decided(effort: Effort) -> Vec<Entry> {
    let mut options = Options {
        effort,
        ..Options::default()
    };
    decide(&AXON, &AXON.items(), &mut options, &mut |_| {}).unwrap()
}

fn wrong(entries: &[Entry]) -> Vec<String> {
    let told = |entry: &Entry| {
        let (witness, why) = (entry.witness.as_deref(), entry.why.as_deref());
        format!(
            "{}: {} ({})",
            entry.id,
            witness.unwrap_or_default(),
            why.unwrap_or_default()
        )
    };
    let mut wrong = Vec::new();
    for entry in entries {
        let is_false = entry.evidence == Evidence::Falsified;
        let expected = entry.repairs.is_none() && FALSE.contains(&entry.id.as_str());
        if is_false != expected || is_false && entry.repaired_by.is_none() {
            wrong.push(told(entry));
        }
        let nothing = entry.evidence == Evidence::NotExecutable;
        if !nothing && entry.instances == 0 {
            wrong.push(format!("{}: decided on nothing", entry.id));
        }
    }
    wrong
}

/// The statements that are false as printed.
const FALSE: &[&str] = &[
    "axon-I1",
    "axon-I2",
    "axon-I6",
    "axon-I8",
    "axon-I10",
    "axon-I13",
    "axon-I16",
    "axon-I18",
    "axon-rule tautology",
    "axon-rule plus",
    "axon-rule minus",
    "axon-fixed-point",
    "axon-unique",
    "axon-verdict",
    "axon-acceptance",
    "axon-principal",
    "axon-W1",
    "axon-W2",
    "axon-W3",
    "axon-W4",
    "axon-W5",
    "axon-W6",
    "axon-W7",
    "axon-W8",
    "axon-W9",
    "axon-W10",
    "axon-W11",
    "axon-W15",
    "axon-W16",
    "axon-W17",
    "axon-W18",
    "axon-W19",
    "axon-W21",
    "axon-W22",
    "axon-W23",
    "axon-W24",
];

#[test]
fn every_inventory_row_and_finding_has_an_entry() {
    let ids: Vec<String> = AXON.items().into_iter().map(|item| item.id).collect();
    for number in 1..=20 {
        assert!(ids.contains(&format!("axon-I{number}")), "I{number}");
    }
    for number in 1..=24 {
        assert!(ids.contains(&format!("axon-W{number}")), "W{number}");
    }
}

#[test]
fn each_statement_is_false_or_not_as_was_found() {
    for entry in TABLE.iter() {
        println!("{} {} {}", entry.id, entry.evidence.word(), entry.instances);
    }
    let wrong = wrong(&TABLE);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_errata_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/generated/errata-axon.md");
    let generated = errata(&AXON.heading, &TABLE);
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "docs/generated/errata-axon.md is not what the table gives: run this test with LOZENGE_WRITE=1"
    );
}

#[test]
#[ignore = "takes up to a minute; run with --release"]
fn the_full_table() {
    let wrong = wrong(&decided(Effort::Full));
    assert!(wrong.is_empty(), "{wrong:#?}");
}
