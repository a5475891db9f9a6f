//! The memory of a device: tensors with buffers of their own, buffers that tensors share, and buffers between the
//! kernels of an operation.

use std::collections::BTreeMap;

use ocl::Queue;
use ocl::core::{self, DeviceInfo as Key, DeviceInfoResult as Answer};

use super::buffer::Values;
use super::discovery::{failure, plain};
use super::pool::{self, Lifetime};
use crate::error::Error;
use crate::memory::{BufferId, Held, Limits, MemoryUse, Store};
use crate::precision::Precision;
use crate::shape::{check_length, element_count};
use crate::tensor::Tensor;

/// The memory of a tensor, which holds NaN everywhere until it is written.
enum Memory {
    /// No memory.
    Reserved,
    /// A buffer with no values yet.
    Blank(Values),
    /// A buffer with its values.
    Filled(Values),
}

/// The place of each tensor.
type Places = BTreeMap<BufferId, Place>;

/// The place of a tensor's values: a part of a buffer.
#[derive(Clone)]
pub(super) struct Place {
    pub buffer: Values,
    /// The beginning of the values in the buffer.
    pub at: usize,
    /// The number of values.
    pub values: usize,
}

impl Place {
    /// Returns the first values of a buffer.
    fn first(buffer: Values, values: usize) -> Place {
        Place {
            buffer,
            at: 0,
            values,
        }
    }

    /// Writes one value into every cell.
    pub fn fill(&self, value: f32) -> Result<(), Error> {
        let filled = self.buffer.fill(value, self.at, self.values);
        filled.map_err(|error| failure("fill a tensor", error))
    }

    /// Copies all values to another place.
    pub fn copy(&self, to: &Place) -> Result<(), Error> {
        let copied = self.buffer.copy(self.at, &to.buffer, to.at, self.values);
        copied.map_err(|error| failure("copy a tensor", error))
    }
}

/// The most tensors whose memory is used again, so that looking for a place takes little time.
const ROOMS: usize = 64;

/// All memory that a device holds.
pub(super) struct DeviceMemory {
    queue: Queue,
    /// The precision of the tensors.
    precision: Precision,
    store: Store<Memory>,
    /// The buffers that tensors share. The queue runs kernels in order, so all recordings use the same ones, and a
    /// later one that needs more room a further one.
    shared: Vec<Values>,
    /// The most that was shared so far, and the least that would have done, in values.
    most_shared: u64,
    least_shared: u64,
    /// The buffers between the kernels of a loop nest, and those of copies, by their precision and number, each with
    /// the largest size needed so far.
    scratch: BTreeMap<(Precision, usize), Values>,
}

impl DeviceMemory {
    pub fn new(queue: Queue, limits: Limits, precision: Precision) -> DeviceMemory {
        DeviceMemory {
            queue,
            precision,
            store: Store::new(limits, precision),
            shared: Vec::new(),
            most_shared: 0,
            least_shared: 0,
            scratch: BTreeMap::new(),
        }
    }

    /// Puts all further commands into this queue.
    pub fn use_queue(&mut self, queue: Queue) {
        self.queue = queue;
    }

    /// Returns the tensors, with their shapes.
    pub fn store(&self) -> &Store<impl Sized + use<>> {
        &self.store
    }

    fn buffer(&self, values: u64, precision: Precision) -> Result<Values, Error> {
        new_buffer(&self.queue, &[values], precision)
    }

    pub fn upload(&mut self, tensor: &Tensor) -> Result<BufferId, Error> {
        let id = self.reserve(tensor.shape())?;
        self.replace(id, tensor).inspect_err(|_| {
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
        self.store.remove(id).map(|_| ())
    }

    /// Returns the buffer of a tensor all of whose cells will be written before one is read.
    pub fn room_of(&mut self, id: BufferId) -> Result<Place, Error> {
        if let Memory::Reserved = self.store.get(id)?.storage {
            let (queue, precision) = (&self.queue, self.precision);
            let make = |shape: &[u64]| Ok(Memory::Blank(new_buffer(queue, shape, precision)?));
            self.store.settle(id, make)?;
        }
        match &self.store.get(id)?.storage {
            Memory::Blank(buffer) | Memory::Filled(buffer) => {
                Ok(Place::first(buffer.clone(), buffer.len() as usize))
            }
            Memory::Reserved => Err(Error::UnknownBuffer { slot: None }),
        }
    }

    /// Returns the buffer of a tensor, with its values.
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
        let written = self.room_of(id)?.buffer.write(values);
        written.map_err(|error| failure("upload a tensor", error))?;
        self.overwritten(id)
    }

    /// Replaces the values of a tensor by those of another one of its shape.
    pub fn replace(&mut self, id: BufferId, tensor: &Tensor) -> Result<(), Error> {
        check_length(&self.store.get(id)?.shape, tensor.values().len())?;
        let written = self.room_of(id)?.buffer.write_tensor(tensor);
        written.map_err(|error| failure("upload a tensor", error))?;
        self.overwritten(id)
    }

    pub fn fill(&mut self, id: BufferId, value: f32) -> Result<(), Error> {
        self.room_of(id)?.fill(value)?;
        self.overwritten(id)
    }

    pub fn download(&self, id: BufferId) -> Result<Tensor, Error> {
        let Held { shape, storage, .. } = self.store.get(id)?;
        if let Memory::Filled(buffer) = storage {
            return buffer.read(shape);
        }
        let count = element_count(shape)?;
        match self.precision {
            Precision::F32 => Tensor::new(shape.clone(), vec![f32::NAN; count]),
            Precision::F64 => Tensor::wide(shape.clone(), vec![f64::NAN; count]),
        }
    }

    /// Places for tensors that are needed only within a recording, in the memory of tensors that are needed no longer:
    /// after a unit that is given with each. Also returns the tensors that find no place there.
    pub fn reuse(
        &mut self,
        tensors: &[(BufferId, Lifetime)],
        consumed: &[(BufferId, usize)],
    ) -> Result<(Places, Vec<(BufferId, Lifetime)>), Error> {
        let mut rooms: Vec<(Place, usize)> = Vec::with_capacity(consumed.len());
        for (id, last) in consumed {
            rooms.push((self.with_values(*id)?, last + 1));
        }
        rooms.sort_by_key(|(place, _)| std::cmp::Reverse(place.values));
        rooms.truncate(ROOMS);
        let mut places = BTreeMap::new();
        let mut left = Vec::new();
        let mut tensors = tensors.to_vec();
        tensors.sort_by_key(|(_, lifetime)| (lifetime.first, lifetime.last));
        for (id, lifetime) in tensors {
            let wanted = lifetime.values as usize;
            // The smallest that is large enough comes last.
            let mut free = rooms.iter_mut().rev();
            match free.find(|(place, from)| *from <= lifetime.first && place.values >= wanted) {
                Some((place, from)) => {
                    *from = lifetime.last + 1;
                    let values = wanted;
                    places.insert(
                        id,
                        Place {
                            values,
                            ..place.clone()
                        },
                    );
                }
                None => left.push((id, lifetime)),
            }
        }
        Ok((places, left))
    }

    /// Places for tensors that are needed only within a recording. Their values are undefined.
    pub fn share(&mut self, tensors: &[(BufferId, Lifetime)]) -> Result<Places, Error> {
        if tensors.is_empty() {
            return Ok(BTreeMap::new());
        }
        let lifetimes: Vec<Lifetime> = tensors.iter().map(|(_, lifetime)| *lifetime).collect();
        let ends = self.ends_of_shared();
        let pool = pool::assign(&lifetimes, &ends);
        if let Some(mistake) = pool::mistake(&lifetimes, &pool, &ends) {
            return Err(Error::Schedule(mistake));
        }
        let held = ends.last().copied().unwrap_or_default();
        if pool.values > held {
            let values = pool.values - held;
            let taken = self.store.take(values, self.precision);
            taken.map_err(together)?;
            let buffer = self.buffer(values, self.precision)?;
            self.shared.push(buffer);
        }
        let ends = self.ends_of_shared();
        self.least_shared = self.least_shared.max(pool::least(&lifetimes));
        self.most_shared = self
            .most_shared
            .max(ends.last().copied().unwrap_or_default());
        let places = tensors.iter().zip(&pool.places);
        let placed = places.map(|((id, lifetime), at)| {
            let number = ends.partition_point(|end| end <= at);
            let buffer = &self.shared[number];
            let begin = ends[number] - buffer.len();
            let place = Place {
                buffer: buffer.clone(),
                at: (at - begin) as usize,
                values: lifetime.values as usize,
            };
            (*id, place)
        });
        Ok(placed.collect())
    }

    /// Returns the end of each of the shared buffers, as if they lay one behind the other.
    fn ends_of_shared(&self) -> Vec<u64> {
        let ends = self.shared.iter().scan(0, |end, buffer| {
            *end += buffer.len();
            Some(*end)
        });
        ends.collect()
    }

    /// Frees the shared buffers, which no recording uses any more.
    pub fn share_no_more(&mut self) -> Result<(), Error> {
        if self.shared.is_empty() {
            return Ok(());
        }
        let finished = self.queue.finish();
        finished.map_err(|error| failure("finish the queue", error))?;
        for buffer in std::mem::take(&mut self.shared) {
            self.store.give_back(buffer.len(), self.precision);
        }
        Ok(())
    }

    /// Returns buffers of at least these sizes for copies, and for values of this precision that one kernel passes to
    /// the next. The queue runs kernels in order, so all loop nests can use the same buffers. Those after the first
    /// `skipped` of the precision are taken.
    pub fn scratch(
        &mut self,
        sizes: &[u64],
        precision: Precision,
        skipped: usize,
    ) -> Result<Vec<Place>, Error> {
        let mut places = Vec::with_capacity(sizes.len());
        for (number, values) in sizes.iter().enumerate() {
            let key = (precision, skipped + number);
            let held = self.scratch.get(&key).map_or(0, Values::len);
            if held < *values {
                self.store.take(*values, precision).map_err(together)?;
                let buffer = self.buffer(*values, precision)?;
                self.store.give_back(held, precision);
                self.scratch.insert(key, buffer);
            }
            let buffer = self.scratch[&key].clone();
            places.push(Place::first(buffer, *values as usize));
        }
        Ok(places)
    }

    /// Returns the peaks of the memory that was taken.
    pub fn used(&self) -> MemoryUse {
        let bytes = |values: u64| values * self.precision.bytes();
        MemoryUse {
            most: self.store.most(),
            most_shared: bytes(self.most_shared),
            least_shared: bytes(self.least_shared),
            // These buffers are never given back.
            most_passed: self.scratch.values().map(Values::bytes).sum(),
        }
    }
}

/// Returns the error that memory for intermediate values does not suffice.
fn together(error: Error) -> Error {
    match error {
        Error::Memory {
            asked, used, limit, ..
        } => Error::SharedMemory { asked, used, limit },
        other => other,
    }
}

fn new_buffer(queue: &Queue, shape: &[u64], precision: Precision) -> Result<Values, Error> {
    let count = element_count(shape)?;
    let asked = precision.bytes().saturating_mul(count as u64);
    let no_room = |reason: String| Error::NoRoom {
        shape: shape.to_vec(),
        asked,
        reason,
    };
    // Some drivers notice only at a launch that a buffer is too large.
    if let Ok(Answer::MaxMemAllocSize(most)) =
        core::get_device_info(queue.device(), Key::MaxMemAllocSize)
        && asked > most
    {
        let reason = format!("it gives at most {most} bytes in one piece");
        return Err(no_room(reason));
    }
    let made = Values::new(queue, count, precision);
    made.map_err(|error| no_room(plain(&error.to_string())))
}
