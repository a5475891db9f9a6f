//! Running sections: lines that are repeated, over batches of the data, from a checkpoint if there is one.
//!
//! Values that are the same at each step are computed once. The operations of a step are recorded on the device and
//! replayed, so that nothing is compiled, allocated or waited for from one step to the next; the numbers from outside
//! (`Sol(idx)` of Def. 7.1) are `step`, `epoch` and `batch`, the number of the step in its epoch. A printed number of
//! each step is written into a log on the device, which is read once an epoch.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_backend::{BufferId, Call, Error, LoopNest, Purpose, RecordingId, Symbols, Tensor};
use lozenge_lang::numpy::Numbers;
use lozenge_vocabulary::counting::permutation;
use lozenge_vocabulary::operation::{Accumulator, Combine, Function, TensorId};
use lozenge_vocabulary::program::{Late, Program, Schedule, Section, Source, Start, Turns, Wish};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

use super::checkpoint::{Checkpoint, CheckpointError, Progress};
use super::classes::{asked, is_of_data};
use super::live::live;
use super::random;
use super::state::Execution;
use super::watch::{Begin, EpochReport, Printed, RunError, Settings, Watch};

/// The largest number of reports of a section of steps.
const REPORTS: u64 = 20;

/// The pace of a section's reports: their number, and the steps between them.
#[derive(Clone, Copy)]
struct Pace {
    epochs: u64,
    /// The steps of an epoch, or between two reports of a section of steps, where the last report may come after fewer.
    steps: u64,
    total: u64,
}

impl Pace {
    fn new(section: &Section, settings: &Settings) -> Pace {
        match &section.turns {
            Turns::Steps(total) => {
                let steps = total.div_ceil(REPORTS).max(1);
                Pace {
                    epochs: total.div_ceil(steps),
                    steps,
                    total: *total,
                }
            }
            Turns::Epochs {
                epochs, batches, ..
            } => {
                let epochs = settings.epochs.unwrap_or(*epochs);
                Pace {
                    epochs,
                    steps: *batches,
                    total: epochs.saturating_mul(*batches),
                }
            }
        }
    }
}

/// One part of a step or of an evaluation.
enum Item {
    Replay(RecordingId),
    /// An operation whose values come from outside at each step.
    Drawn(usize),
    /// A request, by its index in the program, to be fulfilled at each step.
    Each(usize),
    /// A request, by its index in the program, to be fulfilled at the last step only.
    Last(usize),
}

/// Calls that are to be recorded together.
#[derive(Default)]
struct Batch {
    calls: Vec<Call>,
    /// The operations of these calls; the calls that write logs belong to none.
    operations: BTreeSet<usize>,
    /// The requests whose tensors are written into logs.
    logged: BTreeSet<usize>,
}

/// A section while it runs.
struct Running<'s> {
    section: &'s Section,
    pace: Pace,
    /// The tensors that hold the number of the step and of the epoch.
    steps: Vec<TensorId>,
    epochs: Vec<TensorId>,
    step: Vec<Item>,
    evaluation: Vec<Item>,
    /// The buffers of the numbers that are printed at each step, by the indices of their requests.
    logs: BTreeMap<usize, BufferId>,
    /// The buffers of the values that were no classes, by the indices of the requests.
    no_classes: BTreeMap<usize, BufferId>,
}

impl Execution<'_> {
    /// Runs a section.
    pub(crate) fn section(
        &mut self,
        number: usize,
        section: &Section,
        watch: &mut dyn Watch,
    ) -> Result<(), RunError> {
        let schedule = section.schedule(self.program).unwrap_or_default();
        self.operations(&schedule.once)?;
        let pace = Pace::new(section, self.settings);
        let mut begin = 0;
        if let Begin::Resume(checkpoint) = &self.settings.begin {
            let progress = checkpoint.progress.ok_or(CheckpointError::NoProgress)?;
            let sections = self.program.sections.len();
            if progress.section >= sections as u64 {
                let section = progress.section + 1;
                return Err(CheckpointError::Section { section, sections }.into());
            }
            match (number as u64).cmp(&progress.section) {
                std::cmp::Ordering::Less => return Ok(()),
                std::cmp::Ordering::Equal => {
                    self.restore(section, checkpoint)?;
                    begin = progress.epoch;
                }
                std::cmp::Ordering::Greater => {}
            }
        }
        let mut running = self.ready(section, &schedule, pace)?;
        let epoch = begin.max(pace.epochs);
        self.done = Some(Progress {
            seed: self.settings.seed,
            section: number as u64,
            epoch,
            step: match section.turns {
                Turns::Steps(_) => pace.total,
                Turns::Epochs { .. } => epoch.saturating_mul(pace.steps),
            },
        });
        watch.begins(
            section,
            begin.saturating_mul(pace.steps).min(pace.total),
            pace.total,
        );
        let outcome =
            (begin..pace.epochs).try_for_each(|epoch| self.epoch(number, &running, epoch, watch));
        for item in running.step.drain(..).chain(running.evaluation.drain(..)) {
            if let Item::Replay(recording) = item {
                self.device.forget(recording)?;
            }
        }
        let buffers = running
            .logs
            .into_values()
            .chain(running.no_classes.into_values());
        for log in buffers {
            self.device.release(log)?;
        }
        outcome
    }

    /// Records the calls of a section, and runs what is the same at each step.
    #[cfg(feature = "opencl")]
    pub(crate) fn record_section(&mut self, section: &Section) -> Result<(), RunError> {
        let schedule = section.schedule(self.program).unwrap_or_default();
        self.operations(&schedule.once)?;
        let pace = Pace::new(section, self.settings);
        self.ready(section, &schedule, pace).map(|_| ())
    }

    /// Records the calls of a step and of an evaluation.
    fn ready<'s>(
        &mut self,
        section: &'s Section,
        schedule: &Schedule,
        pace: Pace,
    ) -> Result<Running<'s>, RunError> {
        let program = self.program;
        let counters = |wanted: Late| {
            let all = section
                .steps
                .clone()
                .filter(|at| program.steps[*at].late.as_deref() == Some(&wanted));
            all.map(|at| program.steps[at].operation.slots[0]).collect()
        };
        let evaluated: BTreeSet<usize> = section
            .evaluations
            .iter()
            .flat_map(|evaluation| evaluation.requests.clone())
            .collect();
        let (after, during): (Vec<usize>, Vec<usize>) = section
            .requests
            .clone()
            .partition(|request| evaluated.contains(request));
        let mut running = Running {
            section,
            pace,
            steps: counters(Late::Step),
            epochs: counters(Late::Epoch),
            step: Vec::new(),
            evaluation: Vec::new(),
            logs: BTreeMap::new(),
            no_classes: BTreeMap::new(),
        };
        let during: Vec<usize> = self.computed_at_each_step(&during, schedule)?;
        for request in &during {
            let tensor = program.requests[*request].tensor;
            if asked(&program.requests[*request]).is_some() {
                let sizes = self.sizes[tensor.0].clone();
                running
                    .no_classes
                    .insert(*request, self.device.allocate(&sizes, 0.0)?);
            }
            if program.requests[*request].what == Wish::Print && self.sizes[tensor.0].is_empty() {
                let log = self.device.allocate(&[pace.steps], f32::NAN)?;
                running.logs.insert(*request, log);
            }
        }
        // The evaluation has the larger tensors as a rule, so that the tensors of a step find room in the memory that
        // it shares.
        let none = BTreeMap::new();
        running.evaluation = self.items(&schedule.epoch, &after, [&none, &none], 1)?;
        let logs = [&running.logs, &running.no_classes];
        running.step = self.items(&schedule.step, &during, logs, pace.steps)?;
        Ok(running)
    }

    /// Returns the requests without those about classes whose tensors are data, or computed once for all steps and
    /// looked at now.
    fn computed_at_each_step(
        &mut self,
        requests: &[usize],
        schedule: &Schedule,
    ) -> Result<Vec<usize>, RunError> {
        let program = self.program;
        let steps = schedule
            .step
            .iter()
            .map(|at| program.steps[*at].operation.slots[0]);
        let changing: BTreeSet<TensorId> = steps.collect();
        let mut left = Vec::with_capacity(requests.len());
        for number in requests {
            let request = &program.requests[*number];
            if asked(request).is_none()
                || changing.contains(&request.tensor) && !is_of_data(program, request)
            {
                left.push(*number);
            } else if !is_of_data(program, request) {
                let tensor = self.device.download(self.buffers[request.tensor.0])?;
                self.classes_in(request, &tensor)?;
            }
        }
        Ok(left)
    }

    /// Returns operations and requests in the order of the program, as many operations as possible in one recording.
    fn items(
        &mut self,
        operations: &[usize],
        requests: &[usize],
        [logs, no_classes]: [&BTreeMap<usize, BufferId>; 2],
        steps: u64,
    ) -> Result<Vec<Item>, RunError> {
        let program = self.program;
        let mut items = Vec::new();
        let mut batch = Batch::default();
        let mut requests = requests.iter().peekable();
        for at in operations.iter().copied().map(Some).chain([None]) {
            let due =
                |request: &&&usize| at.is_none_or(|at| program.requests[***request].after <= at);
            while let Some(request) = requests.next_if(|request| due(&request)) {
                let tensor = program.requests[*request].tensor;
                if let Some(log) = logs.get(request) {
                    batch.logged.insert(*request);
                    batch.calls.push(Call {
                        nest: logging(&program[tensor].name, steps)?,
                        buffers: vec![*log, self.buffers[tensor.0]],
                    });
                    continue;
                }
                if let Some(kept) = no_classes.get(request) {
                    batch.logged.insert(*request);
                    batch
                        .calls
                        .push(self.keeps_no_class(&program.requests[*request], *kept)?);
                    continue;
                }
                items.extend(self.recorded(&mut batch, steps)?);
                items.push(match program.requests[*request].what {
                    Wish::Assert => Item::Each(*request),
                    Wish::Print | Wish::Save(_) | Wish::Classes(_) => Item::Last(*request),
                });
            }
            let Some(at) = at else { break };
            match program.steps[at].late.as_deref() {
                Some(Late::Step | Late::Epoch) => {}
                Some(Late::Random { .. } | Late::Cells) => {
                    items.extend(self.recorded(&mut batch, steps)?);
                    items.push(Item::Drawn(at));
                }
                Some(Late::Product(_)) | None => {
                    batch.operations.insert(at);
                    batch.calls.push(self.call(at));
                }
            }
        }
        items.extend(self.recorded(&mut batch, steps)?);
        Ok(items)
    }

    /// Records the calls of a batch and empties it. `steps` says how often the recording is replayed.
    fn recorded(&mut self, batch: &mut Batch, steps: u64) -> Result<Option<Item>, RunError> {
        let batch = std::mem::take(batch);
        if batch.calls.is_empty() {
            return Ok(None);
        }
        let purpose = Purpose {
            temporary: self.temporary(&batch.operations, &batch.logged),
            repeated: steps > 1,
            constants: self.constants(&batch.operations),
            consumed: BTreeSet::new(),
        };
        let recording = self
            .device
            .record(batch.calls, &purpose)
            .map_err(|error| self.placed(&batch.operations, error))?;
        Ok(Some(Item::Replay(recording)))
    }

    fn epoch(
        &mut self,
        number: usize,
        running: &Running<'_>,
        epoch: u64,
        watch: &mut dyn Watch,
    ) -> Result<(), RunError> {
        let pace = running.pace;
        let begin = epoch * pace.steps;
        let end = (begin + pace.steps).min(pace.total);
        self.shuffle(number, running.section, epoch)?;
        let is_steps = matches!(running.section.turns, Turns::Steps(_));
        // Steps without batches have no epochs.
        let named = if is_steps { 0 } else { epoch };
        for id in &running.epochs {
            self.device.fill(self.buffers[id.0], named as f32)?;
        }
        let mut printed = BTreeMap::new();
        let mut symbols = Symbols::new();
        symbols.insert("epoch".into(), named);
        for step in begin..end {
            for id in &running.steps {
                self.device.fill(self.buffers[id.0], step as f32)?;
            }
            symbols.insert("step".into(), step);
            symbols.insert("batch".into(), step - begin);
            let moment = (named, step);
            let last = step + 1 == end;
            self.go_through(&running.step, &symbols, moment, last, &mut printed, watch)?;
            watch.step(step + 1);
        }
        let moment = (named, end);
        self.go_through(
            &running.evaluation,
            &symbols,
            moment,
            true,
            &mut printed,
            watch,
        )?;
        for (request, log) in &running.logs {
            let mut values = self.device.download(*log)?.wide_values().into_owned();
            values.truncate((end - begin) as usize);
            printed.insert(*request, Printed::Steps(values));
        }
        for (request, kept) in &running.no_classes {
            let kept = self.device.download(*kept)?;
            self.classes_in(&self.program.requests[*request], &kept)?;
        }
        let report = EpochReport {
            section: number,
            epoch: epoch + 1,
            epochs: pace.epochs,
            step: end,
            printed: printed.into_iter().collect(),
        };
        let progress = Progress {
            seed: self.settings.seed,
            section: number as u64,
            epoch: epoch + 1,
            step: end,
        };
        let section = running.section;
        let mut checkpoint = || {
            let live = live(self.program, section);
            let mut checkpoint = self.checkpoint(section.steps.end, &live)?;
            checkpoint.progress = Some(progress);
            Ok(checkpoint)
        };
        Ok(watch.epoch(&report, &mut checkpoint)?)
    }

    fn go_through(
        &mut self,
        items: &[Item],
        symbols: &Symbols,
        moment: (u64, u64),
        last: bool,
        printed: &mut BTreeMap<usize, Printed>,
        watch: &mut dyn Watch,
    ) -> Result<(), RunError> {
        for item in items {
            match item {
                Item::Replay(recording) => self.device.replay(*recording, symbols)?,
                Item::Drawn(at) => self.step(*at, Some(moment))?,
                Item::Last(_) if !last => {}
                Item::Each(request) | Item::Last(request) => {
                    let wish = &self.program.requests[*request];
                    match wish.what {
                        Wish::Print => {
                            let tensor = self.device.download(self.buffers[wish.tensor.0])?;
                            printed.insert(*request, Printed::Tensor(tensor));
                        }
                        Wish::Save(_) | Wish::Assert | Wish::Classes(_) => {
                            self.request(wish, watch)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts the rows of the batches into the order of an epoch.
    fn shuffle(&mut self, number: usize, section: &Section, epoch: u64) -> Result<(), RunError> {
        let Turns::Epochs {
            shuffled: true,
            batch,
            batches,
            left_over,
            cuts,
            ..
        } = &section.turns
        else {
            return Ok(());
        };
        let key = random::order_key(self.settings.seed, number as u64, epoch);
        let order = permutation(key, (batch * batches + left_over) as usize);
        let taken = &order[..(batch * batches) as usize];
        for cut in cuts {
            let batches = self.buffers[cut.batches.0];
            let sizes = self.sizes[cut.batches.0].clone();
            let rows = match self.data.get(&cut.whole) {
                Some(Numbers::Single(values)) => {
                    let rows = in_order(values, taken, order.len());
                    self.device.write(batches, &rows)?;
                    continue;
                }
                Some(Numbers::Double(values)) => {
                    Tensor::wide(sizes, in_order(values, taken, order.len()))?
                }
                None => {
                    let whole = self.device.download(self.buffers[cut.whole.0])?;
                    match whole.double_values() {
                        Some(values) => Tensor::wide(sizes, in_order(values, taken, order.len()))?,
                        None => Tensor::new(sizes, in_order(whole.values(), taken, order.len()))?,
                    }
                }
            };
            self.device.replace(batches, &rows)?;
        }
        Ok(())
    }

    /// Replaces the values before the first step by those of a checkpoint.
    fn restore(&mut self, section: &Section, checkpoint: &Checkpoint) -> Result<(), RunError> {
        let firsts = self.program.firsts.iter();
        let there = firsts.filter(|first| first.steps.end <= section.steps.end);
        let all = there
            .map(|first| first.tensor)
            .chain(live(self.program, section));
        for id in all {
            let tensor = found(self.program, &self.sizes, checkpoint, id)?;
            self.device.replace(self.buffers[id.0], tensor)?;
        }
        Ok(())
    }
}

/// Returns some of the `count` rows of a tensor, in this order.
fn in_order<T: Copy>(values: &[T], rows: &[usize], count: usize) -> Vec<T> {
    let width = values.len() / count.max(1);
    let rows = rows.iter();
    rows.flat_map(|row| &values[row * width..(row + 1) * width])
        .copied()
        .collect()
}

/// Returns the loop nest that writes a number into a log, at the index of the step in its epoch.
fn logging(tensor: &str, steps: u64) -> Result<LoopNest, Error> {
    let projections = Projections {
        factors: Vec::new(),
        maps: vec![
            IndexMap(vec![Index::Symbol("batch".into())]),
            IndexMap(Vec::new()),
        ],
        sizes: vec![vec![steps], Vec::new()],
    };
    let keep = Accumulator {
        erase: false,
        combine: Combine::Replace,
    };
    let name = format!("{tensor}.log");
    LoopNest::new(&projections, keep, Function::Identity, &[&name, tensor])
}

/// Returns the values of a checkpoint for a tensor.
fn found<'c>(
    program: &Program,
    sizes: &[Vec<u64>],
    checkpoint: &'c Checkpoint,
    id: TensorId,
) -> Result<&'c Tensor, CheckpointError> {
    let name: &str = &program[id].name;
    let tensor = checkpoint.tensors.get(name);
    let tensor = tensor.ok_or_else(|| checkpoint.missing(name))?;
    if tensor.shape() != sizes[id.0] {
        return Err(CheckpointError::Shape {
            name: name.to_string(),
            expected: sizes[id.0].clone(),
            found: tensor.shape().to_vec(),
        });
    }
    Ok(tensor)
}

/// Returns the values of a checkpoint by the parameters and states of the program. States with initial values may be
/// missing in it and, if it has only some values, parameters as well.
pub(crate) fn loaded(
    program: &Program,
    sizes: &[Vec<u64>],
    checkpoint: &Checkpoint,
    some: bool,
) -> Result<BTreeMap<TensorId, Tensor>, CheckpointError> {
    let mut loaded = BTreeMap::new();
    for (at, tensor) in program.tensors.iter().enumerate() {
        let Source::Param(parameter) = tensor.source else {
            continue;
        };
        // A state may have been made by the training of another program, such as that of an optimiser.
        let may_lack = (parameter.state || some) && parameter.start != Start::Outside;
        if may_lack && !checkpoint.has(&tensor.name) {
            continue;
        }
        let id = TensorId(at);
        loaded.insert(id, found(program, sizes, checkpoint, id)?.clone());
    }
    Ok(loaded)
}
