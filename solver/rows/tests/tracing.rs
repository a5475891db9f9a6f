//! Each conclusion is an event for whoever listens. `cargo test -p lozenge-solver --features tracing --test tracing`.
//!
//! A program of its own: the crate keeps for the whole process which events interest nobody, and another test that
//! reaches one first, while nobody listens, can decide that for this one.
#![cfg(feature = "tracing")]

use std::fmt;
use std::sync::{Arc, Mutex};

use lozenge_solver::{Problem, Solver};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps what each event says.
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
fn a_conclusion_is_seen() {
    let kept = Kept::default();
    let problem = Problem::parse("[3, 5] <= <r>\nleaf <r>").expect("a problem");
    tracing::subscriber::with_default(kept.clone(), || {
        Solver::new(problem).close().expect("closed");
    });
    let said = kept.0.lock().expect("one thread").join(" ");
    for expected in ["rule=\"close_leaf\"", "policy=true", "conclusion=Placed"] {
        assert!(said.contains(expected), "{expected} is not in {said}");
    }
}
