//! A group as one kernel: the loops of its calls one after the other, with the tensors that no other call touches in
//! local memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::grouping::{few_ranges, step_of};
use super::inline::{inlined, is_cheap};
use super::member::{Group, Member};
use crate::memory::BufferId;
use crate::opencl::check::defect::{Check, Defect, defect};
use crate::opencl::check::verify::verify;
use crate::opencl::emit::expression::vector_type;
use crate::opencl::emit::kernel::{Kernel, Stage};
use crate::opencl::emit::pocl_vector_moves::STREAMED;
use crate::opencl::emit::source::KernelSource;
use crate::opencl::emit::templates::stage;
use crate::opencl::emit::text::{Text, Workers};
use crate::opencl::pins::pinned::PlanText;
use crate::opencl::pins::plan_text::KernelPlan;
use crate::opencl::pins::planning::Planning;
use crate::opencl::plan::job::{Argument, Job};
use crate::opencl::plan::loops::Loops;
use crate::opencl::plan::parallel::{GROUP_BYTES, ITEMS};
use crate::opencl::plan::schedule::{Profile, Schedule};
use crate::opencl::plan::steps::Plan;
use crate::precision::Precision;

/// A group as a kernel, with the buffers of its arguments.
pub(crate) struct Fused {
    /// The kernel, whose slots are these buffers.
    pub source: KernelSource,
    /// The buffers to which its arguments refer by number.
    pub buffers: Vec<BufferId>,
}

/// Returns the most bytes in local memory. On a CPU it shares a second-level cache with the operands; elsewhere a
/// device may have no more.
fn local_bytes(planning: &Planning) -> u64 {
    let most = match planning.profile {
        Profile::Cpu => 1 << 17,
        // The rest is for the totals of teams.
        Profile::Parallel => GROUP_BYTES / 2,
    };
    most.min(planning.local / 2)
}

/// The approximate number of bytes of a tensor that a work-item processes together, so that the kept parts of a few
/// tensors stay in the first-level cache.
const BYTES: u64 = 1 << 13;

/// The number of calls that touch each buffer.
pub(super) type Touches = BTreeMap<BufferId, usize>;

/// Counts the calls that touch each buffer.
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
    /// Builds the kernel of the group; `None` for a single call, which runs as usual. `temporary` are the buffers whose
    /// values are not needed after the recording, and `touches` counts all calls of the recording.
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
        let room = local_bytes(planning);
        let (together, kept) = match local * bytes <= room {
            true => (room.checked_div(local * bytes).unwrap_or(u64::MAX), kept),
            false => (u64::MAX, BTreeSet::new()),
        };
        let most = together
            .min((BYTES / bytes).div_ceil(widest))
            .min(ranges.div_ceil(2 * few_ranges(planning.profile)));
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
        let schedule = described(own.len(), (block, ranges), planning.profile);
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

    /// Leaves out the calls of the group that recompute the result of an earlier one into a kept buffer. Their readers
    /// read the earlier result instead.
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

    /// Finds the buffers that only calls of the group touch, and that a call of the group writes before any reads them.
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

/// Inlines calls of a group where their results are read.
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

/// Returns the calls with one of them inlined into the expressions of all readers of its result. This is possible if
/// its operands do not change before these reads and it is not computed more often than now, unless it is cheap.
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

/// Describes a kernel of several operations in a line.
fn described(operations: usize, (block, ranges): (u64, u64), profile: Profile) -> String {
    let worker = match profile {
        Profile::Cpu => "work-item",
        Profile::Parallel => "group",
    };
    let operations = match operations {
        1 => "1 operation".to_string(),
        _ => format!("{operations} operations"),
    };
    match ranges {
        1 => format!("{operations} in one {worker}"),
        _ => format!("{operations}, {block} of {ranges} ranges a {worker}"),
    }
}

/// Returns the plan of a call of a group.
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
    /// The defect of the first part that does not pass the checks.
    defect: Option<Defect>,
}

impl Writer<'_> {
    fn kernel(&mut self, sizes: &BTreeMap<BufferId, u64>) -> Kernel {
        let mut stages = Vec::new();
        let (mut calls, mut local, mut wide) = (String::new(), 0, false);
        for (number, member) in self.own.iter().enumerate() {
            let job = self.job(member);
            let step = self.planning.scheduled(job.clone());
            if self.defect.is_none() {
                self.defect = self.verified(member, &job, &step).err();
            }
            self.plans.push(part(member, job, &step));
            let (job, schedule) = step;
            wide |= job.precision == Precision::F64;
            let mut text = Text::stage(&job, self.workers(), self.is_streamed(number));
            text.ahead = self.ahead(number);
            let kernel = stage(text, schedule);
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
            if number > 0 && self.workers() == Workers::Group {
                // The barrier shows the values that one item stores to the other items.
                calls += "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n";
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
            let number = match self.workers() {
                Workers::Group => "get_group_id(0)",
                Workers::Kernel | Workers::Item => "get_global_id(0)",
            };
            text += &format!("    const ulong block = {number};\n");
        }
        let items = match self.workers() {
            Workers::Group => ITEMS,
            Workers::Kernel | Workers::Item => 1,
        };
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
            work_items: self.ranges / self.block * items,
            group: Some(items),
            arguments: buffers.map(Argument::Slot).collect(),
            stages,
        }
    }

    /// Returns the workers that compute a block of ranges.
    fn workers(&self) -> Workers {
        match self.planning.profile {
            Profile::Cpu => Workers::Item,
            Profile::Parallel => Workers::Group,
        }
    }

    /// Returns the part of a call that one work-item or group computes.
    fn job(&self, member: &Member) -> Job {
        let mut job = member.job.clone();
        if self.ranges > 1 {
            job.loops = self.some(&job.loops);
        }
        for (argument, buffer) in job.buffers.iter_mut().zip(&member.buffers) {
            if let Some(at) = self.kept.iter().position(|kept| kept == buffer) {
                *argument = Argument::Local(at);
            }
        }
        job
    }

    /// Checks that a step computes a part for one block of ranges. A part is a job with tensors of its own: a tensor of
    /// the part is the range of a tensor that a block may touch, from the beginning of the block on. In memory this is
    /// the rest of the tensor; in local memory it is as much as is kept for a block.
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

    /// Tells whether the result of a call is so large that it does not stay in the cache, and no later call of the
    /// group touches it.
    fn is_streamed(&self, number: usize) -> bool {
        let member = &self.own[number];
        let written = &member.buffers[0];
        let mut later = self.own[number + 1..].iter();
        member.elements[0] * member.job.stored.bytes() >= STREAMED
            && later.all(|other| !other.buffers.contains(written))
    }

    /// Finds the operands of a call that an earlier call of the block has read from memory, with the distance of those
    /// of the next block. Memory has little to do while a call computes from the cache, so the next block is
    /// fetched in this time.
    fn ahead(&self, number: usize) -> Vec<(usize, u64)> {
        if self.ranges == 1 || self.workers() != Workers::Item {
            return Vec::new();
        }
        let member = &self.own[number];
        let reads = |member: &&&Member, buffer| member.buffers[1..].contains(buffer);
        let mut found = Vec::new();
        for (slot, buffer) in member.buffers.iter().enumerate().skip(1) {
            let is_large = member.elements[slot] * member.job.stored.bytes() >= STREAMED;
            let earlier = self.own[..number].iter().filter(|one| reads(one, buffer));
            let is_written = self.own.iter().any(|one| one.buffers[0] == *buffer);
            let step = step_of(&member.job.loops, slot, self.ranges) * self.block;
            if is_large && !is_written && step > 0 && earlier.count() == 1 {
                found.push((slot, step));
            }
        }
        found
    }

    /// Returns the loops of one block of ranges.
    fn some(&self, loops: &Loops) -> Loops {
        let mut some = loops.clone();
        some.free[0].extent = some.free[0].extent / self.ranges * self.block;
        if some.free[0].extent == 1 {
            some.free.remove(0);
        }
        some.merged_again()
    }

    /// Writes the address in the buffer of a slot at which the current block begins.
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
#[path = "fused_tests.rs"]
mod tests;
