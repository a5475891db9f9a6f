//! The statements of the project itself on how complete mode decides (`docs/decidability.md`, `docs/certificates.md`),
//! by section. No paper is quoted: the evidence is from the definitions, and shares no code with the solver or the
//! checker.

mod any_words;
mod d1_lengths;
mod d2_certificates;
mod d3_gadgets;
mod d4_procedure;
mod reachability;

use crate::formal_core::{Case, populations};
use crate::machinery::{Claim, Document, Heading, Section};

/// The document with all its claims.
// A `static` would be compiled, with all that it reaches, into each program of unit tests.
pub const DECISION: Document<Case> = Document {
    heading: Heading {
        key: "decision",
        title: "How complete mode decides",
        document: "How complete mode decides",
        authors: None,
        link: None,
        introduction: "These are statements of the project, not of a paper; `docs/decidability.md` has their proofs and \
                       `docs/certificates.md` the rules of certificates. A row variable `<r>` stands for a row with `X` axes in front of \
                       the marker and `Y` behind it; its rank is their sum. `l <r> t` is a row with the written axes `l` and `t`; the result \
                       of `<=` is on the left, and a prime marks the operand's side. *Proved* means for words, flanks and numbers of any \
                       size.",
    },
    sections: &[
        section(
            "Complete mode: lengths and axes",
            d1_lengths::CLAIMS,
            env!("SOURCES_D1"),
        ),
        section(
            "Complete mode: certificates",
            d2_certificates::CLAIMS,
            env!("SOURCES_D2"),
        ),
        section(
            "Complete mode: gadgets",
            d3_gadgets::CLAIMS,
            env!("SOURCES_D3"),
        ),
        section(
            "Complete mode: the procedure",
            d4_procedure::CLAIMS,
            env!("SOURCES_D4"),
        ),
    ],
    survey: populations::survey,
    sample: populations::sample,
    results: include_str!("../results/decision.json"),
};

const fn section(
    title: &'static str,
    claims: &'static [&'static [Claim<Case>]],
    sources: &'static str,
) -> Section<Case> {
    Section {
        title,
        claims,
        sources,
    }
}
