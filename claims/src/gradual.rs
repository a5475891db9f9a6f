//! The claims table of *Generalizing Shape Analysis with Gradual Types* (ECOOP 2024), by section. Each statement is
//! decided by running the transcribed rules, and no proof of the paper is evidence.

mod m1_relations;
mod m2_evaluation;
mod m3_typing;
mod m4_constraints;
mod m5_rows;
mod m6_encoding;
mod population;
mod searching;
mod typed;

pub use typed::{Rules, Typed};

use crate::machinery::{Claim, Document, Heading, Section};

/// The document with all its claims.
// A `static` would be compiled, with all that it reaches, into each program of unit tests.
pub const GRADUAL: Document<Typed> = Document {
    heading: Heading {
        key: "gradual",
        title: "Gradual shape types",
        document: "Generalizing Shape Analysis with Gradual Types",
        authors: Some("Zeina Migeed, James Reed, Jason Ansel, Jens Palsberg"),
        link: None,
        introduction: "`?` is Dyn, as a dimension or a whole type, and `[2, ?]` is TensorType(2, Dyn). Witnesses are programs, and a witness about \
                       evaluation is a program whose annotations are the shapes of its inputs. The printed rules leave two things open, and are run \
                       in each reading of them: whether `t-reshape` wants a Dyn in each of the source and the target or in one of them, and what a \
                       number modulo 0 is. The repaired rules accept what some run accepts. Numbered statements are those of the paper; named ones \
                       stand in its text or, from Snd on, are missing from it.",
    },
    sections: &[
        section("§3 Relations", m1_relations::CLAIMS, env!("SOURCES_M1")),
        section("§3 Evaluation", m2_evaluation::CLAIMS, env!("SOURCES_M2")),
        section("§3 Types", m3_typing::CLAIMS, env!("SOURCES_M3")),
        section("§4 Constraints", m4_constraints::CLAIMS, env!("SOURCES_M4")),
        section(
            "Beside the formal core",
            m5_rows::CLAIMS,
            env!("SOURCES_M5"),
        ),
        section("§4 The encoding", m6_encoding::CLAIMS, env!("SOURCES_M6")),
    ],
    survey: population::survey,
    sample: population::sample,
    results: include_str!("../results/gradual.json"),
};

const fn section(
    title: &'static str,
    claims: &'static [&'static [Claim<Typed>]],
    sources: &'static str,
) -> Section<Typed> {
    Section {
        title,
        claims,
        sources,
    }
}
