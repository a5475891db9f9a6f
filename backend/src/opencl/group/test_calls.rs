//! Calls for tests of the passes over a recording.

use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::Index::Iter;
use lozenge_vocabulary::projections::{IndexMap, Projections};

use super::member::Member;
use crate::device::Call;
use crate::loop_nest::LoopNest;
use crate::memory::{BufferId, Limits, Store};
use crate::opencl::pins::planning::Planning;
use crate::opencl::plan::schedule::Profile;
use crate::precision::Precision;
use crate::rules::Arithmetic;

pub(crate) fn planning() -> Planning {
    Planning::new(Profile::Cpu, Arithmetic::default())
}

/// Calls on tensors with axes out of i and j, each by the numbers of its tensors, how it writes, and its function.
pub(super) fn members(
    sizes: [u64; 2],
    tensors: &[&[usize]],
    calls: &[(&[usize], Combine, Function)],
) -> Vec<Member> {
    let mut store = Store::new(Limits::default(), Precision::F32);
    let shape = |tensor: usize| {
        tensors[tensor]
            .iter()
            .map(|axis| sizes[*axis])
            .collect::<Vec<u64>>()
    };
    let reserved = (0..tensors.len()).map(|tensor| store.insert(&shape(tensor), || Ok(())));
    let buffers: Vec<BufferId> = reserved.map(|buffer| buffer.expect("a buffer")).collect();
    let member = |(slots, combine, function): &(&[usize], Combine, Function)| {
        let map = |slot: &usize| IndexMap(tensors[*slot].iter().map(|axis| Iter(*axis)).collect());
        let projections = Projections {
            factors: sizes.to_vec(),
            maps: slots.iter().map(map).collect(),
            sizes: slots.iter().map(|slot| shape(*slot)).collect(),
        };
        let accumulator = Accumulator {
            erase: true,
            combine: *combine,
        };
        let names = &["r", "a", "b"][..slots.len()];
        let nest = LoopNest::new(&projections, accumulator, function.clone(), names);
        let nest = nest.expect("a loop nest");
        let buffers = slots.iter().map(|slot| buffers[*slot]).collect();
        Member::new(&Call { nest, buffers }, &planning())
    };
    calls.iter().map(member).collect()
}
