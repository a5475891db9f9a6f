//! [`Schedule::Staged`](crate::opencl::plan::schedule::Schedule::Staged): an operand that is contiguous in memory along
//! another loop than the written tensor is transposed in blocks, through local memory.
//!
//! Squares of 16 by 16 are transposed in registers, by four rounds in which pairs of vectors are interleaved. In local
//! memory they are assembled to rows that are long enough to be written at once. A block at an edge is moved back until
//! it fits, and stores none of the cells that it shares with its neighbour.

use super::expression::{stored, value};
use super::kernel::Kernel;
use super::text::Text;
use crate::opencl::plan::schedule::Staged;

const LANES: u64 = 16;

/// The distance at which each row of a block is fetched ahead, in values: two lines of the cache. There are too many
/// rows for a processor to foresee all of them. Measured with rows of 4 KiB: 1.1 to 1.3 times as fast as without.
const AHEAD: u64 = 2 * LANES;

pub(super) fn kernel(mut text: Text, staged: Staged) -> Kernel {
    let Staged {
        vector,
        row,
        width,
        height,
    } = staged;
    let (columns, rows) = (text.loops.free[vector].extent, text.loops.free[row].extent);
    let mut split = vec![
        ("tile_column".to_string(), columns.div_ceil(width)),
        ("tile_row".to_string(), rows.div_ceil(height)),
    ];
    for (number, one) in text.loops.free.iter().enumerate().rev() {
        if number != vector && number != row {
            split.push((format!("i{number}"), one.extent));
        }
    }
    text.parameters(&[]);
    text.local = width * height;
    text.ahead = vec![(1, AHEAD)];
    let work_items = text.split_strips(&split, 1);
    text.start_of("column", "tile_column", columns, width);
    text.start_of("row", "tile_row", rows, height);
    let free = |number: usize| {
        Some(match number {
            _ if number == vector => "column".to_string(),
            _ if number == row => "row".to_string(),
            _ => format!("i{number}"),
        })
    };
    for slot in 0..=1 {
        let at = text.address(slot, free, |_| None);
        text.constant(&format!("at{slot}"), at);
    }
    let along = text.loops.free[vector].strides[1];
    turned(&mut text, staged, along);
    let across = text.loops.free[row].strides[0];
    written(&mut text, staged, across);
    text.close_strips();
    text.done(work_items, Some(1))
}

/// Reads a block of the operand along its rows, and stores it in local memory in the order of the written tensor's
/// rows.
fn turned(text: &mut Text, staged: Staged, along: u64) {
    let (index, width, height) = (text.index, staged.width, staged.height);
    let float = text.float(LANES);
    text.line(format!("for ({index} c = 0; c < {width}; c += {LANES}) {{"));
    text.line(format!(
        "for ({index} r = 0; r < {height}; r += {LANES}) {{"
    ));
    for lane in 0..LANES {
        let values = text.load(
            1,
            LANES,
            &format!("rhs1 + at1 + (c + {lane}) * {along} + r"),
        );
        text.line(format!("const {float} a{lane} = {values};"));
    }
    let names = transposed(text);
    let how = text.job.accumulator.combine;
    for (lane, name) in names.iter().enumerate() {
        let result = value(
            &text.job.function,
            text.job.precision,
            LANES,
            std::slice::from_ref(name),
        );
        text.line(format!(
            "vstore16({}, 0, local_values + (r + {lane}) * {width} + c);",
            stored(how, &result)
        ));
    }
    text.line("}");
    text.line("}");
}

/// Transposes a square of 16 vectors `a0`, `a1`, … in registers. Returns the names of its columns.
fn transposed(text: &mut Text) -> Vec<String> {
    let float = text.float(LANES);
    let mut names: Vec<String> = (0..LANES).map(|lane| format!("a{lane}")).collect();
    for round in 0..4 {
        let next: Vec<String> = (0..LANES).map(|lane| format!("b{round}_{lane}")).collect();
        for pair in 0..8usize {
            for half in 0..2 {
                let (one, other) = (&names[pair], &names[pair + 8]);
                let lanes: Vec<String> = (0..8)
                    .flat_map(|lane| {
                        let lane = 8 * half + lane;
                        [format!("{one}.s{lane:x}"), format!("{other}.s{lane:x}")]
                    })
                    .collect();
                text.line(format!(
                    "const {float} {} = ({float})({});",
                    next[2 * pair + half],
                    lanes.join(", ")
                ));
            }
        }
        names = next;
    }
    names
}

/// Writes the rows of a block from local memory, but for the cells that a neighbour writes.
fn written(text: &mut Text, staged: Staged, across: u64) {
    let (index, width, height) = (text.index, staged.width, staged.height);
    text.line(format!(
        "for ({index} r = first_row - row; r < {height}; ++r) {{"
    ));
    text.line(format!("{index} c = first_column - column;"));
    text.line(format!("for (; c + {LANES} <= {width}; c += {LANES}) {{"));
    let value = format!("vload16(0, local_values + r * {width} + c)");
    let at = format!("at0 + r * {across} + c");
    text.line(text.write_vector(LANES, &value, &at));
    text.line("}");
    text.line(format!("for (; c < {width}; ++c) {{"));
    text.line(format!(
        "lhs[at0 + r * {across} + c] = local_values[r * {width} + c];"
    ));
    text.line("}");
    text.line("}");
}
