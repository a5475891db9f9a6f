//! *Axon: A Language for Dynamic Shapes in Deep Learning Graphs* (Collins and Grover): what it defines and claims, what
//! its rules keep, and where it is wrong or silent. Of the evidence, solutions are from enumeration and from Z3, runs
//! are of the transcribed rules, and the native procedure is asked only where a repaired statement is about it.

mod case;
mod x1_inventory;
mod x2_rules;
mod x3_findings;

use crate::machinery::{Document, Heading, Section};

pub use case::AxonCase;

/// The document with all its claims.
// A `static` would be compiled, with all that it reaches, into each program of unit tests.
pub const AXON: Document<AxonCase> = Document {
    heading: Heading {
        key: "axon",
        title: "Axon",
        document: "Axon: A Language for Dynamic Shapes in Deep Learning Graphs",
        authors: Some("A. Collins, V. Grover"),
        link: None,
        introduction: "The paper has no numbered statements. An entry is something that it defines or claims (I1 to I20), a property that its \
                       rules are meant to have, or a finding (W1 to W24): what the paper says or leaves unsaid, with a witness. Witnesses are \
                       sets of equations in the notation of `.shapes` files: `s@[a]` is `s` with one more axis behind it, `*` a ragged \
                       dimension. Solutions are values at which both sides are equal, where every dimension that is written is at least 1.",
    },
    sections: &[
        Section {
            title: "Axon: definitions and claims",
            claims: x1_inventory::CLAIMS,
            sources: env!("SOURCES_X1"),
        },
        Section {
            title: "Axon: the rules",
            claims: x2_rules::CLAIMS,
            sources: env!("SOURCES_X2"),
        },
        Section {
            title: "Axon: findings",
            claims: x3_findings::CLAIMS,
            sources: env!("SOURCES_X3"),
        },
    ],
    survey: case::no_survey,
    sample: case::no_survey,
    results: include_str!("../results/axon.json"),
};
