//! The uses that a recording makes of tensors: those that need memory of their own, and those that may share it.

use std::collections::BTreeMap;

use super::pool::Lifetime;
use crate::device::{Call, Purpose};
use crate::memory::BufferId;
use crate::opencl::group::unit::Unit;

/// The uses that a recording makes of the tensors that its kernels have access to.
#[derive(Default)]
pub(super) struct Uses {
    /// Tensors whose values are needed only from one unit to another, which may share memory.
    pub passing: Vec<(BufferId, Lifetime)>,
    /// The other tensors, each with a flag: true if the recording overwrites every cell before it reads one.
    pub own: BTreeMap<BufferId, bool>,
    /// The tensors among `own` that are not needed afterwards, with the last unit that has access to them.
    pub consumed: Vec<(BufferId, usize)>,
}

/// Determines the uses that units make of tensors.
pub(super) fn uses(units: &[Unit], calls: &[Call], purpose: &Purpose) -> Uses {
    let mut spans: BTreeMap<BufferId, (usize, usize)> = BTreeMap::new();
    for (number, unit) in units.iter().enumerate() {
        for buffer in unit.buffers(calls) {
            spans.entry(*buffer).or_insert((number, number)).1 = number;
        }
    }
    let mut uses = Uses::default();
    for (buffer, (first, last)) in spans {
        let toucher = units[first]
            .calls()
            .iter()
            .find_map(|at| elements(&calls[*at], buffer).map(|values| (*at, values)));
        let Some((at, values)) = toucher else {
            continue;
        };
        let overwritten = overwrites(&calls[at], buffer);
        if overwritten && purpose.temporary.contains(&buffer) {
            let lifetime = Lifetime {
                values,
                first,
                last,
            };
            uses.passing.push((buffer, lifetime));
        } else {
            uses.own.insert(buffer, overwritten);
            if purpose.consumed.contains(&buffer) {
                uses.consumed.push((buffer, last));
            }
        }
    }
    uses
}

/// Returns the number of elements of a buffer, if the call touches it.
fn elements(call: &Call, buffer: BufferId) -> Option<u64> {
    let slot = call.buffers.iter().position(|one| *one == buffer)?;
    Some(call.nest.slots()[slot].sizes.iter().product())
}

/// Tells whether a call gives every cell of a buffer a value that does not depend on the previous ones.
fn overwrites(call: &Call, buffer: BufferId) -> bool {
    let nest = &call.nest;
    // With an initial value, each cell begins with it; without one, each point stores its own cell.
    let all = nest.initial().is_some() || nest.is_surjective() && !nest.is_guarded();
    let reads = call.buffers[1..].contains(&buffer);
    call.buffers[0] == buffer && !reads && nest.accumulator().erase && all
}
