//! [`Schedule::Turned`](crate::opencl::plan::schedule::Schedule::Turned): a group of work-items transposes a square of
//! an operand in local memory.
//!
//! Neighbouring items read neighbouring elements of the operand, and, after all have been read, neighbouring items
//! store neighbouring cells. The rows of the square are one value longer in local memory than they need be, so that a
//! column lies in different banks.

use super::expression::{stored, value};
use super::kernel::Kernel;
use super::text::{Text, scaled};
use crate::opencl::plan::parallel::{ITEMS, SQUARE, Turned};

pub(super) fn kernel(mut text: Text, turned: Turned) -> Kernel {
    let (columns, rows) = (
        text.loops.free[turned.column].extent,
        text.loops.free[turned.row].extent,
    );
    let mut split = vec![
        ("tile_column".to_string(), columns.div_ceil(SQUARE)),
        ("tile_row".to_string(), rows.div_ceil(SQUARE)),
    ];
    for (number, one) in text.loops.free.iter().enumerate().rev() {
        if number != turned.column && number != turned.row {
            split.push((format!("i{number}"), one.extent));
        }
    }
    let groups: u64 = split.iter().map(|(_, extent)| extent).product();
    let index = text.index;
    text.parameters(&[]);
    text.local = SQUARE * (SQUARE + 1);
    text.split_group(&split);
    text.constant("near", format!("({index})get_local_id(0) % {SQUARE}"));
    text.constant("far", format!("({index})get_local_id(0) / {SQUARE}"));
    text.constant("first_column", scaled("tile_column", SQUARE));
    text.constant("first_row", scaled("tile_row", SQUARE));
    let from = format!("local_values[(far + s) * {} + near]", SQUARE + 1);
    pass(&mut text, turned, ["near", "far + s"], |text, cell| {
        let element = text.address(1, cell, |_| None);
        format!("{from} = {};", text.element(1, &format!("rhs1[{element}]")))
    });
    text.line("barrier(CLK_LOCAL_MEM_FENCE);");
    let from = format!("local_values[near * {} + far + s]", SQUARE + 1);
    pass(&mut text, turned, ["far + s", "near"], |text, cell| {
        let (job, how) = (text.job, text.job.accumulator.combine);
        let result = value(&job.function, job.precision, 1, std::slice::from_ref(&from));
        let at = text.address(0, cell, |_| None);
        format!("lhs[{at}] = {};", stored(how, &result))
    });
    text.done(groups * ITEMS, Some(ITEMS))
}

/// Goes over the square, the items side by side along one of its sides: `row` and `column` are where an item is in the
/// square.
fn pass(
    text: &mut Text,
    turned: Turned,
    [row, column]: [&str; 2],
    statement: impl Fn(&Text, &dyn Fn(usize) -> Option<String>) -> String,
) {
    let index = text.index;
    let rows = ITEMS / SQUARE;
    text.line("#pragma unroll");
    text.line(format!("for ({index} s = 0; s < {SQUARE}; s += {rows}) {{"));
    text.constant("row", format!("first_row + {row}"));
    text.constant("column", format!("first_column + {column}"));
    let mut conditions = Vec::new();
    for (name, number) in [("row", turned.row), ("column", turned.column)] {
        let extent = text.loops.free[number].extent;
        if !extent.is_multiple_of(SQUARE) {
            conditions.push(format!("{name} < {extent}"));
        }
    }
    let cell = |number: usize| {
        Some(match number {
            _ if number == turned.row => "row".to_string(),
            _ if number == turned.column => "column".to_string(),
            _ => format!("i{number}"),
        })
    };
    let line = statement(text, &cell);
    match conditions.is_empty() {
        true => text.line(line),
        false => text.line(format!("if ({}) {line}", conditions.join(" && "))),
    }
    text.line("}");
}
