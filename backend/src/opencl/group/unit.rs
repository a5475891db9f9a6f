//! The units of a recording: calls, and groups of calls that are one kernel.

use super::chains::chained;
use super::fused::{Fused, touches_of};
use super::grouping::{groups, verified};
use super::item::Item;
use super::member::Member;
use crate::device::{Call, Purpose};
use crate::error::Error;
use crate::memory::BufferId;
use crate::opencl::check::defect::Defect;
use crate::opencl::emit::source::KernelSource;
use crate::opencl::pins::planning::Planning;
use crate::precision::Precision;

/// A unit of execution: a call, or a group of calls, by their places in the recording.
pub(crate) enum Unit {
    One(usize, KernelSource),
    Many(Vec<usize>, Fused),
}

impl Unit {
    /// Returns the buffers to which the unit's kernels have access.
    pub fn buffers<'u>(&'u self, calls: &'u [Call]) -> &'u [BufferId] {
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
pub(crate) fn units(
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
