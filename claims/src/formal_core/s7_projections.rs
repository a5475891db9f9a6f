//! §7: projections: equations and their solver, index maps, and the elaboration of einsums.

mod affine_maps;
mod einsums;
mod elaboration_proofs;
mod equations;
mod index_maps;
mod index_proofs;
mod locality;
mod points;
mod random_einsum;
mod writing;

use crate::formal_core::case::Case;
use crate::machinery::Claim;

/// The claims of §7.
pub const CLAIMS: &[&[Claim<Case>]] = &[
    equations::CLAIMS,
    index_maps::CLAIMS,
    affine_maps::CLAIMS,
    einsums::CLAIMS,
];
