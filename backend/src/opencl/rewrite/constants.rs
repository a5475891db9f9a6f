//! Constants in a recording: a tensor that holds one number everywhere is no operand: the number is a part of the
//! function of each call that reads it. A tensor that is filled and then added to is not filled: the first sum begins
//! with the number. So `a * 2` reads only `a`, and a gradient is written by its first contribution. With
//! [`Numerics::Exact`](crate::Numerics) no bit changes.
//!
//! A kernel with a number of its own is compiled by itself. In a loop whose iterations differ in a number only, such as
//! a rate that falls, this would take far longer than the loop itself. So small operations that are the same but for
//! many numbers read them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::LoopNest;
use crate::device::{Call, Purpose};
use crate::memory::BufferId;
use crate::precision::Precision;
use crate::rules::{Arithmetic, Numerics};

/// The most numbers that may be parts of operations that are otherwise the same. With more, the operations read them.
const NUMBERS: usize = 4;

/// The points of the largest operation that reads a number to spare a kernel. Compiling a kernel takes as long as
/// running such an operation hundreds of times.
const SMALL: u64 = 1 << 16;

/// A buffer that holds one number everywhere.
struct Known {
    number: f64,
    /// The call that has filled it, unless that was before the recording.
    fill: Option<usize>,
    /// True if a call reads the buffer as it is.
    is_read: bool,
}

impl Known {
    /// Returns the fill, if no call needs it as long as all calls that write the buffer from here on give each cell a
    /// new value.
    fn idle_fill(&self) -> Option<usize> {
        self.fill.filter(|_| !self.is_read)
    }
}

/// Removes constant operands from the calls, and fills that nothing reads any more.
pub(super) fn folded(calls: Vec<Call>, purpose: &Purpose, arithmetic: Arithmetic) -> Vec<Call> {
    let before = purpose.constants.iter();
    let before = before.map(|(id, number)| {
        let number = rounded(*number, arithmetic.tensors);
        let known = Known {
            number,
            fill: None,
            is_read: false,
        };
        (*id, known)
    });
    let mut constants = Constants {
        known: before.collect(),
        dead: BTreeSet::new(),
        numbers: match purpose.repeated {
            true => Numbers::default(),
            false => Numbers::of(&calls, arithmetic.tensors),
        },
        arithmetic,
    };
    let mut all = Vec::with_capacity(calls.len());
    for (at, mut call) in calls.into_iter().enumerate() {
        // A call with a wrong number of buffers is refused as it is.
        if call.buffers.len() == call.nest.slots().len() {
            constants.fold(&mut call);
            constants.write(at, &mut call);
        }
        all.push(call);
    }
    let Constants {
        known, mut dead, ..
    } = constants;
    for (id, known) in known {
        if purpose.temporary.contains(&id) {
            dead.extend(known.idle_fill());
        }
    }
    let numbered = all.into_iter().enumerate();
    let live = numbered.filter(|(at, _)| !dead.contains(at));
    live.map(|(_, call)| call).collect()
}

/// Rounds a number to the nearest one of a precision.
fn rounded(number: f64, precision: Precision) -> f64 {
    match precision {
        Precision::F32 => f64::from(number as f32),
        Precision::F64 => number,
    }
}

/// The constants that are known at a place of the recording.
struct Constants {
    known: BTreeMap<BufferId, Known>,
    /// The fills that no call needs.
    dead: BTreeSet<usize>,
    /// The numbers that operations are given within the recording, unless compiling takes little of its time.
    numbers: Numbers,
    arithmetic: Arithmetic,
}

impl Constants {
    /// Makes the constant operands of a call a part of its function.
    fn fold(&mut self, call: &mut Call) {
        // A number from before the recording need not be stored, so it cannot be read.
        let is_read = |slot: usize| {
            let known = self.known.get(&call.buffers[slot]);
            let is_stored = known.is_some_and(|known| known.fill.is_some());
            is_stored && self.numbers.are_many(&call.nest, slot)
        };
        let is_read: Vec<bool> = (0..call.buffers.len()).map(is_read).collect();
        for slot in (1..call.buffers.len()).rev() {
            let Some(known) = self.known.get_mut(&call.buffers[slot]) else {
                continue;
            };
            match call.nest.with_constant(slot, known.number) {
                Some(nest) if !is_read[slot] => {
                    call.nest = nest;
                    call.buffers.remove(slot);
                }
                // The call reads the buffer as it is.
                _ => known.is_read = true,
            }
        }
    }

    /// Notes the tensor that a call writes. A call that adds to a constant begins with that constant instead.
    fn write(&mut self, at: usize, call: &mut Call) {
        let written = call.buffers[0];
        let reads = call.buffers[1..].contains(&written);
        if let Some(known) = self.known.remove(&written)
            && !reads
        {
            let is_exact = self.arithmetic.numerics == Numerics::Exact;
            let begun = call.nest.begun_with(known.number, is_exact);
            let nest = &call.nest;
            let erases = nest.accumulator().erase && nest.is_surjective() && !nest.is_guarded();
            if begun.is_some() || erases {
                self.dead.extend(known.idle_fill());
            }
            if let Some(begun) = begun {
                call.nest = begun;
            }
        }
        if let Some(number) = call.nest.constant_in(self.arithmetic.tensors) {
            let known = Known {
                number,
                fill: Some(at),
                is_read: false,
            };
            self.known.insert(written, known);
        }
    }
}

/// The bits of the numbers of small operations that are the same but for a number.
#[derive(Default)]
struct Numbers(HashMap<Operand, BTreeSet<u64>>);

/// A slot of an operation, as far as it matters for a kernel: the function, the sizes of the tensors, and which of
/// them.
type Operand = (String, Vec<Arc<Vec<u64>>>, usize);

impl Numbers {
    fn of(calls: &[Call], precision: Precision) -> Numbers {
        let mut known: BTreeMap<BufferId, f64> = BTreeMap::new();
        let mut numbers = Numbers::default();
        for Call { nest, buffers } in calls {
            for (slot, buffer) in buffers.iter().enumerate().skip(1) {
                if let Some(number) = known.get(buffer)
                    && let Some(operand) = operand(nest, slot)
                {
                    let numbers = numbers.0.entry(operand).or_default();
                    numbers.insert(number.to_bits());
                }
            }
            if let Some(written) = buffers.first() {
                match nest.constant_in(precision) {
                    Some(number) => known.insert(*written, number),
                    None => known.remove(written),
                };
            }
        }
        numbers.0.retain(|_, numbers| numbers.len() > NUMBERS);
        numbers
    }

    /// Tells whether an operation is given more numbers in this slot than are worth a kernel each.
    fn are_many(&self, nest: &LoopNest, slot: usize) -> bool {
        !self.0.is_empty()
            && operand(nest, slot).is_some_and(|operand| self.0.contains_key(&operand))
    }
}

fn operand(nest: &LoopNest, slot: usize) -> Option<Operand> {
    let is_small = nest.points().is_some_and(|points| points <= SMALL);
    let sizes = || nest.slots().iter().map(|slot| slot.sizes.clone()).collect();
    is_small.then(|| (format!("{:?}", nest.function()), sizes(), slot))
}
