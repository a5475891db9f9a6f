//! The claims of *The Formal Core of OCANNL's Shape and Projection Inference*, by section of the document.
//!
//! Each file holds printed statements beside the functions that decide them: the enumeration, the proof and, where a
//! statement is false, the statement that holds instead.

pub mod agreement;
mod case;
mod divergence;
mod drawing;
mod enumeration;
mod numbers;
pub mod populations;
mod property;
mod reading;
mod s1_dimensions;
mod s2_rows;
mod s3_terms;
mod s4_calculus;
mod s5_metatheory;
mod s6_closing;
mod s7_projections;
mod s8_extensions;
mod strategies;

pub use case::{Case, by_z3};
pub use drawing::drawn;
pub use numbers::NUMBERS;
pub use reading::Reading;

use crate::machinery::{Document, Heading, Section};

/// The document with all its claims.
// A `static` would be compiled, with all that it reaches, into each program of unit tests.
pub const FORMAL_CORE: Document<Case> = Document {
    heading: Heading {
        key: "formal-core",
        title: "Claims of the formal core",
        document: "The Formal Core of OCANNL's Shape and Projection Inference",
        authors: Some("the OCANNL project"),
        link: None,
        introduction: "The witnesses are written in the notation of `.rows` files: `1_` is the claim-free unit 1∅, `<>` the \
                       marker ⋄, `<r>` a row variable at the marker, and the result of `<=` is on the left. Rules are run *as printed \
                       throughout*, or with the repairs that are named: Def. 4.3 compares each flank instead of totals, then \
                       Def. 4.5 records facts about each flank. *Repaired throughout* means that a constraint that made its result \
                       grow is also read again at once (Def. 4.4), that caps travel along adjacencies (Def. 4.2), and that leaves \
                       close by the schedule of Rem. 6.3.",
    },
    sections: &[
        section(
            "§1 Dimensions",
            &[s1_dimensions::CLAIMS],
            env!("SOURCES_S1"),
        ),
        section("§2 Rows", s2_rows::CLAIMS, env!("SOURCES_S2")),
        section("§3 Terms", &[s3_terms::CLAIMS], env!("SOURCES_S3")),
        section("§4 The calculus", s4_calculus::CLAIMS, env!("SOURCES_S4")),
        section("§5 Metatheory", s5_metatheory::CLAIMS, env!("SOURCES_S5")),
        section("§6 Closing", &[s6_closing::CLAIMS], env!("SOURCES_S6")),
        section("§7 Projections", s7_projections::CLAIMS, env!("SOURCES_S7")),
        section(
            "§8 Extensions",
            &[s8_extensions::CLAIMS],
            env!("SOURCES_S8"),
        ),
    ],
    survey: populations::survey,
    sample: populations::sample,
    results: include_str!("../results/formal-core.json"),
};

type Parts = &'static [&'static [crate::machinery::Claim<Case>]];

const fn section(title: &'static str, claims: Parts, sources: &'static str) -> Section<Case> {
    Section {
        title,
        claims,
        sources,
    }
}
