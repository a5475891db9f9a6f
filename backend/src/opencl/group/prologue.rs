//! Elementwise operations in front of contractions.
//!
//! A contraction that reads the result of an operation on one tensor reads that tensor instead, and its kernel computes
//! the operation where it copies the operand in any case ([`Prepared`]). So the result never goes through memory. No
//! value changes. The operation is computed once for each copy, so it has to be cheap if there are several.

use std::collections::BTreeMap;

use super::epilogue::is_elementwise;
use super::inline::{inlined, is_cheap};
use super::item::{Item, passes_on};
use super::member::Member;
use crate::device::Purpose;
use crate::memory::BufferId;
use crate::opencl::pins::planning::Planning;
use crate::opencl::plan::job::{Argument, Job};
use crate::opencl::plan::prepared::Prepared;
use crate::opencl::plan::schedule::Schedule;
use crate::opencl::plan::steps::Plan;

/// Has the contractions of a recording compute the operations in front of them.
pub(super) fn fed(items: Vec<Item>, purpose: &Purpose, planning: &Planning) -> Vec<Item> {
    let mut places: BTreeMap<BufferId, Vec<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        for buffer in distinct(&item.member) {
            places.entry(buffer).or_default().push(at);
        }
    }
    let mut front = Front {
        items: items.into_iter().map(Some).collect(),
        places,
        purpose,
        planning,
    };
    // In reverse, so that a chain of operations is inlined into its last reader.
    for at in (0..front.items.len()).rev() {
        if let Some(fed) = front.reader(at) {
            front.feed(at, fed);
        }
    }
    front.items.into_iter().flatten().collect()
}

/// Lists the buffers of a call, each once.
fn distinct(member: &Member) -> Vec<BufferId> {
    let mut buffers = member.buffers.clone();
    buffers.sort_unstable();
    buffers.dedup();
    buffers
}

struct Front<'f> {
    /// The items at their places, without those that are computed elsewhere.
    items: Vec<Option<Item>>,
    /// The places at which each buffer is touched, in order.
    places: BTreeMap<BufferId, Vec<usize>>,
    purpose: &'f Purpose,
    planning: &'f Planning,
}

/// The reader of an operation's result, by its place, with the operation as a part of it.
type Fed = (usize, Member, Plan);

impl Front<'_> {
    fn touching(&self, buffer: BufferId) -> &[usize] {
        self.places.get(&buffer).map_or(&[], Vec::as_slice)
    }

    fn member(&self, at: usize) -> Option<&Member> {
        self.items[at].as_ref().map(|item| &item.member)
    }

    /// Finds the only reader of the result of the item at a place, if it is a contraction that can compute the item
    /// itself.
    fn reader(&self, at: usize) -> Option<Fed> {
        let producer = self.member(at)?;
        let [result, operand] = producer.buffers[..] else {
            return None;
        };
        if !passes_on(producer, self.purpose) || !is_elementwise(&producer.job) {
            return None;
        }
        let [first, place] = *self.touching(result) else {
            return None;
        };
        let reader = self.member(place)?;
        let changes = |between: &usize| {
            let writes = |member: &Member| member.buffers[0] == operand;
            (at + 1..=place).contains(between) && self.member(*between).is_some_and(writes)
        };
        let alike = [reader.job.precision, reader.job.stored, producer.job.stored];
        let alike = alike.iter().all(|one| *one == producer.job.precision);
        let is_small = self.purpose.repeated && reader.is_small();
        let contracts = reader.joins() && !reader.job.loops.reduced.is_empty() && !is_small;
        if first != at
            || !alike
            || !contracts
            || reader.buffers[0] == result
            || self.touching(operand).iter().any(changes)
        {
            return None;
        }
        let (member, plan) = self.fed(reader, producer)?;
        Some((place, member, plan))
    }

    /// Makes a contraction with the operation of a producer as a part of it, and the plan for that.
    fn fed(&self, reader: &Member, producer: &Member) -> Option<(Member, Plan)> {
        let (result, operand) = (producer.buffers[0], producer.buffers[1]);
        let mut member = reader.clone();
        while let Some(slot) =
            (1..member.buffers.len()).find(|slot| member.buffers[*slot] == result)
        {
            member.job = inlined(&member.job, slot, &producer.job)?;
            member.buffers.remove(slot);
            member.buffers.push(operand);
            member.elements.remove(slot);
            member.elements.push(producer.elements[1]);
        }
        let pins = &self.planning.pins;
        if pins.has(&reader.job) && !pins.has(&member.job) {
            return None;
        }
        let plan = self.planning.plan(&member.job);
        is_prepared(&plan).then_some((member, plan))
    }

    /// Puts the item at a place into its reader.
    fn feed(&mut self, at: usize, (place, member, plan): Fed) {
        let (Some(producer), Some(reader)) = (self.items[at].take(), self.items[place].take())
        else {
            return;
        };
        let (result, operand) = (producer.member.buffers[0], producer.member.buffers[1]);
        self.places.remove(&result);
        let places = self.places.entry(operand).or_default();
        places.retain(|other| *other != at && *other != place);
        places.insert(places.partition_point(|other| *other < place), place);
        let calls = producer.calls.into_iter().chain(reader.calls);
        self.items[place] = Some(Item {
            calls: calls.collect(),
            member,
            plan: Some((plan, None)),
        });
    }
}

/// Tells whether the kernels of a plan compute the operations in front of a contraction where they copy its operands.
fn is_prepared(plan: &Plan) -> bool {
    let prepares = |(job, schedule): &(Job, Schedule)| match schedule {
        Schedule::Packed(packed) => prepares(job, |slot| {
            slot == packed.row_operand && packed.row_copies(job) > 1
        }),
        Schedule::Grid(_) => prepares(job, |_| true),
        // This step adds up the parts of the sums.
        _ => matches!(job.buffers[1..], [Argument::Scratch(_)]),
    };
    plan.steps.iter().all(prepares)
}

/// Tells whether the function in front of a contraction reads one operand at a time, and is cheap where it is computed
/// `again`.
fn prepares(job: &Job, again: impl Fn(usize) -> bool) -> bool {
    let Some(prepared) = Prepared::parted(&job.function) else {
        return false;
    };
    let each = prepared.each.iter().zip(1..);
    let mut each = each.filter_map(|(function, slot)| Some((function.as_ref()?, slot)));
    each.all(|(function, slot)| is_cheap(function) || !again(slot))
}
