//! Inlining of elementwise operations of a group where their results are read.
//!
//! A value that is kept in local memory for one reader costs a store and a load; inlined into the expression of the
//! reader it costs neither. The reader then reads the operands of the operation, at addresses that follow from its own
//! loops. With exact arithmetic no value changes: the operations are the same, each rounded separately. Where rounding
//! is free, a product that is added to a sum is rounded once, if the sum reads nothing but the two factors.

use lozenge_vocabulary::operation::{Combine, Formula, Function, Instruction};

use crate::formula::code;
use crate::opencl::plan::job::{Argument, Job};
use crate::opencl::plan::loops::{Loop, Offset};

/// The largest number of operands of one expression.
const OPERANDS: usize = 6;

/// The largest number of instructions of one expression.
const CODE: usize = 24;

/// Inlines an operation into the expression of a job that reads its result in one of its slots. `None` if the operation
/// is not elementwise, if its values would be computed many times, or if the loops do not fit. The slots of the
/// operation come after the other slots of the reader.
pub(super) fn inlined(reader: &Job, slot: usize, producer: &Job) -> Option<Job> {
    let loops = &producer.loops;
    let plain = producer.is_straight()
        && loops.is_plain()
        && loops.reduced.is_empty()
        && producer.accumulator.combine != Combine::Subtract
        && loops.offsets[0] == Offset::default()
        && loops.offsets.iter().all(|offset| offset.symbols.is_empty());
    if !plain || !reader.loops.is_plain() || reader.loops.offsets[slot] != Offset::default() {
        return None;
    }
    if reader.operands() - 1 + producer.operands() > OPERANDS {
        return None;
    }
    let mut job = reader.clone();
    for loops in [&mut job.loops.free, &mut job.loops.reduced] {
        let mut refined = Vec::new();
        for one in loops.iter() {
            refined.extend(split(one, slot, &producer.loops.free, producer.operands())?);
        }
        *loops = refined;
    }
    job.loops.offsets.remove(slot);
    job.loops
        .offsets
        .extend(producer.loops.offsets[1..].iter().cloned());
    job.buffers.remove(slot);
    job.buffers.extend(&producer.buffers[1..]);
    for (number, buffer) in job.buffers.iter_mut().enumerate() {
        *buffer = Argument::Slot(number);
    }
    job.function = composed(reader, slot, producer)?;
    job.largest = job.largest.max(producer.largest);
    Some(job)
}

/// Splits a loop that moves an address in a slot, so that each part corresponds to one of the loops `digits`, whose
/// first strides move the same address. Their `further` other strides come after those of the loop, which loses that of
/// the slot.
pub(crate) fn split(one: &Loop, slot: usize, digits: &[Loop], further: usize) -> Option<Vec<Loop>> {
    let stride = one.strides[slot];
    let with = |extent: u64, factor: u64, more: Vec<u64>| {
        let mut strides: Vec<u64> = one.strides.iter().map(|own| own * factor).collect();
        strides.remove(slot);
        strides.extend(more);
        Loop {
            extent,
            strides,
            tied: false,
        }
    };
    if stride == 0 || one.extent == 1 {
        return Some(vec![with(one.extent, 1, vec![0; further])]);
    }
    let mut found = Vec::new();
    let (mut factor, mut extent) = (1, one.extent);
    while extent > 1 {
        let stride = stride * factor;
        let digit = digits.iter().find(|digit| {
            let place = digit.strides[0];
            place > 0 && stride.is_multiple_of(place) && stride / place < digit.extent
        })?;
        let steps = stride / digit.strides[0];
        let more = digit.strides[1..].iter().map(|own| own * steps).collect();
        let here = if steps * (extent - 1) < digit.extent {
            extent
        } else if steps == 1 && extent.is_multiple_of(digit.extent) {
            digit.extent
        } else {
            return None;
        };
        found.push(with(here, factor, more));
        (factor, extent) = (factor * here, extent / here);
    }
    found.reverse();
    Some(found)
}

/// Composes the two functions into one, whose operands are the reader's other operands followed by those of the
/// operation.
fn composed(reader: &Job, slot: usize, producer: &Job) -> Option<Function> {
    let others = reader.operands() - 1;
    let inner = code(&producer.function);
    let mut all = Vec::new();
    for instruction in code(&reader.function) {
        match instruction {
            Instruction::Read(at) if at + 1 == slot => {
                all.extend(inner.iter().map(|instruction| match instruction {
                    Instruction::Read(at) => Instruction::Read(others + at),
                    apply => apply.clone(),
                }));
            }
            Instruction::Read(at) if at + 1 > slot => all.push(Instruction::Read(at - 1)),
            other => all.push(other),
        }
    }
    if all.len() > CODE {
        return None;
    }
    let formula = Formula::new(others + producer.operands(), all)?;
    Some(Function::Formula(Box::new(formula)))
}

/// Tells whether recomputing the function costs no more than reading its result.
pub(super) fn is_cheap(function: &Function) -> bool {
    use Function::*;
    let cheap = |one: &Instruction| match one {
        Instruction::Read(_) => true,
        Instruction::Apply(function) => matches!(
            function,
            Identity | Negate | Relu | Square | Abs | Add | Subtract | Multiply | Max | Min | Where
        ),
    };
    let code = code(function);
    code.len() <= 8 && code.iter().all(cheap)
}
