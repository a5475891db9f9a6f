//! Trying mends: a change of a program is proposed only if it removes an error and adds none, and the changed program can be read if
//! the program can: errors of the text would hide those of the shapes, which would only seem to be fewer.

use std::cell::{Cell, OnceCell};
use std::collections::HashSet;

use lozenge_lang::{Diagnostic, Edit, Help, Severity, parse_in};
use lozenge_vocabulary::program::{Span, Surroundings};

use super::examine;
use crate::message::suggestion::{Proposed, Stage};
use crate::options::Options;

/// At most so many bytes of changed programs are read and inferred for the messages about one program. It takes a second or two.
const TRIED: usize = 1 << 22;

/// The messages, each with the first of its candidates that mends it ([`Trial::mends`]). A help that changes the text without that
/// effect is left out.
pub(crate) fn tried(
    source: &str,
    surroundings: &Surroundings,
    problems: Vec<Proposed>,
    options: &Options,
) -> Vec<Diagnostic> {
    let problems = without_repetitions(problems);
    let trial = Trial {
        source,
        surroundings,
        options,
        is_read: OnceCell::new(),
        problems: &problems,
        left: Cell::new(TRIED),
    };
    let tried = problems.iter().map(|problem| {
        let mut diagnostic = problem.diagnostic.clone();
        let own = diagnostic.help.take();
        let (advice, own) = match own {
            Some(help) if help.edits.is_empty() => (Some(help), None),
            other => (None, other),
        };
        let mut candidates = problem.candidates.iter().chain(&own);
        let proposal = candidates.find(|help| trial.mends(problem, help));
        diagnostic.help = proposal.cloned().or(advice);
        diagnostic
    });
    let mut diagnostics: Vec<Diagnostic> = tried.collect();
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().start);
    each_mend_once(diagnostics)
}

/// The messages without those that the change of an earlier one mends as well: they have one cause.
fn each_mend_once(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut changes: HashSet<Vec<(usize, usize, String)>> = HashSet::new();
    let mut is_new = |diagnostic: &Diagnostic| {
        let edits = diagnostic.help.iter().flat_map(|help| &help.edits);
        let change: Vec<_> = edits
            .map(|edit| (edit.span.start, edit.span.end, edit.text.clone()))
            .collect();
        change.is_empty() || changes.insert(change)
    };
    diagnostics.into_iter().filter(|one| is_new(one)).collect()
}

/// A program on which changes are tried, with its messages.
struct Trial<'t> {
    source: &'t str,
    surroundings: &'t Surroundings,
    options: &'t Options,
    /// Whether its text has no errors; computed where a change is tried.
    is_read: OnceCell<bool>,
    problems: &'t [Proposed],
    /// How many bytes may still be tried.
    left: Cell<usize>,
}

impl Trial<'_> {
    /// Whether a change mends a problem: the changed program has fewer errors; or the error is gone, and each that is new is found
    /// at a later stage and at another place, so that it was only hidden. An error of the text hides everything else about its place.
    fn mends(&self, problem: &Proposed, help: &Help) -> bool {
        let overlap = help
            .edits
            .windows(2)
            .any(|two| two[0].span.end > two[1].span.start);
        if overlap {
            return false;
        }
        let Some(left) = self.left.get().checked_sub(self.source.len()) else {
            return false;
        };
        self.left.set(left);
        let changed = Edit::apply(&help.edits, self.source);
        let is_read = || parse_in(self.source, self.surroundings).is_ok();
        if *self.is_read.get_or_init(is_read) && parse_in(&changed, self.surroundings).is_err() {
            return false;
        }
        let (left, _) = examine(&changed, self.surroundings, self.options);
        let (before, after) = (errors(self.problems), errors(&left));
        if before == 0 {
            // A warning is mended if there is one message less afterwards, and no new error.
            return after == 0 && left.len() < self.problems.len();
        }
        after < before
            || left.iter().all(|other| {
                other.diagnostic.severity != Severity::Error
                    || !alike(other, problem)
                        && (self.problems.iter().any(|known| alike(known, other))
                            || other.stage > problem.stage
                                && (problem.stage == Stage::Text
                                    || self.is_elsewhere(other, problem, help)))
            })
    }

    /// Whether a message about the changed program shows no place of the message before, and none in a line that was changed.
    fn is_elsewhere(&self, after: &Proposed, before: &Proposed, change: &Help) -> bool {
        let own = before
            .diagnostic
            .labels
            .iter()
            .map(|label| label.span.clone());
        let changed = change.edits.iter().map(|edit| {
            line_start(self.source, edit.span.start)..line_end(self.source, edit.span.end)
        });
        let places: Vec<Span> = own.chain(changed).collect();
        after.diagnostic.labels.iter().all(|label| {
            let start = place_before(&change.edits, label.span.start);
            let end = place_before(&change.edits, label.span.end);
            !places
                .iter()
                .any(|place| start <= place.end && place.start <= end)
        })
    }
}

/// The end of the line of a place.
fn line_end(source: &str, at: usize) -> usize {
    let rest = source.as_bytes().iter().skip(at);
    at + rest.take_while(|byte| **byte != b'\n').count()
}

/// The start of the line of a place.
fn line_start(source: &str, at: usize) -> usize {
    let before = &source.as_bytes()[..at.min(source.len())];
    before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1)
}

/// Whether two messages say the same.
fn alike(one: &Proposed, other: &Proposed) -> bool {
    let (one, other) = (&one.diagnostic, &other.diagnostic);
    one.message == other.message && one.code == other.code
}

/// The place in the text before a change that became a place in the changed text.
fn place_before(edits: &[Edit], at: usize) -> usize {
    let mut inserted = 0;
    let mut removed = 0;
    for edit in edits {
        let start = (edit.span.start + inserted).saturating_sub(removed);
        if at < start {
            break;
        }
        if at < start + edit.text.len() {
            return edit.span.start;
        }
        inserted += edit.text.len();
        removed += edit.span.len();
    }
    (at + removed).saturating_sub(inserted)
}

fn errors(problems: &[Proposed]) -> usize {
    problems
        .iter()
        .filter(|problem| problem.diagnostic.severity == Severity::Error)
        .count()
}

/// The messages without duplicates: one mistake in a statement may be found at several of its operations.
fn without_repetitions(problems: Vec<Proposed>) -> Vec<Proposed> {
    let mut kept: Vec<Proposed> = Vec::with_capacity(problems.len());
    for problem in problems {
        if kept
            .iter()
            .all(|other| other.diagnostic != problem.diagnostic)
        {
            kept.push(problem);
        }
    }
    kept
}
