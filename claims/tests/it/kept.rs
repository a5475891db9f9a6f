//! The committed results.

use lozenge_claims::deciding::DECISION;
use lozenge_claims::formal_core::FORMAL_CORE;
use lozenge_claims::gradients::GRADIENTS;
use lozenge_claims::machinery::{Effort, Kept, Standing};

/// The results need not be current for this test: stale ones are decided again.
#[test]
fn the_committed_results_are_whole() {
    for document in [FORMAL_CORE, DECISION, GRADIENTS] {
        let kept = Kept::default().with_committed(document.results);
        let edited: Vec<&str> = kept.edited().collect();
        assert_eq!(edited, Vec::<&str>::new(), "{}", document.heading.key);
        for item in document.items() {
            let standing = kept.standing(&item.id, "", Effort::Full);
            assert_ne!(standing, Standing::Unknown, "{}", item.id);
        }
    }
}
