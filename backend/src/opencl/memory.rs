//! The memory of a device: tensors with buffers of their own, buffers that tensors share, and buffers between the kernels of an operation.

use std::collections::BTreeMap;

use ocl::{Buffer, Queue};

use super::discovery::failure;
use super::pool::{self, Lifetime};
use crate::error::Error;
use crate::memory::{BufferId, Held, Limits, MemoryUse, Store};
use crate::shape::{check_length, element_count};
use crate::tensor::Tensor;

/// The memory of a tensor, which holds NaN everywhere until it is written.
enum Memory {
    /// None.
    Reserved,
    /// A buffer with no values yet.
    Blank(Buffer<f32>),
    /// A buffer with its values.
    Filled(Buffer<f32>),
}

/// Where the values of a tensor are: a part of a buffer.
#[derive(Clone)]
pub(super) struct Place {
    pub buffer: Buffer<f32>,
    /// Where it begins.
    pub at: usize,
    /// How many values it has.
    pub values: usize,
}

impl Place {
    /// The first values of a buffer.
    fn first(buffer: Buffer<f32>, values: usize) -> Place {
        Place {
            buffer,
            at: 0,
            values,
        }
    }

    /// Writes one value into every cell.
    pub fn fill(&self, value: f32) -> Result<(), Error> {
        let fill = self.buffer.cmd().fill(value, Some(self.values));
        let filled = fill.offset(self.at).enq();
        filled.map_err(|error| failure("fill a tensor", error))
    }

    /// Copies all values to another place.
    pub fn copy(&self, to: &Place) -> Result<(), Error> {
        let copy = self.buffer.cmd().offset(self.at);
        let copied = copy.copy(&to.buffer, Some(to.at), Some(self.values)).enq();
        copied.map_err(|error| failure("copy a tensor", error))
    }
}

/// All memory that a device holds.
pub(super) struct DeviceMemory {
    queue: Queue,
    store: Store<Memory>,
    /// The buffers that tensors share, the last of which new recordings use. The queue runs kernels in order, so all recordings use the
    /// same one unless a later one needs a larger one.
    shared: Vec<Buffer<f32>>,
    /// The most that was shared so far, and the least that would have done, in values.
    most_shared: u64,
    least_shared: u64,
    /// The buffers between the kernels of a loop nest, each with the largest size needed so far.
    scratch: Vec<Buffer<f32>>,
}

impl DeviceMemory {
    pub fn new(queue: Queue, limits: Limits) -> DeviceMemory {
        DeviceMemory {
            queue,
            store: Store::new(limits),
            shared: Vec::new(),
            most_shared: 0,
            least_shared: 0,
            scratch: Vec::new(),
        }
    }

    /// Puts all further commands into this queue.
    pub fn use_queue(&mut self, queue: Queue) {
        self.queue = queue;
    }

    /// The tensors, with their shapes.
    pub fn store(&self) -> &Store<impl Sized + use<>> {
        &self.store
    }

    fn buffer(&self, shape: &[u64]) -> Result<Buffer<f32>, Error> {
        new_buffer(&self.queue, shape)
    }

    pub fn upload(&mut self, tensor: &Tensor) -> Result<BufferId, Error> {
        let id = self.reserve(tensor.shape())?;
        self.write(id, tensor.values()).inspect_err(|_| {
            // The tensor is not known to the caller.
            let _ = self.store.remove(id);
        })?;
        Ok(id)
    }

    pub fn allocate(&mut self, shape: &[u64], fill: f32) -> Result<BufferId, Error> {
        let id = self.reserve(shape)?;
        self.fill(id, fill).inspect_err(|_| {
            // The tensor is not known to the caller.
            let _ = self.store.remove(id);
        })?;
        Ok(id)
    }

    pub fn reserve(&mut self, shape: &[u64]) -> Result<BufferId, Error> {
        self.store.reserve(shape, Memory::Reserved)
    }

    pub fn release(&mut self, id: BufferId) -> Result<(), Error> {
        self.store.remove(id)
    }

    /// The buffer of a tensor all of whose cells will be written before one is read.
    pub fn room_of(&mut self, id: BufferId) -> Result<Place, Error> {
        if let Memory::Reserved = self.store.get(id)?.storage {
            let queue = &self.queue;
            let make = |shape: &[u64]| Ok(Memory::Blank(new_buffer(queue, shape)?));
            self.store.settle(id, make)?;
        }
        match &self.store.get(id)?.storage {
            Memory::Blank(buffer) | Memory::Filled(buffer) => {
                Ok(Place::first(buffer.clone(), buffer.len()))
            }
            Memory::Reserved => Err(Error::UnknownBuffer { slot: None }),
        }
    }

    /// The buffer of a tensor, with its values.
    pub fn with_values(&mut self, id: BufferId) -> Result<Place, Error> {
        let place = self.room_of(id)?;
        if let Memory::Blank(_) = self.store.get(id)?.storage {
            place.fill(f32::NAN)?;
            self.overwritten(id)?;
        }
        Ok(place)
    }

    /// Notes that all cells of a tensor have been written.
    pub fn overwritten(&mut self, id: BufferId) -> Result<(), Error> {
        let held = self.store.get_mut(id)?;
        if let Memory::Blank(buffer) = &held.storage {
            held.storage = Memory::Filled(buffer.clone());
        }
        Ok(())
    }

    pub fn write(&mut self, id: BufferId, values: &[f32]) -> Result<(), Error> {
        check_length(&self.store.get(id)?.shape, values.len())?;
        let written = self.room_of(id)?.buffer.write(values).enq();
        written.map_err(|error| failure("upload a tensor", error))?;
        self.overwritten(id)
    }

    pub fn fill(&mut self, id: BufferId, value: f32) -> Result<(), Error> {
        self.room_of(id)?.fill(value)?;
        self.overwritten(id)
    }

    pub fn download(&self, id: BufferId) -> Result<Tensor, Error> {
        let Held { shape, storage, .. } = self.store.get(id)?;
        let mut values = vec![f32::NAN; element_count(shape)?];
        if let Memory::Filled(buffer) = storage {
            let read = buffer.read(&mut values).enq();
            read.map_err(|error| failure("download a tensor", error))?;
        }
        Tensor::new(shape.clone(), values)
    }

    /// Places for tensors that are needed only within a recording. Their values are undefined.
    pub fn share(
        &mut self,
        tensors: &[(BufferId, Lifetime)],
    ) -> Result<BTreeMap<BufferId, Place>, Error> {
        if tensors.is_empty() {
            return Ok(BTreeMap::new());
        }
        let lifetimes: Vec<Lifetime> = tensors.iter().map(|(_, lifetime)| *lifetime).collect();
        let pool = pool::assign(&lifetimes);
        if let Some(mistake) = pool::mistake(&lifetimes, &pool) {
            return Err(Error::Schedule(mistake));
        }
        let last = self.shared.last();
        let buffer = match last.filter(|last| last.len() as u64 >= pool.values) {
            Some(buffer) => buffer.clone(),
            None => {
                self.store.take(pool.values).map_err(together)?;
                let buffer = self.buffer(&[pool.values])?;
                self.shared.push(buffer.clone());
                buffer
            }
        };
        self.least_shared = self.least_shared.max(pool::least(&lifetimes));
        self.most_shared = self.most_shared.max(values(&self.shared));
        let places = tensors.iter().zip(&pool.places);
        let placed = places.map(|((id, lifetime), at)| {
            let place = Place {
                buffer: buffer.clone(),
                at: *at as usize,
                values: lifetime.values as usize,
            };
            (*id, place)
        });
        Ok(placed.collect())
    }

    /// Frees the shared buffers, which no recording uses any more.
    pub fn share_no_more(&mut self) -> Result<(), Error> {
        if self.shared.is_empty() {
            return Ok(());
        }
        let finished = self.queue.finish();
        finished.map_err(|error| failure("finish the queue", error))?;
        for buffer in std::mem::take(&mut self.shared) {
            self.store.give_back(buffer.len() as u64);
        }
        Ok(())
    }

    /// Buffers of at least these sizes for copies, and for values that one kernel passes to the next. The queue runs kernels in order, so
    /// all loop nests can use the same buffers.
    pub fn scratch(&mut self, sizes: &[u64]) -> Result<Vec<Place>, Error> {
        for (number, values) in sizes.iter().enumerate() {
            let held = self.scratch.get(number).map_or(0, |held| held.len() as u64);
            if held >= *values {
                continue;
            }
            self.store.take(*values).map_err(together)?;
            let buffer = self.buffer(&[*values])?;
            match self.scratch.get_mut(number) {
                Some(smaller) => {
                    *smaller = buffer;
                    self.store.give_back(held);
                }
                None => self.scratch.push(buffer),
            }
        }
        let places = self.scratch.iter().zip(sizes);
        let place =
            |(buffer, values): (&Buffer<f32>, &u64)| Place::first(buffer.clone(), *values as usize);
        Ok(places.map(place).collect())
    }

    /// How much memory was taken.
    pub fn used(&self) -> MemoryUse {
        let bytes = |values: u64| values * size_of::<f32>() as u64;
        MemoryUse {
            most: self.store.most(),
            most_shared: bytes(self.most_shared),
            least_shared: bytes(self.least_shared),
            // These buffers are never given back.
            most_passed: bytes(values(&self.scratch)),
        }
    }
}

/// The error that memory for intermediate values does not suffice.
fn together(error: Error) -> Error {
    match error {
        Error::Memory {
            asked, used, limit, ..
        } => Error::SharedMemory { asked, used, limit },
        other => other,
    }
}

fn values(buffers: &[Buffer<f32>]) -> u64 {
    buffers.iter().map(|one| one.len() as u64).sum()
}

fn new_buffer(queue: &Queue, shape: &[u64]) -> Result<Buffer<f32>, Error> {
    Buffer::builder()
        .queue(queue.clone())
        .len(element_count(shape)?)
        .build()
        .map_err(|error| failure(&format!("make room for a tensor of shape {shape:?}"), error))
}
