//! The calls of a recording, where constants are parts of the functions that read them ([`folded`]), and some
//! operations are computed in steps: contractions of several tensors in the cheapest order ([`ordered`]), and windows
//! that extend beyond their axis from a copy with margins ([`padded`]).

use super::constants::folded;
use super::order::ordered;
use super::pad::padded;
use super::step::Operand;
use crate::device::{Call, Purpose};
use crate::error::Error;
use crate::memory::BufferId;
use crate::opencl::plan::schedule::Profile;
use crate::rules::{Arithmetic, Numerics};

/// The most values that an intermediate tensor may have, where no tensor of the contraction has a quarter as many.
const ROOM: u64 = 1 << 24;

/// The calls of a recording, with contractions of several operands as steps.
pub(crate) struct Ordered {
    pub calls: Vec<Call>,
    /// The purpose of the recording, for which intermediate tensors are temporary.
    pub purpose: Purpose,
}

/// Rewrites the calls without constant operands and, if sums may be taken in any order, with contractions as steps, and
/// windows as a copy with margins and a sum. `reserve` makes intermediate tensors.
pub(crate) fn calls(
    calls: Vec<Call>,
    purpose: &Purpose,
    kind: (Profile, Arithmetic),
    mut reserve: impl FnMut(&[u64]) -> Result<BufferId, Error>,
) -> Result<Ordered, Error> {
    let (_, arithmetic) = kind;
    let mut all = Ordered {
        calls: Vec::with_capacity(calls.len()),
        purpose: purpose.clone(),
    };
    for call in folded(calls, purpose, arithmetic) {
        let slots = call.nest.slots();
        let elements = slots.iter().map(|slot| slot.sizes.iter().product());
        let largest: u64 = elements.max().unwrap_or(1);
        // A call with a wrong number of buffers is refused as it is.
        let room = ROOM.max(largest.saturating_mul(4));
        let is_free = arithmetic.numerics == Numerics::Fast;
        let steps = match is_free && call.buffers.len() == slots.len() {
            true => ordered(&call.nest, room).or_else(|| padded(&call.nest, room, kind)),
            false => None,
        };
        let Some(steps) = steps else {
            all.calls.push(call);
            continue;
        };
        let last = steps.len() - 1;
        let mut done = Vec::with_capacity(steps.len());
        for (number, step) in steps.into_iter().enumerate() {
            let mut written = call.buffers[0];
            if number != last {
                written = reserve(&step.nest.slots()[0].sizes)?;
                all.purpose.temporary.insert(written);
            }
            done.push(written);
            let operands = step.operands.iter().map(|operand| match operand {
                Operand::Slot(slot) => call.buffers[*slot],
                Operand::Step(step) => done[*step],
            });
            all.calls.push(Call {
                buffers: std::iter::once(written).chain(operands).collect(),
                nest: step.nest,
            });
        }
    }
    Ok(all)
}
