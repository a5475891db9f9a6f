//! The table of the gradual calculus at the quick effort: every entry has evidence, every falsified one has a repair
//! that holds, and the errata are up to date.

use std::path::Path;
use std::sync::LazyLock;

use lozenge_claims::gradual::{GRADUAL, Typed};
use lozenge_claims::machinery::{
    Check, Effort, Entry, Evidence, Item, Options, Subject, decide, errata, table_text,
};
use lozenge_gradual_vocabulary::Program;

fn decided(effort: Effort) -> Vec<Entry> {
    let mut options = Options {
        effort,
        ..Options::default()
    };
    decide(&GRADUAL, &GRADUAL.items(), &mut options, &mut |_| {}).unwrap()
}

/// One table for all tests.
static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| decided(Effort::Quick));

#[test]
fn every_entry_is_decided_and_every_falsified_one_repaired() {
    println!("{}", table_text(&TABLE, 160));
    let (mut false_ones, mut decided) = (0, 0);
    for entry in TABLE.iter() {
        let falsified = entry.evidence == Evidence::Falsified;
        let counted = entry.instances > 0 || entry.evidence == Evidence::NotExecutable;
        assert!(
            counted && !entry.scope.is_empty(),
            "{} was decided on nothing",
            entry.id
        );
        assert_eq!(falsified, entry.witness.is_some(), "{}", entry.id);
        assert_eq!(
            falsified,
            entry.repaired_by.is_some(),
            "{} has no repair: {:?}",
            entry.id,
            entry.witness
        );
        let is_repair = entry.repairs.is_some();
        assert!(
            !(falsified && is_repair),
            "{} is false: {:?} {:?}",
            entry.id,
            entry.witness,
            entry.why
        );
        false_ones += u64::from(falsified);
        decided += u64::from(entry.instances > 0);
    }
    assert!(
        false_ones > 10 && decided > 40,
        "{false_ones} of {decided} are false"
    );
}

/// The kind of evidence of every entry is in a snapshot, so that every change is seen.
#[test]
fn the_kinds_of_evidence_are_as_committed() {
    let line = |entry: &Entry| {
        let witness = entry
            .witness
            .as_ref()
            .map(|witness| format!("; {}", witness.replace('\n', "; ")));
        format!(
            "{}: {}{}\n",
            entry.id,
            entry.evidence_in_words(),
            witness.unwrap_or_default()
        )
    };
    let lines: String = TABLE.iter().map(line).collect();
    insta::assert_snapshot!(lines);
}

/// Returns the properties of an item that were decided on single programs.
fn properties(item: &Item<Typed>) -> impl Iterator<Item = impl Fn(&Program) -> bool> {
    item.checks.iter().filter_map(|check| match *check {
        Check::Survey(rules, property) | Check::Sample(rules, property) => {
            Some(move |program: &Program| {
                let typed = Typed::new(program.clone()).under(rules);
                matches!(property(&typed), Some(Err(_)))
            })
        }
        _ => None,
    })
}

#[test]
fn each_witness_refutes_its_claim_and_nothing_smaller_does() {
    let mut checked = 0;
    for (item, entry) in GRADUAL.items().iter().zip(TABLE.iter()) {
        let Some(program) = entry
            .witness
            .as_ref()
            .and_then(|witness| witness.parse::<Program>().ok())
        else {
            continue;
        };
        let Some(refutes) = properties(item).find(|refutes| refutes(&program)) else {
            assert_eq!(properties(item).count(), 0, "{}: {program}", item.id);
            continue;
        };
        assert!(
            Typed::is_minimal(&program, &refutes),
            "{}: {program}",
            item.id
        );
        checked += 1;
    }
    assert!(
        checked > 4,
        "only {checked} witnesses are programs under rules"
    );
}

#[test]
fn the_errata_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/generated/errata-gradual.md");
    let generated = errata(&GRADUAL.heading, &TABLE);
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "docs/generated/errata-gradual.md is not what the table gives: run this test with LOZENGE_WRITE=1"
    );
}

#[test]
#[ignore = "takes minutes; run with --release"]
fn the_full_table() {
    for entry in decided(Effort::Full)
        .iter()
        .filter(|entry| entry.repairs.is_some())
    {
        assert!(
            entry.witness.is_none(),
            "{} is false: {:?}",
            entry.id,
            entry.why
        );
    }
}
