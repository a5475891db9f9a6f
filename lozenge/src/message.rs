//! A refusal as a message at its place in the program.

use lozenge_lang::Diagnostic;
use lozenge_vocabulary::program::Program;

use crate::refusal::{Reason, Refusal};

impl Refusal {
    /// The message, with its place in the text of the program.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        match &self.reason {
            Reason::Shapes(conflict) => {
                let (last, before) = match conflict.because.split_last() {
                    Some((last, before)) => (Some(last), before),
                    None => (None, &[][..]),
                };
                let (span, label) = match last {
                    Some(because) => (because.origin.span.clone(), because.origin.words.clone()),
                    None => (
                        self.owner(program),
                        "nothing determines its shape".to_string(),
                    ),
                };
                let mut help = format!(
                    "rule {} ({})",
                    conflict.refusal.rule,
                    conflict.refusal.rule.source()
                );
                for because in before {
                    help.push_str(&format!("\nbecause of {}", because.origin.words));
                }
                if let Some(step) = &conflict.refusal.policy {
                    help.push_str(&format!("\nafter the policy step {}", step.text));
                }
                Diagnostic::new(span, self.to_string(), label).help(help)
            }
            Reason::Projection { operation, .. } | Reason::Nest { operation, .. } => {
                let span = program.steps[*operation].span.clone();
                Diagnostic::new(span, self.to_string(), "this operation has no loop nest")
            }
            Reason::Limit(limit) => Diagnostic::new(0..0, self.to_string(), "the program")
                .help(format!("raise it with {}", limit.flag)),
        }
    }

    /// The parameter that a refusal without constraints is about.
    fn owner(&self, program: &Program) -> std::ops::Range<usize> {
        let Reason::Shapes(conflict) = &self.reason else {
            return 0..0;
        };
        let vars: Vec<String> = conflict
            .refusal
            .variables
            .iter()
            .map(|involved| involved.var.to_string())
            .collect();
        let owner = program.tensors.iter().find(|tensor| {
            let mut rows = tensor.shape.rows().into_iter();
            rows.any(|row| {
                row.var
                    .as_ref()
                    .is_some_and(|var| vars.contains(&var.to_string()))
            })
        });
        owner.map_or(0..0, |tensor| tensor.span.clone())
    }
}
