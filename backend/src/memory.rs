//! The limits of a device, and the account of the memory that it holds.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use crate::error::Error;
use crate::precision::Precision;
use crate::shape::element_count;

/// The limits of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all tensors that it holds at a time.
    pub bytes: u64,
    /// Points of the product space of one loop nest.
    pub points: u64,
}

impl Default for Limits {
    /// Returns 4 GiB, and 2^40 points, which take the interpreter some hours.
    fn default() -> Limits {
        Limits {
            bytes: 4 << 30,
            points: 1 << 40,
        }
    }
}

impl Limits {
    /// Computes the bytes of a tensor, if it fits beside `used` bytes.
    pub(crate) fn check(
        &self,
        shape: &[u64],
        used: u64,
        precision: Precision,
    ) -> Result<u64, Error> {
        let asked = (element_count(shape)? as u64).saturating_mul(precision.bytes());
        if asked > self.bytes.saturating_sub(used) {
            let (shape, limit) = (shape.to_vec(), self.bytes);
            return Err(Error::Memory {
                shape,
                asked,
                used,
                limit,
            });
        }
        Ok(asked)
    }
}

/// The id of a tensor on a device. No two devices of a process issue the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(u64);

impl BufferId {
    fn fresh() -> BufferId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        BufferId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The id of a recording of a device. No two devices of a process issue the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordingId(u64);

impl RecordingId {
    pub(crate) fn fresh() -> RecordingId {
        RecordingId(BufferId::fresh().0)
    }
}

/// A tensor held by a device, whose storage has type `S`.
#[derive(Debug)]
pub(crate) struct Held<S> {
    pub shape: Vec<u64>,
    pub storage: S,
    /// The memory that the tensor takes.
    bytes: u64,
}

/// The peaks of the memory that a device has taken so far, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MemoryUse {
    /// The peak of all memory together.
    pub most: u64,
    /// Memory that tensors share which are needed only between some kernels of a recording, and not at the same time.
    pub most_shared: u64,
    /// The least memory that would do for these tensors: the memory of the tensors that are needed at one kernel, for
    /// the kernel that needs most.
    pub least_shared: u64,
    /// The memory of copies, and of values that one kernel of an operation passes to the next.
    pub most_passed: u64,
}

/// All tensors that a device holds.
#[derive(Debug)]
pub(crate) struct Store<S> {
    limits: Limits,
    /// The precision of the tensors.
    precision: Precision,
    used: u64,
    /// The most that was used so far.
    most: u64,
    held: BTreeMap<BufferId, Held<S>>,
}

impl<S> Store<S> {
    pub fn new(limits: Limits, precision: Precision) -> Store<S> {
        Store {
            limits,
            precision,
            used: 0,
            most: 0,
            held: BTreeMap::new(),
        }
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Adds a tensor. Its storage is allocated only after it is known to fit.
    pub fn insert(
        &mut self,
        shape: &[u64],
        make: impl FnOnce() -> Result<S, Error>,
    ) -> Result<BufferId, Error> {
        let bytes = self.limits.check(shape, self.used, self.precision)?;
        let (shape, storage) = (shape.to_vec(), make()?);
        self.count(bytes);
        let id = BufferId::fresh();
        let held = Held {
            shape,
            storage,
            bytes,
        };
        self.held.insert(id, held);
        Ok(id)
    }

    /// Adds a tensor that takes no memory until [`Store::settle`].
    #[cfg(feature = "opencl")]
    pub fn reserve(&mut self, shape: &[u64], storage: S) -> Result<BufferId, Error> {
        self.limits.check(shape, 0, self.precision)?;
        let id = BufferId::fresh();
        let held = Held {
            shape: shape.to_vec(),
            storage,
            bytes: 0,
        };
        self.held.insert(id, held);
        Ok(id)
    }

    /// Gives a reserved tensor its storage, which is allocated only after it is known to fit.
    #[cfg(feature = "opencl")]
    pub fn settle(
        &mut self,
        id: BufferId,
        make: impl FnOnce(&[u64]) -> Result<S, Error>,
    ) -> Result<(), Error> {
        let (limits, used, precision) = (self.limits, self.used, self.precision);
        let held = self.get_mut(id)?;
        let bytes = limits.check(&held.shape, used, precision)?;
        held.storage = make(&held.shape)?;
        held.bytes = bytes;
        self.count(bytes);
        Ok(())
    }

    /// Counts memory for so many values that belong to no tensor.
    #[cfg(feature = "opencl")]
    pub fn take(&mut self, values: u64, precision: Precision) -> Result<(), Error> {
        let bytes = self.limits.check(&[values], self.used, precision)?;
        self.count(bytes);
        Ok(())
    }

    /// Stops counting memory that belongs to no tensor.
    #[cfg(feature = "opencl")]
    pub fn give_back(&mut self, values: u64, precision: Precision) {
        self.used -= values * precision.bytes();
    }

    /// Returns the most bytes that were taken at one time.
    #[cfg(feature = "opencl")]
    pub fn most(&self) -> u64 {
        self.most
    }

    fn count(&mut self, bytes: u64) {
        self.used += bytes;
        self.most = self.most.max(self.used);
    }

    /// Checks that one more tensor would fit.
    pub fn check(&self, shape: &[u64]) -> Result<(), Error> {
        self.limits
            .check(shape, self.used, self.precision)
            .map(|_| ())
    }

    pub fn get(&self, id: BufferId) -> Result<&Held<S>, Error> {
        let unknown = Error::UnknownBuffer { slot: None };
        self.held.get(&id).ok_or(unknown)
    }

    pub fn get_mut(&mut self, id: BufferId) -> Result<&mut Held<S>, Error> {
        self.held
            .get_mut(&id)
            .ok_or(Error::UnknownBuffer { slot: None })
    }

    pub fn remove(&mut self, id: BufferId) -> Result<Held<S>, Error> {
        let held = self
            .held
            .remove(&id)
            .ok_or(Error::UnknownBuffer { slot: None })?;
        self.used -= held.bytes;
        Ok(held)
    }
}
