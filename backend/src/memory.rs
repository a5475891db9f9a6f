//! The limits of a device, and the account of the memory that it holds.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;
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
    /// 4 GiB, and 2^40 points, which take the interpreter some hours.
    fn default() -> Limits {
        Limits {
            bytes: 4 << 30,
            points: 1 << 40,
        }
    }
}

impl Limits {
    /// The bytes of a tensor, if it fits beside `used` bytes.
    pub(crate) fn check(&self, shape: &[u64], used: u64) -> Result<u64, Error> {
        let asked = element_count(shape)? as u64 * size_of::<f32>() as u64;
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
}

/// All tensors that a device holds.
#[derive(Debug)]
pub(crate) struct Store<S> {
    limits: Limits,
    used: u64,
    held: BTreeMap<BufferId, Held<S>>,
}

impl<S> Store<S> {
    pub fn new(limits: Limits) -> Store<S> {
        Store {
            limits,
            used: 0,
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
        let bytes = self.limits.check(shape, self.used)?;
        let (shape, storage) = (shape.to_vec(), make()?);
        self.used += bytes;
        let id = BufferId::fresh();
        self.held.insert(id, Held { shape, storage });
        Ok(id)
    }

    /// Whether one more tensor would fit.
    pub fn check(&self, shape: &[u64]) -> Result<(), Error> {
        self.limits.check(shape, self.used).map(|_| ())
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

    pub fn remove(&mut self, id: BufferId) -> Result<(), Error> {
        let held = self
            .held
            .remove(&id)
            .ok_or(Error::UnknownBuffer { slot: None })?;
        self.used -= element_count(&held.shape)? as u64 * size_of::<f32>() as u64;
        Ok(())
    }
}
