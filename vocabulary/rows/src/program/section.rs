//! Sections: lines of a program that are repeated, and when each of their operations runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Assignment, Late, Program, Source, Span, Values};
use crate::operation::TensorId;
use crate::projections::Index;

/// Lines that are repeated: their operations run at each step. Parameters and states keep their values from step to
/// step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its header in the program.
    pub span: Span,
    /// Its operations, by their places in [`Program::steps`].
    pub steps: Range<usize>,
    /// The requests to print, save and assert at each step, by places in [`Program::requests`], including those of
    /// evaluations.
    pub requests: Range<usize>,
    /// The blocks of the section that run after each epoch.
    pub evaluations: Vec<Evaluation>,
    /// The number of its repetitions.
    pub turns: Turns,
    /// True if it trains; otherwise it only repeats.
    pub training: bool,
}

/// The lines of an `each epoch:` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// Its operations.
    pub steps: Range<usize>,
    /// Its requests to print, save and assert, by places in [`Program::requests`].
    pub requests: Range<usize>,
}

/// The number of repetitions of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turns {
    /// This number of steps.
    Steps(u64),
    /// Epochs, each with one step for each batch.
    Epochs {
        /// The number of epochs.
        epochs: u64,
        /// The number of rows in a batch.
        batch: u64,
        /// The number of batches in an epoch.
        batches: u64,
        /// The label of the axis that is cut into batches.
        label: String,
        /// The number of rows at the end that are left over because they do not fill a batch.
        left_over: u64,
        /// True if the rows come in another order in each epoch.
        shuffled: bool,
        /// The tensors that are cut into batches.
        cuts: Vec<Cut>,
    },
}

/// A tensor that a section cuts into batches along its first axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The tensor: data, or what the lines above the section compute from it.
    pub whole: TensorId,
    /// The tensor that holds all batches of an epoch: it has an axis of batches before that of their rows.
    pub batches: TensorId,
    /// The tensor that holds the batch of a step.
    pub batch: TensorId,
}

impl Turns {
    /// Returns the tensors that are cut into batches.
    pub fn cuts(&self) -> &[Cut] {
        match self {
            Turns::Epochs { cuts, .. } => cuts,
            Turns::Steps(_) => &[],
        }
    }

    /// Returns the tensors that hold the batch of a step: their shapes are those of the data that is cut, with fewer
    /// rows.
    pub fn batches(&self) -> impl Iterator<Item = TensorId> + '_ {
        self.cuts().iter().map(|cut| cut.batch)
    }

    /// Returns the number of epochs. Steps without batches are one epoch.
    pub fn epochs(&self) -> u64 {
        match self {
            Turns::Steps(_) => 1,
            Turns::Epochs { epochs, .. } => *epochs,
        }
    }

    /// Returns the number of steps in an epoch.
    pub fn steps(&self) -> u64 {
        match self {
            Turns::Steps(steps) => *steps,
            Turns::Epochs { batches, .. } => *batches,
        }
    }
}

/// The operations of a section by the time at which they run. Operations are given by their places in
/// [`Program::steps`], in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Once, before the first step: operations that compute first values of parameters, or the same result at each
    /// step.
    pub once: Vec<usize>,
    /// The operations that run at each step.
    pub step: Vec<usize>,
    /// The operations that run after each epoch.
    pub epoch: Vec<usize>,
}

impl Section {
    /// Returns the operations by when they run.
    ///
    /// An operation runs once if it is the only one of the section that writes its tensor, erases what the tensor held,
    /// and reads nothing that a step changes. Steps change parameters, random values, and slices by the number of the
    /// step. A batch of data that nothing reads is not cut out. `None` if the section is not of this program, or the
    /// program refers to operations and tensors that it does not have ([`Program::check`]).
    pub fn schedule(&self, program: &Program) -> Option<Schedule> {
        let own = &self.steps;
        let firsts: BTreeSet<usize> = program
            .firsts
            .iter()
            .flat_map(|first| first.steps.start.max(own.start)..first.steps.end.min(own.end))
            .collect();
        let mut writers: BTreeMap<TensorId, usize> = BTreeMap::new();
        for at in own.clone().filter(|at| !firsts.contains(at)) {
            let target = program.steps.get(at)?.operation.slots.first()?;
            *writers.entry(*target).or_default() += 1;
        }
        let read = self.read(program)?;
        let mut schedule = Schedule::default();
        // The tensors whose only operation runs once.
        let mut settled: BTreeSet<TensorId> = BTreeSet::new();
        for at in own.clone() {
            let step = program.steps.get(at)?;
            let (target, operands) = step.operation.slots.split_first()?;
            if !read.contains(target) && reads_batch(program, operands)? {
                continue;
            }
            let same = |id: &TensorId| !writers.contains_key(id) || settled.contains(id);
            let is_parameter = matches!(program.tensor(*target)?.source, Source::Param(_));
            let invariant = writers.get(target) == Some(&1)
                && step.operation.accumulator.erase
                && !is_parameter
                && !is_sliced(program, step)?
                && !matches!(
                    step.late.as_deref(),
                    Some(Late::Random { .. } | Late::Step | Late::Epoch)
                )
                && operands.iter().all(same);
            if firsts.contains(&at) {
                schedule.once.push(at);
            } else if invariant {
                settled.insert(*target);
                schedule.once.push(at);
            } else if self.evaluations.iter().any(|one| one.steps.contains(&at)) {
                schedule.epoch.push(at);
            } else {
                schedule.step.push(at);
            }
        }
        Some(schedule)
    }

    /// Returns the tensors that an operation of this section or behind it, or any request, reads.
    fn read(&self, program: &Program) -> Option<BTreeSet<TensorId>> {
        let operands = program
            .steps
            .get(self.steps.start..)?
            .iter()
            .flat_map(|step| step.operation.slots.iter().skip(1).copied());
        let requested = program.requests.iter().map(|request| request.tensor);
        Some(operands.chain(requested).collect())
    }
}

/// Tells whether an operation reads a batch of the data; `None` if a tensor is not of the program.
fn reads_batch(program: &Program, operands: &[TensorId]) -> Option<bool> {
    let mut batch = false;
    for id in operands {
        batch |= matches!(
            program.tensor(*id)?.source,
            Source::Data(Values::Batches(_))
        );
    }
    Some(batch)
}

/// Tells whether an operation reads or writes at an index that the step determines; `None` if its record is not in the
/// program.
fn is_sliced(program: &Program, step: &Assignment) -> Option<bool> {
    let forward = match &step.record {
        Some(record) => program.steps.get(record.step)?,
        None => step,
    };
    let mut pins = forward.operation.pins.values();
    Some(pins.any(|index| matches!(index, Index::Symbol(_))))
}
