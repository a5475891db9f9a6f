//! Each rule that fires is an event for whoever listens. `cargo test -p lozenge-spec --features tracing --test
//! tracing`.
//!
//! A program of its own: the crate keeps for the whole process which events interest nobody, and another test that
//! reaches one first, while nobody listens, can decide that for this one.
#![cfg(feature = "tracing")]

use std::fmt;
use std::sync::{Arc, Mutex};

use lozenge_spec::solve::{Options, solve};
use lozenge_vocabulary::ConstraintSet;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A subscriber that keeps the text of each event.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<String>>>);

impl Visit for &Kept {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let mut kept = self.0.lock().expect("one thread");
        kept.push(format!("{field}={value:?}"));
    }
}

impl Subscriber for Kept {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut &*self);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn a_rule_that_fires_is_seen() {
    let kept = Kept::default();
    let set: ConstraintSet = "a = 3\n5 <= a".parse().expect("a set");
    tracing::subscriber::with_default(kept.clone(), || {
        solve(&set, &Options::default());
    });
    let said = kept.0.lock().expect("one thread").join(" ");
    for expected in [
        "rule=\"de_bind\"",
        "constraint=\"a = 3\"",
        "rule=\"di_ground\"",
        "fails=true",
    ] {
        assert!(said.contains(expected), "{expected} is not in {said}");
    }
}
