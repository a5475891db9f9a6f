//! Running sections: lines that are repeated, over batches of the data, from a checkpoint if there is one.
//!
//! The operations of a step are recorded on the device ([`super::recording`]) and replayed, so that nothing is
//! compiled, allocated or waited for from one step to the next; the numbers from outside (`Sol(idx)` of Def. 7.1) are
//! `step`, `epoch` and `batch`, the number of the step in its epoch. A printed number of each step is written into a
//! log on the device, which is read once an epoch.

use std::collections::BTreeMap;

use lozenge_backend::{Symbols, Tensor};
use lozenge_lang::numpy::Numbers;
use lozenge_vocabulary::counting::permutation;
use lozenge_vocabulary::program::{Section, Turns, Wish};

use super::checkpoint::CheckpointError;
use super::live::live;
use super::random;
use super::recording::{Item, Pace, Running};
use super::state::{Done, Execution};
use super::watch::{Begin, EpochReport, Printed, RunError, Watch};

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
        self.done = Some(Done {
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
        let section = running.section;
        let mut checkpoint = || {
            let live = live(self.program, section);
            let mut checkpoint = self.checkpoint(section.steps.end, &live)?;
            checkpoint.progress = Some(self.progress(Done {
                section: number as u64,
                epoch: epoch + 1,
                step: end,
            }));
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
}

/// Returns some of the `count` rows of a tensor, in this order.
fn in_order<T: Copy>(values: &[T], rows: &[usize], count: usize) -> Vec<T> {
    let width = values.len() / count.max(1);
    let rows = rows.iter();
    rows.flat_map(|row| &values[row * width..(row + 1) * width])
        .copied()
        .collect()
}
