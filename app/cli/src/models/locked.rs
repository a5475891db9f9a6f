//! Lock files of sets: `lozenge sizes --write` and `--against`.

use std::fmt::Write;
use std::path::Path;

use lozenge::NewFile;
use lozenge_gradual_solver::{Answer, Lock, LockError, written};
use lozenge_vocabulary::Verdict;
use serde_json::json;

use super::answer::Body;
use crate::files::input;
use crate::report::{Problem, Report};

/// Writes the set down.
///
/// # Errors
/// When the set is not known, or the file cannot be written.
pub fn write(answer: &mut Answer, path: &Path) -> Result<(), Problem> {
    let lock = answer
        .lock()
        .map_err(|error| Problem::new(format!("--write: {error}")))?;
    let text = serde_json::to_string(&lock).expect("a lock is data");
    // A line for each line of the text, so that a change can be read in a version control system.
    let text = text.replace("\",\"", "\",\n\"") + "\n";
    NewFile::replace(path, text).map_err(|error| {
        Problem::new(format!(
            "--write: {} cannot be written: {error}",
            path.display()
        ))
    })
}

/// Compares with a set that was written down.
///
/// # Errors
/// When the file is none that `--write` wrote, or one of the sets is not known.
pub fn against(answer: &mut Answer, path: &Path) -> Result<Report, Problem> {
    let text = input::read(path)?.text;
    let damaged = |error: &dyn std::fmt::Display| {
        Problem::new(format!(
            "--against: {}: {error}: write it again with --write",
            path.display()
        ))
    };
    let lock: Lock = serde_json::from_str(&text).map_err(|error| damaged(&error))?;
    let against = match answer.against(&lock) {
        Err(LockError::Unknown(limit)) => return Ok(unknown(&limit.to_string())),
        other => other.map_err(|error| damaged(&error))?,
    };
    let mut text = String::new();
    for difference in &against.differences {
        let _ = match &difference.witness {
            Some(witness) => writeln!(text, "{}: {}", difference.words, written(witness)),
            None => writeln!(text, "{}", difference.words),
        };
    }
    let verdict = match against.differences.is_empty() {
        true => Verdict::Sat,
        false => Verdict::Unsat,
    };
    if verdict == Verdict::Sat {
        text += "all that was admitted is admitted, with outputs of the same sizes\n";
    }
    let body = Body::of_differences(against.differences);
    Ok(Report::judged(verdict, text, body))
}

/// Reports a comparison that reached a limit.
fn unknown(limit: &str) -> Report {
    let text = format!("unknown: {limit}\n");
    Report::judged(Verdict::Unknown, text, json!({"limits": [limit]}))
}
