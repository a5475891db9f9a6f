//! `lozenge claims --long`: runs of hours that can be stopped and resumed.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use lozenge_claims::formal_core::FORMAL_CORE;
use lozenge_claims::formal_core::agreement::agree;
use lozenge_claims::formal_core::populations::{exhaustive, scopes};
use lozenge_claims::machinery::{Effort, Evidence, Surveyed, survey as run_survey};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args;
use crate::report::{Problem, Report, refused_if};

/// Shows the progress of a long run with an estimate of the time left: as a bar on a terminal, else as occasional
/// lines.
struct Progress {
    bar: Option<ProgressBar>,
    begun: Instant,
    state: Mutex<(Option<u64>, Instant)>,
}

/// The time between two lines.
const PAUSE: Duration = Duration::from_secs(10);

impl Progress {
    fn new() -> Progress {
        let style =
            ProgressStyle::with_template("{bar:40} {pos}/{len} sets  {elapsed} gone, {eta} left");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let terminal = io::stderr().is_terminal();
        Progress {
            bar: terminal.then(|| ProgressBar::new(0).with_style(style)),
            begun: Instant::now(),
            state: Mutex::new((None, Instant::now())),
        }
    }

    /// Shows the progress. The first call gives the starting point, which is not 0 in a resumed run.
    fn at(&self, done: u64, total: u64) {
        let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
        let first = state.0.is_none();
        let start = *state.0.get_or_insert(done);
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
            if first {
                bar.reset_eta();
            }
        } else if first || done == total || state.1.elapsed() >= PAUSE {
            state.1 = Instant::now();
            eprintln!(
                "{done} of {total} sets{}",
                left(self.begun.elapsed(), done - start, total - done)
            );
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Returns an estimate of the time left, in words, from the time that some sets took.
fn left(gone: Duration, done: u64, left: u64) -> String {
    if done == 0 || left == 0 {
        return String::new();
    }
    let seconds = gone.as_secs_f64() * left as f64 / done as f64;
    match seconds {
        s if s < 100.0 => format!(", about {s:.0} s left"),
        s if s < 6000.0 => format!(", about {:.0} min left", s / 60.0),
        s => format!(", about {:.0} h left", s / 3600.0),
    }
}

fn unusable_notes(error: io::Error) -> Problem {
    Problem::new(format!("the long run's notes: {error}"))
}

/// The findings of `--long --survey`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Found {
    /// The claims that were tried on every set of a scope.
    entries: Vec<FoundData>,
}

/// A claim that was tried on every set of a scope.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Surveyed", deny_unknown_fields)]
struct FoundData {
    /// The kind, the printed number and part.
    id: String,
    /// The kind of evidence.
    evidence: Evidence,
    /// The scope of the search.
    scope: String,
    /// The number of sets that were decided.
    instances: u64,
    /// A smallest set against it.
    witness: Option<String>,
}

/// The strategies against each other: what `--long` finds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Strategies {
    /// The number of sets that were tried.
    sets: u64,
    /// The number of those on which the strategies disagree.
    disagreements: u64,
}

/// Runs the long survey: every claim on constraint sets, on all sets of the largest scopes, resumed from its notes.
pub fn survey(args: &args::Claims) -> Result<Report, Problem> {
    let shown = Progress::new();
    let scopes = match args.scope.is_empty() {
        true => scopes(Effort::Long),
        false => args.scope.iter().map(|scope| scope.of_sets()).collect(),
    };
    let progress = |done, total| shown.at(done, total);
    let surveyed = run_survey(
        &FORMAL_CORE,
        &exhaustive(&scopes),
        args.notes.as_deref(),
        &progress,
    )
    .map_err(unusable_notes)?;
    shown.finish();
    let mut text = String::new();
    let mut entries = Vec::new();
    let mut broken = false;
    for Surveyed { item, finding } in &surveyed {
        let (id, word, count) = (&item.id, finding.evidence.word(), finding.instances);
        text += &format!("{id:<28} {word:<12} {count} sets\n");
        let witness = finding.witness.as_ref();
        for line in witness.iter().flat_map(|w| w.text.lines()) {
            text += &format!("    {line}\n");
        }
        broken |= witness.is_some() && item.repair.is_none();
        entries.push(FoundData {
            id: id.clone(),
            evidence: finding.evidence,
            scope: finding.scope.clone(),
            instances: count,
            witness: witness.map(|w| w.text.clone()),
        });
    }
    Ok(Report::new(text, Found { entries }).with_status(refused_if(broken)))
}

/// Compares the four strategies on random sets, resumed from the notes.
pub fn strategies(args: &args::Claims) -> Result<Report, Problem> {
    let shown = Progress::new();
    let progress = |done, total| shown.at(done, total);
    let found = agree(Effort::Long, args.notes.as_deref(), &progress).map_err(unusable_notes)?;
    shown.finish();
    let text = format!(
        "{} sets by all four strategies: {} disagreements where a claim says that order does not matter\n",
        found.sets, found.disagreements
    );
    let answer = Strategies {
        sets: found.sets,
        disagreements: found.disagreements,
    };
    Ok(Report::new(text, answer).with_status(refused_if(found.disagreements > 0)))
}
