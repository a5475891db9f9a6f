//! §4: configurations and rules. Each printed rule is run, searched for counterexamples, and proved or refuted in Z3.

mod dimension_proofs;
mod rule_proofs;
mod rules;
mod shapes;
mod word_equations;

use crate::formal_core::case::Case;
use crate::machinery::Claim;

/// The claims of §4.
pub const CLAIMS: &[&[Claim<Case>]] = &[rules::CLAIMS];
