//! The derivations of parties.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::in_order;

/// The derivations of parties.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PartyDerivations {
    /// For each party how it comes to its answer.
    #[serde(serialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub answers: Vec<(String, String)>,
}
