//! The tensors of a program that hold one number everywhere.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_backend::LoopNest;
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Late, Program, Source};

/// Returns the tensors that hold one number everywhere whenever an operation reads them: a single operation fills each
/// of them, before any reads it. The operations that compute tensors of `loaded` may not run as recorded, and read
/// tensors as they are.
pub(crate) fn constants(
    program: &Program,
    nests: &[LoopNest],
    loaded: impl Fn(TensorId) -> bool,
) -> BTreeMap<TensorId, f64> {
    let mut constants = BTreeMap::new();
    let mut touched = BTreeSet::new();
    for (step, nest) in program.steps.iter().zip(nests) {
        let slots = &step.operation.slots;
        for (slot, id) in slots.iter().enumerate().skip(1) {
            // A tensor that is read before it is filled is no constant.
            touched.insert(*id);
            if loaded(slots[0]) || !nest.can_be_constant(slot) {
                constants.remove(id);
            }
        }
        let target = slots[0];
        let is_made = matches!(
            program[target].source,
            Source::Intermediate | Source::Constant(_)
        );
        let is_late = matches!(
            step.late.as_deref(),
            Some(Late::Random { .. } | Late::Cells | Late::Step | Late::Epoch)
        );
        // A copy of a number is that number.
        let copied = match slots[1..] {
            [of] => constants
                .get(&of)
                .and_then(|number| nest.with_constant(1, *number)),
            _ => None,
        };
        match copied.as_ref().unwrap_or(nest).constant() {
            Some(number) if is_made && !is_late && !touched.contains(&target) => {
                constants.insert(target, number);
            }
            _ => {
                constants.remove(&target);
            }
        }
        touched.insert(target);
    }
    constants
}
