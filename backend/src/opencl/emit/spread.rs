//! [`Schedule::Spread`](crate::opencl::plan::schedule::Schedule::Spread): a work-item computes several cells that lie
//! as far apart as its group is wide.
//!
//! At each step the items of a group touch neighbours, and an item has read all its values before it stores the first,
//! so that a few reads are on their way at a time.

use super::expression::{stored, value};
use super::kernel::Kernel;
use super::text::Text;
use crate::opencl::plan::parallel::{ITEMS, Spread};

pub(super) fn kernel(mut text: Text, spread: Spread) -> Kernel {
    let (cells, index) = (text.loops.cells(), text.index);
    let block = ITEMS * spread.cells;
    let groups = cells.div_ceil(block);
    text.parameters(&[]);
    text.constant(
        "first",
        format!("({index})get_group_id(0) * {block} + ({index})get_local_id(0)"),
    );
    let float = text.float(1);
    for number in 0..spread.cells {
        text.line(format!("{float} value{number};"));
    }
    let guarded = !cells.is_multiple_of(block);
    for number in 0..spread.cells {
        each(&mut text, number, guarded, |text, free| {
            let read = |slot: usize| {
                let at = text.address(slot, free, |_| None);
                text.element(slot, &format!("rhs{slot}[{at}]"))
            };
            let operands: Vec<String> = (1..=text.operands()).map(read).collect();
            let (job, how) = (text.job, text.job.accumulator.combine);
            let result = value(&job.function, job.precision, 1, &operands);
            format!("value{number} = {};", stored(how, &result))
        });
    }
    for number in 0..spread.cells {
        each(&mut text, number, guarded, |text, free| {
            let at = text.address(0, free, |_| None);
            format!("lhs[{at}] = value{number};")
        });
    }
    text.done(groups * ITEMS, Some(ITEMS))
}

/// Writes a statement about the cell of an item with this number, if it is one.
fn each(
    text: &mut Text,
    number: u64,
    guarded: bool,
    statement: impl Fn(&Text, &dyn Fn(usize) -> Option<String>) -> String,
) {
    let cell = match number {
        0 => "first".to_string(),
        _ => format!("first + {}", number * ITEMS),
    };
    text.line(match guarded {
        true => format!("if ({cell} < {}) {{", text.loops.cells()),
        false => "{".to_string(),
    });
    let free = text.loops.free.iter().enumerate().rev();
    let names: Vec<_> = free
        .map(|(at, one)| (format!("i{at}"), one.extent))
        .collect();
    text.split(&format!("({cell})"), &names);
    let line = statement(text, &|number| Some(format!("i{number}")));
    text.line(line);
    text.line("}");
}
