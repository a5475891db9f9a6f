//! Trials of kernels: a launch in buffers that show every write to a wrong place.
//!
//! Each tensor and each scratch buffer lies between two guard zones in a buffer of its own, at an odd place. Guard
//! zones, scratch buffers, and the written tensor of an operation that erases hold NaN with a pattern of bits that no
//! arithmetic makes. So a value that is read from a guard zone, or before it is written, makes the result NaN, and a
//! write into a guard zone or into an operand is seen afterwards.

use ocl::Buffer;

use super::buffer::Values;
use super::discovery::failure;
use super::engine::OpenCl;
use super::memory::Place;
use super::recording::Launch;
use crate::call::{self, Symbols};
use crate::device::Call;
use crate::error::Error;
use crate::loop_nest::LoopNest;
use crate::opencl::emit::source::KernelSource;
use crate::precision::Precision;
use crate::shape::check_length;
use crate::tensor::Tensor;

/// The number of values of a guard zone: more than a tile or a vector that is moved by one too far, and odd, since
/// kernels must not rely on the alignment of tensors.
const GUARD: usize = 1021;

/// The bits of poisoned values: a quiet NaN with a pattern.
const POISON: u32 = 0x7fc5_a5a5;

/// The most kernels that are kept compiled between trials.
const KEPT: usize = 256;

/// The result of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The written tensor afterwards.
    pub written: Tensor,
    /// Descriptions of the changes that no kernel may make. Empty if all is well.
    pub damage: Vec<String>,
}

/// A buffer with guard zones, and what it held before.
struct Guarded {
    name: String,
    place: Place,
    before: Vec<f32>,
    /// True if kernels may write between the guard zones.
    open: bool,
}

impl OpenCl {
    /// Runs the kernels of a loop nest on these tensors, one for each slot, in guarded buffers.
    ///
    /// # Errors
    /// [`Error::Schedule`] if the source has a defect, [`Error::BufferCount`] and [`Error::DataLength`] if the tensors
    /// do not fit the loop nest, errors about symbols, and [`Error::OpenCl`].
    pub fn trial(
        &mut self,
        nest: &LoopNest,
        source: &KernelSource,
        tensors: &[Tensor],
        symbols: &Symbols,
    ) -> Result<Trial, Error> {
        let (expected, found) = (nest.slots().len(), tensors.len());
        if expected != found {
            return Err(Error::BufferCount { expected, found });
        }
        for (slot, tensor) in nest.slots().iter().zip(tensors) {
            check_length(&slot.sizes, tensor.values().len())?;
        }
        call::all_positions(nest, symbols)?;
        let fill = nest.initial().filter(|_| !nest.is_surjective());
        self.run_guarded((&[nest], fill), source, tensors, symbols)
    }

    /// Does the same for a kernel of a contraction and an elementwise operation ([`KernelSource::chosen_with`]), with a
    /// tensor for each of its slots.
    ///
    /// # Errors
    /// As [`OpenCl::trial`].
    pub fn trial_of_both(
        &mut self,
        nests: [&LoopNest; 2],
        source: &KernelSource,
        tensors: &[Tensor],
        symbols: &Symbols,
    ) -> Result<Trial, Error> {
        let elements = &source.plans[0].0.elements;
        let (expected, found) = (elements.len(), tensors.len());
        if expected != found {
            return Err(Error::BufferCount { expected, found });
        }
        for (size, tensor) in elements.iter().zip(tensors) {
            check_length(&[*size], tensor.values().len())?;
        }
        for nest in nests {
            call::all_positions(nest, symbols)?;
        }
        self.run_guarded((&nests, None), source, tensors, symbols)
    }

    /// Runs the kernels of loop nests, of which the last writes slot 0, with the number by which that is filled before.
    fn run_guarded(
        &mut self,
        (nests, fill): (&[&LoopNest], Option<f32>),
        source: &KernelSource,
        tensors: &[Tensor],
        symbols: &Symbols,
    ) -> Result<Trial, Error> {
        if source.precision != Precision::F32 {
            let reason = "a trial is in 32 bits, and its kernels compute in 64";
            return Err(Error::Schedule(reason.to_string()));
        }
        self.keep_at_most(KEPT);
        self.compile(std::slice::from_ref(source))?;
        let erases = nests.last().is_some_and(|nest| nest.accumulator().erase);
        let mut guarded = Vec::new();
        for (number, tensor) in tensors.iter().enumerate() {
            let name = format!("the tensor of slot {number}");
            let values = match number == 0 && erases {
                true => vec![f32::from_bits(POISON); tensor.values().len()],
                false => tensor.values().to_vec(),
            };
            guarded.push(self.guarded(name, &values, number == 0)?);
        }
        for (number, values) in source.scratch.iter().enumerate() {
            let values = vec![f32::from_bits(POISON); *values as usize];
            guarded.push(self.guarded(format!("scratch buffer {number}"), &values, true)?);
        }
        let (slots, scratch) = guarded.split_at(tensors.len());
        let places: Vec<Place> = scratch.iter().map(|one| one.place.clone()).collect();
        let kernels = self.kernels(source, &places, |slot| &slots[slot].place)?;
        let fills = fill.map(|initial| (slots[0].place.clone(), initial));
        let calls = nests.iter().map(|nest| Call {
            nest: (*nest).clone(),
            buffers: Vec::new(),
        });
        let (calls, fills) = (calls.collect(), fills.into_iter().collect());
        Launch::new(calls, source, Vec::new(), fills, kernels).enqueue(symbols, None)?;
        let mut damage = Vec::new();
        let mut written = None;
        for one in &guarded {
            let after = one.values()?;
            damage.extend(one.damage(&after));
            // The first is the written tensor.
            written.get_or_insert_with(|| after[GUARD..after.len() - GUARD].to_vec());
        }
        let written = Tensor::new(tensors[0].shape().to_vec(), written.unwrap_or_default())?;
        Ok(Trial { written, damage })
    }

    fn guarded(&self, name: String, values: &[f32], open: bool) -> Result<Guarded, Error> {
        let poison = f32::from_bits(POISON);
        let mut before = vec![poison; GUARD];
        before.extend(values);
        before.extend(vec![poison; GUARD]);
        let buffer = Buffer::builder()
            .queue(self.queue().clone())
            .len(before.len())
            .copy_host_slice(&before)
            .build()
            .map_err(|error| failure("make room for a guarded tensor", error))?;
        let place = Place {
            buffer: Values::Single(buffer),
            at: GUARD,
            values: values.len(),
        };
        Ok(Guarded {
            name,
            place,
            before,
            open,
        })
    }
}

impl Guarded {
    fn values(&self) -> Result<Vec<f32>, Error> {
        let all = self.place.buffer.read(&[self.before.len() as u64])?;
        Ok(all.into_values())
    }

    /// Finds the first place that was changed and may not be.
    fn damage(&self, after: &[f32]) -> Option<String> {
        let end = GUARD + self.place.values;
        let changed = |at: &usize| {
            let inside = (GUARD..end).contains(at);
            !(inside && self.open) && self.before[*at].to_bits() != after[*at].to_bits()
        };
        let at = (0..after.len()).find(changed)?;
        let (name, place) = (&self.name, at as i64 - GUARD as i64);
        let size = self.place.values;
        Some(format!(
            "{name}, which has {size} values, is changed at {place}"
        ))
    }
}
