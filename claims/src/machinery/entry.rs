//! A decided row of the table, which tables, pages, errata and JSON show.

use serde::{Deserialize, Serialize};

use super::finding::Evidence;

/// The outcome of a witness under some rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Read {
    /// The rules.
    pub rules: String,
    /// The outcome, in a few words.
    pub outcome: String,
    /// True if the witness refutes the statement under these rules; `None` when the statement does not apply to it
    /// under them, or is not a property of single instances.
    pub refutes: Option<bool>,
}

/// A decided row of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Entry {
    /// The kind, the printed number and part.
    pub id: String,
    /// The section of the document.
    pub section: String,
    /// The statement, as printed or repaired.
    pub statement: String,
    /// The kind of evidence.
    pub evidence: Evidence,
    /// The bounds of a proof that has any.
    pub bounds: Option<String>,
    /// The rules under which instances were run, where rules were run.
    pub rules: Option<String>,
    /// The scope of the search, or the reason for which nothing was searched.
    pub scope: String,
    /// The number of instances that were decided; for proofs, the number of questions that Z3 answered.
    pub instances: u64,
    /// A minimal instance against a falsified statement, in the notation of the document.
    pub witness: Option<String>,
    /// The contradiction between the witness and the statement.
    pub why: Option<String>,
    /// The outcome of the witness under each set of rules.
    pub readings: Vec<Read>,
    /// The id of the repaired statement, for a falsified one.
    pub repaired_by: Option<String>,
    /// The id of the printed statement, for a repaired one.
    pub repairs: Option<String>,
    /// The time that it took one worker, in seconds. The time for results that several claims of a survey need is
    /// divided evenly among these.
    pub seconds: f64,
}

impl Entry {
    /// Returns the names of the theorems of Coq that say the statement; none where the evidence is of another kind.
    pub fn theorems(&self) -> impl Iterator<Item = &str> {
        let is_mechanised = self.evidence == Evidence::Mechanised;
        let names = self.scope.split("; and ").next().unwrap_or_default();
        names.split(", ").filter(move |_| is_mechanised)
    }

    /// Returns the kind of evidence with the bounds of the proof: `proved, flanks up to 3`.
    pub fn evidence_in_words(&self) -> String {
        match &self.bounds {
            Some(bounds) => format!("{}, {bounds}", self.evidence.word()),
            None => self.evidence.word().to_string(),
        }
    }
}
