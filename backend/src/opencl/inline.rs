//! Elementwise operations of a group, computed where their results are read.
//!
//! A value that is kept in local memory for one reader costs a store and a load; put into the expression of the reader it costs
//! nothing. The reader then reads what the operation read, at the addresses that its own loops give. No value changes: the
//! operations are the same, each rounded by itself.

use lozenge_vocabulary::operation::{Combine, Formula, Function, Instruction};

use super::job::{Argument, Job};
use super::loops::{Loop, Offset};

/// More operands than this are not read by one expression.
const OPERANDS: usize = 6;

/// Nor are longer expressions made than of so many instructions.
const CODE: usize = 24;

/// The reader of an operation's result in one of its slots, with the operation in its expression. None where the operation is not
/// elementwise, where its values would be computed many times, or where the loops do not fit. The slots of the operation stand behind the other
/// ones of the reader.
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
            refined.extend(split(one, slot, producer)?);
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

/// A loop of the reader as loops of which each counts one loop of the operation, with the operation's strides behind the reader's own.
fn split(one: &Loop, slot: usize, producer: &Job) -> Option<Vec<Loop>> {
    let digits = &producer.loops.free;
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
        return Some(vec![with(one.extent, 1, vec![0; producer.operands()])]);
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

fn code(function: &Function) -> Vec<Instruction> {
    match function {
        Function::Formula(formula) => formula.code().to_vec(),
        function => {
            let reads = (0..function.arity()).map(Instruction::Read);
            reads
                .chain([Instruction::Apply(function.clone())])
                .collect()
        }
    }
}

/// The function of the reader, of its other operands and then of those of the operation.
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

/// Whether computing it again costs no more than reading it.
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
