//! Chains: a contraction and the elementwise operations behind it, each of which only the next one reads, as one job with an epilogue.
//!
//! Operations in a chain run together, at the place of the first one or of the last one, whichever the calls between them allow. No value
//! changes, so a chain is made wherever the contraction has a schedule that computes epilogues; what is pinned is made as it is pinned.

use super::candidates::Choose;
use super::defect::Defect;
use super::ended::{Ended, ended};
use super::fused::{Fused, Touches, touches_of};
use super::group::Member;
use super::inline::inlined;
use super::job::Job;
use super::plan::Plan;
use super::planning::Planning;
use super::schedule::{Profile, Schedule};
use super::source::KernelSource;
use super::verify_ended::verify_ended;
use super::verify_group;
use crate::device::Purpose;
use crate::formula::product;
use crate::loop_nest::{LoopNest, Write};
use crate::memory::BufferId;
use crate::rules::{Arithmetic, Numerics};

/// A call, or a chain of calls, as a candidate for groups.
pub(super) struct Item {
    /// The calls, by their places in the recording.
    pub calls: Vec<usize>,
    /// What they compute.
    pub member: Member,
    /// The plan, if it is a chain.
    plan: Option<Checked>,
}

/// A plan of a chain, and what the check of the chain has found.
type Checked = (Plan, Option<Defect>);

impl Item {
    /// The kernels of a chain; `None` for a single call.
    pub fn fused(&self) -> Option<Fused> {
        let (plan, defect) = self.plan.clone()?;
        let Member { job, elements, .. } = &self.member;
        let source = KernelSource::of_job(job.clone(), elements.clone(), plan);
        Some(Fused {
            source: KernelSource {
                defect: defect.or(source.defect),
                ..source
            },
            buffers: self.member.buffers.clone(),
        })
    }
}

/// The calls of a recording with chains in place of their calls, in an order that gives the same result.
pub(super) fn chained(
    members: Vec<Member>,
    purpose: &Purpose,
    planning: &Planning,
) -> Result<Vec<Item>, Defect> {
    let touches = touches_of(&members);
    let item = |(at, member): (usize, &Member)| Item {
        calls: vec![at],
        member: member.clone(),
        plan: None,
    };
    let mut items: Vec<Item> = members.iter().enumerate().map(item).collect();
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

/// The operations of a chain behind its contraction, as one.
struct Tail {
    job: Job,
    buffers: Vec<BufferId>,
    elements: Vec<u64>,
}

impl Tail {
    fn new(member: &Member) -> Tail {
        Tail {
            job: member.job.clone(),
            buffers: member.buffers.clone(),
            elements: member.elements.clone(),
        }
    }

    /// With the next operation, which reads the result of this one.
    fn followed_by(&self, next: &Member) -> Option<Tail> {
        let mut all = Tail::new(next);
        // A product that is added is rounded once, and might not be if there were more factors.
        let is_added =
            all.job.write == Write::ReadModifyWrite && all.job.numerics == Numerics::Fast;
        if is_added && product(&all.job.function).is_some() {
            return None;
        }
        let result = self.buffers[0];
        while let Some(slot) = (1..all.buffers.len()).find(|slot| all.buffers[*slot] == result) {
            all.job = inlined(&all.job, slot, &self.job)?;
            all.buffers.remove(slot);
            all.buffers.extend(&self.buffers[1..]);
            all.elements.remove(slot);
            all.elements.extend(&self.elements[1..]);
        }
        Some(all)
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
        if !contraction.joins() || contraction.job.loops.reduced.is_empty() || small {
            return None;
        }
        let mut absorbed = vec![at];
        let mut tail: Option<Tail> = None;
        let mut best = None;
        let mut last = contraction;
        while let Some(next) = self.only_reader(items, last) {
            let member = &items[next].member;
            let Some(longer) = (match &tail {
                None => Some(Tail::new(member)),
                Some(tail) => tail.followed_by(member),
            }) else {
                break;
            };
            absorbed.push(next);
            if !is_up(items, &absorbed) && !is_down(items, &absorbed) {
                break;
            }
            let Some((ended, plan)) = self.joined(contraction, &longer, member) else {
                break;
            };
            if let Some(plan) = plan {
                let calls = absorbed.iter().flat_map(|place| &items[*place].calls);
                let item = Item {
                    calls: calls.copied().collect(),
                    member: ended,
                    plan: Some(plan),
                };
                best = Some((absorbed.clone(), item));
            }
            (tail, last) = (Some(longer), member);
        }
        best
    }

    /// The place of the one call that reads what a call writes, if nothing else needs it.
    fn only_reader(&self, items: &[Item], writer: &Member) -> Option<usize> {
        let result = writer.buffers[0];
        let passes = self.purpose.temporary.contains(&result) && self.touches[&result] == 2;
        let is_fresh = writer.overwrites && !writer.buffers[1..].contains(&result);
        if !passes || !is_fresh || !writer.joins() {
            return None;
        }
        let writes = |item: &Item| item.member.buffers[0] == result;
        let writer = items.iter().position(writes)?;
        let reads = |item: &Item| item.member.buffers[1..].contains(&result);
        let reader = writer + 1 + items[writer + 1..].iter().position(reads)?;
        let member = &items[reader].member;
        (member.joins() && member.buffers[0] != result).then_some(reader)
    }

    /// The contraction and the operations behind it, with their plan if it is worth it.
    fn joined(
        &self,
        contraction: &Member,
        tail: &Tail,
        last: &Member,
    ) -> Option<(Member, Option<Checked>)> {
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
        let plan = self.plan(contraction, &job).map(|plan| (plan, defect));
        Some((Member::ended(job, buffers, elements, last), plan))
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
