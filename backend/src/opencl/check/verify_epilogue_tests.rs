//! Planted defects of epilogues, each refused by name.

use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

use super::*;
use crate::loop_nest::{LoopNest, Write};
use crate::opencl::check::verify::verify;
use crate::opencl::group::epilogue::with_epilogue;
use crate::opencl::plan::epilogue::Epilogue;
use crate::opencl::plan::schedule::{Profile, Schedule};
use crate::opencl::plan::steps::{Plan, scheduled};
use crate::rules::Numerics;

/// Makes the job of an operation that erases, on tensors with these axes out of i, j and k.
fn job_of(maps: &[&[usize]], combine: Combine, function: Function) -> Job {
    let axes = match maps.iter().any(|map| map.contains(&2)) {
        true => vec![64, 80, 96],
        false => vec![64, 80],
    };
    let size = |axis: &usize| axes[*axis];
    let index = |axis: &usize| Index::Iter(*axis);
    let projections = Projections {
        maps: maps
            .iter()
            .map(|map| IndexMap(map.iter().map(index).collect()))
            .collect(),
        sizes: maps
            .iter()
            .map(|map| map.iter().map(size).collect())
            .collect(),
        factors: axes.clone(),
    };
    let accumulator = Accumulator {
        erase: true,
        combine,
    };
    let names = &["c", "a", "b"][..maps.len()];
    let nest = LoopNest::new(&projections, accumulator, function, names).unwrap();
    Job::new(&nest, Numerics::Fast.into())
}

/// Makes `c[i, j] = (sum over k of a[i, k] * b[k, j]) + d[j]` as a job with an epilogue, and the sizes of its tensors.
fn product_with_summand() -> (Job, Vec<u64>) {
    let (sum, replace) = (Combine::Add, Combine::Replace);
    let product = job_of(&[&[0, 1], &[0, 2], &[2, 1]], sum, Function::Multiply);
    let operation = job_of(&[&[0, 1], &[0, 1], &[1]], replace, Function::Add);
    let both = with_epilogue(&product, &operation, &[1]).unwrap();
    assert_eq!(verify_epilogue(&product, &operation, &[1], &both), Ok(()));
    let refused = |plant: &dyn Fn(&mut WithEpilogue)| {
        let mut planted = WithEpilogue {
            job: both.job.clone(),
            cells: both.cells.clone(),
        };
        plant(&mut planted);
        let found = verify_epilogue(&product, &operation, &[1], &planted);
        assert!(found.is_err(), "{:?}", planted.job);
    };
    refused(&|one| one.job.loops.reduced[0].strides[1] = 0);
    refused(&|one| one.job.loops.free[0].strides[1] = 0);
    refused(&|one| one.cells.reverse());
    refused(&|one| one.job.loops.free[0].strides[3] = 1);
    refused(&|one| one.job.loops.free.swap(0, 1));
    refused(&|one| one.job.loops.offsets[3].fixed = 1);
    refused(&|one| one.job.epilogue.as_mut().unwrap().operands.reverse());
    refused(&|one| one.job.epilogue.as_mut().unwrap().function = Function::Subtract);
    refused(&|one| one.job.epilogue = None);
    (both.job, vec![64 * 80, 64 * 96, 96 * 80, 80])
}

/// Shows that addresses do not tell another operand from the total where both lie alike.
#[test]
fn an_operand_in_place_of_the_total_is_refused() {
    let (sum, replace) = (Combine::Add, Combine::Replace);
    let product = job_of(&[&[0, 1], &[0, 2], &[2, 1]], sum, Function::Multiply);
    let operation = job_of(&[&[0, 1], &[0, 1], &[0, 1]], replace, Function::Subtract);
    let mut both = with_epilogue(&product, &operation, &[1]).unwrap();
    assert_eq!(verify_epilogue(&product, &operation, &[1], &both), Ok(()));
    both.job.epilogue.as_mut().unwrap().operands.reverse();
    let found = verify_epilogue(&product, &operation, &[1], &both).unwrap_err();
    assert_eq!(found.check, Check::Points);
}

#[test]
fn planted_defects_of_epilogues_are_refused_by_name() {
    let (job, elements) = product_with_summand();
    let mut first = |_: usize| 0;
    let plan = Plan::chosen_ended(job.clone(), Profile::Cpu, &mut first).unwrap();
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
    refused("an operand beyond its end", Check::Bounds, &|plan| {
        plan.steps[0].0.loops.offsets[3].fixed = 1;
    });
    refused("an operand of another cell", Check::Points, &|plan| {
        let loops = &mut plan.steps[0].0.loops;
        loops.free[1].strides[3] = 0;
        loops.free[0].strides[3] = 1;
    });
    refused("an operand of a value", Check::Points, &|plan| {
        plan.steps[0].0.loops.reduced[0].strides[3] = 1;
    });
    refused("an operand that is no slot", Check::Points, &|plan| {
        let epilogue = plan.steps[0].0.epilogue.as_mut().unwrap();
        epilogue.operands = vec![None, Some(2)];
    });
    refused("no total", Check::Points, &|plan| {
        let epilogue = plan.steps[0].0.epilogue.as_mut().unwrap();
        epilogue.operands = vec![Some(3), Some(4)];
    });
    refused("another function", Check::Values, &|plan| {
        plan.steps[0].0.epilogue.as_mut().unwrap().function = Function::Multiply;
    });
    refused("a total of what was there before", Check::Values, &|plan| {
        plan.steps[0].0.accumulator.erase = false;
    });
    refused("a schedule without epilogues", Check::Points, &|plan| {
        plan.steps[0].1 = Schedule::Cell;
    });
    refused("more totals than local memory", Check::Limits, &|plan| {
        if let Schedule::Packed(packed) = &mut plan.steps[0].1 {
            packed.block_panels = 1 << 20;
        }
    });
    // A part whose total is not that of the cell.
    let (jobs, values) = job.without_epilogue().split(0, 4, 0);
    let mut split = Plan {
        steps: jobs
            .into_iter()
            .map(|job| scheduled(job, Profile::Cpu))
            .collect(),
        scratch: vec![values],
    };
    assert_eq!(
        verify(&job.without_epilogue(), &elements, &split),
        Ok(()),
        "{split:?}"
    );
    let mut asked = job.without_epilogue();
    let end = Epilogue {
        function: Function::Relu,
        operands: vec![None],
        accumulator: asked.accumulator,
        write: Write::Plain,
    };
    split.steps[0].0.epilogue = Some(end.clone());
    let found = verify(&asked, &elements, &split).unwrap_err();
    assert_eq!(found.check, Check::Stages, "{found:?}");
    asked.epilogue = Some(end);
    let found = verify(&asked, &elements, &split).unwrap_err();
    assert_eq!(found.check, Check::Values, "{found:?}");
}
