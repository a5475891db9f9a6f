//! The message about a refusal, whichever it is: it lists the places that take part, with the rule that failed.

use lozenge_lang::Diagnostic;
use lozenge_solver::Refusal as SolverRefusal;
use lozenge_vocabulary::Verdict;
use lozenge_vocabulary::program::{Foreign, Origin, Program};

use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::words::text::Text;
use crate::refusal::{Reason, Refusal};

impl Refusal {
    /// Returns the message about a refusal, with its place in the text of the program.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        if let Err(foreign) = program.check() {
            return not_its_own(&foreign);
        }
        match &self.reason {
            Reason::Shapes(conflict) => {
                let behind: Vec<Origin> = conflict
                    .because
                    .iter()
                    .map(|because| because.origin.clone())
                    .collect();
                let text = Text::new(program, "");
                general(text, &conflict.refusal, &behind).diagnostic
            }
            Reason::Projection { operation, .. } | Reason::Nest { operation, .. } => {
                let step = program.steps.get(*operation);
                Diagnostic::new(
                    step.map_or(0..0, |step| step.span.clone()),
                    self.reason.to_string(),
                    "this operation has no loop nest",
                )
            }
            Reason::Foreign(foreign) => not_its_own(foreign),
            Reason::Limit(limit) => {
                let tensor = program.tensor(limit.tensor);
                let span = tensor.map_or(0..0, |tensor| tensor.span.clone());
                Diagnostic::new(span, self.to_string(), "the first that is too many")
                    .help(format!("raise the limit with {}", limit.flag))
            }
        }
    }
}

/// Returns the message that a number in a program refers to nothing. Only a program that was put together by hand has
/// such a number.
pub(crate) fn not_its_own(foreign: &Foreign) -> Diagnostic {
    let help = "`Program::check` finds such numbers";
    Diagnostic::new(0..0, foreign.to_string(), "").help(help)
}

/// Returns the message about a conflict that cannot be attributed to two rows: it lists every place involved.
pub(crate) fn general(text: Text<'_>, refusal: &SolverRefusal, behind: &[Origin]) -> Proposed {
    let program = text.program;
    let mut names: Vec<&str> = Vec::new();
    let steps = || behind.iter().map(|origin| program.steps.get(origin.step));
    for step in steps().flatten() {
        for slot in &step.operation.slots {
            let name = &*program[*slot].name;
            if !name.contains('\'') && !text.is_number(*slot) && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let is_limit = refusal.verdict == Verdict::Unknown;
    // After a choice of policy nobody knows whether other shapes fit.
    let is_open = refusal.verdict == Verdict::Rejected;
    let headline = match names.is_empty() {
        _ if is_limit => format!("the shapes are not decided: {}", refusal.message),
        true if is_open => format!("no shapes were found: {}", refusal.message),
        false if is_open => format!("no shapes of {} were found that fit", names.join(", ")),
        true => format!("the shapes do not fit: {}", refusal.message),
        false => format!("the shapes of {} do not fit together", names.join(", ")),
    };
    let mut places = steps().rev().flatten().map(|step| step.span.clone());
    let mut diagnostic = match places.next() {
        Some(span) if is_limit => Diagnostic::new(span, headline, "takes part"),
        Some(span) if is_open => Diagnostic::new(
            span,
            headline,
            "a written shape, or axes with labels in place of `...`, leave less to be guessed",
        ),
        Some(span) => Diagnostic::new(span, headline, "these axes have no common size or number"),
        None if is_limit => Diagnostic::new(0..0, headline, "in this program"),
        None => Diagnostic::new(0..0, headline, refusal.message.clone()),
    };
    for span in places {
        if diagnostic.labels.len() < 5
            && !diagnostic.labels.iter().any(|label| label.span() == span)
        {
            diagnostic = diagnostic.other(span, "takes part");
        }
    }
    diagnostic.why = why(refusal, behind);
    diagnostic.into()
}

/// Returns the rule that failed, and the constraints that led to the failure.
pub(crate) fn why(refusal: &SolverRefusal, behind: &[Origin]) -> Vec<String> {
    let rule = refusal.rule;
    let rule = match refusal.verdict {
        // No rule says where a limit lies.
        Verdict::Unknown => String::new(),
        _ => format!(" ({rule}, {})", rule.source()),
    };
    let mut lines = vec![format!("{}: {}{rule}", refusal.verdict, refusal.message)];
    for (origin, cited) in behind.iter().zip(&refusal.chain) {
        lines.push(format!("{}: {}", origin.words, cited.text));
    }
    if let Some(step) = &refusal.policy {
        lines.push(format!(
            "after a choice of policy: {} ({})",
            step.text, step.rule
        ));
    }
    lines
}
