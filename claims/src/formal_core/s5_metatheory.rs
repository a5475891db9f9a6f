//! §5: preservation, termination, solved form, decision, representation and principal models, each as a property of one
//! constraint set.

mod decision;
pub mod final_configuration;
mod preservation;
pub mod principality;
mod rank_models;
mod representation;
pub mod solved_form;
mod soundness;
mod surface;
mod termination;

use crate::formal_core::case::Case;
use crate::machinery::Claim;

/// The claims of §5.
pub const CLAIMS: &[&[Claim<Case>]] = &[
    preservation::CLAIMS,
    termination::CLAIMS,
    solved_form::CLAIMS,
    decision::CLAIMS,
    representation::CLAIMS,
    principality::CLAIMS,
];
