//! Tests of the parts of kernels.

use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::Index::Iter;
use lozenge_vocabulary::projections::{IndexMap, Projections};

use super::*;
use crate::device::Call;
use crate::loop_nest::LoopNest;
use crate::memory::{Limits, Store};
use crate::opencl::group::groups;
use crate::opencl::schedule::Profile;
use crate::rules::Arithmetic;

/// `y[i, j] = a[i, j] * c[j]`, and the sum of each row of `y`.
fn rows() -> Vec<Member> {
    let mut store = Store::new(Limits::default(), Precision::F32);
    let mut buffer = |shape: &[u64]| store.insert(shape, || Ok(())).expect("a buffer");
    let [a, y] = [(); 2].map(|()| buffer(&[64, 32]));
    let (c, z) = (buffer(&[32]), buffer(&[64]));
    let nest = |maps: [&[usize]; 2], more: &[usize], combine: Combine, function: Function| {
        let maps: Vec<&[usize]> = match more {
            [] => maps.to_vec(),
            more => vec![maps[0], maps[1], more],
        };
        let size = |axis: &usize| [64, 32][*axis];
        let projections = Projections {
            factors: vec![64, 32],
            maps: maps
                .iter()
                .map(|map| IndexMap(map.iter().map(|axis| Iter(*axis)).collect()))
                .collect(),
            sizes: maps
                .iter()
                .map(|map| map.iter().map(size).collect())
                .collect(),
        };
        let accumulator = Accumulator {
            erase: true,
            combine,
        };
        let names = &["r", "a", "b"][..maps.len()];
        LoopNest::new(&projections, accumulator, function, names).expect("a loop nest")
    };
    let product = Call {
        nest: nest(
            [&[0, 1], &[0, 1]],
            &[1],
            Combine::Replace,
            Function::Multiply,
        ),
        buffers: vec![y, a, c],
    };
    let sum = Call {
        nest: nest([&[0], &[0, 1]], &[], Combine::Add, Function::Identity),
        buffers: vec![z, y],
    };
    let planning = planning();
    let members = [product, sum].map(|call| Member::new(&call, &planning));
    members.to_vec()
}

fn planning() -> Planning {
    Planning::new(Profile::Cpu, Arithmetic::default())
}

/// `z[i]` as the sum of a row of `a`, and `y[i, j] = a[i, j] / z[i]`.
fn shares(rows: u64, columns: u64) -> Vec<Member> {
    let mut store = Store::new(Limits::default(), Precision::F32);
    let mut buffer = |shape: &[u64]| store.insert(shape, || Ok(())).expect("a buffer");
    let [a, y] = [(); 2].map(|()| buffer(&[rows, columns]));
    let z = buffer(&[rows]);
    let call = |buffers: &[BufferId], combine: Combine, function: Function| {
        let axes = |one: &BufferId| if *one == z { vec![0] } else { vec![0, 1] };
        let maps: Vec<Vec<usize>> = buffers.iter().map(axes).collect();
        let size = |axis: &usize| [rows, columns][*axis];
        let projections = Projections {
            factors: vec![rows, columns],
            maps: maps
                .iter()
                .map(|map| IndexMap(map.iter().map(|axis| Iter(*axis)).collect()))
                .collect(),
            sizes: maps
                .iter()
                .map(|map| map.iter().map(size).collect())
                .collect(),
        };
        let accumulator = Accumulator {
            erase: true,
            combine,
        };
        let names = &["r", "a", "b"][..buffers.len()];
        let nest = LoopNest::new(&projections, accumulator, function, names);
        let nest = nest.expect("a loop nest");
        let buffers = buffers.to_vec();
        Member::new(&Call { nest, buffers }, &planning())
    };
    vec![
        call(&[z, a], Combine::Add, Function::Identity),
        call(&[y, a, z], Combine::Replace, Function::Divide),
    ]
}

/// While the rows of a block are divided, which are in the cache, those of the next block are fetched from memory.
#[test]
fn the_next_rows_are_fetched_while_a_call_reads_what_an_earlier_one_has_read() {
    let stages = |rows: u64| {
        let members = shares(rows, 1024);
        let groups = groups(&members, false);
        let fused = groups[0].fused(
            &members,
            &BTreeSet::new(),
            &touches_of(&members),
            &planning(),
        );
        let kernel = fused.expect("a kernel of both").source.kernels.remove(0);
        let text = kernel.definition("kernel0");
        let (sum, share) = text.split_once("stage_1(").expect("two parts");
        [sum.to_string(), share.to_string()]
    };
    let [sum, share] = stages(16384);
    assert!(!sum.contains("ahead"), "{sum}");
    assert!(share.contains("ahead16(2048, rhs1 + (at1))"), "{share}");
    assert!(!share.contains(", rhs2"), "{share}");
    assert!(stages(1024).iter().all(|text| !text.contains("ahead")));
}

/// The defect of the kernel of these calls, which is one.
fn defect_of(members: &[Member]) -> Option<Check> {
    let groups = groups(members, false);
    let [group] = groups.as_slice() else {
        panic!("one group: {groups:?}");
    };
    let fused = group.fused(members, &BTreeSet::new(), &touches_of(members), &planning());
    let fused = fused.expect("a kernel of both");
    fused.source.defect.map(|defect| defect.check)
}

#[test]
fn a_part_that_reads_beyond_a_tensor_is_refused() {
    assert_eq!(defect_of(&rows()), None);
    for slot in [1, 2] {
        let mut members = rows();
        members[0].elements[slot] -= 1;
        assert_eq!(defect_of(&members), Some(Check::Bounds), "slot {slot}");
    }
}
