//! The claims table with all its evidence: what `lozenge-spec` decides by itself, the proofs in Z3, and the hunts.

mod agreement;
mod branching;
pub mod core;
mod coverage;
mod dimension_proofs;
mod elaboration_proofs;
mod errata;
mod html;
mod index_coverage;
mod index_proofs;
mod long_survey;
mod order_proofs;
mod prover;
mod row_order_proofs;
mod rule_proofs;
mod situations;
mod strata;
mod surface;
mod text;
mod unbounded;
mod word_equations;

use std::time::{Duration, Instant};

use crate::core::survey::Decided;
use crate::core::{Check, Claim, Effort, Finding};
use lozenge_vocabulary::{ConstraintSet, Verdict};
use serde::Serialize;

use lozenge_fuzz::parties::oracle;

pub use agreement::{Agreement, agree};
pub use coverage::{Coverage, coverage};
pub use errata::errata;
pub use html::page;
pub use long_survey::{Surveyed, survey};
pub use text::{in_full, table_text};

/// How the table is made.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How much is searched.
    pub effort: Effort,
    /// Whether a bar on standard error tells how far the searches are.
    pub progress: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            effort: Effort::Full,
            progress: false,
        }
    }
}

/// An entry of the table, decided.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// The kind, the printed number and part.
    pub id: String,
    /// The statement, as printed.
    pub statement: String,
    /// How it was decided: `proved`, `exhaustive`, `sampled`, `falsified`, `not-executable`.
    pub evidence: crate::core::Evidence,
    /// What was searched, or why nothing was.
    pub scope: String,
    /// How many instances were decided; for proofs, how many questions Z3 answered.
    pub instances: u64,
    /// For a falsified claim, a minimal instance against it, in the notation.
    pub witness: Option<String>,
    /// For a falsified claim, the id of the repaired one.
    pub repaired_by: Option<String>,
    /// How long it took one parties. What several claims of a survey ask for is shared evenly among all of them.
    pub seconds: f64,
    /// What is seen on the witness.
    #[serde(skip)]
    pub why: Option<String>,
}

/// Every claim, decided, in the order of the document.
pub fn table(options: &Options) -> Vec<Entry> {
    decide(&crate::core::all(), options)
}

/// The claims that a number asks for, decided: `Cor. 5.8` and `5.8` mean the claim with all its parts and repairs.
pub fn show(asked: &str, options: &Options) -> Vec<Entry> {
    let chosen: Vec<Claim> = crate::core::all()
        .into_iter()
        .filter(|claim| is_asked(claim.id, asked))
        .collect();
    decide(&chosen, options)
}

/// Whether an id is what was asked for, or a part or a repair of it. The kind may be left out.
pub fn is_asked(id: &str, asked: &str) -> bool {
    let number = id.split_once(' ').map_or(id, |(_, number)| number);
    [id, number].iter().any(|own| {
        own.strip_prefix(asked)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', ' ']))
    })
}

/// Decides some of the claims: none that was not asked for.
fn decide(all: &[Claim], options: &Options) -> Vec<Entry> {
    let bar = options.progress.then(text::bar);
    let tell = |done: u64, total: u64| {
        if let Some(bar) = &bar {
            bar.set_length(total);
            bar.set_position(done);
        }
    };
    let surveyed = crate::core::survey::decide(all, options.effort, Some(by_z3), &tell);
    let decide = |(claim, surveyed): (&Claim, Option<Decided>)| match surveyed {
        Some((finding, seconds)) => entry(claim, finding, seconds),
        None => {
            let start = Instant::now();
            let finding = decided(claim, options.effort);
            entry(claim, finding, start.elapsed().as_secs_f64())
        }
    };
    let entries = all.iter().zip(surveyed).map(decide).collect();
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    entries
}

/// Whether a set has a solution, of whatever rank and over whatever atoms: said by Z3, which knows no rule.
pub fn by_z3(set: &ConstraintSet) -> Option<bool> {
    match oracle(Duration::from_secs(10)).sat(set).verdict() {
        Verdict::Sat => Some(true),
        Verdict::Unsat => Some(false),
        Verdict::Rejected | Verdict::Unknown => None,
    }
}

/// Decides a claim that no survey decides: by Z3 where there is a proof, else by its own function.
fn decided(claim: &Claim, effort: Effort) -> Finding {
    let own = match claim.check {
        Check::Function(check) => Some(check(effort)),
        Check::Sets(_) | Check::Random(_) | Check::Elsewhere => None,
    };
    let proof = order_proofs::proof(claim.id)
        .or_else(|| row_order_proofs::proof(claim.id))
        .or_else(|| rule_proofs::proof(claim.id, effort))
        .or_else(|| index_proofs::proof(claim.id, effort));
    match (proof, own) {
        (Some(proof), Some(own)) if own.witness.is_none() => Finding {
            scope: format!(
                "{}; and exhaustively: {} ({})",
                proof.scope, own.scope, own.instances
            ),
            ..proof
        },
        (_, Some(own)) => own,
        (Some(proof), None) => proof,
        (None, None) => hunted(claim, effort),
    }
}

/// The open ones.
fn hunted(claim: &Claim, effort: Effort) -> Finding {
    match claim.id {
        "Cor. 5.5(surface)" => surface::hunt(effort, false),
        "Cor. 5.5(surface) repaired" => surface::hunt(effort, true),
        "Conj. 8.2" => strata::hunt(effort),
        "Rem. 6.7(iv)" => branching::hunt(effort),
        _ => Finding::not_executable("nothing here decides it"),
    }
}

fn entry(claim: &Claim, finding: Finding, seconds: f64) -> Entry {
    let falsified = finding.witness.is_some();
    let (witness, why) = match finding.witness {
        Some(witness) => (Some(witness.text), Some(witness.why)),
        None => (None, None),
    };
    Entry {
        id: claim.id.to_string(),
        statement: claim.statement.to_string(),
        evidence: finding.evidence,
        scope: finding.scope,
        instances: finding.instances,
        witness,
        repaired_by: if falsified { claim.repair() } else { None },
        seconds,
        why,
    }
}

/// The table as JSON: a list of objects, a line each.
///
/// # Errors
/// None in practice: every field is text or a number.
pub fn json(entries: &[Entry]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(entries)
}
