//! Groups: several calls that run as one kernel, one after the other, so that intermediate tensors need not go through
//! memory.
//!
//! There are two kinds of groups. With exact arithmetic neither changes a bit of any value. Where rounding is free a
//! sum over a part may be added in another order than over the whole tensor, and a product that is inlined into a sum
//! is rounded once:
//!
//! - **Rows.** Every tensor that the group writes is divided into the same number of equal ranges, and range r of each
//!   depends only on range r of the others. A work-item runs all calls for some ranges, so that the result of one call
//!   is still in the cache of its core when the next call reads it. A softmax is such a group, and so is a chain of
//!   elementwise operations. The strides of the loops show whether each access stays in its range ([`range`]).
//! - **Small.** Calls that take less time than a kernel launch run on one core, in one work-item.
//!
//! A tensor that no other call reads is kept in local memory, and never written to global memory.

use std::collections::BTreeSet;

use super::member::{Group, Member};
use super::waiting::Waiting;
use crate::memory::BufferId;
use crate::opencl::check::defect::Defect;
use crate::opencl::check::verify_group::{self, Accesses};
use crate::opencl::plan::loops::Loops;
use crate::opencl::plan::schedule::{Profile, Schedule};
use crate::opencl::plan::steps::{Plan, scheduled};

/// The largest number of calls in a group, so that compiling it takes at most about a second.
const MOST: usize = 40;

/// Returns the number of ranges below which the cores of a device are not evenly busy.
pub(super) fn few_ranges(profile: Profile) -> u64 {
    match profile {
        Profile::Cpu => 16,
        Profile::Parallel => 128,
    }
}

/// Divides the calls of a recording into groups, in an order that gives the same result. A call joins the latest group
/// that it can be part of ([`Waiting`]). `repeated` says that the recording is replayed often enough to justify time
/// spent on compiling.
pub(crate) fn groups(members: &[Member], repeated: bool) -> Vec<Group> {
    let mut waiting = Waiting::default();
    for (at, member) in members.iter().enumerate() {
        let small = repeated && member.is_small();
        let joined = waiting.join(member, |group| {
            group.calls.len() < MOST && joins(members, group, at, small)
        });
        if joined {
            continue;
        }
        match begun(member, at, small) {
            Some(group) => waiting.begin(member, group),
            None => {
                let (calls, ranges) = (vec![at], 0);
                waiting.alone(member, Group { calls, ranges });
            }
        }
    }
    waiting.ended()
}

/// Checks the groups with [`crate::opencl::check::verify_group`].
pub(super) fn verified(members: &[Member], groups: &[Group]) -> Result<(), Defect> {
    let calls: Vec<Accesses> = members.iter().map(Member::accesses).collect();
    let order: Vec<usize> = groups
        .iter()
        .flat_map(|group| &group.calls)
        .copied()
        .collect();
    verify_group::order(&calls, &order)?;
    for group in groups.iter().filter(|group| group.ranges > 1) {
        let own: Vec<&Accesses> = group.calls.iter().map(|at| &calls[*at]).collect();
        verify_group::ranges(&own, group.ranges)?;
    }
    Ok(())
}

/// Begins a new group with a call, if the call can be in a group.
fn begun(member: &Member, at: usize, small: bool) -> Option<Group> {
    if !member.joins() {
        return None;
    }
    let ranges = match small {
        true => 1,
        false => rows(member)?,
    };
    let group = Group {
        calls: vec![at],
        ranges,
    };
    (small || fits(std::slice::from_ref(member), &[0], ranges)).then_some(group)
}

/// Adds a call to a group, if that is possible.
fn joins(members: &[Member], group: &mut Group, at: usize, small: bool) -> bool {
    let member = &members[at];
    if group.ranges == 0 || !member.joins() {
        return false;
    }
    if group.ranges == 1 {
        if small {
            group.calls.push(at);
        }
        return small;
    }
    let shares = |other: &usize| {
        let theirs = &members[*other].buffers;
        member.buffers.iter().any(|buffer| theirs.contains(buffer))
    };
    let Some(own) = rows(member).filter(|_| group.calls.iter().any(shares)) else {
        return false;
    };
    let ranges = gcd(group.ranges, own);
    let mut calls = group.calls.clone();
    calls.push(at);
    if ranges < few_ranges(member.profile) || !fits(members, &calls, ranges) {
        return false;
    }
    *group = Group { calls, ranges };
    true
}

fn gcd(mut x: u64, mut y: u64) -> u64 {
    while y > 0 {
        (x, y) = (y, x % y);
    }
    x
}

/// Returns the largest number of ranges into which a job can be divided: the number of steps of its outermost free
/// loop.
fn rows(member: &Member) -> Option<u64> {
    let (job, profile) = (&member.job, member.profile);
    let plain = job.loops.is_plain() && job.loops.offsets[0].symbols.is_empty();
    let alone = || match scheduled(job.clone(), profile).1 {
        Schedule::Packed(_) | Schedule::Grid(_) | Schedule::Turned(_) => true,
        _ => match profile {
            Profile::Cpu => Plan::wide(job, profile).is_some(),
            // A group has the items of few cells, and each of them has many values.
            Profile::Parallel => Plan::new(job.clone(), profile).steps.len() > 1,
        },
    };
    let first = job.loops.free.first().filter(|_| plain)?;
    (first.extent >= few_ranges(profile) && !alone()).then_some(first.extent)
}

/// Returns the distance by which the address in a slot moves from one range to the next.
pub(super) fn step_of(loops: &Loops, slot: usize, ranges: u64) -> u64 {
    let first = &loops.free[0];
    first.strides[slot] * (first.extent / ranges)
}

/// Tells whether range r of the loops touches only range r of a buffer with this number of elements.
fn range(loops: &Loops, slot: usize, ranges: u64, elements: u64) -> bool {
    let Some(first) = loops.free.first() else {
        return false;
    };
    let offset = &loops.offsets[slot];
    let (true, true, Ok(fixed)) = (
        first.extent.is_multiple_of(ranges) && elements.is_multiple_of(ranges),
        offset.symbols.is_empty(),
        u64::try_from(offset.fixed),
    ) else {
        return false;
    };
    let size = elements / ranges;
    let own = (first.extent / ranges - 1) * first.strides[slot];
    let others = loops.free[1..].iter().chain(&loops.reduced);
    let reach: u64 = others.map(|one| (one.extent - 1) * one.strides[slot]).sum();
    step_of(loops, slot, ranges) == size && fixed + own + reach < size
}

/// Tells whether every access of the calls to a buffer that one of them writes stays within its range.
fn fits(members: &[Member], calls: &[usize], ranges: u64) -> bool {
    let written: BTreeSet<BufferId> = calls.iter().map(|at| members[*at].buffers[0]).collect();
    calls.iter().all(|at| {
        let member = &members[*at];
        let slots = member.buffers.iter().zip(&member.elements).enumerate();
        let mut touched = slots.filter(|(_, (buffer, _))| written.contains(buffer));
        let loops = &member.job.loops;
        let divides = loops.free[0].extent.is_multiple_of(ranges);
        divides && touched.all(|(slot, (_, elements))| range(loops, slot, ranges, *elements))
    })
}
