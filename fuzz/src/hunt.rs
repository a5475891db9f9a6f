//! The hunt for a disagreement: examines the inputs of a campaign, for all targets about constraint sets and projections in turn, until two
//! parties disagree. Planted defects are found in this way (`docs/planted.md`).

use serde::Serialize;

use crate::input::{Input, Kind};
use crate::minimise::minimise;
use crate::outcome::Outcome;
use crate::parties::Parties;
use crate::party::Question;
use crate::target::{TARGETS, Target};

/// Targets that ask Z3 get one input while the others get this many, because Z3 is slow.
const SELDOM: u64 = 10;

/// A disagreement.
#[derive(Clone, Debug, Serialize)]
pub struct Quarry {
    /// The target.
    pub target: &'static str,
    /// How many inputs of all targets were examined.
    pub inputs: u64,
    /// The check that failed.
    pub check: String,
    /// A smallest input on which it fails.
    pub least: String,
}

/// The targets about constraint sets and projections.
fn targets() -> impl Iterator<Item = &'static Target> {
    let is_hunted = |target: &&Target| match target.kind {
        Kind::Set | Kind::System | Kind::Operation => true,
        Kind::Program => target.name == "projected_programs",
        Kind::Text => false,
    };
    TARGETS.iter().filter(is_hunted)
}

/// The inputs of all targets in turn, by target and index.
fn inputs() -> impl Iterator<Item = (&'static Target, u64)> {
    (0..).flat_map(|round| {
        targets().filter_map(move |target| {
            let slow = target.questions.contains(&Question::Decide);
            match round % SELDOM {
                0 if slow => Some((target, round / SELDOM)),
                _ => (!slow).then_some((target, round)),
            }
        })
    })
}

/// The check that fails on an input.
fn failed_check(target: &Target, input: &Input, parties: &mut Parties) -> Option<String> {
    match target.examine(input, parties)?.outcome {
        Outcome::Disagree(disagreement) => Some(disagreement.check),
        _ => None,
    }
}

/// Examines inputs until two parties disagree, at most `limit` of them.
pub fn hunt(seed: u64, limit: u64) -> Option<Quarry> {
    let mut parties = Parties::default();
    (1..=limit)
        .zip(inputs())
        .find_map(|(inputs, (target, index))| {
            let input = target.indexed(seed, index)?;
            let check = failed_check(target, &input, &mut parties)?;
            Some(Quarry {
                target: target.name,
                inputs,
                check,
                least: minimise(target, &input, &mut parties).to_string(),
            })
        })
}
