//! [`Schedule::Cell`](crate::opencl::plan::schedule::Schedule::Cell): one work-item computes one cell.
//!
//! The left-hand map restricted to the free loops is injective, or the free loops are the cells themselves. So no two
//! work-items write the same cell, and no operation has to be atomic.

use super::expression::{compensated, met, stored, value};
use super::kernel::Kernel;
use super::text::{Text, Workers};

/// The number to a multiple of which larger numbers of work-items are rounded up, because a device divides them into
/// groups, and a prime number would give groups of one.
const GROUP: u64 = 64;

pub(super) fn kernel(mut text: Text) -> Kernel {
    let cells = text.loops.cells();
    let work_items = match cells {
        0..=GROUP => cells,
        _ => cells.next_multiple_of(GROUP),
    };
    text.parameters(&[]);
    if work_items > cells && text.workers == Workers::Kernel {
        text.line(format!("if (get_global_id(0) >= {cells}UL) return;"));
    }
    let free = text.loops.free.iter().enumerate().rev();
    let names: Vec<_> = free
        .map(|(at, one)| (format!("i{at}"), one.extent))
        .collect();
    text.split_strips(&names, 1);
    text.leave_outside();
    let free = |number: usize| Some(format!("i{number}"));
    let cell = format!("lhs[{}]", text.address(0, free, |_| None));
    let read = |slot: usize| {
        let at = text.address(slot, free, |number| Some(format!("k{number}")));
        text.element(slot, &format!("rhs{slot}[{at}]"))
    };
    let operands: Vec<String> = (1..=text.operands()).map(read).collect();
    let value = value(&text.job.function, text.job.precision, 1, &operands);
    let how = text.job.accumulator.combine;
    if text.is_straight() {
        text.line(format!("{cell} = {};", stored(how, &value)));
    } else {
        let start = text.start().unwrap_or_else(|| cell.clone());
        let float = text.float(1);
        text.line(format!("{float} total = {start};"));
        if text.job.compensated {
            let zero = text.number(0.0);
            text.line(format!("{float} excess = {zero};"));
        }
        text.open_reduced();
        if text.job.compensated {
            for line in compensated(how, text.job.precision, 1, ["total", "excess"], &value) {
                text.line(line);
            }
        } else if text.is_plain() {
            text.line(format!("total = {};", stored(how, &value)));
        } else {
            let next = met(text.job, 1, "total", &operands);
            text.line(format!("total = {next};"));
        }
        text.close_reduced();
        text.line(format!("{cell} = total;"));
    }
    text.close_strips();
    text.done(work_items, None)
}
