//! The decision of the rows of a table: results of earlier runs are read back, the others are computed and kept.

use std::collections::BTreeMap;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use super::claim::{Check, Document, Item, Property};
use super::effort::Effort;
use super::entry::{Entry, Read};
use super::finding::Finding;
use super::results::{Kept, KeptError, Standing};
use super::subject::{Population, Subject};
use super::survey::{Asked, Survey, Tally, finding};

impl<S: Subject> Item<S> {
    /// Returns the knowledge about the row from earlier runs.
    pub fn standing<'a>(&self, kept: Option<&'a Kept>, effort: Effort) -> Standing<'a> {
        kept.map_or(Standing::Unknown, |kept| {
            kept.standing(&self.id, self.sources, effort)
        })
    }
}

/// The options of a table.
#[derive(Default)]
pub struct Options {
    /// The extent of the searches.
    pub effort: Effort,
    /// True if a bar on standard error shows how far the searches are.
    pub progress: bool,
    /// The store of results of earlier runs, to which new ones are added.
    pub kept: Option<Kept>,
}

/// Tells whether an id is the wanted one, or a part or a repair of it. The kind may be left out: `5.8` means
/// `Cor. 5.8`.
pub fn is_part_of(id: &str, wanted: &str) -> bool {
    let number = id.split_once(' ').map_or(id, |(_, number)| number);
    [id, number].iter().any(|own| {
        own.strip_prefix(wanted)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', ' ']))
    })
}

/// Decides some rows of a document, in their order. `report` is called with each row as soon as it is known: first with
/// those that earlier runs decided, then with the others, each time in the order of the document.
///
/// # Errors
/// When new results cannot be kept.
pub fn decide<S: Subject>(
    document: &Document<S>,
    items: &[Item<S>],
    options: &mut Options,
    report: &mut dyn FnMut(&Entry),
) -> Result<Vec<Entry>, KeptError> {
    let effort = options.effort;
    let known = |item: &Item<S>| match item.standing(options.kept.as_ref(), effort) {
        Standing::Known(entry) => Some(entry.clone()),
        Standing::Stale | Standing::Unknown => None,
    };
    let mut entries: Vec<Option<Entry>> = items.iter().map(known).collect();
    entries.iter().flatten().for_each(&mut *report);
    let left: Vec<usize> = (0..items.len()).filter(|i| entries[*i].is_none()).collect();
    let bar = Bar::new(options.progress && !left.is_empty());
    let mut surveyed = surveyed(document, items, &left, options.effort, &bar);
    bar.phase(left.len() as u64, "entries");
    for at in left {
        let entry = entry(&items[at], options.effort, surveyed.remove(&at));
        if let Some(kept) = &mut options.kept {
            kept.add(&entry, items[at].sources, effort)?;
        }
        bar.shown(|| report(&entry));
        entries[at] = Some(entry);
    }
    bar.finish();
    Ok(entries.into_iter().flatten().collect())
}

/// The findings of the survey and the sample for one row, by the number of the check, with the seconds that they took.
type Surveyed = BTreeMap<usize, (Finding, f64)>;

/// Makes one pass over the survey's instances and one over the random ones, for all rows that are not yet decided.
fn surveyed<S: Subject>(
    document: &Document<S>,
    items: &[Item<S>],
    left: &[usize],
    effort: Effort,
    bar: &Bar,
) -> BTreeMap<usize, Surveyed> {
    let mut found: BTreeMap<usize, Surveyed> = BTreeMap::new();
    for exhaustive in [true, false] {
        let (places, asked): (Vec<_>, Vec<_>) = left
            .iter()
            .flat_map(|at| items[*at].checks.iter().enumerate().map(move |c| (*at, c)))
            .filter_map(|(at, (check, how))| Some(((at, check), asked(how, exhaustive)?)))
            .unzip();
        if asked.is_empty() {
            continue;
        }
        let survey = Survey { asked };
        let population = if exhaustive {
            (document.survey)(effort)
        } else {
            (document.sample)(effort)
        };
        let tallies = pass(&survey, &population, exhaustive, bar);
        for (((at, check), asked), tally) in places.iter().zip(&survey.asked).zip(&tallies) {
            let start = Instant::now();
            let finding = finding(asked, tally, exhaustive, &population.scope);
            let seconds = tally.time.as_secs_f64() + start.elapsed().as_secs_f64();
            found
                .entry(*at)
                .or_default()
                .insert(*check, (finding, seconds));
        }
    }
    found
}

fn asked<S: Subject>(check: &Check<S>, exhaustive: bool) -> Option<Asked<S>> {
    let (rules, property) = match (check, exhaustive) {
        (Check::Survey(rules, property), true) | (Check::Sample(rules, property), false) => {
            (*rules, *property)
        }
        _ => return None,
    };
    Some(Asked { rules, property })
}

fn pass<S: Subject>(
    survey: &Survey<S>,
    population: &Population<S::Instance>,
    exhaustive: bool,
    bar: &Bar,
) -> Vec<Tally<S::Instance>> {
    let what = if exhaustive {
        "instances of the survey"
    } else {
        "chunks of random instances"
    };
    bar.phase(population.weight(), what);
    survey.exhaust(population, &|done, _| bar.at(done))
}

/// Runs those checks of a row that are not part of a survey, and combines all findings.
fn entry<S: Subject>(item: &Item<S>, effort: Effort, surveyed: Option<Surveyed>) -> Entry {
    let (start, mut shared) = (Instant::now(), 0.0);
    let mut surveyed = surveyed.unwrap_or_default();
    let mut findings = Vec::new();
    for (number, check) in item.checks.iter().enumerate() {
        findings.push(match check {
            Check::Theorem(theorems) => Finding::mechanised(theorems),
            Check::Proof(check) | Check::Search(check) => check(effort),
            Check::Nothing(why) => Finding::not_executable(*why),
            Check::Survey(..) | Check::Sample(..) => match surveyed.remove(&number) {
                Some((finding, seconds)) => {
                    shared += seconds;
                    finding
                }
                None => Finding::not_executable("the document has no instances"),
            },
        });
    }
    let finding = Finding::together(findings);
    let seconds = start.elapsed().as_secs_f64() + shared;
    filled(item, finding, seconds)
}

fn filled<S: Subject>(item: &Item<S>, finding: Finding, seconds: f64) -> Entry {
    let readings = readings(item, &finding);
    let (witness, why) = match finding.witness {
        Some(witness) => (Some(witness.text), Some(witness.why)),
        None => (None, None),
    };
    Entry {
        id: item.id.clone(),
        section: item.section.to_string(),
        statement: item.statement.to_string(),
        evidence: finding.evidence,
        bounds: finding.bounds,
        rules: finding.rules,
        scope: finding.scope,
        instances: finding.instances,
        repaired_by: witness.as_ref().and(item.repair.clone()),
        witness,
        why,
        readings,
        repairs: item.repairs.map(str::to_string),
        // The number is rounded so that it is read back from a file of results exactly as it was written.
        seconds: (seconds * 1e4).round() / 1e4,
    }
}

/// Returns the outcome of a witness under each set of rules, if it was found by running rules.
fn readings<S: Subject>(item: &Item<S>, finding: &Finding) -> Vec<Read> {
    let (Some(rules), Some(witness)) = (&finding.rules, &finding.witness) else {
        return Vec::new();
    };
    let Ok(instance) = witness.text.parse::<S::Instance>() else {
        return Vec::new();
    };
    let properties = item.checks.iter().filter_map(|check| match check {
        Check::Survey(own, property) | Check::Sample(own, property) => Some((own, *property)),
        _ => None,
    });
    let property: Option<Property<S>> = properties
        .filter(|(own, _)| own.to_string() == *rules)
        .map(|(_, property)| property)
        .next();
    let subject = S::new(instance);
    let read = |rules: &S::Rules| {
        let subject = subject.under(*rules);
        Read {
            rules: rules.to_string(),
            outcome: subject.outcome(),
            refutes: property
                .and_then(|property| property(&subject))
                .map(|result| result.is_err()),
        }
    };
    S::RULES.iter().map(read).collect()
}

/// A bar on standard error, or nothing.
struct Bar(Option<ProgressBar>);

impl Bar {
    fn new(shown: bool) -> Bar {
        let style = ProgressStyle::with_template(
            "{bar:30} {human_pos} of {human_len} {msg}, {elapsed} gone, about {eta} left",
        );
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        Bar(shown.then(|| ProgressBar::new(0).with_style(style)))
    }

    fn phase(&self, length: u64, what: &'static str) {
        if let Some(bar) = &self.0 {
            bar.reset();
            bar.set_length(length);
            bar.set_message(what);
        }
    }

    fn at(&self, done: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(done);
        }
    }

    /// Advances the bar by one, and hides it while something else writes to the terminal.
    fn shown(&self, write: impl FnOnce()) {
        match &self.0 {
            Some(bar) => {
                bar.suspend(write);
                bar.inc(1);
            }
            None => write(),
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
