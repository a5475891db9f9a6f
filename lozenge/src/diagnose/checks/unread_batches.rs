//! A section that trains by batches of data that none of its lines reads: each step computes the same, from whole
//! tensors of the lines above.

use std::collections::BTreeSet;

use lozenge_lang::{Diagnostic, Severity};
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Program, Section, Turns};

use crate::diagnose::fix::proposed::Proposed;

pub(crate) fn check(program: &Program) -> impl Iterator<Item = Proposed> + '_ {
    program
        .sections
        .iter()
        .filter(|section| section.training && !reads_a_batch(program, section))
        .filter_map(message)
}

fn reads_a_batch(program: &Program, section: &Section) -> bool {
    let batches: BTreeSet<TensorId> = section.turns.batches().collect();
    let steps = &program.steps[section.steps.clone()];
    let mut read = steps.iter().flat_map(|step| &step.operation.slots[1..]);
    read.any(|tensor| batches.contains(tensor))
}

fn message(section: &Section) -> Option<Proposed> {
    let Turns::Epochs { label, .. } = &section.turns else {
        return None;
    };
    let headline = format!("nothing in this section reads a batch of `{label}`");
    let mut diagnostic = Diagnostic::new(section.span.clone(), headline, "each step reads the same")
        .help(format!(
            "lines of the section read data whose first axis is `{label}`, or what is computed from it above along this axis; without batches it is `train 100 steps:`"
        ));
    diagnostic.severity = Severity::Warning;
    Some(diagnostic.into())
}
