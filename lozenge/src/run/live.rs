//! The tensors that a run resumed in a section needs from the lines above it.

use std::collections::BTreeSet;

use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Program, Section, Source};

/// Returns the tensors of lines above a section that depend on changes by earlier sections and are read later. A run
/// that is resumed in this section does not run the earlier sections, so it cannot compute these tensors again.
pub(crate) fn live(program: &Program, section: &Section) -> Vec<TensorId> {
    let earlier = program
        .sections
        .iter()
        .filter(|one| one.steps.end <= section.steps.start);
    let mut changed: BTreeSet<TensorId> = earlier
        .flat_map(|one| one.steps.clone())
        .map(|at| program.steps[at].operation.slots[0])
        .collect();
    if changed.is_empty() {
        return Vec::new();
    }
    for step in &program.steps[..section.steps.start] {
        let slots = &step.operation.slots;
        if slots[1..].iter().any(|slot| changed.contains(slot)) {
            changed.insert(slots[0]);
        }
    }
    let later = &program.steps[section.steps.start..];
    let read = later
        .iter()
        .flat_map(|step| step.operation.slots[1..].iter().copied());
    let shown = program.requests[section.requests.start..]
        .iter()
        .map(|request| request.tensor);
    let made = |id: &TensorId| matches!(program[*id].source, Source::Intermediate);
    let live: BTreeSet<TensorId> = read
        .chain(shown)
        .filter(|id| changed.contains(id) && made(id))
        .collect();
    live.into_iter().collect()
}
