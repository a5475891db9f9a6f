//! From the loop nests of a program to the values of its tensors.

use std::collections::BTreeMap;

use lozenge_backend::{BufferId, Device, Error, LoopNest, Symbols, Tensor, element_count};
use lozenge_vocabulary::Row;
use lozenge_vocabulary::operation::{Shape, TensorId};
use lozenge_vocabulary::program::{Late, Program};

use crate::inference::Inference;
use crate::random;

/// The sizes of the axes of a tensor, in the order of memory.
pub fn sizes(shape: &Shape<Row>) -> Vec<u64> {
    let axes = shape.rows().into_iter().flat_map(Row::flat);
    axes.map(|dim| dim.size()).collect()
}

/// Runs every operation on a device, and gives back every tensor. The device holds nothing of it afterwards.
///
/// `data` has the values that come from outside, such as [`load`](lozenge_lang::load) reads. What no operation writes and
/// no data fills is not-a-number.
///
/// # Errors
/// The first of the device.
pub fn run(
    program: &Program,
    inference: &Inference,
    data: &BTreeMap<TensorId, Vec<f32>>,
    device: &mut dyn Device,
) -> Result<Vec<Tensor>, Error> {
    run_nests(program, &inference.shapes, &inference.nests, data, device)
}

/// The same with shapes and loop nests from elsewhere: a shape for each tensor, a loop nest for each operation.
///
/// # Errors
/// The first of the device.
pub fn run_nests(
    program: &Program,
    shapes: &[Shape<Row>],
    nests: &[LoopNest],
    data: &BTreeMap<TensorId, Vec<f32>>,
    device: &mut dyn Device,
) -> Result<Vec<Tensor>, Error> {
    let mut buffers = Vec::new();
    let tensors = run_in(program, shapes, nests, data, device, &mut buffers);
    for buffer in buffers {
        device.release(buffer)?;
    }
    tensors
}

fn run_in(
    program: &Program,
    shapes: &[Shape<Row>],
    nests: &[LoopNest],
    data: &BTreeMap<TensorId, Vec<f32>>,
    device: &mut dyn Device,
    buffers: &mut Vec<BufferId>,
) -> Result<Vec<Tensor>, Error> {
    for (at, shape) in shapes.iter().enumerate() {
        let sizes = sizes(shape);
        buffers.push(match data.get(&TensorId(at)) {
            Some(values) => device.upload(&Tensor::new(sizes, values.clone())?)?,
            None => device.allocate(&sizes, f32::NAN)?,
        });
    }
    device.prepare(nests)?;
    for (step, nest) in program.steps.iter().zip(nests) {
        if let Some(Late::Random { normal, key }) = step.late {
            let id = step.operation.slots[0].0;
            let shape = sizes(&shapes[id]);
            let values = random::values(normal, key, element_count(&shape)?);
            let filled = device.upload(&Tensor::new(shape, values)?)?;
            device.release(std::mem::replace(&mut buffers[id], filled))?;
            continue;
        }
        let slots = step.operation.slots.iter();
        let slots: Vec<BufferId> = slots.map(|id| buffers[id.0]).collect();
        device.run(nest, &slots, &Symbols::new())?;
    }
    let buffers = buffers.iter();
    buffers.map(|buffer| device.download(*buffer)).collect()
}
