//! The four strategies compared with each other on random sets, in a run that can be stopped and resumed.

use std::fs;
use std::io;
use std::path::Path;

use crate::formal_core::case::Case;
use crate::formal_core::populations::Random;
use crate::formal_core::reading::Reading;
use crate::formal_core::strategies::strategies_agree;
use crate::machinery::{Asked, CHUNK, Effort, Family, Survey};
use lozenge::NewFile;

/// The result so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// The number of sets that were run by all four strategies.
    pub sets: u64,
    /// The number of sets on which they do not agree in the way that Rem. 6.7(iii) states.
    pub disagreements: u64,
}

/// The number of sets that are run between two notes of the progress.
const STRETCH: u64 = 20 * CHUNK;

/// Runs all four strategies on the sets with numbers up to `Effort::samples`. `notes` is a file that records the
/// progress, so that a later run goes on from there; `progress` is called with the number of sets that are done and the
/// total.
///
/// # Errors
/// When the notes cannot be read or written, or are not two numbers.
pub fn agree(
    effort: Effort,
    notes: Option<&Path>,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> io::Result<Agreement> {
    let survey = Survey::<Case> {
        asked: vec![Asked {
            rules: Reading::Repaired,
            property: strategies_agree,
        }],
    };
    let mut known = notes.map_or(Ok(Agreement::default()), read)?;
    let total = effort.samples();
    progress(known.sets, total);
    while known.sets < total {
        let to = total.min(known.sets + STRETCH);
        let sets = Random {
            from: known.sets,
            to,
        };
        let tallies = survey.stretch(&sets, 0..sets.units(), &|_| {});
        known.disagreements += tallies.iter().map(|t| t.failures).sum::<u64>();
        known.sets = to;
        if let Some(notes) = notes {
            NewFile::replace(notes, format!("{} {}\n", known.sets, known.disagreements))?;
        }
        progress(known.sets, total);
    }
    Ok(known)
}

fn read(notes: &Path) -> io::Result<Agreement> {
    let text = match fs::read_to_string(notes) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Agreement::default()),
        Err(error) => return Err(error),
    };
    let numbers: Vec<u64> = text
        .split_whitespace()
        .filter_map(|n| n.parse().ok())
        .collect();
    match numbers[..] {
        [sets, disagreements] => Ok(Agreement {
            sets,
            disagreements,
        }),
        _ => Err(io::Error::other(format!(
            "{} does not hold two numbers; remove it to begin anew",
            notes.display()
        ))),
    }
}
