//! The statements of the project on gradients (`docs/language.md`, *Gradients*): what a backward program consists of,
//! and that it computes derivatives. The evidence is from the transcribed rules and from values; no operation of the
//! language is trusted.

mod g1_records;

use crate::formal_core::{Case, populations};
use crate::machinery::{Document, Heading, Section};

/// The document with all its claims.
// A `static` would be compiled, with all that it reaches, into each program of unit tests.
pub const GRADIENTS: Document<Case> = Document {
    heading: Heading {
        key: "gradients",
        title: "Gradients",
        document: "Gradients of tensor programs",
        authors: None,
        link: None,
        introduction: "These are statements of the project, not of a paper; they stand in `docs/language.md`. A *record* is an operation \
                       on which the loss depends: its product space, and an index map for each of its tensors. Witnesses are programs \
                       of the language.",
    },
    sections: &[Section {
        title: "Backward programs",
        claims: g1_records::CLAIMS,
        sources: env!("SOURCES_G1"),
    }],
    survey: populations::survey,
    sample: populations::sample,
    results: include_str!("../results/gradients.json"),
};
