//! All constraint sets of some scopes, for every claim on constraint sets, in a run that can be stopped and taken up
//! again.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

use crate::core::survey::{Survey, Tally, add_all, described};
use crate::core::{Check, Claim, Finding, Property};
use lozenge_testkit::sets::{Family, Scope};
use serde::{Deserialize, Serialize};

/// A claim and what the survey found of it.
pub struct Surveyed {
    /// The claim.
    pub claim: Claim,
    /// What was found on all sets.
    pub finding: Finding,
}

/// A stretch between two notes is at least this many sets before symmetry, and this many first constraints, so that all
/// workers have something to do in it.
const STRETCH: (u64, usize) = (4_000, 8);

/// What the notes keep: where the survey goes on, and what it met before.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Notes {
    /// The scopes in words: notes of other scopes are not taken up.
    scopes: Vec<String>,
    /// The scope in which the survey is.
    scope: usize,
    /// The first constraint that was not tried in it.
    start: usize,
    /// How many sets before symmetry are done, in all scopes.
    done: u64,
    /// The tally of each claim.
    claims: Vec<Noted>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Noted {
    id: String,
    instances: u64,
    failures: u64,
    /// The first set against the claim, in the notation.
    first: Option<String>,
}

/// Tries every claim on constraint sets on all sets of the scopes. `notes` is a file that keeps how far the survey
/// is, so that a later one goes on from there; `tell` is told how many sets are done and of how many, before symmetry.
///
/// # Errors
/// When the notes cannot be read or written, or are of a survey of other scopes or other claims.
pub fn survey(
    scopes: &[Scope],
    notes: Option<&Path>,
    tell: &(dyn Fn(u64, u64) + Sync),
) -> io::Result<Vec<Surveyed>> {
    let chosen: Vec<(Claim, Property)> = crate::core::all()
        .into_iter()
        .filter_map(|claim| match claim.check {
            Check::Sets(property) => Some((claim, property)),
            _ => None,
        })
        .collect();
    let asked = Survey {
        properties: chosen.iter().map(|(_, property)| *property).collect(),
        decide: Some(super::by_z3),
    };
    let total = scopes.iter().map(Scope::raw_len).sum();
    let mut known = Notes::begin(scopes, &chosen);
    let mut tallies = match notes {
        Some(path) => known.take_up(path)?,
        None => vec![Tally::default(); chosen.len()],
    };
    tell(known.done, total);
    for (number, scope) in scopes.iter().enumerate().skip(known.scope) {
        let family = Family::new(scope);
        while known.start < family.starts() {
            let starts = next_stretch(&family, known.start);
            let found = asked.stretch(&family, starts.clone());
            add_all(&mut tallies, found);
            known.start = starts.end;
            known.done += starts.map(|i| family.raw_starting_at(i)).sum::<u64>();
            known.keep(&tallies, notes)?;
            tell(known.done, total);
        }
        (known.scope, known.start) = (number + 1, 0);
        known.keep(&tallies, notes)?;
    }
    let scope = described(scopes, asked.decide);
    let surveyed = |((claim, property), tally): ((Claim, Property), &Tally)| Surveyed {
        claim,
        finding: asked.finding(property, tally, true, scope.clone()),
    };
    Ok(chosen.into_iter().zip(&tallies).map(surveyed).collect())
}

fn next_stretch(family: &Family, from: usize) -> Range<usize> {
    let (mut end, mut sets) = (from, 0);
    while end < family.starts() && (sets < STRETCH.0 || end - from < STRETCH.1) {
        sets += family.raw_starting_at(end);
        end += 1;
    }
    from..end
}

impl Notes {
    fn begin(scopes: &[Scope], chosen: &[(Claim, Property)]) -> Notes {
        let nothing = |(claim, _): &(Claim, Property)| Noted {
            id: claim.id.to_string(),
            instances: 0,
            failures: 0,
            first: None,
        };
        Notes {
            scopes: scopes.iter().map(ToString::to_string).collect(),
            scope: 0,
            start: 0,
            done: 0,
            claims: chosen.iter().map(nothing).collect(),
        }
    }

    /// Goes on from a file, if there is one.
    fn take_up(&mut self, path: &Path) -> io::Result<Vec<Tally>> {
        let unusable = |why: String| {
            io::Error::other(format!("{} {why}; remove it to begin anew", path.display()))
        };
        match fs::read_to_string(path) {
            Ok(text) => {
                let read: Notes = serde_json::from_str(&text)
                    .map_err(|error| unusable(format!("does not hold a survey: {error}")))?;
                let same_claims = read.claims.len() == self.claims.len()
                    && read
                        .claims
                        .iter()
                        .zip(&self.claims)
                        .all(|(a, b)| a.id == b.id);
                if read.scopes != self.scopes || !same_claims {
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

    /// Writes beside the file and puts it in its place: a run that is stopped meanwhile leaves the notes whole.
    fn keep(&mut self, tallies: &[Tally], path: Option<&Path>) -> io::Result<()> {
        for (noted, tally) in self.claims.iter_mut().zip(tallies) {
            noted.instances = tally.instances;
            noted.failures = tally.failures;
            noted.first = tally.first.as_ref().map(ToString::to_string);
        }
        let Some(path) = path else { return Ok(()) };
        let beside = path.with_extension("part");
        fs::write(&beside, serde_json::to_string_pretty(self)?)?;
        fs::rename(&beside, path)
    }
}

impl Noted {
    fn tally(&self) -> Result<Tally, String> {
        let first = match &self.first {
            Some(text) => Some(
                text.parse()
                    .map_err(|_| format!("holds a set that is none: {text}"))?,
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
