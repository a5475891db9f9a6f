//! The statements on gradients: every entry has evidence, and none is falsified.

use std::path::Path;

use lozenge_claims::gradients::GRADIENTS;
use lozenge_claims::machinery::{Effort, Entry, Options, decide};

fn decided(effort: Effort) -> Vec<Entry> {
    let mut options = Options {
        effort,
        ..Options::default()
    };
    decide(&GRADIENTS, &GRADIENTS.items(), &mut options, &mut |_| {}).unwrap()
}

#[test]
fn every_statement_holds_and_was_decided_on_something() {
    for entry in decided(Effort::Quick) {
        println!("{} {} {}", entry.id, entry.instances, entry.scope);
        let witness = entry.witness.unwrap_or_default();
        assert!(
            witness.is_empty(),
            "{}: {witness}\n{:?}",
            entry.id,
            entry.why
        );
        assert!(entry.instances > 200, "{}: {}", entry.id, entry.instances);
    }
}

#[test]
#[ignore = "takes up to a minute; run with --release"]
fn the_full_table() {
    for entry in decided(Effort::Full) {
        assert!(entry.witness.is_none(), "{}: {:?}", entry.id, entry.why);
    }
}

#[test]
fn each_entry_stands_at_its_statement_in_the_document() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/language.md");
    let text = std::fs::read_to_string(path).unwrap();
    for item in GRADIENTS.items() {
        assert!(text.contains(&item.id), "{} is in no document", item.id);
    }
}
