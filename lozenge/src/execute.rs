//! From the loop nests of a program to the values of its tensors.

use std::collections::BTreeMap;

use lozenge_backend::{BufferId, Device, Error, LoopNest, Symbols, Tensor, element_count};
use lozenge_vocabulary::Row;
use lozenge_vocabulary::operation::{Shape, TensorId};
use lozenge_vocabulary::program::{Late, Program, Request, Source};

use crate::inference::Inference;
use crate::random;
use crate::shapes::Shapes;

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
    shapes: &Shapes,
    nests: &[LoopNest],
    data: &BTreeMap<TensorId, Vec<f32>>,
    device: &mut dyn Device,
) -> Result<Vec<Tensor>, Error> {
    run_watched(program, shapes, nests, data, device, &mut |_, _| ())
}

/// The same; `watch` sees each tensor that the program asks to be printed, saved or asserted, as it is at that place.
///
/// # Errors
/// The first of the device.
pub fn run_watched(
    program: &Program,
    shapes: &Shapes,
    nests: &[LoopNest],
    data: &BTreeMap<TensorId, Vec<f32>>,
    device: &mut dyn Device,
    watch: &mut dyn FnMut(&Request, &Tensor),
) -> Result<Vec<Tensor>, Error> {
    let mut execution = Execution {
        program,
        shapes,
        nests,
        device,
        buffers: Vec::with_capacity(shapes.len()),
    };
    let tensors = execution.all(data, watch);
    for buffer in execution.buffers {
        execution.device.release(buffer)?;
    }
    tensors
}

/// Runs every operation on the host in `f64`, and gives back the values of every tensor.
///
/// What `given` has for a parameter stands in place of its first values.
///
/// # Errors
/// A loop nest that does not fit its tensors.
pub fn run_precise(
    program: &Program,
    inference: &Inference,
    given: &BTreeMap<TensorId, Vec<f64>>,
) -> Result<Vec<Vec<f64>>, Error> {
    let mut tensors = Vec::with_capacity(inference.shapes.len());
    for (at, shape) in inference.shapes.iter().enumerate() {
        tensors.push(match given.get(&TensorId(at)) {
            Some(values) => values.clone(),
            None => vec![f64::NAN; element_count(&sizes(shape))?],
        });
    }
    for (step, nest) in program.steps.iter().zip(&inference.nests) {
        let slots = &step.operation.slots;
        let first = matches!(program.tensor(slots[0]).source, Source::Param(_))
            && step.operation.accumulator.erase;
        if first && given.contains_key(&slots[0]) {
            continue;
        }
        let mut written = tensors[slots[0].0].clone();
        if let Some(Late::Random { normal, key }) = step.late {
            let values = random::values(normal, key, written.len());
            written = values.into_iter().map(f64::from).collect();
        } else {
            let operands: Vec<&[f64]> = slots[1..]
                .iter()
                .map(|id| tensors[id.0].as_slice())
                .collect();
            lozenge_backend::precise::run(nest, &mut written, &operands, &Symbols::new())?;
        }
        tensors[slots[0].0] = written;
    }
    Ok(tensors)
}

/// A program that is being run.
struct Execution<'r> {
    program: &'r Program,
    shapes: &'r Shapes,
    nests: &'r [LoopNest],
    device: &'r mut dyn Device,
    /// The buffer of each tensor.
    buffers: Vec<BufferId>,
}

impl Execution<'_> {
    fn all(
        &mut self,
        data: &BTreeMap<TensorId, Vec<f32>>,
        watch: &mut dyn FnMut(&Request, &Tensor),
    ) -> Result<Vec<Tensor>, Error> {
        for (at, shape) in self.shapes.iter().enumerate() {
            let sizes = sizes(shape);
            self.buffers.push(match data.get(&TensorId(at)) {
                Some(values) => self.device.upload(&Tensor::new(sizes, values.clone())?)?,
                None => self.device.allocate(&sizes, f32::NAN)?,
            });
        }
        self.device.prepare(self.nests)?;
        let mut requests = self.program.requests.iter().peekable();
        for at in 0..=self.nests.len() {
            while let Some(request) = requests.next_if(|request| request.after <= at) {
                let tensor = self.device.download(self.buffers[request.tensor.0])?;
                watch(request, &tensor);
            }
            if at < self.nests.len() {
                self.step(at)?;
            }
        }
        let buffers = self.buffers.iter();
        buffers
            .map(|buffer| self.device.download(*buffer))
            .collect()
    }

    fn step(&mut self, at: usize) -> Result<(), Error> {
        let step = &self.program.steps[at];
        if let Some(Late::Random { normal, key }) = step.late {
            let id = step.operation.slots[0].0;
            let shape = sizes(&self.shapes[id]);
            let values = random::values(normal, key, element_count(&shape)?);
            let filled = self.device.upload(&Tensor::new(shape, values)?)?;
            let before = std::mem::replace(&mut self.buffers[id], filled);
            return self.device.release(before);
        }
        let slots = step.operation.slots.iter();
        let slots: Vec<BufferId> = slots.map(|id| self.buffers[id.0]).collect();
        self.device.run(&self.nests[at], &slots, &Symbols::new())
    }
}
