//! Trials of fixes: a change of a program is proposed only if it removes an error and adds none, and the changed
//! program can be read if the program can: errors of the text would hide those of the shapes, which would only seem to
//! be fewer. Its specs read and write the same cells as before, or the help says which others.

use std::cell::{Cell, OnceCell};
use std::collections::HashSet;

use lozenge_lang::{Diagnostic, Edit, Severity, parse_in};
use lozenge_vocabulary::program::{Program, Surroundings};

use super::cells::keeps_the_cells;
use super::proposed::{Candidate, Proposed, Stage};

/// The number of bytes of changed programs that are read and inferred for the messages about one program, at most. It
/// takes a second or two.
const TRIED: usize = 1 << 22;

/// Returns the messages, each with the first of its candidates that fixes it ([`Trial::fixes`]). A help that changes
/// the text without that effect is left out. `messages` examines a changed text.
pub(crate) fn tried(
    source: &str,
    surroundings: &Surroundings,
    problems: Vec<Proposed>,
    messages: &dyn Fn(&str) -> Vec<Proposed>,
) -> Vec<Diagnostic> {
    let problems = without_repetitions(problems);
    let trial = Trial {
        source,
        surroundings,
        messages,
        read: OnceCell::new(),
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
        let own = own.map(Candidate::from);
        let mut candidates = problem.candidates.iter().chain(&own);
        let proposal = candidates.find(|candidate| trial.fixes(problem, candidate));
        diagnostic.help = proposal.map(|candidate| candidate.help.clone()).or(advice);
        diagnostic
    });
    let mut diagnostics: Vec<Diagnostic> = tried.collect();
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().start);
    each_fix_once(diagnostics)
}

/// Returns the messages without those that the change of an earlier one fixes as well: they have one cause.
fn each_fix_once(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut changes: HashSet<Change> = HashSet::new();
    let mut is_new = |diagnostic: &Diagnostic| {
        let edits = diagnostic.help.as_ref().map_or(&[][..], |help| &help.edits);
        edits.is_empty() || changes.insert(change(edits))
    };
    diagnostics.into_iter().filter(|one| is_new(one)).collect()
}

/// A program on which changes are tried, with its messages.
struct Trial<'t> {
    source: &'t str,
    surroundings: &'t Surroundings,
    /// Returns the messages about a program with this text.
    messages: &'t dyn Fn(&str) -> Vec<Proposed>,
    /// The program itself, if its text has no errors; read where a change is tried.
    read: OnceCell<Option<Program>>,
    problems: &'t [Proposed],
    /// The number of bytes that may still be tried.
    left: Cell<usize>,
}

impl Trial<'_> {
    /// Tells whether a change fixes a problem: the changed program has fewer errors, since there are fewer or since the
    /// error is gone and none is new. An error of the text hides everything else about its place, so that what is found
    /// at a later stage is not new after one of these.
    fn fixes(&self, problem: &Proposed, candidate: &Candidate) -> bool {
        let help = &candidate.help;
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
        let read = || parse_in(self.source, self.surroundings).ok();
        if let Some(before) = self.read.get_or_init(read) {
            let after = parse_in(&changed, self.surroundings);
            let is_honest = |after: &Program| candidate.moves || keeps_the_cells(before, after);
            if !after.is_ok_and(|after| is_honest(&after)) {
                return false;
            }
        }
        let left = (self.messages)(&changed);
        let before = shown_at_least(self.problems);
        let after = left.iter().filter(is_error).count();
        if before == 0 {
            // A warning is fixed if there is one message less afterwards, and no new error.
            return after == 0 && left.len() < self.problems.len();
        }
        let is_known = |other: &Proposed| self.problems.iter().any(|known| alike(known, other));
        let was_hidden =
            |other: &Proposed| problem.stage == Stage::Text && other.stage > problem.stage;
        after < before
            || left
                .iter()
                .filter(is_error)
                .all(|other| !alike(other, problem) && (is_known(other) || was_hidden(other)))
    }
}

/// Tells whether two messages say the same.
fn alike(one: &Proposed, other: &Proposed) -> bool {
    let (one, other) = (&one.diagnostic, &other.diagnostic);
    one.message == other.message && one.code == other.code
}

/// Returns the least number of errors that are shown: those that share no change with an earlier one. Of errors that
/// one change fixes one is shown ([`each_fix_once`]).
fn shown_at_least(problems: &[Proposed]) -> usize {
    let mut changes: HashSet<Change> = HashSet::new();
    let mut apart = 0;
    for problem in problems.iter().filter(is_error) {
        let own = problem.candidates.iter();
        let own: Vec<Change> = own.map(|one| change(&one.help.edits)).collect();
        apart += usize::from(!own.iter().any(|one| changes.contains(one)));
        changes.extend(own);
    }
    apart
}

fn is_error(problem: &&Proposed) -> bool {
    problem.diagnostic.severity == Severity::Error
}

/// The places and the texts of edits.
type Change = Vec<(usize, usize, String)>;

fn change(edits: &[Edit]) -> Change {
    let edits = edits.iter();
    edits
        .map(|edit| (edit.span.start, edit.span.end, edit.text.clone()))
        .collect()
}

/// Returns the messages without duplicates: one mistake in a statement may be found at several of its operations.
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
