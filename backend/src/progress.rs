//! The progress of a run, and the wish to stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A count of the points that a device has visited, shared with whoever shows it, and a flag that stops the device.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    points: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl Progress {
    /// Begins a count that this flag ends: a device that looks at it stops with
    /// [`Error::Stopped`](crate::Error::Stopped) when it is set.
    pub fn until(stop: Arc<AtomicBool>) -> Progress {
        Progress {
            points: Arc::default(),
            stop,
        }
    }

    /// Tells whether the device is to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns the number of points that were visited since the count began.
    pub fn points(&self) -> u64 {
        self.points.load(Ordering::Relaxed)
    }

    /// Counts more points.
    pub(crate) fn add(&self, points: u64) {
        self.points.fetch_add(points, Ordering::Relaxed);
    }
}
