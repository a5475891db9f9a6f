//! Measures what a launch of a recorded kernel takes beyond the driver's own part, by the same kernel, put into the same queue.

use std::sync::Arc;
use std::time::Instant;

use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

use super::engine::OpenCl;
use super::foreign;
use crate::call::Symbols;
use crate::device::{Call, Device, Purpose};
use crate::error::Error;
use crate::loop_nest::LoopNest;
use crate::memory::{BufferId, RecordingId};
use crate::tensor::Tensor;

/// How many launches are timed together, before one wait.
const TOGETHER: u64 = 500;

/// How many rows and columns the operand has.
const SIDE: u64 = 64;

/// A recorded kernel that does almost nothing: it copies the row of a matrix that a symbol selects, as each step of a training run
/// selects its batch.
pub struct Launches {
    recording: RecordingId,
    buffers: Vec<BufferId>,
    symbols: Symbols,
    row: Arc<str>,
}

impl Launches {
    /// Records the kernel.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the device fails.
    pub fn new(device: &mut OpenCl) -> Result<Launches, Error> {
        let row: Arc<str> = "row".into();
        let maps = vec![
            IndexMap(vec![Index::Iter(0)]),
            IndexMap(vec![Index::Symbol(row.clone()), Index::Iter(0)]),
        ];
        let sizes = vec![vec![SIDE], vec![SIDE, SIDE]];
        let projections = Projections {
            factors: vec![SIDE],
            maps,
            sizes,
        };
        let accumulator = Accumulator {
            erase: true,
            combine: Combine::Replace,
        };
        let nest = LoopNest::new(&projections, accumulator, Function::Identity, &["y", "x"])?;
        let operand = Tensor::new(vec![SIDE, SIDE], vec![0.5; (SIDE * SIDE) as usize])?;
        let buffers = vec![device.allocate(&[SIDE], 0.0)?, device.upload(&operand)?];
        let call = Call {
            nest,
            buffers: buffers.clone(),
        };
        let recording = device.record(vec![call], &Purpose::default())?;
        let launches = Launches {
            recording,
            buffers,
            symbols: Symbols::from([(row.clone(), 0)]),
            row,
        };
        device.replay(recording, &launches.symbols)?;
        device.finish()?;
        Ok(launches)
    }

    /// The seconds that a replay takes until its launch is in the queue: the mean of some hundred.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the device fails.
    pub fn recorded(&mut self, device: &mut OpenCl) -> Result<f64, Error> {
        let begin = Instant::now();
        for launch in 0..TOGETHER {
            if let Some(row) = self.symbols.get_mut(&self.row) {
                *row = launch % SIDE;
            }
            device.replay(self.recording, &self.symbols)?;
        }
        let seconds = begin.elapsed().as_secs_f64();
        device.finish()?;
        Ok(seconds / TOGETHER as f64)
    }

    /// The same of the driver's function alone.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the device fails.
    pub fn bare(&self, device: &OpenCl) -> Result<f64, Error> {
        let kernel = device.first_kernel(self.recording)?;
        let bare = foreign::Bare::new(kernel, device.queue());
        let begin = Instant::now();
        for _ in 0..TOGETHER {
            bare.enqueue()?;
        }
        let seconds = begin.elapsed().as_secs_f64();
        device.finish()?;
        Ok(seconds / TOGETHER as f64)
    }

    /// Frees what it took.
    ///
    /// # Errors
    /// [`Error::OpenCl`] if the device fails.
    pub fn done(self, device: &mut OpenCl) -> Result<(), Error> {
        device.forget(self.recording)?;
        self.buffers
            .into_iter()
            .try_for_each(|id| device.release(id))
    }
}
