//! Noticing changes by a campaign: the inputs of the fuzzer's targets, one after the other, until two parties disagree.

use std::time::Duration;

use serde::Deserialize;

use crate::copy::{Built, Error, Executable};
use crate::process::run;

/// What a campaign has found, as the example `hunt` of `lozenge-fuzz` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Found {
    /// The target.
    pub target: String,
    /// How many inputs of all targets were examined.
    pub inputs: u64,
    /// The check that failed.
    pub check: String,
    /// A smallest input on which it fails.
    pub least: String,
}

/// What became of a hunt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hunt {
    /// Two parties disagree.
    Found(Found),
    /// The program ended: a stack overflow, say.
    Ended,
    /// The program does not come to an end.
    NoEnd,
    /// No input tells.
    Nothing,
}

/// How a hunt goes.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The number from which all inputs are made.
    pub seed: u64,
    /// At most how many inputs.
    pub limit: u64,
    /// At most how long.
    pub time: Duration,
}

/// Hunts for a change; without one, for a disagreement of the sources as they are.
///
/// # Errors
/// When the program cannot be started.
pub fn hunt(
    built: &Built,
    hunter: &Executable,
    change: Option<&str>,
    plan: &Plan,
) -> Result<Hunt, Error> {
    let mut command = built.command(hunter);
    command.args([plan.seed.to_string(), plan.limit.to_string()]);
    command.envs(change.map(|name| ("LOZENGE_CHANGE", name)));
    let ended =
        run(&mut command, plan.time).map_err(|error| Error::Io(hunter.path.clone(), error))?;
    Ok(match ended.well {
        None => Hunt::NoEnd,
        Some(false) => Hunt::Ended,
        Some(true) => match serde_json::from_str(&ended.output) {
            Ok(Some(found)) => Hunt::Found(found),
            Ok(None) => Hunt::Nothing,
            Err(_) => Hunt::Ended,
        },
    })
}
