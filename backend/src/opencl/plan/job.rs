//! Jobs: the computation of one kernel or of a few successive ones, as loops without names, a function, and the way in
//! which values are written into cells.
//!
//! A loop nest is one job. Where values may be combined in another order ([`Numerics::Fast`]), a job with few cells and
//! many values in each becomes two: sums of parts, and the sum of these.

use lozenge_vocabulary::operation::{Accumulator, Combine, Function};

use super::epilogue::Epilogue;
use super::loops::{Loop, Loops, Offset};
use crate::loop_nest::{COMPENSATED, LoopNest, Write};
use crate::precision::Precision;
use crate::rules::Arithmetic;
use crate::rules::Numerics;

/// The argument for a parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Argument {
    /// The buffer of a slot of the loop nest.
    Slot(usize),
    /// A buffer that one kernel of the loop nest fills for the next, by its number.
    Scratch(usize),
    /// A part of the local memory of a kernel of several calls. It is not a parameter of the kernel itself.
    Local(usize),
}

/// A computation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Job {
    /// The loops; slot 0 is written.
    pub loops: Loops,
    /// The function of the values read.
    pub function: Function,
    /// The way in which the values of a cell are combined.
    pub accumulator: Accumulator,
    /// The way in which a value is written into its cell.
    pub write: Write,
    /// True if sums are compensated for rounding.
    pub compensated: bool,
    /// The number of elements of the largest tensor.
    pub largest: u64,
    /// The buffer of each slot.
    pub buffers: Vec<Argument>,
    /// The rules for rounding.
    pub numerics: Numerics,
    /// The precision in which values are computed and combined, and that of scratch buffers.
    pub precision: Precision,
    /// The precision of tensors.
    pub stored: Precision,
    /// The operation that is computed from the total of each cell, and whose value is stored in the place of the total.
    pub epilogue: Option<Epilogue>,
}

/// The job of a contraction and of the operation that reads its result.
#[cfg(feature = "opencl")]
pub(crate) struct WithEpilogue {
    /// The job, whose slots are those of the contraction and then the operands of the operation that are not the
    /// contraction's result. It writes the cells of the operation.
    pub job: Job,
    /// The distances by which one step of each free loop moves the cell in the result of the contraction, which the job
    /// does not have.
    pub cells: Vec<u64>,
}

impl Job {
    /// Makes the job of a loop nest.
    pub fn new(nest: &LoopNest, arithmetic: Arithmetic) -> Job {
        let elements = |sizes: &Vec<u64>| sizes.iter().product::<u64>();
        let largest = nest.slots().iter().map(|slot| elements(&slot.sizes)).max();
        Job {
            loops: Loops::new(nest),
            function: nest.function().clone(),
            accumulator: nest.accumulator(),
            write: nest.write(),
            compensated: nest.is_compensated(),
            largest: largest.unwrap_or(1),
            buffers: (0..nest.slots().len()).map(Argument::Slot).collect(),
            numerics: arithmetic.numerics,
            precision: arithmetic.precision(nest),
            stored: arithmetic.tensors,
            epilogue: None,
        }
    }

    /// Returns the precision of the values in the buffer of a slot.
    pub fn precision_of(&self, slot: usize) -> Precision {
        match self.buffers[slot] {
            Argument::Scratch(_) => self.precision,
            Argument::Slot(_) | Argument::Local(_) => self.stored,
        }
    }

    /// Tells whether the values of the job's tensors are widened before they are computed with.
    pub fn widens(&self) -> bool {
        self.precision != self.stored
    }

    /// Returns the number of values in a vector of 64 bytes.
    pub fn lanes(&self) -> u64 {
        64 / self.precision.bytes()
    }

    /// Returns the number of operands of the job's function.
    pub fn operands(&self) -> usize {
        let more = self.epilogue.iter().flat_map(Epilogue::slots).count();
        self.loops.offsets.len() - 1 - more
    }

    /// Returns the job that stores the totals in the cells of the epilogue, or this one if it has none.
    #[cfg(feature = "opencl")]
    pub fn without_epilogue(&self) -> Job {
        let slots = self.operands() + 1;
        let mut job = Job {
            epilogue: None,
            ..self.clone()
        };
        let loops = job.loops.free.iter_mut().chain(&mut job.loops.reduced);
        loops.for_each(|one| one.strides.truncate(slots));
        job.loops.offsets.truncate(slots);
        job.buffers.truncate(slots);
        job
    }

    /// Tells whether values are stored directly, and every cell gets one.
    pub fn is_straight(&self) -> bool {
        self.write == Write::Plain && self.loops.guards.iter().all(|guard| guard.written)
    }

    /// Tells whether values may be combined in any order.
    pub fn is_free(&self) -> bool {
        self.numerics == Numerics::Fast
            && self.accumulator.combine != Combine::Replace
            && self.write == Write::ReadModifyWrite
    }

    /// Splits the job: the values of a cell are combined in `parts` parts, each into a separate cell of a scratch
    /// buffer, and then these are summed. Returns the jobs and the size of the buffer. If `parts` does not divide the
    /// loop, the remainder is a further part, which is a separate job.
    pub fn split(&self, number: usize, parts: u64, scratch: usize) -> (Vec<Job>, u64) {
        let cells = self.loops.cells();
        let whole = &self.loops.reduced[number];
        let (each, rest) = (whole.extent / parts, whole.extent % parts);
        let mut jobs = vec![self.part(number, (parts, each), 0, scratch)];
        let mut places = parts;
        if rest > 0 {
            jobs.push(self.part(number, (1, rest), parts, scratch));
            places += 1;
        }
        let mut dense = cells;
        let free = self.loops.free.iter().map(|one| {
            dense /= one.extent;
            Loop {
                extent: one.extent,
                strides: vec![one.strides[0], dense],
                tied: false,
            }
        });
        let sum = Job {
            loops: Loops {
                free: free.collect(),
                reduced: match places {
                    // A single part is only rounded.
                    1 => Vec::new(),
                    _ => vec![Loop {
                        extent: places,
                        strides: vec![0, cells],
                        tied: false,
                    }],
                },
                offsets: vec![self.loops.offsets[0].clone(), Offset::default()],
                symbols: self.loops.symbols.clone(),
                ties: Vec::new(),
                guards: Vec::new(),
            },
            function: Function::Identity,
            compensated: false,
            largest: self.largest.max(places * cells),
            buffers: vec![self.buffers[0], Argument::Scratch(scratch)],
            ..self.clone()
        };
        jobs.push(Job {
            loops: sum.loops.merged_again(),
            ..sum
        });
        (jobs, places * cells)
    }

    /// Makes the job of some parts of equal length, which begin at place `first` of the scratch buffer.
    fn part(&self, number: usize, (parts, each): (u64, u64), first: u64, scratch: usize) -> Job {
        let cells = self.loops.cells();
        let whole = self.loops.reduced[number].clone();
        let mut loops = self.loops.clone();
        let mut dense = cells;
        for one in &mut loops.free {
            dense /= one.extent;
            one.strides[0] = dense;
        }
        // The further part begins where the others end.
        let done = whole.extent - parts * each;
        for (slot, offset) in loops.offsets.iter_mut().enumerate().skip(1) {
            if first > 0 {
                offset.fixed += (done * whole.strides[slot]) as i64;
            }
        }
        loops.offsets[0] = Offset {
            fixed: (first * cells) as i64,
            symbols: Vec::new(),
        };
        if parts > 1 {
            let mut strides: Vec<u64> = whole.strides.iter().map(|one| one * each).collect();
            strides[0] = cells;
            loops.free.insert(
                0,
                Loop {
                    extent: parts,
                    strides,
                    tied: false,
                },
            );
        }
        match each {
            1 => {
                loops.reduced.remove(number);
            }
            _ => loops.reduced[number].extent = each,
        }
        let mut buffers = self.buffers.clone();
        buffers[0] = Argument::Scratch(scratch);
        let combine = match self.accumulator.combine {
            Combine::Subtract => Combine::Add,
            other => other,
        };
        Job {
            accumulator: Accumulator {
                erase: true,
                combine,
            },
            compensated: loops.values_a_cell() >= COMPENSATED,
            loops,
            buffers,
            largest: self.largest.max((first + parts) * cells),
            ..self.clone()
        }
    }
}
