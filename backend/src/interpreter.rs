//! The reference engine: it iterates over the product space point by point.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::arithmetic::{Real, apply, combine, compensated, first};
use crate::call::{self, Position, Symbols};
use crate::device::{Call, Device, Purpose};
use crate::error::Error;
use crate::kernels::Kernels;
use crate::loop_nest::{LoopNest, Write};
use crate::memory::{BufferId, Limits, RecordingId, Store};
use crate::precision::Precision;
use crate::progress::Progress;
use crate::rules::in_order_of_loops;
use crate::shape::{check_length, element_count};
use crate::tensor::Tensor;
use crate::walk::Walk;

/// A device that runs loop nests on the host, points in lexicographic order with the first factor outermost. Every
/// address is checked: indices of factors when the [`LoopNest`] is made, affine ones at every point, and the access to
/// storage. While one runs, a second copy of the written tensor counts against the memory limit.
///
/// Tensors are in `f32`, or in `f64` ([`Interpreter::wide`]). Values may stay where they are ([`Interpreter::lend`]),
/// for as long as `'v`.
#[derive(Debug)]
pub struct Interpreter<'v, R: Clone = f32> {
    store: Store<Cow<'v, [R]>>,
    /// The precision of sums.
    sums: Precision,
    recordings: BTreeMap<RecordingId, Vec<Call>>,
    progress: Progress,
}

impl<'v> Interpreter<'v> {
    /// Creates an interpreter that holds nothing yet.
    pub fn new(limits: Limits) -> Interpreter<'v> {
        Interpreter::with(limits, Precision::F32)
    }

    /// Sets the precision of sums ([`Arithmetic`](crate::Arithmetic)).
    pub fn summing(mut self, sums: Precision) -> Interpreter<'v> {
        self.sums = sums;
        self
    }
}

impl<'v> Interpreter<'v, f64> {
    /// Creates an interpreter that holds nothing yet, whose tensors are in `f64`.
    pub fn wide(limits: Limits) -> Interpreter<'v, f64> {
        Interpreter::with(limits, Precision::F64)
    }
}

/// A type of the numbers of a tensor.
trait Element: Real + 'static {
    const PRECISION: Precision;

    fn values(tensor: &Tensor) -> Cow<'_, [Self]>;

    fn tensor(shape: Vec<u64>, values: Vec<Self>) -> Result<Tensor, Error>;
}

impl Element for f32 {
    const PRECISION: Precision = Precision::F32;

    fn values(tensor: &Tensor) -> Cow<'_, [f32]> {
        Cow::Borrowed(tensor.values())
    }

    fn tensor(shape: Vec<u64>, values: Vec<f32>) -> Result<Tensor, Error> {
        Tensor::new(shape, values)
    }
}

impl Element for f64 {
    const PRECISION: Precision = Precision::F64;

    fn values(tensor: &Tensor) -> Cow<'_, [f64]> {
        tensor.wide_values()
    }

    fn tensor(shape: Vec<u64>, values: Vec<f64>) -> Result<Tensor, Error> {
        Tensor::wide(shape, values)
    }
}

impl<'v, R: Clone> Interpreter<'v, R> {
    fn with(limits: Limits, precision: Precision) -> Interpreter<'v, R> {
        Interpreter {
            store: Store::new(limits, precision),
            sums: precision,
            recordings: BTreeMap::new(),
            progress: Progress::default(),
        }
    }

    /// Stores a tensor without a copy of its values: they are read where they are, until a loop nest writes to the
    /// tensor.
    ///
    /// # Errors
    /// [`Error::DataLength`] for too few or too many values; [`Error::Memory`] above the limit, to which they count.
    pub fn lend(&mut self, shape: &[u64], values: &'v [R]) -> Result<BufferId, Error> {
        check_length(shape, values.len())?;
        self.store.insert(shape, || Ok(Cow::Borrowed(values)))
    }
}

/// It compiles nothing.
impl<R: Element> Kernels for Interpreter<'_, R> {}

impl<R: Element> Device for Interpreter<'_, R> {
    fn called(&self) -> String {
        format!("interpreter, {}", R::PRECISION)
    }

    fn description(&self) -> String {
        let sums = match self.sums > R::PRECISION {
            true => format!(", sums in {}", self.sums),
            false => String::new(),
        };
        let tensors = R::PRECISION;
        format!("interpreter: one thread, {tensors}{sums}, every address checked")
    }

    fn rounding(&self) -> String {
        in_order_of_loops(R::PRECISION, self.sums)
    }

    fn exact_division(&self) -> bool {
        true
    }

    fn upload(&mut self, tensor: &Tensor) -> Result<BufferId, Error> {
        let copy = || Ok(Cow::Owned(R::values(tensor).into_owned()));
        self.store.insert(tensor.shape(), copy)
    }

    fn allocate(&mut self, shape: &[u64], fill: f32) -> Result<BufferId, Error> {
        let make = || Ok(Cow::Owned(vec![R::of(fill.into()); element_count(shape)?]));
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
        // Where an operand is the written tensor, the result goes to a copy, so that the operand keeps its old values.
        self.store.check(&nest.slots()[0].sizes)?;
        let target = &mut self.store.get_mut(buffers[0])?.storage;
        let written = match buffers[1..].contains(&buffers[0]) {
            true => target.clone(),
            false => std::mem::take(target),
        };
        let mut written = written.into_owned();
        let mut operands: Vec<&[R]> = Vec::new();
        for buffer in &buffers[1..] {
            operands.push(&self.store.get(*buffer)?.storage);
        }
        let done = match self.sums > R::PRECISION && nest.adds_up() {
            true => widened(nest, &positions, &mut written, &operands, &self.progress),
            false => execute(nest, &positions, &mut written, &operands, &self.progress),
        };
        self.store.get_mut(buffers[0])?.storage = Cow::Owned(written);
        done
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
        for (held, value) in held.storage.to_mut().iter_mut().zip(values) {
            *held = R::of(f64::from(*value));
        }
        Ok(())
    }

    fn replace(&mut self, buffer: BufferId, tensor: &Tensor) -> Result<(), Error> {
        let values = R::values(tensor);
        let held = self.store.get_mut(buffer)?;
        check_length(&held.shape, values.len())?;
        held.storage.to_mut().copy_from_slice(&values);
        Ok(())
    }

    fn fill(&mut self, buffer: BufferId, value: f32) -> Result<(), Error> {
        let value = R::of(value.into());
        self.store.get_mut(buffer)?.storage.to_mut().fill(value);
        Ok(())
    }

    fn download(&mut self, buffer: BufferId) -> Result<Tensor, Error> {
        let held = self.store.get(buffer)?;
        R::tensor(held.shape.clone(), held.storage.to_vec())
    }

    fn take(&mut self, buffer: BufferId) -> Result<Tensor, Error> {
        let held = self.store.remove(buffer)?;
        R::tensor(held.shape, held.storage.into_owned())
    }

    fn release(&mut self, buffer: BufferId) -> Result<(), Error> {
        self.store.remove(buffer).map(|_| ())
    }
}

/// Does the same as [`execute`] in `f64`. The cells are rounded at the end.
fn widened<R: Real>(
    nest: &LoopNest,
    positions: &[Vec<Position>],
    written: &mut [R],
    operands: &[&[R]],
    progress: &Progress,
) -> Result<(), Error> {
    let wide = |values: &[R]| -> Vec<f64> { values.iter().map(|value| value.wide()).collect() };
    let operands: Vec<Vec<f64>> = operands.iter().map(|values| wide(values)).collect();
    let operands: Vec<&[f64]> = operands.iter().map(Vec::as_slice).collect();
    let mut sums = wide(written);
    execute(nest, positions, &mut sums, &operands, progress)?;
    for (cell, sum) in written.iter_mut().zip(sums) {
        *cell = R::of(sum);
    }
    Ok(())
}

/// The number of points that are counted together.
const COUNTED: u64 = 1 << 20;

/// Iterates over the points of a loop nest and skips those where an index is out of range. The caller has checked that
/// every buffer is as long as the shape of its slot demands.
///
/// # Errors
/// [`Error::Stopped`] when whoever counts the points says so.
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
    let mut walks: Vec<Walk> = (0..)
        .zip(positions)
        .map(|(slot, positions)| Walk::new(nest, slot, positions))
        .collect();
    let mut values = vec![R::of(0.0); operands.len()];
    let mut uncounted = 0;
    loop {
        if let Some(at) = read(&walks, operands, &mut values) {
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
        let moved = advance(&mut point, nest);
        if moved.is_none() || uncounted == COUNTED {
            progress.add(std::mem::take(&mut uncounted));
            if progress.is_stopped() {
                return Err(Error::Stopped);
            }
        }
        let Some(factor) = moved else { return Ok(()) };
        walks.iter_mut().for_each(|walk| walk.go_on(factor));
    }
}

/// Reads the operands where the walks are, and returns the address to write; `None` if the point is skipped.
fn read<R: Real>(walks: &[Walk], operands: &[&[R]], values: &mut [R]) -> Option<usize> {
    let (written, read) = walks.split_first()?;
    for (value, (walk, operand)) in values.iter_mut().zip(read.iter().zip(operands)) {
        *value = operand[walk.address()?];
    }
    written.address()
}

/// Moves to the next point in lexicographic order. Returns the factor that went on by one; those after it went back to
/// 0. `None` after the last.
fn advance(point: &mut [u64], nest: &LoopNest) -> Option<usize> {
    for (number, factor) in nest.factors().iter().enumerate().rev() {
        point[number] += 1;
        if point[number] < factor.size {
            return Some(number);
        }
        point[number] = 0;
    }
    None
}
