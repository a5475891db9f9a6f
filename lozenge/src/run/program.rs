//! The run of a program: from its loop nests to the values of its tensors.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use lozenge_backend::{Device, Error, LoopNest, Symbols, Tensor, element_count};
use lozenge_lang::numpy::{AsNumbers, Numbers};
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Late, Program, Source};

use super::constants::constants;
use super::state::Execution;
use super::watch::{Begin, RunError, Settings, Watch};
use super::{random, resumed};
use crate::infer::{Inference, Shapes, fit, sizes};

/// Runs every operation on a device, and returns every tensor. All its buffers on the device are released.
///
/// `data` has the values that come from outside, such as [`load`](lozenge_lang::load) reads, or
/// [`load_wide`](lozenge_lang::load_wide) for a device that computes in 64 bits. Cells that no operation and no data
/// writes are NaN. The lines of a section run as often as it says; see [`crate::train`].
///
/// # Errors
/// The first error of the device.
pub fn run(
    program: &Program,
    inference: &Inference,
    data: &BTreeMap<TensorId, impl AsNumbers>,
    device: &mut dyn Device,
) -> Result<Vec<Tensor>, Error> {
    run_nests(program, &inference.shapes, &inference.nests, data, device)
}

/// Runs every operation with given shapes and loop nests: a shape for each tensor, a loop nest for each operation.
///
/// # Errors
/// The first error of the device.
pub fn run_nests(
    program: &Program,
    shapes: &Shapes,
    nests: &[LoopNest],
    data: &BTreeMap<TensorId, impl AsNumbers>,
    device: &mut dyn Device,
) -> Result<Vec<Tensor>, Error> {
    /// A watcher that ignores everything.
    struct Nobody;
    impl Watch for Nobody {}
    let settings = Settings::default();
    let done = run_with(program, shapes, nests, data, device, &settings, &mut Nobody);
    done.map_err(|error| match error {
        RunError::Device(error)
        | RunError::Tensor { error, .. }
        | RunError::Operation { error, .. } => error,
        RunError::Class(error) => Error::NoClass(error.to_string()),
        // Nobody stops a run, and it begins anew.
        RunError::Checkpoint(_) | RunError::Stopped => Error::UnknownRecording,
    })
}

/// Runs a program with a seed, and from a checkpoint if there is one; `watch` observes the run.
///
/// # Errors
/// The first error of the device, a checkpoint that does not fit the program, or that `watch` stops the run.
pub fn run_with(
    program: &Program,
    shapes: &Shapes,
    nests: &[LoopNest],
    data: &BTreeMap<TensorId, impl AsNumbers>,
    device: &mut dyn Device,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<Vec<Tensor>, RunError> {
    fit(program, shapes, nests)?;
    let sizes: Vec<Vec<u64>> = shapes.iter().map(sizes).collect();
    let loaded = match &settings.begin {
        Begin::Load(checkpoint) => resumed::loaded(program, &sizes, checkpoint, false)?,
        Begin::Given(checkpoint) => resumed::loaded(program, &sizes, checkpoint, true)?,
        Begin::Anew | Begin::Resume(_) => BTreeMap::new(),
    };
    let constants = constants(program, nests, |id| loaded.contains_key(&id));
    let mut execution = Execution {
        program,
        sizes,
        nests,
        data: data
            .iter()
            .map(|(id, values)| (*id, values.numbers()))
            .collect(),
        device,
        settings,
        loaded,
        buffers: Vec::with_capacity(shapes.len()),
        constants,
        done: None,
        identity: OnceCell::new(),
    };
    let tensors = execution.all(watch);
    for buffer in execution.buffers {
        execution.device.release(buffer)?;
    }
    tensors
}

/// Runs a program with its sections, and returns every tensor. All its buffers on the device are released.
///
/// ```
/// use lozenge::{Printed, EpochReport, RunError, Checkpoint, Settings, Stopped, Watch, train};
///
/// /// Keeps the loss of each epoch.
/// struct Curve(Vec<f64>);
/// impl Watch for Curve {
///     fn epoch(
///         &mut self,
///         report: &EpochReport,
///         _: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
///     ) -> Result<(), Stopped> {
///         self.0.extend(report.printed.iter().filter_map(|(_, printed)| printed.mean()));
///         Ok(())
///     }
/// }
///
/// let program = lozenge::parse(
///     "data x : n:4|->1 = [0, 1, 2, 3]
/// data t : n|->1 = [1, 3, 5, 7]
/// let line = dense(1)
/// train 40 epochs by 2 of n shuffled:
///   let loss = mse(line(x), t)
///   backward loss
///   for q in params(loss): sgd(0.05)(q, q.grad)
///   print loss
/// ").map_err(|errors| errors[0].to_string())?;
/// let inference = lozenge::infer(&program, &lozenge::Options::default())?;
/// let data = lozenge::load(&program, std::path::Path::new(""))?;
/// let mut device = lozenge::backend::Interpreter::new(Default::default());
/// let mut curve = Curve(Vec::new());
/// train(&program, &inference, &data, &mut device, &Settings::default(), &mut curve)?;
/// assert!(curve.0[39] < curve.0[0] / 100.0, "{:?}", curve.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first error of the device, a checkpoint that does not fit the program, or that `watch` stops the run.
pub fn train(
    program: &Program,
    inference: &Inference,
    data: &BTreeMap<TensorId, impl AsNumbers>,
    device: &mut dyn Device,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<Vec<Tensor>, RunError> {
    let (shapes, nests) = (&inference.shapes, &inference.nests);
    run_with(program, shapes, nests, data, device, settings, watch)
}

/// Runs every operation on the host in `f64`, and returns the values of every tensor.
///
/// Values of a parameter in `given` replace its initial values.
///
/// # Errors
/// A loop nest that does not fit its tensors; [`Error::Sections`] for a program with a section.
pub fn run_precise(
    program: &Program,
    inference: &Inference,
    given: &BTreeMap<TensorId, Vec<f64>>,
) -> Result<Vec<Vec<f64>>, Error> {
    if !program.sections.is_empty() {
        return Err(Error::Sections);
    }
    fit(program, &inference.shapes, &inference.nests)?;
    let mut tensors = Vec::with_capacity(inference.shapes.len());
    for (at, shape) in inference.shapes.iter().enumerate() {
        tensors.push(match given.get(&TensorId(at)) {
            Some(values) => values.clone(),
            None => vec![f64::NAN; element_count(&sizes(shape))?],
        });
    }
    for (step, nest) in program.steps.iter().zip(&inference.nests) {
        let slots = &step.operation.slots;
        let first = matches!(program[slots[0]].source, Source::Param(_))
            && step.operation.accumulator.erase;
        if first && given.contains_key(&slots[0]) {
            continue;
        }
        let mut written = tensors[slots[0].0].clone();
        if let Some(&Late::Random { normal, key }) = step.late.as_deref() {
            let values = random::values(normal, key, written.len());
            written = values.into_iter().map(f64::from).collect();
        } else if let Some(Late::Cells) = step.late.as_deref() {
            written = (0..written.len()).map(|cell| cell as f64).collect();
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

impl Execution<'_> {
    /// Runs the whole program.
    fn all(&mut self, watch: &mut dyn Watch) -> Result<Vec<Tensor>, RunError> {
        self.is_resumable()?;
        for (at, sizes) in self.sizes.iter().enumerate() {
            let id = TensorId(at);
            if let Some(buffer) = self.settings.held.get(&id) {
                self.buffers.push(*buffer);
                continue;
            }
            let given = match self.data.get(&id) {
                Some(Numbers::Single(values)) => Some(Tensor::new(sizes.clone(), values.to_vec())?),
                Some(Numbers::Double(values)) => {
                    Some(Tensor::wide(sizes.clone(), values.to_vec())?)
                }
                None => self.loaded.get(&id).cloned(),
            };
            let buffer = match given {
                Some(tensor) => self.device.upload(&tensor),
                None => self.device.reserve(sizes),
            };
            self.buffers.push(buffer.map_err(|error| RunError::Tensor {
                tensor: id,
                name: self.program[id].name.to_string(),
                error,
            })?);
        }
        self.classes_of_data()?;
        let (mut at, mut requests) = (0, 0);
        for (number, section) in self.program.sections.iter().enumerate() {
            self.lines(
                at..section.steps.start,
                requests..section.requests.start,
                watch,
            )?;
            self.section(number, section, watch)?;
            (at, requests) = (section.steps.end, section.requests.end);
        }
        let end = self.program.requests.len();
        self.lines(at..self.nests.len(), requests..end, watch)?;
        self.end(at, watch)?;
        let mut tensors = Vec::with_capacity(self.buffers.len());
        // After an error the buffers that are left are released by the caller.
        self.buffers.reverse();
        while let Some(buffer) = self.buffers.pop() {
            let id = TensorId(tensors.len());
            let keep = self.settings.keep.as_ref();
            tensors.push(match keep.is_none_or(|keep| keep.contains(&id)) {
                true => self.device.take(buffer)?,
                false => {
                    self.device.release(buffer)?;
                    Tensor::unknown(&self.sizes[id.0])?
                }
            });
        }
        Ok(tensors)
    }

    /// Offers the last checkpoint. `after` is the first operation behind the last section.
    fn end(&mut self, after: usize, watch: &mut dyn Watch) -> Result<(), RunError> {
        let program = self.program;
        let firsts = |at: usize| program.firsts.iter().any(|first| first.steps.contains(&at));
        let changes = |at: &usize| {
            let target = program.steps[*at].operation.slots[0];
            matches!(program[target].source, Source::Param(_)) && !firsts(*at)
        };
        let changed = (after..program.steps.len()).any(|at| changes(&at));
        let progress = self.done.filter(|_| !changed);
        let mut checkpoint = || {
            let mut checkpoint = self.checkpoint(program.steps.len(), &[])?;
            checkpoint.progress = progress.map(|done| self.progress(done));
            Ok(checkpoint)
        };
        Ok(watch.ends(&mut checkpoint)?)
    }
}
