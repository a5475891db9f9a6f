//! The committed results.

use lozenge_claims::axon::AXON;
use lozenge_claims::deciding::DECISION;
use lozenge_claims::formal_core::FORMAL_CORE;
use lozenge_claims::gradients::GRADIENTS;
use lozenge_claims::gradual::GRADUAL;
use lozenge_claims::machinery::{Effort, Kept, Standing};

/// The results need not be current for this test: stale ones are decided again.
#[test]
fn the_committed_results_are_whole() {
    for document in [FORMAL_CORE, DECISION, GRADIENTS] {
        let items = document.items().into_iter().map(|item| item.id);
        are_whole(document.heading.key, document.results, items);
    }
    let items = GRADUAL.items().into_iter().map(|item| item.id);
    are_whole(GRADUAL.heading.key, GRADUAL.results, items);
    let items = AXON.items().into_iter().map(|item| item.id);
    are_whole(AXON.heading.key, AXON.results, items);
}

/// Holds the committed results of a document to its items.
fn are_whole(document: &str, results: &str, items: impl Iterator<Item = String>) {
    let kept = Kept::default().with_committed(results);
    let edited: Vec<&str> = kept.edited().collect();
    assert_eq!(edited, Vec::<&str>::new(), "{document}");
    for item in items {
        let standing = kept.standing(&item, "", Effort::Full);
        assert_ne!(standing, Standing::Unknown, "{item}");
    }
}
