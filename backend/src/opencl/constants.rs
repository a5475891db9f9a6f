//! Constants in a recording. A tensor that holds one number everywhere is no operand: the number is a part of the function of each call
//! that reads it. A tensor that is filled and then added to is not filled: the first sum begins with the number. So `a * 2` reads only
//! `a`, and a gradient is written by its first contribution. With [`Numerics::Exact`](crate::Numerics) no bit changes.

use std::collections::{BTreeMap, BTreeSet};

use crate::device::{Call, Purpose};
use crate::memory::BufferId;
use crate::precision::Precision;
use crate::rules::{Arithmetic, Numerics};

/// What a buffer holds everywhere.
struct Known {
    number: f64,
    /// The call that has filled it, unless that was before the recording.
    fill: Option<usize>,
}

/// The calls without constant operands, and without the fills that nothing reads any more.
pub(super) fn folded(calls: Vec<Call>, purpose: &Purpose, arithmetic: Arithmetic) -> Vec<Call> {
    let before = purpose.constants.iter();
    let before = before.map(|(id, number)| {
        let number = rounded(*number, arithmetic.tensors);
        (*id, Known { number, fill: None })
    });
    let mut constants = Constants {
        known: before.collect(),
        dead: BTreeSet::new(),
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
            dead.extend(known.fill);
        }
    }
    let numbered = all.into_iter().enumerate();
    let live = numbered.filter(|(at, _)| !dead.contains(at));
    live.map(|(_, call)| call).collect()
}

/// The nearest number of a precision.
fn rounded(number: f64, precision: Precision) -> f64 {
    match precision {
        Precision::F32 => f64::from(number as f32),
        Precision::F64 => number,
    }
}

/// What is known of constants at a place of the recording.
struct Constants {
    known: BTreeMap<BufferId, Known>,
    /// The fills that no call needs.
    dead: BTreeSet<usize>,
    arithmetic: Arithmetic,
}

impl Constants {
    /// Makes the constant operands of a call a part of its function.
    fn fold(&mut self, call: &mut Call) {
        for slot in (1..call.buffers.len()).rev() {
            let Some(known) = self.known.get_mut(&call.buffers[slot]) else {
                continue;
            };
            match call.nest.with_constant(slot, known.number) {
                Some(nest) => {
                    call.nest = nest;
                    call.buffers.remove(slot);
                }
                // It is read as it is.
                None => known.fill = None,
            }
        }
    }

    /// Notes what a call writes. If it adds to a constant, it begins with that constant instead.
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
                self.dead.extend(known.fill);
            }
            if let Some(begun) = begun {
                call.nest = begun;
            }
        }
        if let Some(number) = call.nest.constant_in(self.arithmetic.tensors) {
            let fill = Some(at);
            self.known.insert(written, Known { number, fill });
        }
    }
}
