//! What a run that goes on in a section needs from the lines above it.

use std::collections::BTreeSet;

use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Program, Section, Source};

/// The tensors of lines above a section that depend on what earlier sections changed, and that are read later. When a run goes on
/// in this section, the earlier ones do not run, so that these are not computed again.
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
    let made = |id: &TensorId| matches!(program.tensor(*id).source, Source::Intermediate);
    let live: BTreeSet<TensorId> = read
        .chain(shown)
        .filter(|id| changed.contains(id) && made(id))
        .collect();
    live.into_iter().collect()
}
