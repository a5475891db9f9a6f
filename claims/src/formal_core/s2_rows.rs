//! §2: rows and their orders, by enumeration of every row up to a rank and by Z3 for rows of any length.

mod one_shot;
mod order;
mod proofs;
mod two_sorted;

use crate::formal_core::case::Case;
use crate::machinery::Claim;

pub use proofs::one_shot as one_shot_order;

/// The claims of §2.
pub const CLAIMS: &[&[Claim<Case>]] = &[order::CLAIMS, two_sorted::CLAIMS, one_shot::CLAIMS];
