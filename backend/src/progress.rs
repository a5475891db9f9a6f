//! The progress of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A count of the points that a device has visited, shared with whoever shows it.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// Returns the number of points that were visited since the count began.
    pub fn points(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts more points.
    pub(crate) fn add(&self, points: u64) {
        self.0.fetch_add(points, Ordering::Relaxed);
    }
}
