//! Chains: a contraction and the elementwise operations behind it, whose results only operations of the chain read,
//! except for the last, as one job with an epilogue.
//!
//! Operations in a chain run together, at the place of the first one or of the last one, whichever the calls between
//! them allow. No value changes, so a chain is made wherever the contraction has a schedule that computes epilogues;
//! what is pinned is made as it is pinned.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::epilogue::{is_elementwise, with_epilogue};
use super::fused::{Touches, touches_of};
use super::inline::{inlined, is_cheap};
use super::item::{Checked, Item, passes_on};
use super::member::Member;
use super::prologue::fed;
use crate::device::Purpose;
use crate::formula::product;
use crate::loop_nest::{LoopNest, Write};
use crate::memory::BufferId;
use crate::opencl::check::candidates::Choose;
use crate::opencl::check::defect::Defect;
use crate::opencl::check::verify_epilogue::verify_epilogue;
use crate::opencl::check::verify_group;
use crate::opencl::emit::source::KernelSource;
use crate::opencl::pins::planning::Planning;
use crate::opencl::plan::job::{Job, WithEpilogue};
use crate::opencl::plan::schedule::{Profile, Schedule};
use crate::opencl::plan::steps::Plan;
use crate::rules::{Arithmetic, Numerics};

/// The largest number of calls of a chain. An epilogue that fits into a kernel has fewer, and nothing is looked for
/// among the thousands of calls that may read one result.
const MOST: usize = 40;

/// Replaces calls of a recording by chains of them, in an order that gives the same result.
pub(super) fn chained(
    members: Vec<Member>,
    purpose: &Purpose,
    planning: &Planning,
) -> Result<Vec<Item>, Defect> {
    let item = |(at, member): (usize, &Member)| Item {
        calls: vec![at],
        member: member.clone(),
        plan: None,
    };
    let items: Vec<Item> = members.iter().enumerate().map(item).collect();
    let mut recorded = Recorded::new(fed(items, purpose, planning), purpose, planning);
    for at in 0..recorded.items.len() {
        if let Some((absorbed, item)) = recorded.chain(at) {
            recorded.join(&absorbed, item);
        }
    }
    let items: Vec<Item> = recorded.items.into_iter().flatten().collect();
    let calls: Vec<_> = members.iter().map(Member::accesses).collect();
    let order: Vec<usize> = items.iter().flat_map(|item| &item.calls).copied().collect();
    verify_group::order(&calls, &order)?;
    Ok(items)
}

/// An operation of a chain, with the operations before it inlined: its operands are the result of the contraction, or
/// no results of the chain.
#[derive(Clone)]
struct Tail {
    job: Job,
    buffers: Vec<BufferId>,
    elements: Vec<u64>,
}

/// The operations that read the result of a contraction, or results of each other.
struct Chain {
    /// The places of the contraction and of the operations.
    places: Vec<usize>,
    /// The results of operations that are not needed afterwards.
    results: BTreeMap<BufferId, Tail>,
    /// The number of reads of each of these results.
    reads: BTreeMap<BufferId, usize>,
}

impl Chain {
    /// Inlines the operations before a member into its own. `None` if one would be computed more often than now and is
    /// not cheap.
    fn tail(&mut self, next: &Member) -> Option<Tail> {
        let mut tail = Tail {
            job: next.job.clone(),
            buffers: next.buffers.clone(),
            elements: next.elements.clone(),
        };
        // A product that is added is rounded once, and might not be if there were more factors.
        let is_added =
            tail.job.write == Write::ReadModifyWrite && tail.job.numerics == Numerics::Fast;
        let is_product = is_added && product(&tail.job.function).is_some();
        let own = |one: &BufferId| self.results.contains_key(one);
        while let Some(slot) = (1..tail.buffers.len()).find(|slot| own(&tail.buffers[*slot])) {
            let result = tail.buffers[slot];
            let before = &self.results[&result];
            let reads = self.reads.entry(result).or_default();
            *reads += 1;
            if is_product || *reads > 1 && !is_cheap(&before.job.function) {
                return None;
            }
            tail.job = inlined(&tail.job, slot, &before.job)?;
            tail.buffers.remove(slot);
            tail.buffers.extend(&before.buffers[1..]);
            tail.elements.remove(slot);
            tail.elements.extend(&before.elements[1..]);
        }
        Some(tail)
    }
}

/// Places in a recording.
type Places = BTreeSet<usize>;

/// The items of a recording, some of which have become chains.
struct Recorded<'r> {
    purpose: &'r Purpose,
    planning: &'r Planning,
    /// The number of items that touched each buffer before there were chains.
    touches: Touches,
    /// The items at their places, without those that run at the place of another one.
    items: Vec<Option<Item>>,
    /// The places at which each buffer is touched, also those at which there is no item any more.
    touching: BTreeMap<BufferId, Places>,
    /// The places at which each buffer is written, in the same way.
    writing: BTreeMap<BufferId, Places>,
}

impl<'r> Recorded<'r> {
    fn new(items: Vec<Item>, purpose: &'r Purpose, planning: &'r Planning) -> Recorded<'r> {
        let mut recorded = Recorded {
            purpose,
            planning,
            touches: touches_of(items.iter().map(|item| &item.member)),
            items: Vec::with_capacity(items.len()),
            touching: BTreeMap::new(),
            writing: BTreeMap::new(),
        };
        for (at, item) in items.into_iter().enumerate() {
            recorded.note(at, &item.member);
            recorded.items.push(Some(item));
        }
        recorded
    }

    /// Notes which buffers the item at a place touches.
    fn note(&mut self, at: usize, member: &Member) {
        for buffer in &member.buffers {
            self.touching.entry(*buffer).or_default().insert(at);
        }
        let writing = self.writing.entry(member.buffers[0]);
        writing.or_default().insert(at);
    }

    fn member(&self, at: usize) -> Option<&Member> {
        self.items[at].as_ref().map(|item| &item.member)
    }

    /// Puts a chain at the place of its first item or of its last.
    fn join(&mut self, absorbed: &[usize], item: Item) {
        let (Some(first), Some(last)) = (absorbed.first(), absorbed.last()) else {
            return;
        };
        let place = if self.is_up(absorbed) { *first } else { *last };
        absorbed.iter().for_each(|at| self.items[*at] = None);
        self.note(place, &item.member);
        self.items[place] = Some(item);
    }

    /// Finds the longest chain that begins with the item at a place and is worth it, and the places of its items.
    fn chain(&self, at: usize) -> Option<(Vec<usize>, Item)> {
        let contraction = self.member(at)?;
        let small = self.purpose.repeated && contraction.is_small();
        if contraction.job.loops.reduced.is_empty()
            || small
            || !passes_on(contraction, self.purpose)
        {
            return None;
        }
        let mut chain = Chain {
            places: vec![at],
            results: BTreeMap::new(),
            reads: BTreeMap::new(),
        };
        let mut best = None;
        while chain.places.len() < MOST
            && let Some((next, member)) = self.next(contraction, &chain)
            && let Some(tail) = chain.tail(member)
        {
            chain.places.push(next);
            if self.is_closed(contraction, &chain)
                && let Some((fused, plan)) = self.joined(contraction, &tail, member)
            {
                let items = chain.places.iter().flat_map(|place| &self.items[*place]);
                let item = Item {
                    calls: items.flat_map(|item| &item.calls).copied().collect(),
                    member: fused,
                    plan: Some(plan),
                };
                best = Some((chain.places.clone(), item));
            }
            if !passes_on(member, self.purpose) {
                break;
            }
            chain.results.insert(member.buffers[0], tail);
        }
        best
    }

    /// Finds the next item that reads a result of a chain, with its place, if it is an operation that can belong to the
    /// chain.
    fn next(&self, contraction: &Member, chain: &Chain) -> Option<(usize, &Member)> {
        let last = chain.places.last()?;
        let results = || chain.results.keys().chain([&contraction.buffers[0]]);
        let readers = results().filter_map(|result| {
            let mut places = within(self.touching.get(result), last + 1..self.items.len());
            places.find(|at| {
                let member = self.member(**at);
                member.is_some_and(|member| member.buffers[1..].contains(result))
            })
        });
        let next = *readers.min()?;
        let member = self.member(next)?;
        let is_new = results().all(|result| *result != member.buffers[0]);
        (member.joins() && is_elementwise(&member.job) && is_new).then_some((next, member))
    }

    /// Tells whether no call outside of a chain touches a result that the chain does not store, and the chain can run
    /// at one place.
    fn is_closed(&self, contraction: &Member, chain: &Chain) -> bool {
        let own = |result: &BufferId| {
            let members = chain.places.iter().filter_map(|place| self.member(*place));
            let touching = members.filter(|member| member.buffers.contains(result));
            self.touches.get(result) == Some(&touching.count())
        };
        let mut results = chain.results.keys().chain([&contraction.buffers[0]]);
        let places = &chain.places;
        results.all(own) && (self.is_up(places) || self.is_down(places))
    }

    /// Tells whether the items of a chain can run at the place of the first of them.
    fn is_up(&self, chain: &[usize]) -> bool {
        let mut moved = chain.iter().skip(1);
        moved.all(|place| self.passes(chain, *place, chain[0] + 1..*place))
    }

    /// Tells whether the items of a chain can run at the place of the last of them.
    fn is_down(&self, chain: &[usize]) -> bool {
        let last = chain.last().copied().unwrap_or_default();
        let mut moved = chain.iter();
        moved.all(|place| self.passes(chain, *place, place + 1..last))
    }

    /// Tells whether an item of a chain commutes with the items at these places that are not of the chain: none of them
    /// writes what the item touches, or touches what it writes.
    fn passes(&self, chain: &[usize], place: usize, others: Range<usize>) -> bool {
        let Some(member) = self.member(place) else {
            return true;
        };
        let outside = |at: &usize| self.member(*at).filter(|_| !chain.contains(at));
        let written = &member.buffers[0];
        let mut touching = within(self.touching.get(written), others.clone());
        let touches = |other: &Member| other.buffers.contains(written);
        if touching.any(|at| outside(at).is_some_and(touches)) {
            return false;
        }
        member.buffers[1..].iter().all(|buffer| {
            let mut writing = within(self.writing.get(buffer), others.clone());
            let writes = |other: &Member| other.buffers[0] == *buffer;
            !writing.any(|at| outside(at).is_some_and(writes))
        })
    }

    /// Joins the contraction and the operation behind it. Returns both as one, with their plan, if it is worth it.
    fn joined(
        &self,
        contraction: &Member,
        tail: &Tail,
        last: &Member,
    ) -> Option<(Member, Checked)> {
        let (written, result) = (tail.buffers[0], contraction.buffers[0]);
        let reads = (1..tail.buffers.len()).filter(|slot| tail.buffers[*slot] == result);
        let reads: Vec<usize> = reads.collect();
        let both = with_epilogue(&contraction.job, &tail.job, &reads)?;
        let own = |slot: &usize| !reads.contains(slot) && *slot > 0;
        let own: Vec<usize> = (0..tail.buffers.len()).filter(own).collect();
        let buffers = [written]
            .into_iter()
            .chain(contraction.buffers[1..].iter().copied());
        let buffers: Vec<BufferId> = buffers
            .chain(own.iter().map(|slot| tail.buffers[*slot]))
            .collect();
        let elements = [tail.elements[0]]
            .into_iter()
            .chain(contraction.elements[1..].iter().copied());
        let elements = elements
            .chain(own.iter().map(|slot| tail.elements[*slot]))
            .collect();
        if !reads_in_place(&both.job, &buffers) {
            return None;
        }
        let defect = verify_epilogue(&contraction.job, &tail.job, &reads, &both).err();
        let WithEpilogue { job, .. } = both;
        let plan = self.plan(contraction, &job)?;
        let member = Member::with_epilogue(job, buffers, elements, last);
        Some((member, (plan, defect)))
    }

    /// Makes the plan of a contraction with an epilogue, if it is pinned, or else if the contraction is not pinned as
    /// it is and the schedule reads what the epilogue needs in vectors.
    fn plan(&self, contraction: &Member, job: &Job) -> Option<Plan> {
        let pins = &self.planning.pins;
        let plan = self.planning.with_epilogue(job)?;
        if pins.has(job) {
            return Some(plan);
        }
        let along = match plan.steps.first()?.1 {
            Schedule::Packed(packed) => packed.tile.vector,
            Schedule::Grid(grid) => grid.column,
            _ => return None,
        };
        let strides = &job.loops.free[along].strides;
        let mut slots = job.epilogue.iter().flat_map(|one| one.slots());
        let near = slots.all(|slot| strides[slot] <= 1);
        (near && !pins.has(&contraction.job)).then_some(plan)
    }
}

/// Returns the places that lie in a range.
fn within(places: Option<&Places>, range: Range<usize>) -> impl Iterator<Item = &usize> {
    let range = range.start..range.end.max(range.start);
    places
        .into_iter()
        .flat_map(move |places| places.range(range.clone()))
}

impl KernelSource {
    /// Writes the kernels of a contraction and of an elementwise operation that reads its result in some of its slots,
    /// as one job, with a legal plan that is chosen by a function. `None` if they do not fit together, or no schedule
    /// computes both.
    pub fn chosen_with(
        contraction: &LoopNest,
        (operation, reads): (&LoopNest, &[usize]),
        profile: Profile,
        arithmetic: impl Into<Arithmetic>,
        choose: Choose<'_>,
    ) -> Option<KernelSource> {
        let arithmetic = arithmetic.into();
        let [one, other] = [contraction, operation].map(|nest| Job::new(nest, arithmetic));
        let both = with_epilogue(&one, &other, reads)?;
        let defect = verify_epilogue(&one, &other, reads, &both).err();
        let own = operation.slots().iter().enumerate().skip(1);
        let own = own.filter(|(slot, _)| !reads.contains(slot));
        let slots = [&operation.slots()[0]].into_iter();
        let slots = slots
            .chain(&contraction.slots()[1..])
            .chain(own.map(|(_, slot)| slot));
        let elements = slots.map(|slot| slot.sizes.iter().product()).collect();
        let plan = Plan::chosen_ended(both.job.clone(), profile, choose)?;
        let source = KernelSource::of_job(both.job, elements, plan);
        Some(KernelSource {
            defect: defect.or(source.defect),
            ..source
        })
    }
}

/// Tells whether the written tensor, where a job reads it, is read at the cell that is written, and by its epilogue.
fn reads_in_place(job: &Job, buffers: &[BufferId]) -> bool {
    let same = |slot: usize| {
        let free = job.loops.free.iter();
        free.clone().all(|one| one.strides[slot] == one.strides[0])
            && job.loops.offsets[slot] == job.loops.offsets[0]
    };
    let mut slots = (1..buffers.len()).filter(|slot| buffers[*slot] == buffers[0]);
    slots.all(|slot| slot > job.operands() && same(slot))
}
