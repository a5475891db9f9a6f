//! Groups: several calls that run as one kernel, one after the other, so that intermediate tensors need not go through memory.
//!
//! There are two kinds of groups. Neither changes a bit of any value, since each call computes what it would compute alone:
//!
//! - **Rows.** Every tensor that the group writes is divided into the same number of equal ranges, and range r of each depends
//!   only on range r of the others. A work-item runs all calls for some ranges, so that the result of one call is still in the
//!   cache of its core when the next call reads it. A softmax is such a group, and so is a chain of elementwise operations. The
//!   strides of the loops show whether each access stays in its range ([`range`]).
//! - **Small.** Calls that take less time than a kernel launch run on one core, in one work-item.
//!
//! A tensor that no other call reads is kept in local memory, and never written to global memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::defect::{Check, Defect, defect};
use super::expression::vector_type;
use super::inline::{inlined, is_cheap};
use super::job::{Argument, Job};
use super::kernel::{Kernel, Stage};
use super::loops::Loops;
use super::moves::STREAMED;
use super::pins::PlanText;
use super::plan::{Plan, scheduled};
use super::plan_text::KernelPlan;
use super::planning::Planning;
use super::schedule::{Profile, Schedule};
use super::source::KernelSource;
use super::text::Text;
use super::verify::verify;
use super::verify_group::{self, Accesses};
use super::{cell, dot, staged, sweep, tile};
use crate::call::reads_in_place;
use crate::device::Call;
use crate::memory::BufferId;
use crate::precision::Precision;
use crate::rules::Arithmetic;

/// A call as a candidate for groups.
#[derive(Clone)]
pub(super) struct Member {
    /// Its job.
    job: Job,
    /// The buffers of its slots.
    buffers: Vec<BufferId>,
    /// How many elements each has.
    elements: Vec<u64>,
    /// Whether every cell of the written buffer gets a value that does not depend on its previous one.
    overwrites: bool,
    /// Whether it cannot be in a group, because something has to be copied or filled before it, or other calls write the rest of
    /// its tensor.
    alone: bool,
}

impl Member {
    /// The call with the properties that matter for groups.
    pub fn new(call: &Call, arithmetic: Arithmetic) -> Member {
        let nest = &call.nest;
        let job = Job::new(nest, arithmetic);
        let copied =
            |slot: &usize| call.buffers[*slot] == call.buffers[0] && !reads_in_place(nest, *slot);
        // Cells that no point writes are filled before, or other loop nests write them.
        let partial = nest.accumulator().erase && !nest.is_surjective();
        let elements = |slot: &crate::Slot| slot.sizes.iter().product();
        Member {
            alone: partial || (1..call.buffers.len()).any(|slot| copied(&slot)),
            overwrites: nest.accumulator().erase && nest.is_surjective() && !nest.is_guarded(),
            elements: nest.slots().iter().map(elements).collect(),
            buffers: call.buffers.clone(),
            job,
        }
    }

    fn accesses(&self) -> Accesses<'_> {
        Accesses {
            loops: &self.job.loops,
            buffers: &self.buffers,
            elements: &self.elements,
        }
    }

    fn points(&self) -> u64 {
        let loops = &self.job.loops;
        loops.cells().saturating_mul(loops.values_a_cell())
    }

    /// Whether it takes less time on one core than a kernel launch.
    fn is_small(&self) -> bool {
        let vectors = !matches!(Schedule::of(&self.job, Profile::Cpu), Schedule::Cell);
        self.points() <= if vectors { 1 << 17 } else { 1 << 13 }
    }
}

/// Calls that run together.
#[derive(Debug)]
pub(super) struct Group {
    /// Their places in the recording, in order.
    pub calls: Vec<usize>,
    /// The number of ranges into which the written tensors are divided; 1 if one work-item does everything.
    ranges: u64,
}

/// The largest number of calls in a group, so that compiling it takes at most about a second.
const MOST: usize = 40;

/// With fewer ranges than this a few cores are not evenly busy.
const RANGES: u64 = 16;

/// The calls of a recording as groups, in an order that gives the same result: a call may run before the earlier calls of a group
/// that is still open if neither writes what the other touches. `repeated` says that the recording is replayed often enough to
/// justify time spent on compiling.
pub(super) fn groups(members: &[Member], repeated: bool) -> Vec<Group> {
    let mut done = Vec::new();
    let mut open: Option<Group> = None;
    for (at, member) in members.iter().enumerate() {
        let small = repeated && member.is_small();
        if let Some(group) = &mut open {
            if group.calls.len() < MOST && joins(members, group, at, small) {
                continue;
            }
            if commutes(members, &group.calls, at) && !(small && group.ranges == 1) {
                done.push(Group {
                    calls: vec![at],
                    ranges: 0,
                });
                continue;
            }
            done.extend(open.take());
        }
        open = begun(member, at, small);
        if open.is_none() {
            done.push(Group {
                calls: vec![at],
                ranges: 0,
            });
        }
    }
    done.extend(open);
    done
}

/// Checks the groups with [`super::verify_group`].
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

/// A new group that begins with a call, if the call can be in a group.
fn begun(member: &Member, at: usize, small: bool) -> Option<Group> {
    if member.alone {
        return None;
    }
    let ranges = match small {
        true => 1,
        false => rows(&member.job)?,
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
    if member.alone {
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
    let Some(own) = rows(&member.job).filter(|_| group.calls.iter().any(shares)) else {
        return false;
    };
    let ranges = gcd(group.ranges, own);
    let mut calls = group.calls.clone();
    calls.push(at);
    if ranges < RANGES || !fits(members, &calls, ranges) {
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

/// Whether a call commutes with these calls.
fn commutes(members: &[Member], calls: &[usize], at: usize) -> bool {
    let member = &members[at];
    calls.iter().all(|other| {
        let other = &members[*other];
        !member.buffers.contains(&other.buffers[0]) && !other.buffers.contains(&member.buffers[0])
    })
}

/// The largest number of ranges into which a job can be divided: the number of steps of its outermost free loop.
fn rows(job: &Job) -> Option<u64> {
    let plain = job.loops.is_plain() && job.loops.offsets[0].symbols.is_empty();
    let packed = || {
        let (_, schedule) = scheduled(job.clone(), Profile::Cpu);
        matches!(schedule, Schedule::Packed(_)) || Plan::wide(job, Profile::Cpu).is_some()
    };
    let first = job.loops.free.first().filter(|_| plain)?;
    (first.extent >= RANGES && !packed()).then_some(first.extent)
}

/// How far the address in a slot moves from one range to the next.
fn step_of(loops: &Loops, slot: usize, ranges: u64) -> u64 {
    let first = &loops.free[0];
    first.strides[slot] * (first.extent / ranges)
}

/// Whether range r of the loops touches only range r of a buffer with this number of elements.
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

/// Whether every access of the calls to a buffer that one of them writes stays within its range.
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

/// A group as a kernel, with the buffers of its arguments.
pub(super) struct Fused {
    /// The kernel, whose slots are these buffers.
    pub source: KernelSource,
    /// The buffers to which its arguments refer by number.
    pub buffers: Vec<BufferId>,
}

/// The most bytes in local memory, which shares a second-level cache with the operands.
const LOCAL: u64 = 1 << 17;

/// About how many bytes of a tensor a work-item processes together, so that the kept parts of a few tensors stay in the first-level
/// cache.
const BYTES: u64 = 1 << 13;

/// How many calls touch each buffer.
pub(super) type Touches = BTreeMap<BufferId, usize>;

/// How many of these calls touch each buffer.
pub(super) fn touches_of<'m>(members: impl IntoIterator<Item = &'m Member>) -> Touches {
    let mut touches = Touches::new();
    for member in members {
        let buffers: BTreeSet<BufferId> = member.buffers.iter().copied().collect();
        for buffer in buffers {
            *touches.entry(buffer).or_default() += 1;
        }
    }
    touches
}

impl Group {
    /// The kernel of the group; `None` for a single call, which runs as usual. `temporary` are the buffers whose values are not
    /// needed after the recording, and `touches` counts all calls of the recording.
    pub fn fused(
        &self,
        members: &[Member],
        temporary: &BTreeSet<BufferId>,
        touches: &Touches,
        planning: &Planning,
    ) -> Option<Fused> {
        if self.calls.len() < 2 {
            return None;
        }
        let ranges = self.ranges;
        let mut kept = self.kept(members, temporary, touches);
        let own = self.distinct(members, &mut kept);
        let own = shortened(own, &mut kept, ranges);
        let own: Vec<&Member> = own.iter().collect();
        // The number of elements of a range in each written tensor, and in each kept one.
        let mut sizes: BTreeMap<BufferId, u64> = BTreeMap::new();
        for member in &own {
            sizes.insert(member.buffers[0], member.elements[0] / ranges);
        }
        let widest = sizes.values().copied().max().unwrap_or(1);
        let local: u64 = kept.iter().map(|buffer| sizes[buffer]).sum();
        let bytes = own.first().map_or(4, |one| one.job.stored.bytes());
        let (together, kept) = match local * bytes <= LOCAL {
            true => (LOCAL.checked_div(local * bytes).unwrap_or(u64::MAX), kept),
            false => (u64::MAX, BTreeSet::new()),
        };
        let most = together
            .min((BYTES / bytes).div_ceil(widest))
            .min(ranges.div_ceil(2 * RANGES));
        let divides = |block: &u64| ranges.is_multiple_of(*block);
        let block = (1..=most.max(1)).rev().find(divides).unwrap_or(1);
        if ranges > 1 && block * widest < 64 {
            return None;
        }
        let mut writer = Writer {
            own: &own,
            kept: &kept,
            ranges,
            block,
            planning,
            buffers: Vec::new(),
            symbols: Vec::new(),
            plans: Vec::new(),
            defect: None,
        };
        let kernel = writer.kernel(&sizes);
        let Writer {
            buffers,
            symbols,
            plans,
            defect,
            ..
        } = writer;
        let schedule = match ranges {
            1 => format!("{} operations in one work-item", own.len()),
            _ => format!(
                "{} operations, {block} of {ranges} ranges a work-item",
                own.len()
            ),
        };
        Some(Fused {
            source: KernelSource {
                kernels: vec![kernel],
                scratch: Vec::new(),
                precision: Precision::F32,
                symbols,
                schedule: vec![schedule],
                plans,
                defect,
            },
            buffers,
        })
    }

    /// The calls of the group without those that recompute the result of an earlier one into a kept buffer. Their readers read the
    /// earlier result instead.
    fn distinct(&self, members: &[Member], kept: &mut BTreeSet<BufferId>) -> Vec<Member> {
        let mut writes: BTreeMap<BufferId, usize> = BTreeMap::new();
        for at in &self.calls {
            *writes.entry(members[*at].buffers[0]).or_default() += 1;
        }
        let once = |buffer: &BufferId| writes.get(buffer).is_none_or(|count| *count == 1);
        let mut same: BTreeMap<BufferId, BufferId> = BTreeMap::new();
        let mut own: Vec<Member> = Vec::new();
        for at in &self.calls {
            let mut member = members[*at].clone();
            for buffer in &mut member.buffers {
                *buffer = *same.get(buffer).unwrap_or(buffer);
            }
            let result = member.buffers[0];
            // Nothing that either of them reads or writes changes within the group.
            let settled = kept.contains(&result) && once(&result) && {
                let mut operands = member.buffers[1..].iter();
                operands.all(|buffer| {
                    !writes.contains_key(buffer) || kept.contains(buffer) && once(buffer)
                })
            };
            let twin = own.iter().find(|other| {
                settled
                    && kept.contains(&other.buffers[0])
                    && once(&other.buffers[0])
                    && other.buffers[1..] == member.buffers[1..]
                    && other.elements == member.elements
                    && other.job == member.job
            });
            match twin {
                Some(twin) => {
                    same.insert(result, twin.buffers[0]);
                    kept.remove(&result);
                }
                None => own.push(member),
            }
        }
        own
    }

    /// The buffers that only calls of the group touch, and that a call of the group writes before any reads them.
    fn kept(
        &self,
        members: &[Member],
        temporary: &BTreeSet<BufferId>,
        touches: &Touches,
    ) -> BTreeSet<BufferId> {
        let mut kept = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for at in &self.calls {
            let member = &members[*at];
            let fresh = !seen.contains(&member.buffers[0])
                && !member.buffers[1..].contains(&member.buffers[0]);
            if fresh && member.overwrites && temporary.contains(&member.buffers[0]) {
                kept.insert(member.buffers[0]);
            }
            seen.extend(member.buffers.iter().copied());
        }
        let own = touches_of(self.calls.iter().map(|at| &members[*at]));
        kept.retain(|buffer| own.get(buffer) == touches.get(buffer));
        kept
    }
}

/// The calls of a group without those that are inlined where their results are read.
fn shortened(mut own: Vec<Member>, kept: &mut BTreeSet<BufferId>, ranges: u64) -> Vec<Member> {
    let mut at = 0;
    while at < own.len() {
        match without(&own, at, kept, ranges) {
            Some(shorter) => {
                kept.remove(&own[at].buffers[0]);
                own = shorter;
            }
            None => at += 1,
        }
    }
    own
}

/// The calls with one of them inlined into the expressions of all readers of its result. This is possible if its operands do not
/// change before these reads and it is not computed more often than now, unless it is cheap.
fn without(
    own: &[Member],
    at: usize,
    kept: &BTreeSet<BufferId>,
    ranges: u64,
) -> Option<Vec<Member>> {
    let producer = &own[at];
    let result = producer.buffers[0];
    let later = &own[at + 1..];
    let once = own
        .iter()
        .filter(|other| other.buffers[0] == result)
        .count()
        == 1;
    let operands = &producer.buffers[1..];
    let changes = later
        .iter()
        .any(|other| operands.contains(&other.buffers[0]));
    if !kept.contains(&result) || !once || changes {
        return None;
    }
    let reads = |member: &Member| {
        member.buffers[1..]
            .iter()
            .filter(|one| **one == result)
            .count()
    };
    let count: usize = later.iter().map(reads).sum();
    if count == 0 || (count > 1 && !is_cheap(&producer.job.function)) {
        return None;
    }
    let mut shorter: Vec<Member> = own[..at].to_vec();
    for member in later {
        let mut member = member.clone();
        // A value that is widened was rounded to the precision of tensors before.
        let rounds = member.job.precision != producer.job.precision;
        if reads(&member) > 0 && (rounds || member.points() > producer.points()) {
            return None;
        }
        while let Some(slot) =
            (1..member.buffers.len()).find(|slot| member.buffers[*slot] == result)
        {
            member.job = inlined(&member.job, slot, &producer.job)?;
            member.buffers.remove(slot);
            member.buffers.extend(operands);
            member.elements.remove(slot);
            member.elements.extend(&producer.elements[1..]);
        }
        let first = member.job.loops.free.first();
        if ranges > 1 && !first.is_some_and(|first| first.extent.is_multiple_of(ranges)) {
            return None;
        }
        shorter.push(member);
    }
    Some(shorter)
}

/// The plan of a call of a group.
fn part(member: &Member, job: Job, step: &(Job, Schedule)) -> PlanText {
    let plan = Plan {
        steps: vec![step.clone()],
        scratch: Vec::new(),
    };
    PlanText(Arc::new(KernelPlan {
        is_part: true,
        job,
        elements: member.elements.clone(),
        plan,
    }))
}

struct Writer<'a> {
    own: &'a [&'a Member],
    kept: &'a BTreeSet<BufferId>,
    ranges: u64,
    block: u64,
    planning: &'a Planning,
    buffers: Vec<BufferId>,
    symbols: Vec<std::sync::Arc<str>>,
    plans: Vec<PlanText>,
    /// What the first part that does not pass the checks lacks.
    defect: Option<Defect>,
}

impl Writer<'_> {
    fn kernel(&mut self, sizes: &BTreeMap<BufferId, u64>) -> Kernel {
        let mut stages = Vec::new();
        let (mut calls, mut local, mut wide) = (String::new(), 0, false);
        for (number, member) in self.own.iter().enumerate() {
            let mut job = member.job.clone();
            if self.ranges > 1 {
                job.loops = self.some(&job.loops);
            }
            for (argument, buffer) in job.buffers.iter_mut().zip(&member.buffers) {
                if let Some(at) = self.kept.iter().position(|kept| kept == buffer) {
                    *argument = Argument::Local(at);
                }
            }
            let step = self.planning.scheduled(job.clone());
            if self.defect.is_none() {
                self.defect = self.verified(member, &job, &step).err();
            }
            self.plans.push(part(member, job, &step));
            let (job, schedule) = step;
            wide |= job.precision == Precision::F64;
            let text = Text::stage(&job, self.is_streamed(number));
            let kernel = match schedule {
                Schedule::Tile(one) => tile::kernel(text, one),
                Schedule::Dot(one) => dot::kernel(text, one),
                Schedule::Sweep(one) => sweep::kernel(text, one),
                Schedule::Staged(one) => staged::kernel(text, one),
                // No part is packed: its check has found a defect.
                Schedule::Cell | Schedule::Packed(_) => cell::kernel(text),
            };
            local = local.max(kernel.local);
            let mut arguments: Vec<String> = Vec::new();
            for (slot, buffer) in member.buffers.iter().enumerate() {
                arguments.push(self.argument(member, slot, *buffer));
            }
            for symbol in &member.job.loops.symbols {
                arguments.push(format!("symbol{}", self.symbol(symbol)));
            }
            if kernel.local > 0 {
                let float = vector_type(kernel.precision, 1);
                arguments.push(format!("(__local {float} *)local_values"));
            }
            calls += &format!("    stage_{number}({});\n", arguments.join(", "));
            stages.push(Stage::new(kernel));
        }
        let mut text = String::new();
        let stored = self
            .own
            .first()
            .map_or(Precision::F32, |one| one.job.stored);
        let float = vector_type(stored, 1);
        for (at, buffer) in self.kept.iter().enumerate() {
            text += &format!(
                "    __local {float} kept{at}[{}];\n",
                sizes[buffer] * self.block
            );
        }
        if self.ranges > 1 {
            text += "    const ulong block = get_global_id(0);\n";
        }
        let buffers = 0..self.buffers.len();
        let mut parameters: Vec<String> = buffers
            .clone()
            .map(|at| format!("__global {float} *tensor{at}"))
            .collect();
        let symbols = 0..self.symbols.len();
        parameters.extend(symbols.map(|symbol| format!("const ulong symbol{symbol}")));
        Kernel {
            parameters,
            text: text + &calls,
            local,
            precision: if wide { Precision::F64 } else { stored },
            work_items: self.ranges / self.block,
            group: Some(1),
            arguments: buffers.map(Argument::Slot).collect(),
            stages,
        }
    }

    /// Checks that a step computes a part for one block of ranges. A part is a job with tensors of its own: of each tensor what a block
    /// may touch, from where the block begins. In memory that is the rest of the tensor from there; in local memory it is as much as is
    /// kept for a block.
    fn verified(&self, member: &Member, job: &Job, step: &(Job, Schedule)) -> Result<(), Defect> {
        let (job_of_step, schedule) = step;
        if matches!(schedule, Schedule::Packed(_)) {
            return defect(Check::Points, "packed, in a part of a kernel");
        }
        let blocks = self.ranges / self.block;
        let room = |slot: usize| {
            let elements = member.elements[slot];
            if matches!(job.buffers[slot], Argument::Local(_)) {
                return elements / blocks;
            }
            let moved = match self.ranges {
                1 => 0,
                ranges => step_of(&member.job.loops, slot, ranges) * self.block,
            };
            elements.saturating_sub((blocks - 1).saturating_mul(moved))
        };
        let room: Vec<u64> = (0..member.elements.len()).map(room).collect();
        let own = |job: &Job| Job {
            buffers: (0..job.buffers.len()).map(Argument::Slot).collect(),
            ..job.clone()
        };
        let plan = Plan {
            steps: vec![(own(job_of_step), *schedule)],
            scratch: Vec::new(),
        };
        verify(&own(job), &room, &plan)
    }

    /// Whether what a call writes is so large that it does not stay in the cache, and no later call of the group touches it.
    fn is_streamed(&self, number: usize) -> bool {
        let member = &self.own[number];
        let written = &member.buffers[0];
        let mut later = self.own[number + 1..].iter();
        member.elements[0] * member.job.stored.bytes() >= STREAMED
            && later.all(|other| !other.buffers.contains(written))
    }

    /// The loops of one block of ranges.
    fn some(&self, loops: &Loops) -> Loops {
        let mut some = loops.clone();
        some.free[0].extent = some.free[0].extent / self.ranges * self.block;
        if some.free[0].extent == 1 {
            some.free.remove(0);
        }
        some.merged_again()
    }

    /// The address in the buffer of a slot at which the current block begins.
    fn argument(&mut self, member: &Member, slot: usize, buffer: BufferId) -> String {
        if let Some(at) = self.kept.iter().position(|kept| *kept == buffer) {
            return format!("kept{at}");
        }
        let known = self.buffers.iter().position(|known| *known == buffer);
        let at = known.unwrap_or_else(|| {
            self.buffers.push(buffer);
            self.buffers.len() - 1
        });
        match self.ranges {
            1 => format!("tensor{at}"),
            ranges => {
                let step = step_of(&member.job.loops, slot, ranges) * self.block;
                format!("tensor{at} + block * {step}UL")
            }
        }
    }

    fn symbol(&mut self, symbol: &std::sync::Arc<str>) -> usize {
        let known = self.symbols.iter().position(|known| known == symbol);
        known.unwrap_or_else(|| {
            self.symbols.push(symbol.clone());
            self.symbols.len() - 1
        })
    }
}

#[cfg(test)]
#[path = "group_tests.rs"]
mod tests;
