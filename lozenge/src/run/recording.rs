//! The recordings of a section: the calls of a step and of an evaluation, which a device replays.
//!
//! Values that are the same at each step are computed once, before. As many operations as possible go into one
//! recording; a request in between, or a value that is drawn on the host at each step, divides it.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_backend::{BufferId, Call, Error, LoopNest, Purpose, RecordingId};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function, TensorId};
use lozenge_vocabulary::program::{Late, Schedule, Section, Turns, Wish};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

use super::classes::{asked, is_of_data};
use super::state::Execution;
use super::watch::{RunError, Settings};

/// The largest number of reports of a section of steps.
const REPORTS: u64 = 20;

/// The pace of a section's reports: their number, and the steps between them.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    pub epochs: u64,
    /// The steps of an epoch, or between two reports of a section of steps, where the last report may come after fewer.
    pub steps: u64,
    pub total: u64,
}

impl Pace {
    pub fn new(section: &Section, settings: &Settings) -> Pace {
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
pub(super) enum Item {
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
pub(super) struct Running<'s> {
    pub section: &'s Section,
    pub pace: Pace,
    /// The tensors that hold the number of the step and of the epoch.
    pub steps: Vec<TensorId>,
    pub epochs: Vec<TensorId>,
    pub step: Vec<Item>,
    pub evaluation: Vec<Item>,
    /// The buffers of the numbers that are printed at each step, by the indices of their requests.
    pub logs: BTreeMap<usize, BufferId>,
    /// The buffers of the values that were no classes, by the indices of the requests.
    pub no_classes: BTreeMap<usize, BufferId>,
}

impl Execution<'_> {
    /// Records the calls of a section, and runs what is the same at each step.
    #[cfg(feature = "opencl")]
    pub(crate) fn record_section(&mut self, section: &Section) -> Result<(), RunError> {
        let schedule = section.schedule(self.program).unwrap_or_default();
        self.operations(&schedule.once)?;
        let pace = Pace::new(section, self.settings);
        self.ready(section, &schedule, pace).map(|_| ())
    }

    /// Records the calls of a step and of an evaluation.
    pub(super) fn ready<'s>(
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
