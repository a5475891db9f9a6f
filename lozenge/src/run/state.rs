//! The state of a run: a buffer on the device for each tensor.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use lozenge_backend::{
    BufferId, Call, Device, Error, LoopNest, Purpose, Symbols, Tensor, element_count,
};
use lozenge_lang::numpy::Numbers;
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Assignment, Late, Program, Request, Source};

use super::checkpoint::{Checkpoint, Progress};
use super::classes::{Classes, asked, is_of_data};
use super::identity::Identity;
use super::live::live;
use super::random;
use super::watch::{RunError, Settings, Watch};

/// The largest number of drawn values that wait for the operations that read them.
const WAITING: u64 = 1 << 22;

/// The work of a run that is done.
#[derive(Clone, Copy)]
pub(crate) struct Done {
    /// The section, from 0.
    pub section: u64,
    /// The number of its epochs; in a section of steps, of its reports.
    pub epoch: u64,
    /// The number of its steps.
    pub step: u64,
}

/// A program that is being run.
pub(crate) struct Execution<'r> {
    pub program: &'r Program,
    /// The sizes of the axes of each tensor.
    pub sizes: Vec<Vec<u64>>,
    pub nests: &'r [LoopNest],
    /// The values of data.
    pub data: BTreeMap<TensorId, Numbers<'r>>,
    pub device: &'r mut dyn Device,
    pub settings: &'r Settings,
    /// Values that replace initial values.
    pub loaded: BTreeMap<TensorId, Tensor>,
    /// The buffer of each tensor.
    pub buffers: Vec<BufferId>,
    /// The tensors that hold one number everywhere.
    pub constants: BTreeMap<TensorId, f64>,
    /// The progress at the end of the last section that was run.
    pub done: Option<Done>,
    /// The identity of the run, once something asks for it.
    pub identity: OnceCell<Identity>,
}

impl Execution<'_> {
    /// Runs lines outside of sections.
    pub fn lines(
        &mut self,
        steps: std::ops::Range<usize>,
        requests: std::ops::Range<usize>,
        watch: &mut dyn Watch,
    ) -> Result<(), RunError> {
        let program = self.program;
        let mut requests = program.requests[requests].iter().peekable();
        let mut between = Vec::new();
        for at in steps {
            while let Some(request) = requests.next_if(|request| request.after <= at) {
                self.operations(&std::mem::take(&mut between))?;
                self.request(request, watch)?;
            }
            between.push(at);
        }
        self.operations(&between)?;
        requests.try_for_each(|request| self.request(request, watch))
    }

    /// Runs some operations in batches that are as large as possible, since a device compiles the kernels of a batch
    /// together. So drawn values, which depend on nothing, come first.
    pub fn operations(&mut self, operations: &[usize]) -> Result<(), RunError> {
        let first = self.drawn_first(operations);
        for at in &first {
            self.step(*at, None)?;
        }
        let mut together = BTreeSet::new();
        for at in operations.iter().filter(|at| !first.contains(at)) {
            // Values from outside and from a checkpoint are written directly.
            let step = &self.program.steps[*at];
            if is_drawn(step) || self.loaded.contains_key(&step.operation.slots[0]) {
                self.together(&mut together)?;
                self.step(*at, None)?;
            } else {
                together.insert(*at);
            }
        }
        self.together(&mut together)
    }

    /// Returns the operations that draw values, as long as those do not take much memory while they wait.
    fn drawn_first(&self, operations: &[usize]) -> BTreeSet<usize> {
        let mut left = WAITING;
        let draws = operations.iter().copied().filter(|at| {
            let step = &self.program.steps[*at];
            let sizes = &self.sizes[step.operation.slots[0].0];
            let values = sizes
                .iter()
                .fold(1u64, |all, size| all.saturating_mul(*size));
            let fits = is_drawn(step) && values <= left;
            left -= if fits { values } else { 0 };
            fits
        });
        draws.collect()
    }

    /// Runs a batch of operations, one after the other, and clears it.
    fn together(&mut self, operations: &mut BTreeSet<usize>) -> Result<(), RunError> {
        let operations = std::mem::take(operations);
        if operations.is_empty() {
            return Ok(());
        }
        let purpose = Purpose {
            temporary: self.temporary(&operations, &BTreeSet::new()),
            repeated: false,
            constants: self.constants(&operations),
            consumed: self.consumed(&operations),
        };
        let calls = operations.iter().map(|at| self.call(*at)).collect();
        let recording = self
            .device
            .record(calls, &purpose)
            .map_err(|error| self.placed(&operations, error))?;
        let done = self.device.replay(recording, &Symbols::new());
        self.device.forget(recording)?;
        Ok(done?)
    }

    /// Returns an error of some operations with its place, if it has one: the operation that has too many points, or
    /// the tensor that does not fit into memory.
    pub fn placed(&self, operations: &BTreeSet<usize>, error: Error) -> RunError {
        match error {
            Error::TooManyPoints { limit, .. } => {
                let is_too_large = |at: &&usize| {
                    let points = self.nests[**at].points();
                    points.is_none_or(|points| points > limit)
                };
                match operations.iter().find(is_too_large) {
                    Some(operation) => RunError::Operation {
                        operation: *operation,
                        error,
                    },
                    None => error.into(),
                }
            }
            Error::Memory { ref shape, .. } | Error::NoRoom { ref shape, .. } => {
                let program = self.program;
                let touched = operations
                    .iter()
                    .flat_map(|at| &program.steps[*at].operation.slots);
                let same = |id: &&TensorId| self.sizes[id.0] == *shape;
                match touched.into_iter().find(same) {
                    Some(tensor) => RunError::Tensor {
                        tensor: *tensor,
                        name: program[*tensor].name.to_string(),
                        error,
                    },
                    None => error.into(),
                }
            }
            _ => error.into(),
        }
    }

    /// Returns the call of an operation.
    pub fn call(&self, at: usize) -> Call {
        let slots = &self.program.steps[at].operation.slots;
        Call {
            nest: self.nests[at].clone(),
            buffers: slots.iter().map(|id| self.buffers[id.0]).collect(),
        }
    }

    /// Returns the buffers of these operations that hold one number everywhere.
    pub fn constants(&self, operations: &BTreeSet<usize>) -> BTreeMap<BufferId, f64> {
        let steps = operations.iter().map(|at| &self.program.steps[*at]);
        let touched = steps.flat_map(|step| &step.operation.slots);
        let number = |id: &TensorId| Some((self.buffers[id.0], *self.constants.get(id)?));
        touched.filter_map(number).collect()
    }

    /// Returns the buffers that no other operation touches and that are not shown, except those that are written to
    /// logs. Other operations may read constants, since they need not be stored for that.
    pub fn temporary(
        &self,
        operations: &BTreeSet<usize>,
        logged: &BTreeSet<usize>,
    ) -> BTreeSet<BufferId> {
        let mut temporary = self.own(operations, logged);
        temporary.retain(|id| {
            let source = &self.program[*id].source;
            matches!(source, Source::Intermediate | Source::Constant(_))
        });
        temporary.iter().map(|id| self.buffers[id.0]).collect()
    }

    /// Returns the buffers of data that nothing else needs than these operations.
    fn consumed(&self, operations: &BTreeSet<usize>) -> BTreeSet<BufferId> {
        let mut consumed = self.own(operations, &BTreeSet::new());
        consumed.retain(|id| matches!(self.program[*id].source, Source::Data(_)));
        consumed.iter().map(|id| self.buffers[id.0]).collect()
    }

    /// Returns the tensors of these operations that are not returned and that no other operation needs, nor any request
    /// but those that are written to logs.
    fn own(&self, operations: &BTreeSet<usize>, logged: &BTreeSet<usize>) -> BTreeSet<TensorId> {
        let Some(keep) = &self.settings.keep else {
            return BTreeSet::new();
        };
        let program = self.program;
        let touched = |at: usize| program.steps[at].operation.slots.iter().copied();
        let mut own: BTreeSet<TensorId> = operations.iter().flat_map(|at| touched(*at)).collect();
        own.retain(|id| !keep.contains(id));
        let others = (0..program.steps.len()).filter(|at| !operations.contains(at));
        let sections = program.sections.iter();
        let requests = program.requests.iter().enumerate();
        let is_of_data =
            |request: &Request| asked(request).is_some() && is_of_data(program, request);
        let seen = requests.filter(|(at, request)| !logged.contains(at) && !is_of_data(request));
        let kept = others
            .flat_map(touched)
            .filter(|id| !self.constants.contains_key(id))
            .chain(sections.clone().flat_map(|section| live(program, section)))
            // The rows of data that are cut into batches are read anew for the order of each epoch.
            .chain(
                sections
                    .flat_map(|section| section.turns.cuts())
                    .map(|cut| cut.whole),
            )
            .chain(seen.map(|(_, request)| request.tensor));
        for id in kept {
            own.remove(&id);
        }
        own
    }

    /// Shows a tensor to the watcher.
    pub fn request(&mut self, request: &Request, watch: &mut dyn Watch) -> Result<(), RunError> {
        if asked(request).is_some() && is_of_data(self.program, request) {
            return Ok(());
        }
        if asked(request).is_none() && !watch.wants(request) {
            return Ok(());
        }
        let tensor = self.device.download(self.buffers[request.tensor.0])?;
        match asked(request) {
            Some(_) => self.classes_in(request, &tensor),
            None => Ok(watch.request(request, &tensor)?),
        }
    }

    fn classes(&self) -> Classes<'_> {
        Classes {
            program: self.program,
            sizes: &self.sizes,
        }
    }

    /// Looks at the data that has to hold numbers of classes.
    pub fn classes_of_data(&self) -> Result<(), RunError> {
        self.classes().in_data(&self.data).map_err(RunError::Class)
    }

    /// Looks at a tensor that has to hold numbers of classes.
    pub fn classes_in(&self, request: &Request, tensor: &Tensor) -> Result<(), RunError> {
        let found = self.classes().in_tensor(request, tensor);
        found.map_err(RunError::Class)
    }

    /// Returns the call that keeps in each cell of a buffer the first value that was no class. The buffer begins with
    /// zeros.
    pub fn keeps_no_class(&self, request: &Request, kept: BufferId) -> Result<Call, Error> {
        let read = self.buffers[request.tensor.0];
        Ok(Call {
            nest: self.classes().keeping(request)?,
            buffers: vec![kept, kept, read],
        })
    }

    /// Runs one operation. In a section, random values depend on the epoch and the step.
    pub fn step(&mut self, at: usize, moment: Option<(u64, u64)>) -> Result<(), RunError> {
        let step = &self.program.steps[at];
        let slots = &step.operation.slots;
        if let Some(&Late::Random { normal, key }) = step.late.as_deref() {
            let key = random::key(key, self.settings.seed, moment);
            let count = element_count(&self.sizes[slots[0].0])?;
            let values = random::values(normal, key, count);
            self.device.write(self.buffers[slots[0].0], &values)?;
        } else if let Some(Late::Cells) = step.late.as_deref() {
            let count = element_count(&self.sizes[slots[0].0])?;
            let values: Vec<f32> = (0..count).map(|cell| cell as f32).collect();
            self.device.write(self.buffers[slots[0].0], &values)?;
        } else {
            let buffers = slots.iter().map(|id| self.buffers[id.0]);
            let buffers: Vec<BufferId> = buffers.collect();
            self.device
                .run(&self.nests[at], &buffers, &Symbols::new())
                .map_err(|error| self.placed(&BTreeSet::from([at]), error))?;
        }
        // Loaded values replace the initial values.
        if let Some(tensor) = self.loaded.get(&slots[0])
            && self
                .program
                .firsts
                .iter()
                .any(|first| first.tensor == slots[0] && first.steps.end == at + 1)
        {
            self.device.replace(self.buffers[slots[0].0], tensor)?;
        }
        Ok(())
    }

    /// Returns the values of `more` tensors, and of all parameters and states that already have their initial values.
    pub fn checkpoint(&mut self, before: usize, more: &[TensorId]) -> Result<Checkpoint, RunError> {
        let mut tensors = BTreeMap::new();
        let firsts = self.program.firsts.iter();
        let there = firsts.filter(|first| first.steps.end <= before);
        for id in there.map(|first| first.tensor).chain(more.iter().copied()) {
            let name = self.program[id].name.to_string();
            tensors.insert(name, self.device.download(self.buffers[id.0])?);
        }
        Ok(Checkpoint {
            tensors,
            ..Checkpoint::default()
        })
    }
}

impl Execution<'_> {
    /// Returns the progress that a checkpoint records.
    pub fn progress(&self, done: Done) -> Progress {
        let Done {
            section,
            epoch,
            step,
        } = done;
        Progress {
            seed: self.settings.seed,
            section,
            epoch,
            step,
            run: self.identity(),
        }
    }
}

/// Tells whether the host writes the values of an operation.
pub(crate) fn is_drawn(step: &Assignment) -> bool {
    matches!(
        step.late.as_deref(),
        Some(Late::Random { .. } | Late::Cells)
    )
}
