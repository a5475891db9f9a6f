//! The order of what a section reads and changes: the lines above it run once and its own in each step, so some uses
//! would mean something else than the lines say.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Schedule, Section, Source};

use crate::diagnostic::{Diagnostic, brief};
use crate::elaborate::Elaboration;

impl Elaboration<'_, '_> {
    /// Returns the error for a tensor of a line above that a step updates: it would be in no checkpoint, and would have
    /// no initial value.
    pub(super) fn updated_lets(&self, section: &Section) -> Option<Diagnostic> {
        let mut seen = BTreeSet::new();
        for at in section.steps.clone() {
            let step = &self.program.steps[at];
            let target = step.operation.slots[0];
            let tensor = &self.program[target];
            let first = seen.insert(target);
            let made = matches!(tensor.source, Source::Intermediate);
            if first && made && !step.operation.accumulator.erase {
                let name = brief(&tensor.name);
                let message =
                    format!("`{name}` is made once, above, and each step would change it");
                return Some(
                    Diagnostic::new(step.slot_spans[0].clone(), message, "changed in each step")
                        .other(tensor.span.clone(), "made here")
                        .help(format!(
                            "what goes on from step to step is a state: `state {name} = 0`"
                        )),
                );
            }
        }
        None
    }

    /// Returns the error for a tensor of a line above that depends on a tensor that the section updates: it would keep
    /// its old value.
    pub(super) fn stale_reads(&self, section: &Section, schedule: &Schedule) -> Option<Diagnostic> {
        let program = &self.program;
        let steps = || {
            schedule
                .step
                .iter()
                .chain(&schedule.epoch)
                .chain(&schedule.once)
        };
        let firsts: BTreeSet<usize> = program
            .firsts
            .iter()
            .flat_map(|first| first.steps.clone())
            .collect();
        let is_param = |id: TensorId| matches!(program[id].source, Source::Param(_));
        let updated: BTreeSet<TensorId> = steps()
            .filter(|at| !firsts.contains(at))
            .map(|at| program.steps[*at].operation.slots[0])
            .filter(|id| is_param(*id))
            .collect();
        // For each tensor of the lines above, the updated parameter on which it depends.
        let mut stale: BTreeMap<TensorId, TensorId> = updated.iter().map(|id| (*id, *id)).collect();
        for step in &program.steps[..section.steps.start] {
            let slots = &step.operation.slots;
            let on = slots[1..].iter().find_map(|slot| stale.get(slot)).copied();
            if let (Some(on), false) = (on, is_param(slots[0])) {
                stale.insert(slots[0], on);
            }
        }
        let made: BTreeSet<TensorId> = section
            .steps
            .clone()
            .map(|at| program.steps[at].operation.slots[0])
            .collect();
        for at in steps().filter(|at| !firsts.contains(at)) {
            let step = &program.steps[*at];
            // A gradient goes back through the operations of the loss, also where it reads none of their tensors.
            let behind = step.record.as_ref().map(|record| (0, record.step));
            let behind = behind.map(|(slot, at)| (slot, program.steps[at].operation.slots[0]));
            let read = step.operation.slots.iter().copied().enumerate().skip(1);
            for (slot, id) in read.chain(behind) {
                let id = &id;
                let Some(on) = stale
                    .get(id)
                    .filter(|_| !is_param(*id) && !made.contains(id))
                else {
                    continue;
                };
                let (name, on) = (&program[*id].name, &program[*on].name);
                let message = format!(
                    "`{name}` is computed once, above, from `{on}`, which each step changes"
                );
                return Some(
                    Diagnostic::new(step.slot_spans[slot].clone(), message, "read in each step")
                        .other(program[*id].span.clone(), "computed above the section")
                        .help(format!("move the line of `{name}` into the section")),
                );
            }
        }
        None
    }

    /// Returns the error for initial values that read a tensor which only a step computes.
    pub(super) fn early_reads(&self, section: &Section, schedule: &Schedule) -> Option<Diagnostic> {
        let program = &self.program;
        let later: BTreeSet<TensorId> = schedule
            .step
            .iter()
            .chain(&schedule.epoch)
            .map(|at| program.steps[*at].operation.slots[0])
            .filter(|id| matches!(program[*id].source, Source::Intermediate))
            .collect();
        let firsts = program
            .firsts
            .iter()
            .filter(|first| section.steps.contains(&first.steps.start));
        for first in firsts {
            for step in &program.steps[first.steps.clone()] {
                let slots = step.operation.slots.iter().enumerate().skip(1);
                let mut read = slots.filter(|(_, id)| later.contains(id));
                if let Some((slot, id)) = read.next() {
                    let (name, of) = (&program[*id].name, &program[first.tensor].name);
                    let message = format!(
                        "the first values of `{of}` read `{name}`, which each step computes anew"
                    );
                    return Some(
                        Diagnostic::new(
                            step.slot_spans[slot].clone(),
                            message,
                            "not there before the first step",
                        )
                        .help("compute it above the section"),
                    );
                }
            }
        }
        None
    }
}
