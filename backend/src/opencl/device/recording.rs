//! Calls that are prepared once and enqueued many times: kernels with their arguments set.
//!
//! A launch owns handles to its buffers, so that none is freed while the launch may be enqueued (PoCL aborts the
//! process when a kernel is enqueued whose buffer argument was released). Only symbols differ from one replay to the
//! next.

use ocl::Kernel;

use super::discovery::failure;
use super::foreign;
use super::memory::Place;
use super::timing::Timing;
use crate::call::{self, Symbols};
use crate::device::Call;
use crate::error::Error;
use crate::opencl::emit::source::KernelSource;

/// The commands that are enqueued for one loop nest, or for a group of them.
pub(super) struct Launch {
    /// The calls whose symbols have to be checked each time.
    checked: Vec<Call>,
    /// The copies that precede the kernels, of tensors that are read after a kernel has begun to write them.
    copies: Vec<(Place, Place)>,
    /// The tensors that are filled first, with the values.
    fills: Vec<(Place, f32)>,
    /// The kernels, each with the place of its first symbol among its arguments.
    kernels: Vec<(Kernel, u32)>,
    symbols: Vec<std::sync::Arc<str>>,
    /// The points of its loop nests.
    points: u64,
    /// The place where the launch's times are noted, if they are.
    pub timed: Option<usize>,
}

impl Launch {
    /// Makes a launch of kernels, whose arguments except the symbols are set.
    pub fn new(
        calls: Vec<Call>,
        source: &KernelSource,
        copies: Vec<(Place, Place)>,
        fills: Vec<(Place, f32)>,
        kernels: Vec<(Kernel, u32)>,
    ) -> Launch {
        let points = calls.iter().map(|call| call.nest.points());
        let points = points.fold(0, |all: u64, points| {
            all.saturating_add(points.unwrap_or(u64::MAX))
        });
        Launch {
            points,
            timed: None,
            checked: match source.symbols.is_empty() {
                true => Vec::new(),
                false => calls,
            },
            copies,
            fills,
            kernels,
            symbols: source.symbols.clone(),
        }
    }

    /// Fills these places with NaN before anything else.
    pub fn poison(&mut self, places: impl Iterator<Item = Place>) {
        let poison = places.map(|place| (place, f32::NAN));
        self.fills.splice(0..0, poison);
    }

    /// Returns the number of points of the launch's loop nests.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// Returns the number of commands that the launch enqueues.
    pub fn commands(&self) -> usize {
        self.copies.len() + self.fills.len() + self.kernels.len()
    }

    /// Puts its commands into the queue, and notes those that are measured.
    pub fn enqueue(&self, symbols: &Symbols, timing: Option<&mut Timing>) -> Result<(), Error> {
        let mut timed = self.timed.zip(timing);
        if let Some((place, timing)) = &mut timed {
            timing.runs(*place);
        }
        for call in &self.checked {
            call::all_positions(&call.nest, symbols)?;
        }
        for (from, to) in &self.copies {
            from.copy(to)?;
        }
        for (place, value) in &self.fills {
            place.fill(*value)?;
        }
        for (kernel, first) in &self.kernels {
            for (number, symbol) in self.symbols.iter().enumerate() {
                let set = kernel.set_arg(*first + number as u32, symbols[symbol]);
                set.map_err(|error| failure("set the kernel's arguments", error))?;
            }
            let failed = |error| failure("run the kernel", error);
            match &mut timed {
                None => foreign::enqueue(kernel).map_err(failed)?,
                Some((place, timing)) => {
                    let event = foreign::enqueue_timed(kernel).map_err(failed)?;
                    timing.command(*place, event)?;
                }
            }
        }
        Ok(())
    }
}
