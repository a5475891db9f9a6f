//! A survey of large scopes, in a run that can be stopped and resumed.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

use lozenge::NewFile;
use serde::{Deserialize, Serialize};

use super::claim::{Check, Document, Item};
use super::finding::Finding;
use super::subject::{Family, Population, Subject};
use super::survey::{Asked, Survey, Tally, add_all, finding};

/// A row of the table, and what the survey found.
pub struct Surveyed<S: Subject> {
    /// The row.
    pub item: Item<S>,
    /// The finding on all instances.
    pub finding: Finding,
}

/// The least work and the least number of units between two notes of the progress, so that every worker has something
/// to do.
const STRETCH: (u64, usize) = (4_000, 8);

/// The notes of a survey: where to go on, and what was met before.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Notes {
    /// The population in words. Notes about another population are refused.
    scope: String,
    /// The number of the family that the survey has reached.
    family: usize,
    /// The first unit of that family that was not tried.
    unit: usize,
    /// The amount of work that is done in all families.
    done: u64,
    /// The tally of each row.
    claims: Vec<Noted>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Noted {
    id: String,
    instances: u64,
    failures: u64,
    /// The first instance that contradicts the row's statement, in the notation.
    first: Option<String>,
}

/// Decides every row that is decided by a survey, on all instances of a population. `notes` is a file that records the
/// progress, so that a later run goes on from there; `progress` is called with the work done and the total.
///
/// # Errors
/// When the notes cannot be read or written, or belong to a survey of another population or of other rows.
pub fn survey<S: Subject>(
    document: &Document<S>,
    population: &Population<S::Instance>,
    notes: Option<&Path>,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> io::Result<Vec<Surveyed<S>>> {
    let chosen = surveyed_items(document);
    let survey = Survey {
        asked: chosen.iter().map(|(_, asked)| *asked).collect(),
    };
    let total = population.weight();
    let mut known = Notes::begin(&population.scope, &chosen);
    let mut tallies = match notes {
        Some(path) => known.take_up(path)?,
        None => vec![Tally::default(); chosen.len()],
    };
    progress(known.done, total);
    for (number, family) in population.families.iter().enumerate().skip(known.family) {
        while known.unit < family.units() {
            let units = next_stretch(family.as_ref(), known.unit);
            let found = survey.stretch(family.as_ref(), units.clone(), &|_| {});
            add_all(&mut tallies, found);
            known.unit = units.end;
            known.done += units.map(|unit| family.weight(unit)).sum::<u64>();
            known.keep(&tallies, notes)?;
            progress(known.done, total);
        }
        (known.family, known.unit) = (number + 1, 0);
        known.keep(&tallies, notes)?;
    }
    let decided = chosen.into_iter().zip(&tallies);
    let surveyed = decided.map(|((item, asked), tally)| Surveyed {
        item,
        finding: finding(&asked, tally, true, &population.scope),
    });
    Ok(surveyed.collect())
}

/// Returns each row that has a property for the survey, once for each such property.
fn surveyed_items<S: Subject>(document: &Document<S>) -> Vec<(Item<S>, Asked<S>)> {
    let of = |item: Item<S>| {
        let asked = item.checks.iter().filter_map(|check| match check {
            Check::Survey(rules, property) => Some(Asked {
                rules: *rules,
                property: *property,
            }),
            _ => None,
        });
        asked.map(|asked| (item.clone(), asked)).collect::<Vec<_>>()
    };
    document.items().into_iter().flat_map(of).collect()
}

fn next_stretch<I>(family: &dyn Family<I>, from: usize) -> Range<usize> {
    let (mut end, mut work) = (from, 0);
    while end < family.units() && (work < STRETCH.0 || end - from < STRETCH.1) {
        work += family.weight(end);
        end += 1;
    }
    from..end
}

impl Notes {
    fn begin<S: Subject>(scope: &str, chosen: &[(Item<S>, Asked<S>)]) -> Notes {
        let nothing = |(item, _): &(Item<S>, Asked<S>)| Noted {
            id: item.id.clone(),
            instances: 0,
            failures: 0,
            first: None,
        };
        Notes {
            scope: scope.to_string(),
            family: 0,
            unit: 0,
            done: 0,
            claims: chosen.iter().map(nothing).collect(),
        }
    }

    /// Resumes from a file, if it exists.
    fn take_up<I: std::str::FromStr>(&mut self, path: &Path) -> io::Result<Vec<Tally<I>>> {
        let unusable = |why: String| {
            io::Error::other(format!("{} {why}; remove it to begin anew", path.display()))
        };
        match fs::read_to_string(path) {
            Ok(text) => {
                let read: Notes = serde_json::from_str(&text)
                    .map_err(|error| unusable(format!("does not hold a survey: {error}")))?;
                let ids = |notes: &Notes| -> Vec<String> {
                    notes.claims.iter().map(|noted| noted.id.clone()).collect()
                };
                if read.scope != self.scope || ids(&read) != ids(self) {
                    return Err(unusable("is of a survey of other scopes or claims".into()));
                }
                *self = read;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        self.claims
            .iter()
            .map(|noted| noted.tally().map_err(&unusable))
            .collect()
    }

    /// Writes the notes as a whole, so that they are intact even if the run is stopped meanwhile.
    fn keep<I: ToString>(&mut self, tallies: &[Tally<I>], path: Option<&Path>) -> io::Result<()> {
        for (noted, tally) in self.claims.iter_mut().zip(tallies) {
            noted.instances = tally.instances;
            noted.failures = tally.failures;
            noted.first = tally.first.as_ref().map(ToString::to_string);
        }
        let Some(path) = path else { return Ok(()) };
        NewFile::replace(path, serde_json::to_string_pretty(self)?)
    }
}

impl Noted {
    fn tally<I: std::str::FromStr>(&self) -> Result<Tally<I>, String> {
        let first = match &self.first {
            Some(text) => Some(
                text.parse()
                    .map_err(|_| format!("holds an instance that cannot be read: {text}"))?,
            ),
            None => None,
        };
        Ok(Tally {
            instances: self.instances,
            failures: self.failures,
            first,
            ..Tally::default()
        })
    }
}
