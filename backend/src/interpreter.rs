//! The reference engine: it iterates over the product space point by point.

use std::collections::BTreeMap;

use crate::arithmetic::{Real, apply, combine, compensated, first};
use crate::call::{self, Position, Symbols};
use crate::device::{Call, Device, Purpose};
use crate::error::Error;
use crate::loop_nest::{LoopNest, Write};
use crate::memory::{BufferId, Limits, RecordingId, Store};
use crate::progress::Progress;
use crate::shape::{check_length, element_count};
use crate::tensor::Tensor;

/// Runs loop nests on the host, in `f32`, points in lexicographic order with the first factor outermost. Every address is
/// checked against its axis. While one runs, a second copy of the written tensor counts against the memory limit.
#[derive(Debug)]
pub struct Interpreter {
    store: Store<Vec<f32>>,
    recordings: BTreeMap<RecordingId, Vec<Call>>,
    progress: Progress,
}

impl Interpreter {
    /// An interpreter that holds nothing yet.
    pub fn new(limits: Limits) -> Interpreter {
        Interpreter {
            store: Store::new(limits),
            recordings: BTreeMap::new(),
            progress: Progress::default(),
        }
    }
}

impl Device for Interpreter {
    fn description(&self) -> String {
        "interpreter: one thread, f32, every address checked".to_string()
    }

    fn exact_division(&self) -> bool {
        true
    }

    fn upload(&mut self, tensor: &Tensor) -> Result<BufferId, Error> {
        let copy = || Ok(tensor.values().to_vec());
        self.store.insert(tensor.shape(), copy)
    }

    fn allocate(&mut self, shape: &[u64], fill: f32) -> Result<BufferId, Error> {
        let make = || Ok(vec![fill; element_count(shape)?]);
        self.store.insert(shape, make)
    }

    fn count(&mut self, progress: Progress) {
        self.progress = progress;
    }

    fn run(
        &mut self,
        nest: &LoopNest,
        buffers: &[BufferId],
        symbols: &Symbols,
    ) -> Result<(), Error> {
        let positions = call::check(nest, buffers, symbols, &self.store)?;
        // The result goes to a copy, so that an operand that is the written tensor keeps its old values, also after an error.
        self.store.check(&nest.slots()[0].sizes)?;
        let mut written = self.store.get(buffers[0])?.storage.clone();
        let mut operands: Vec<&[f32]> = Vec::new();
        for buffer in &buffers[1..] {
            operands.push(&self.store.get(*buffer)?.storage);
        }
        execute(nest, &positions, &mut written, &operands, &self.progress)?;
        self.store.get_mut(buffers[0])?.storage = written;
        Ok(())
    }

    fn record(&mut self, calls: Vec<Call>, _: &Purpose) -> Result<RecordingId, Error> {
        for call in &calls {
            call::check_buffers(&call.nest, &call.buffers, &self.store)?;
        }
        let id = RecordingId::fresh();
        self.recordings.insert(id, calls);
        Ok(id)
    }

    fn replay(&mut self, recording: RecordingId, symbols: &Symbols) -> Result<(), Error> {
        let calls = self.recordings.remove(&recording);
        let calls = calls.ok_or(Error::UnknownRecording)?;
        let mut each = calls.iter();
        let done = each.try_for_each(|call| self.run(&call.nest, &call.buffers, symbols));
        self.recordings.insert(recording, calls);
        done
    }

    fn forget(&mut self, recording: RecordingId) -> Result<(), Error> {
        let known = self.recordings.remove(&recording);
        known.map(|_| ()).ok_or(Error::UnknownRecording)
    }

    fn write(&mut self, buffer: BufferId, values: &[f32]) -> Result<(), Error> {
        let held = self.store.get_mut(buffer)?;
        check_length(&held.shape, values.len())?;
        held.storage.copy_from_slice(values);
        Ok(())
    }

    fn fill(&mut self, buffer: BufferId, value: f32) -> Result<(), Error> {
        self.store.get_mut(buffer)?.storage.fill(value);
        Ok(())
    }

    fn download(&mut self, buffer: BufferId) -> Result<Tensor, Error> {
        let held = self.store.get(buffer)?;
        Tensor::new(held.shape.clone(), held.storage.clone())
    }

    fn release(&mut self, buffer: BufferId) -> Result<(), Error> {
        self.store.remove(buffer)
    }
}

/// How many points are counted together.
const COUNTED: u64 = 1 << 20;

/// Iterates over the points of a loop nest and skips those where an index is out of range. The caller has checked that every
/// buffer is as long as the shape of its slot demands.
pub(crate) fn execute<R: Real>(
    nest: &LoopNest,
    positions: &[Vec<Position>],
    written: &mut [R],
    operands: &[&[R]],
    progress: &Progress,
) -> Result<(), Error> {
    if let Some(initial) = nest.initial() {
        written.fill(R::of(f64::from(initial)));
    }
    let how = nest.accumulator().combine;
    // The rounding error of each cell of a long sum.
    let mut excess = match nest.is_compensated() {
        true => vec![R::of(0.0); written.len()],
        false => Vec::new(),
    };
    let mut point = vec![0; nest.factors().len()];
    let mut values = vec![R::of(0.0); operands.len()];
    let mut uncounted = 0;
    loop {
        if let Some(at) = read(nest, positions, &point, operands, &mut values)? {
            let value = apply(nest.function(), &values);
            let cell = &mut written[at];
            match (nest.write(), excess.get_mut(at)) {
                (Write::Plain, _) => *cell = first(how, value),
                (Write::ReadModifyWrite, None) => *cell = combine(how, *cell, value),
                (Write::ReadModifyWrite, Some(excess)) => {
                    (*cell, *excess) = compensated(how, *cell, *excess, value);
                }
            }
        }
        uncounted += 1;
        let ends = !advance(&mut point, nest);
        if ends || uncounted == COUNTED {
            progress.add(std::mem::take(&mut uncounted));
        }
        if ends {
            return Ok(());
        }
    }
}

/// Reads the operands at a point, and returns the address to write; `None` if the point is skipped.
fn read<R: Real>(
    nest: &LoopNest,
    positions: &[Vec<Position>],
    point: &[u64],
    operands: &[&[R]],
    values: &mut [R],
) -> Result<Option<usize>, Error> {
    for (value, (slot, operand)) in values.iter_mut().zip((1..).zip(operands)) {
        match address(nest, slot, &positions[slot], point)? {
            Some(at) => *value = operand[at],
            None => return Ok(None),
        }
    }
    address(nest, 0, &positions[0], point)
}

/// The address in row-major storage to which a slot's index map sends a point; `None` if an affine index is out of range. Each
/// position is below the size of its axis, so the address is below the number of elements, which is the length of the storage.
fn address(
    nest: &LoopNest,
    slot: usize,
    positions: &[Position],
    point: &[u64],
) -> Result<Option<usize>, Error> {
    let sizes = &*nest.slots()[slot].sizes;
    let mut address = 0;
    for (axis, (position, size)) in positions.iter().zip(sizes).enumerate() {
        let position = match position {
            Position::Iter(factor) => point[*factor],
            Position::At(position) => *position,
            Position::Affine(affine) => match u64::try_from(affine.at(point)) {
                Ok(position) if position < *size => position,
                _ => return Ok(None),
            },
        };
        if position >= *size {
            return Err(Error::Index {
                slot,
                tensor: nest.slots()[slot].tensor.to_string(),
                axis,
                size: *size,
                problem: format!("at the point {point:?} it is read at position {position}"),
            });
        }
        address = address * size + position;
    }
    Ok(Some(address as usize))
}

/// The next point in lexicographic order; false after the last.
fn advance(point: &mut [u64], nest: &LoopNest) -> bool {
    for (at, factor) in point.iter_mut().zip(nest.factors()).rev() {
        *at += 1;
        if *at < factor.size {
            return true;
        }
        *at = 0;
    }
    false
}
