//! The provenance of a report: the day, and the commit of the sources.

use std::process::Command;
use std::time::SystemTime;

/// Returns the day, as in 2026-01-31.
pub fn day() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    now.chars().take_while(|c| *c != 'T').collect()
}

/// Returns the commit of the sources from which the program was built, if these and `git` are available.
pub fn commit() -> Option<String> {
    let output = Command::new("git")
        .args(["-C", env!("CARGO_MANIFEST_DIR")])
        .args(["describe", "--always", "--dirty=, with changes"])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}
