//! The units of a recording: calls, and groups of calls that are one kernel. Their tensors are divided into those that
//! need memory of their own and those that may share it.

use std::collections::BTreeMap;

use super::chains::chained;
use super::defect::Defect;
use super::fused::{Fused, touches_of};
use super::group::{groups, verified};
use super::item::Item;
use super::member::Member;
use super::planning::Planning;
use super::pool::Lifetime;
use super::source::KernelSource;
use crate::device::{Call, Purpose};
use crate::error::Error;
use crate::memory::BufferId;
use crate::precision::Precision;

/// A unit of execution: a call, or a group of calls, by their places in the recording.
pub(super) enum Unit {
    One(usize, KernelSource),
    Many(Vec<usize>, Fused),
}

impl Unit {
    /// Returns the buffers to which the unit's kernels have access.
    fn buffers<'u>(&'u self, calls: &'u [Call]) -> &'u [BufferId] {
        match self {
            Unit::One(at, _) => &calls[*at].buffers,
            Unit::Many(_, fused) => &fused.buffers,
        }
    }

    /// Returns the source of the unit's kernels.
    pub fn source(&self) -> &KernelSource {
        match self {
            Unit::One(_, source) => source,
            Unit::Many(_, fused) => &fused.source,
        }
    }

    /// Returns a buffer and a number, if the unit does nothing else than to fill the buffer with the number. A command
    /// for this has no kernel to compile.
    pub fn fills(&self, calls: &[Call], precision: Precision) -> Option<(BufferId, f32)> {
        let Unit::One(at, _) = self else {
            return None;
        };
        let call = &calls[*at];
        let number = call.nest.constant_in(precision)?;
        let single = number as f32;
        let is_exact = f64::from(single).to_bits() == number.to_bits();
        is_exact.then_some((call.buffers[0], single))
    }

    /// Returns the places of the unit's calls.
    pub fn calls(&self) -> &[usize] {
        match self {
            Unit::One(at, _) => std::slice::from_ref(at),
            Unit::Many(all, _) => all,
        }
    }
}

/// Divides the calls of a recording into units, in an order that gives the same result.
pub(super) fn units(
    calls: &[Call],
    purpose: &Purpose,
    planning: &Planning,
) -> Result<Vec<Unit>, Error> {
    let refused = |defect: Defect| Error::Schedule(defect.to_string());
    let members = calls.iter().map(|call| Member::new(call, planning));
    let items = chained(members.collect(), purpose, planning).map_err(refused)?;
    let many = |calls: Vec<usize>, fused: Fused| {
        let source = fused.source.within(planning);
        Unit::Many(calls, Fused { source, ..fused })
    };
    let one = |item: &Item| match item.fused() {
        Some(fused) => many(item.calls.clone(), fused),
        None => {
            let at = item.calls[0];
            Unit::One(at, KernelSource::planned(&calls[at].nest, planning))
        }
    };
    let members: Vec<Member> = items.iter().map(|item| item.member.clone()).collect();
    let mut units = Vec::new();
    let groups = groups(&members, purpose.repeated);
    verified(&members, &groups).map_err(refused)?;
    let touches = touches_of(&members);
    for group in groups {
        let items = || group.calls.iter().map(|item| &items[*item]);
        match group.fused(&members, &purpose.temporary, &touches, planning) {
            Some(fused) => {
                let calls = items().flat_map(|item| &item.calls);
                units.push(many(calls.copied().collect(), fused));
            }
            None => units.extend(items().map(one)),
        }
    }
    Ok(units)
}

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
