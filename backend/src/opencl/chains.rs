//! Chains: a contraction and the elementwise operations behind it, whose results only operations of the chain read, except for the last, as one job with
//! an epilogue.
//!
//! Operations in a chain run together, at the place of the first one or of the last one, whichever the calls between them allow. No value
//! changes, so a chain is made wherever the contraction has a schedule that computes epilogues; what is pinned is made as it is pinned.

use std::collections::BTreeMap;

use super::candidates::Choose;
use super::defect::Defect;
use super::ended::{Ended, ended, is_elementwise};
use super::fused::{Touches, touches_of};
use super::inline::{inlined, is_cheap};
use super::item::{Checked, Item, passes_on};
use super::job::Job;
use super::member::Member;
use super::plan::Plan;
use super::planning::Planning;
use super::prologue::fed;
use super::schedule::{Profile, Schedule};
use super::source::KernelSource;
use super::verify_ended::verify_ended;
use super::verify_group;
use crate::device::Purpose;
use crate::formula::product;
use crate::loop_nest::{LoopNest, Write};
use crate::memory::BufferId;
use crate::rules::{Arithmetic, Numerics};

/// The calls of a recording with chains in place of their calls, in an order that gives the same result.
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
    let mut items = fed(items, purpose, planning);
    let touches = touches_of(items.iter().map(|item| &item.member));
    let context = Context {
        purpose,
        touches: &touches,
        planning,
    };
    let mut at = 0;
    while at < items.len() {
        let Some((absorbed, item)) = context.chain(&items, at) else {
            at += 1;
            continue;
        };
        // Removed from the last to the first, so that the places before stay.
        let up = is_up(&items, &absorbed);
        absorbed
            .iter()
            .rev()
            .for_each(|place| drop(items.remove(*place)));
        match (up, absorbed.as_slice()) {
            (true, _) | (_, []) => items.insert(at, item),
            (false, [.., last]) => items.insert(last + 1 - absorbed.len(), item),
        }
        at += usize::from(up);
    }
    let calls: Vec<_> = members.iter().map(Member::accesses).collect();
    let order: Vec<usize> = items.iter().flat_map(|item| &item.calls).copied().collect();
    verify_group::order(&calls, &order)?;
    Ok(items)
}

/// An operation of a chain, with the operations before it inlined: what it reads is the result of the contraction, or no result of the chain.
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
    /// How often each of these is read.
    reads: BTreeMap<BufferId, usize>,
}

impl Chain {
    /// The operation of a member with the operations before it inlined. `None` if one would be computed more often than now and is not cheap.
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

struct Context<'c> {
    purpose: &'c Purpose,
    touches: &'c Touches,
    planning: &'c Planning,
}

impl Context<'_> {
    /// The longest chain that begins with an item and is worth it, and the places of its items.
    fn chain(&self, items: &[Item], at: usize) -> Option<(Vec<usize>, Item)> {
        let contraction = &items[at].member;
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
        while let Some(next) = next(items, &chain) {
            let member = &items[next].member;
            let Some(tail) = chain.tail(member) else {
                break;
            };
            chain.places.push(next);
            if self.is_closed(items, &chain)
                && let Some((ended, plan)) = self.joined(contraction, &tail, member)
            {
                let calls = chain.places.iter().flat_map(|place| &items[*place].calls);
                let item = Item {
                    calls: calls.copied().collect(),
                    member: ended,
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

    /// Whether no call outside of a chain touches a result that the chain does not store, and the chain can run at one place.
    fn is_closed(&self, items: &[Item], chain: &Chain) -> bool {
        let contraction = items[chain.places[0]].member.buffers[0];
        let own = |result: &BufferId| {
            let touches = |place: &&usize| items[**place].member.buffers.contains(result);
            self.touches.get(result) == Some(&chain.places.iter().filter(touches).count())
        };
        let mut results = chain.results.keys().chain([&contraction]);
        let places = &chain.places;
        results.all(own) && (is_up(items, places) || is_down(items, places))
    }

    /// The contraction and the operation behind it, with their plan if it is worth it.
    fn joined(
        &self,
        contraction: &Member,
        tail: &Tail,
        last: &Member,
    ) -> Option<(Member, Checked)> {
        let (written, result) = (tail.buffers[0], contraction.buffers[0]);
        let reads = (1..tail.buffers.len()).filter(|slot| tail.buffers[*slot] == result);
        let reads: Vec<usize> = reads.collect();
        let both = ended(&contraction.job, &tail.job, &reads)?;
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
        let defect = verify_ended(&contraction.job, &tail.job, &reads, &both).err();
        let Ended { job, .. } = both;
        let plan = self.plan(contraction, &job)?;
        let member = Member::ended(job, buffers, elements, last);
        Some((member, (plan, defect)))
    }

    /// The plan of a contraction with an epilogue, if it is pinned, or else if the contraction is not pinned as it is and the schedule reads what
    /// the epilogue needs in vectors.
    fn plan(&self, contraction: &Member, job: &Job) -> Option<Plan> {
        let pins = &self.planning.pins;
        let plan = self.planning.ended(job)?;
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

/// The place of the next item that reads a result of a chain, if it is an operation that can belong to it.
fn next(items: &[Item], chain: &Chain) -> Option<usize> {
    let contraction = items[chain.places[0]].member.buffers[0];
    let own = |one: &BufferId| *one == contraction || chain.results.contains_key(one);
    let last = chain.places.last()?;
    let reads = |item: &Item| item.member.buffers[1..].iter().any(own);
    let next = last + 1 + items[last + 1..].iter().position(reads)?;
    let member = &items[next].member;
    (member.joins() && is_elementwise(&member.job) && !own(&member.buffers[0])).then_some(next)
}

impl KernelSource {
    /// The kernels of a contraction and of an elementwise operation that reads its result in some of its slots, as one job, with a legal plan that
    /// is chosen by a function. `None` if they do not fit together, or no schedule computes both.
    pub fn chosen_with(
        contraction: &LoopNest,
        (operation, reads): (&LoopNest, &[usize]),
        profile: Profile,
        arithmetic: impl Into<Arithmetic>,
        choose: Choose<'_>,
    ) -> Option<KernelSource> {
        let arithmetic = arithmetic.into();
        let [one, other] = [contraction, operation].map(|nest| Job::new(nest, arithmetic));
        let both = ended(&one, &other, reads)?;
        let defect = verify_ended(&one, &other, reads, &both).err();
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

/// Whether the written tensor, where a job reads it, is read at the cell that is written, and by its epilogue.
fn reads_in_place(job: &Job, buffers: &[BufferId]) -> bool {
    let same = |slot: usize| {
        let free = job.loops.free.iter();
        free.clone().all(|one| one.strides[slot] == one.strides[0])
            && job.loops.offsets[slot] == job.loops.offsets[0]
    };
    let mut slots = (1..buffers.len()).filter(|slot| buffers[*slot] == buffers[0]);
    slots.all(|slot| slot > job.operands() && same(slot))
}

/// Whether the items of a chain can run at the place of the first of them.
fn is_up(items: &[Item], chain: &[usize]) -> bool {
    let mut moved = chain.iter().skip(1);
    moved.all(|place| (chain[0] + 1..*place).all(|other| passes(items, chain, *place, other)))
}

/// Whether they can run at the place of the last.
fn is_down(items: &[Item], chain: &[usize]) -> bool {
    let last = chain.last().copied().unwrap_or_default();
    let mut moved = chain.iter();
    moved.all(|place| (place + 1..last).all(|other| passes(items, chain, *place, other)))
}

/// Whether an item of a chain commutes with another item, or that is of the chain too.
fn passes(items: &[Item], chain: &[usize], place: usize, other: usize) -> bool {
    let (one, two) = (&items[place].member.buffers, &items[other].member.buffers);
    chain.contains(&other) || !one.contains(&two[0]) && !two.contains(&one[0])
}
