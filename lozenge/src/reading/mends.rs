//! Trying mends: a change of a program is proposed only if the changed program has fewer errors, and can be read if the program
//! can: errors of the text would hide those of the shapes, which would only seem to be fewer.

use lozenge_lang::{Diagnostic, Edit, Help, Severity, parse_in};
use lozenge_vocabulary::program::Surroundings;

use super::examine;
use crate::message::suggestion::Proposed;
use crate::options::Options;

/// The messages, each with the first of its candidates after which the program has fewer errors. A help that changes the text
/// without that effect is left out.
pub(crate) fn tried(
    source: &str,
    surroundings: &Surroundings,
    problems: Vec<Proposed>,
    options: &Options,
) -> Vec<Diagnostic> {
    let problems = without_repetitions(problems);
    let before = errors(&problems);
    let warnings = problems.len();
    let is_read = !problems.is_empty() && parse_in(source, surroundings).is_ok();
    let accepted = |help: &Help| {
        let overlap = help
            .edits
            .windows(2)
            .any(|two| two[0].span.end > two[1].span.start);
        if overlap {
            return false;
        }
        let changed = Edit::apply(&help.edits, source);
        if is_read && parse_in(&changed, surroundings).is_err() {
            return false;
        }
        let (left, _) = examine(&changed, surroundings, options);
        // A warning is mended if there is one message less afterwards, and no new error.
        errors(&left) < before || (before == 0 && errors(&left) == 0 && left.len() < warnings)
    };
    let mut diagnostics: Vec<Diagnostic> = Vec::with_capacity(problems.len());
    for Proposed {
        mut diagnostic,
        candidates,
    } in problems
    {
        let own = diagnostic.help.take();
        let (advice, own) = match own {
            Some(help) if help.edits.is_empty() => (Some(help), None),
            other => (None, other),
        };
        let proposal = candidates
            .into_iter()
            .chain(own)
            .find(|help| accepted(help));
        diagnostic.help = proposal.or(advice);
        diagnostics.push(diagnostic);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().start);
    diagnostics
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
