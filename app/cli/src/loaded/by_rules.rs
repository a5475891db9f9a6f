//! Inference by the transcribed rules, which are slow and serve for comparison.

use lozenge::{Reason, Refusal};
use lozenge_fuzz::subjects::programs::reference::{self, Failed, Reference};
use lozenge_spec::limit_reached;
use lozenge_vocabulary::Verdict;
use lozenge_vocabulary::projection_language::AxisId;

use crate::json::program::Refused;
use crate::limits::Rules;
use crate::loaded::{Inferred, Loaded};
use crate::report::Report;

impl Loaded {
    /// Returns the results of the transcribed rules.
    ///
    /// # Errors
    /// The refusal, as a report.
    pub fn by_rules(&self, rules: Rules) -> Result<Inferred, Report> {
        let found =
            reference::infer(&self.program, rules.rule_work).map_err(|failed| match failed {
                Failed::Refused(refusal) => self.refused(&refusal),
                Failed::NoNest { operation, message } => self.refused(&Refusal {
                    verdict: Verdict::Rejected,
                    reason: Reason::Nest { operation, message },
                }),
                Failed::Work => {
                    let reached = limit_reached(rules.rule_work, &self.constraints().set);
                    let reason =
                        format!("{reached}; the production solver, without --by spec, has none");
                    let text = format!("unknown: {reason}\n");
                    let refused = Refused {
                        reason: Some(reason),
                        ..Refused::default()
                    };
                    Report::judged(Verdict::Unknown, text, refused)
                }
            })?;
        let operations = 0..self.program.steps.len();
        let contracted = operations
            .map(|at| self.contracted_by_rules(&found, at))
            .collect();
        Ok(Inferred {
            shapes: found.shapes,
            nests: found.nests,
            contracted,
            warnings: Vec::new(),
            grown: Vec::new(),
        })
    }

    fn contracted_by_rules(&self, found: &Reference, operation: usize) -> Vec<String> {
        let slots = &self.program.steps[operation].operation.slots;
        let written = &self.program[slots[0]].name;
        let axis = |id: &AxisId| {
            let tensor = *slots.get(id.slot)?;
            let words = lozenge::axis_words(&self.program, &found.shapes, tensor, id.axis);
            Some(words)
        };
        let factors = found.nests[operation].factors().iter();
        let classes = factors.zip(&found.solved[operation].classes);
        classes
            .filter(|(factor, _)| factor.reduced)
            .map(|(factor, class)| {
                // The labels of windows and parts stand behind the slots.
                let axes: Vec<String> = class.iter().filter_map(axis).collect();
                if axes.is_empty() {
                    return format!(
                        "{} is contracted: it moves within windows, and drives no axis",
                        factor.name
                    );
                }
                let axes = axes.join(" and ");
                format!(
                    "{} is contracted: it drives {axes}, and no axis of {written}",
                    factor.name
                )
            })
            .collect()
    }
}
