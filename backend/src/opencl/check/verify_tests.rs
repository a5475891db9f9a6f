//! The checks, tested on planted defects and compared with an enumeration of every point of a small plan.

use std::collections::BTreeMap;

use lozenge_vocabulary::operation::Accumulator;
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

use super::*;
use crate::loop_nest::LoopNest;
use crate::opencl::plan::schedule::{Profile, Tile};
use crate::opencl::plan::steps::scheduled;
use crate::rules::Numerics;

/// Makes a job whose slots are given by the letters of their loops, from `i` on, with the sizes of its tensors.
fn asked(text: &str, extents: &[u64], combine: Combine) -> (Job, Vec<u64>) {
    let slots: Vec<Vec<usize>> = text
        .split(' ')
        .map(|slot| slot.bytes().map(|one| usize::from(one - b'i')).collect())
        .collect();
    let sizes = |slot: &Vec<usize>| -> Vec<u64> { slot.iter().map(|one| extents[*one]).collect() };
    let projections = Projections {
        factors: extents.to_vec(),
        maps: slots
            .iter()
            .map(|slot| IndexMap(slot.iter().map(|one| Index::Iter(*one)).collect()))
            .collect(),
        sizes: slots.iter().map(sizes).collect(),
    };
    let function = match slots.len() {
        2 => Function::Identity,
        _ => Function::Multiply,
    };
    let accumulator = Accumulator {
        erase: true,
        combine,
    };
    let names = &["c", "a", "b"][..slots.len()];
    let nest = LoopNest::new(&projections, accumulator, function, names).unwrap();
    let elements = slots.iter().map(|slot| sizes(slot).iter().product());
    (Job::new(&nest, Numerics::Fast.into()), elements.collect())
}

/// Makes a plan that divides a reduced loop into parts.
fn split(job: &Job, number: usize, parts: u64) -> Plan {
    let (jobs, values) = job.split(number, parts, 0);
    Plan {
        steps: jobs
            .into_iter()
            .map(|job| scheduled(job, Profile::Cpu))
            .collect(),
        scratch: vec![values],
    }
}

/// Finds the operand addresses whose values are combined in each cell, by enumerating all points of all steps.
/// `None` if an address is negative, or a place of a scratch buffer is written twice or read before it is written.
fn enumerated(plan: &Plan, slots: usize) -> Option<BTreeMap<i64, Vec<Vec<i64>>>> {
    let mut buffers: BTreeMap<Argument, BTreeMap<i64, Vec<Vec<i64>>>> = BTreeMap::new();
    for (job, _) in &plan.steps {
        let loops: Vec<&Loop> = all(&job.loops).collect();
        let free = job.loops.free.len();
        let mut point = vec![0u64; loops.len()];
        let mut written: BTreeMap<i64, Vec<Vec<i64>>> = BTreeMap::new();
        let mut owner: BTreeMap<i64, Vec<u64>> = BTreeMap::new();
        'points: loop {
            let address = |slot: usize| {
                let moved = loops
                    .iter()
                    .zip(&point)
                    .map(|(one, at)| one.strides[slot] * at);
                job.loops.offsets[slot].fixed + moved.sum::<u64>() as i64
            };
            let cell = address(0);
            // A cell belongs to one work-item.
            if *owner.entry(cell).or_insert_with(|| point[..free].to_vec()) != point[..free] {
                return None;
            }
            let held = written.entry(cell).or_default();
            let reads_parts = matches!(job.buffers.get(1), Some(Argument::Scratch(_)));
            if reads_parts {
                held.extend(buffers.get(&job.buffers[1])?.get(&address(1))?.clone());
            } else {
                held.push((1..slots).map(address).collect());
            }
            for at in (0..point.len()).rev() {
                point[at] += 1;
                if point[at] < loops[at].extent {
                    continue 'points;
                }
                point[at] = 0;
            }
            break;
        }
        let buffer = buffers.entry(job.buffers[0]).or_default();
        for (cell, values) in written {
            if cell < 0 || buffer.insert(cell, values).is_some() {
                return None;
            }
        }
    }
    let mut result = buffers.remove(&Argument::Slot(0))?;
    result
        .values_mut()
        .for_each(|values| values.sort_unstable());
    Some(result)
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

const TEXTS: [&str; 7] = [
    "ij ik kj",
    "i ij",
    "j ij",
    "ij kij k",
    "i ijk kj",
    "ijl ikl kj",
    "i jki",
];

fn random(random: &mut Random) -> (Job, Vec<u64>, Plan) {
    let text = TEXTS[random.below(7) as usize];
    let extents: Vec<u64> = (0..4).map(|_| 2 + random.below(6)).collect();
    let loops = text
        .bytes()
        .filter(u8::is_ascii_lowercase)
        .map(|one| usize::from(one - b'i'))
        .max();
    let (job, elements) = asked(text, &extents[..loops.unwrap() + 1], Combine::Add);
    let number = random.below(job.loops.reduced.len() as u64) as usize;
    let parts = 1 + random.below(job.loops.reduced[number].extent);
    let plan = match parts {
        1 => Plan::new(job.clone(), Profile::Cpu),
        parts => split(&job, number, parts),
    };
    (job, elements, plan)
}

/// Changes one number of a plan.
fn damage(plan: &mut Plan, random: &mut Random) {
    let at = random.below(plan.steps.len() as u64) as usize;
    let job = &mut plan.steps[at].0;
    let slots = job.loops.offsets.len() as u64;
    let slot = random.below(slots) as usize;
    let mut loops: Vec<&mut Loop> = job
        .loops
        .free
        .iter_mut()
        .chain(&mut job.loops.reduced)
        .collect();
    if loops.is_empty() {
        return;
    }
    let which = random.below(loops.len() as u64) as usize;
    match random.below(6) {
        0 => loops[which].extent += 1,
        1 => loops[which].extent = (loops[which].extent - 1).max(1),
        2 => loops[which].strides[slot] += 1,
        3 => loops[which].strides[slot] = loops[which].strides[slot].saturating_sub(1),
        4 => job.loops.offsets[slot].fixed += 1,
        _ => job.loops.offsets[slot].fixed -= 1,
    }
}

#[test]
fn what_is_verified_is_what_the_enumerator_finds() {
    let mut numbers = Random(3);
    let (mut refused, mut kept) = (0, 0);
    for _ in 0..400 {
        let (job, elements, plan) = random(&mut numbers);
        let whole = Plan {
            steps: vec![scheduled(job.clone(), Profile::Cpu)],
            scratch: Vec::new(),
        };
        let slots = elements.len();
        let expected = enumerated(&whole, slots).unwrap();
        assert_eq!(verify(&job, &elements, &plan), Ok(()), "{plan:?}");
        assert_eq!(
            enumerated(&plan, slots).as_ref(),
            Some(&expected),
            "{plan:?}"
        );
        let mut damaged = plan.clone();
        damage(&mut damaged, &mut numbers);
        match verify(&job, &elements, &damaged) {
            Ok(()) => {
                kept += 1;
                assert_eq!(
                    enumerated(&damaged, slots).as_ref(),
                    Some(&expected),
                    "{plan:?}\n{damaged:?}"
                );
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 300, "{refused} refused, {kept} not");
}

/// Each check refuses the defect that it is meant for, by name.
#[test]
fn planted_defects_are_refused_by_name() {
    let (job, elements) = asked("ij ik kj", &[40, 64, 512], Combine::Add);
    let plan = split(&job, 0, 4);
    assert_eq!(verify(&job, &elements, &plan), Ok(()));
    let refused = |name: &str, check: Check, plant: &dyn Fn(&mut Plan)| {
        let mut planted = plan.clone();
        plant(&mut planted);
        let found = verify(&job, &elements, &planted);
        assert_eq!(
            found.as_ref().map_err(|defect| defect.check),
            Err(check),
            "{name}: {found:?}"
        );
    };
    refused("a stride that is off by one", Check::Bounds, &|plan| {
        plan.steps[0].0.loops.free[1].strides[1] += 1;
    });
    refused(
        "a window that begins before its tensor",
        Check::Bounds,
        &|plan| {
            plan.steps[0].0.loops.offsets[1].fixed = -1;
        },
    );
    refused(
        "a tile that is longer than its loop",
        Check::Coverage,
        &|plan| {
            plan.steps[1].1 = Schedule::Tile(Tile {
                vector: 0,
                lanes: 16,
                vectors: 400,
                rows: None,
                strip: 1,
            });
        },
    );
    refused("a part too short", Check::Coverage, &|plan| {
        plan.steps[0].0.loops.free[0].extent -= 1;
    });
    refused("another cell", Check::Coverage, &|plan| {
        plan.steps[1].0.loops.offsets[0].fixed = 1;
        plan.steps[1].0.loops.free[0].extent -= 1;
    });
    refused(
        "a reduced axis spread over work-items",
        Check::Races,
        &|plan| {
            let one = plan.steps[0].0.loops.reduced.remove(0);
            plan.steps[0].0.loops.free.push(one);
        },
    );
    refused("the sum before its parts", Check::Stages, &|plan| {
        let sum = plan.steps[1].0.clone();
        plan.steps[0].0.buffers[1] = sum.buffers[1];
        plan.steps[0].0.loops.offsets[1].fixed = 0;
        let loops = &mut plan.steps[0].0.loops;
        for one in loops.free.iter_mut().chain(&mut loops.reduced) {
            one.strides[1] = 0;
        }
    });
    refused("points left out", Check::Points, &|plan| {
        plan.steps[0].0.loops.reduced[0].extent -= 1;
    });
    refused("points paired with others", Check::Points, &|plan| {
        plan.steps[0].0.loops.reduced[0].strides[1] = 0;
    });
    refused("initialisation dropped", Check::Values, &|plan| {
        plan.steps[0].0.accumulator.erase = false;
    });
    refused(
        "the largest of parts in place of their sum",
        Check::Values,
        &|plan| {
            plan.steps[0].0.accumulator.combine = Combine::Max;
        },
    );
    refused("more cells than registers", Check::Limits, &|plan| {
        plan.steps[1].1 = Schedule::Tile(Tile {
            vector: 0,
            lanes: 16,
            vectors: 40,
            rows: None,
            strip: 1,
        });
    });
}

#[test]
fn cells_that_no_mixed_radix_tells_apart_are_enumerated() {
    // c[3*i + 3*j, i] = a[i, j]
    let sum = Index::affine([(3, 0), (3, 1)], 0);
    let projections = Projections {
        factors: vec![3, 4],
        maps: vec![
            IndexMap(vec![sum, Index::Iter(0)]),
            IndexMap(vec![Index::Iter(0), Index::Iter(1)]),
        ],
        sizes: vec![vec![20, 3], vec![3, 4]],
    };
    let accumulator = Accumulator {
        erase: true,
        combine: Combine::Replace,
    };
    let nest = LoopNest::new(&projections, accumulator, Function::Identity, &["c", "a"]).unwrap();
    let job = Job::new(&nest, Numerics::Exact.into());
    let plan = Plan::new(job.clone(), Profile::Cpu);
    // A step of i moves the cell by 10 and one of j by 9, of which three reach farther.
    assert_eq!(overlap(&job.loops), Some((10, 27)));
    assert_eq!(verify(&job, &[60, 12], &plan), Ok(()));
    // Without the second axis, i and j may change places.
    let mut both = job.loops.clone();
    both.free.iter_mut().for_each(|one| one.strides[0] = 3);
    assert_eq!(races(&both).unwrap_err().check, Check::Races);
}
