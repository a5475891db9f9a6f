//! Detection of changes by a campaign: examines the inputs of the fuzzer's targets one after the other until two
//! parties disagree.

use std::time::Duration;

use serde::Deserialize;

use crate::copy::{Built, Error, Executable};
use crate::process::run;

/// A disagreement that a campaign found, as the example `hunt` of `lozenge-fuzz` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Found {
    /// The target.
    pub target: String,
    /// The number of inputs examined, of all targets together.
    pub inputs: u64,
    /// The check that failed.
    pub check: String,
    /// A smallest input on which it fails.
    pub least: String,
}

/// The result of a hunt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hunt {
    /// Two parties disagree.
    Found(Found),
    /// The program ended abnormally, for instance by a stack overflow.
    Ended,
    /// The time ran out, and there was no disagreement so far.
    OutOfTime,
    /// No input shows a disagreement.
    Nothing,
}

/// The parameters of a hunt.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The seed of all inputs.
    pub seed: u64,
    /// The largest number of inputs.
    pub limit: u64,
    /// The time limit.
    pub time: Duration,
    /// The time that a party may take for one input, in seconds. One that takes longer is found as a party that does
    /// not answer.
    pub patience: u64,
    /// The only target whose inputs are examined; all that are hunted in if there is none.
    pub target: Option<&'a str>,
}

/// Hunts for a disagreement with this change switched on; without a change, in the sources as they are.
///
/// # Errors
/// When the program cannot be started.
pub fn hunt(
    built: &Built,
    hunter: &Executable,
    change: Option<&str>,
    plan: &Plan<'_>,
) -> Result<Hunt, Error> {
    let mut command = built.command(hunter);
    command.args([plan.seed, plan.limit, plan.patience].map(|number| number.to_string()));
    command.args(plan.target);
    command.envs(change.map(|name| ("LOZENGE_CHANGE", name)));
    let ended =
        run(&mut command, plan.time).map_err(|error| Error::Io(hunter.path.clone(), error))?;
    Ok(match ended.well {
        None => Hunt::OutOfTime,
        // A driver whose threads still run may end the process abnormally after it has printed what it found.
        Some(well) => match serde_json::from_str(&ended.output) {
            Ok(Some(found)) => Hunt::Found(found),
            Ok(None) if well => Hunt::Nothing,
            _ => Hunt::Ended,
        },
    })
}
