//! The statements on how complete mode decides: every entry has evidence, and none is falsified.

use std::path::Path;

use lozenge_claims::deciding::DECISION;
use lozenge_claims::machinery::{Effort, Entry, Evidence, Options, decide};

fn decided(effort: Effort) -> Vec<Entry> {
    let mut options = Options {
        effort,
        ..Options::default()
    };
    decide(&DECISION, &DECISION.items(), &mut options, &mut |_| {}).unwrap()
}

#[test]
fn every_statement_holds_and_was_decided_on_something() {
    let entries = decided(Effort::Quick);
    for entry in &entries {
        println!(
            "{} {} {} {:.2} s\n  {}",
            entry.id,
            entry.evidence_in_words(),
            entry.instances,
            entry.seconds,
            entry.scope
        );
    }
    for entry in &entries {
        assert!(
            entry.witness.is_none(),
            "{}: {:?}\n{:?}",
            entry.id,
            entry.witness,
            entry.why
        );
        let counted = entry.instances > 0 || entry.evidence == Evidence::NotExecutable;
        assert!(counted, "{} was decided on nothing", entry.id);
    }
}

/// The table as `lozenge claims decision` makes it.
#[test]
#[ignore = "takes up to a minute; run with --release"]
fn the_full_table() {
    for entry in decided(Effort::Full) {
        assert!(entry.witness.is_none(), "{}: {:?}", entry.id, entry.why);
    }
}

#[test]
fn each_entry_stands_at_its_statement_in_the_documents() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let read = |name: &str| std::fs::read_to_string(docs.join(name)).unwrap();
    let text = read("decidability.md") + &read("certificates.md");
    for item in DECISION.items() {
        assert!(text.contains(&item.id), "{} is in no document", item.id);
    }
}
