//! [`Schedule::Sweep`](crate::opencl::plan::schedule::Schedule::Sweep): a row of cells in local memory is updated as a
//! whole at each step of the reduced loops.
//!
//! If every operand is contiguous along the cells and none is used twice, as in a sum over the first axis, this reads
//! memory sequentially. The values of a cell are combined in the order of the nest.

use super::expression::met;
use super::kernel::Kernel;
use super::text::{Text, scaled};
use crate::arithmetic::neutral;
use crate::opencl::plan::schedule::Sweep;

const LANES: u64 = 16;

/// The number of steps of the innermost reduced loop that are processed while a vector of cells is in a register.
const STEPS: u64 = 4;

pub(super) fn kernel(mut text: Text, sweep: Sweep) -> Kernel {
    let Sweep { vector, width } = sweep;
    let columns = text.loops.free[vector].extent;
    let mut split = vec![("block".to_string(), columns.div_ceil(width))];
    for (number, one) in text.loops.free.iter().enumerate().rev() {
        if number != vector {
            split.push((format!("i{number}"), one.extent));
        }
    }
    text.parameters(&[]);
    text.local = width;
    let work_items = text.split_strips(&split, 1);
    text.constant("column", scaled("block", width));
    let index = text.index;
    text.constant(
        "columns",
        format!("min(({index}){width}, {columns} - column)"),
    );
    text.constant("whole", format!("columns / {LANES} * {LANES}"));
    let free = |number: usize| {
        Some(match number == vector {
            true => "column".to_string(),
            false => format!("i{number}"),
        })
    };
    for slot in 0..=text.operands() {
        let at = text.address(slot, free, |_| None);
        text.constant(&format!("at{slot}"), at);
    }
    text.line(format!("for ({index} c = 0; c < columns; ++c) {{"));
    let start = match text.start() {
        Some(_) => text.number(neutral(text.job.accumulator.combine)),
        None => "lhs[at0 + c]".to_string(),
    };
    text.line(format!("local_values[c] = {start};"));
    text.line("}");
    let last = text.loops.reduced.len() - 1;
    for number in 0..last {
        let extent = text.loops.reduced[number].extent;
        text.line(format!(
            "for ({index} k{number} = 0; k{number} < {extent}; ++k{number}) {{"
        ));
    }
    let extent = text.loops.reduced[last].extent;
    let whole = extent / STEPS * STEPS;
    if whole > 0 {
        text.line(format!(
            "for ({index} k{last} = 0; k{last} < {whole}; k{last} += {STEPS}) {{"
        ));
        cells(&mut text, vector, STEPS);
        text.line("}");
    }
    if whole < extent {
        text.line(format!(
            "for ({index} k{last} = {whole}; k{last} < {extent}; ++k{last}) {{"
        ));
        cells(&mut text, vector, 1);
        text.line("}");
    }
    for _ in 0..last {
        text.line("}");
    }
    text.line(format!("for ({index} c = 0; c < columns; ++c) {{"));
    text.line("lhs[at0 + c] = local_values[c];");
    text.line("}");
    text.close_strips();
    text.done(work_items, Some(1))
}

/// Writes some steps of the innermost reduced loop for all cells.
fn cells(text: &mut Text, vector: usize, steps: u64) {
    for slot in 1..=text.operands() {
        let mut base = format!("rhs{slot} + at{slot}");
        for (number, one) in text.loops.reduced.iter().enumerate() {
            if one.strides[slot] > 0 {
                base += &format!(" + {}", scaled(&format!("k{number}"), one.strides[slot]));
            }
        }
        let pointer = text.pointer(slot);
        text.line(format!("{pointer}p{slot} = {base};"));
    }
    let last = text.loops.reduced.len() - 1;
    for (lanes, head) in [
        (LANES, "c = 0; c < whole; c += 16"),
        (1, "c = whole; c < columns; ++c"),
    ] {
        let float = text.float(lanes);
        let total = match lanes {
            1 => "local_values[c]".to_string(),
            _ => format!("vload{lanes}(0, local_values + c)"),
        };
        text.line(format!("for ({} {head}) {{", text.index));
        text.line(format!("{float} t = {total};"));
        for step in 0..steps {
            let operand = |slot: usize| {
                let moved = step * text.loops.reduced[last].strides[slot];
                match (text.loops.free[vector].strides[slot], lanes) {
                    (0, 1) => text.element(slot, &format!("p{slot}[{moved}]")),
                    (0, _) => format!("({float})(p{slot}[{moved}])"),
                    (_, 1) => text.element(slot, &format!("p{slot}[c + {moved}]")),
                    _ => text.load(slot, lanes, &format!("p{slot} + c + {moved}")),
                }
            };
            let operands: Vec<String> = (1..=text.operands()).map(operand).collect();
            let next = met(text.job, lanes, "t", &operands);
            text.line(format!("t = {next};"));
        }
        text.line(match lanes {
            1 => "local_values[c] = t;".to_string(),
            _ => format!("vstore{lanes}(t, 0, local_values + c);"),
        });
        text.line("}");
    }
}
