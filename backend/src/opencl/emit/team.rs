//! [`Schedule::Team`](crate::opencl::plan::schedule::Schedule::Team): several work-items compute a cell, or a few
//! cells, together.
//!
//! Each item of a team combines every so many-th value, so that neighbouring items read neighbouring elements. Then the
//! totals of the items are combined in a fixed tree, in local memory. All items of a group go through the same
//! barriers, so a team without a cell computes the last cell, too, and does not store it.

use lozenge_vocabulary::operation::Combine;

use super::expression::{combined, met};
use super::kernel::Kernel;
use super::text::{Text, Workers, scaled};
use crate::arithmetic::neutral;
use crate::opencl::plan::parallel::{ITEMS, Team};

pub(super) fn kernel(mut text: Text, team: Team) -> Kernel {
    let (teams, index) = (team.teams(), text.index);
    let cells = text.loops.cells() / team.height();
    let groups = cells.div_ceil(teams);
    let nested = text.workers != Workers::Kernel;
    text.parameters(&[]);
    text.local = ITEMS * team.height();
    text.constant("own", format!("({index})get_local_id(0)"));
    text.constant("item", format!("own % {}", team.items));
    match nested {
        true => text.line(format!(
            "for ({index} number = 0; number < {groups}; ++number) {{"
        )),
        false => text.constant("number", format!("({index})get_group_id(0)")),
    }
    text.constant(
        "place",
        format!("{} + own / {}", scaled("number", teams), team.items),
    );
    let is_even = cells.is_multiple_of(teams);
    let cell = match is_even {
        true => "place".to_string(),
        false => format!("min(place, ({index}){})", cells - 1),
    };
    text.constant("cell", cell);
    let writer = Writer { team };
    text.split("cell", &writer.loops(&text));
    writer.totals(&mut text);
    writer.tree(&mut text);
    writer.store(&mut text, (!is_even).then_some(cells));
    if nested {
        // The next cells use the same local memory.
        text.line("barrier(CLK_LOCAL_MEM_FENCE);");
        text.line("}");
    }
    text.done(groups * ITEMS, Some(ITEMS))
}

struct Writer {
    team: Team,
}

impl Writer {
    /// Lists the free loops whose steps are numbered, the last one first.
    fn loops(&self, text: &Text) -> Vec<(String, u64)> {
        let free = text.loops.free.iter().enumerate().rev();
        let steps = |(number, extent): (usize, u64)| match self.team.rows {
            Some((row, rows)) if row == number => extent / rows,
            _ => extent,
        };
        free.map(|(at, one)| (format!("i{at}"), steps((at, one.extent))))
            .collect()
    }

    /// Returns the value of a free loop's variable for one of the cells that are computed together.
    fn free(&self, cell: u64) -> impl Fn(usize) -> Option<String> {
        let rows = self.team.rows;
        move |number: usize| {
            Some(match rows {
                Some((row, rows)) if row == number => format!("(i{number} * {rows} + {cell})"),
                _ => format!("i{number}"),
            })
        }
    }

    /// Returns the place of the total of an item for one of the cells.
    fn place(&self, cell: u64) -> String {
        match cell {
            0 => "local_values[own]".to_string(),
            _ => format!("local_values[own + {}]", cell * ITEMS),
        }
    }

    /// Computes the totals of an item's values, in local memory.
    fn totals(&self, text: &mut Text) {
        let (float, index) = (text.float(1), text.index);
        let zero = text.number(neutral(text.job.accumulator.combine));
        let cells = 0..self.team.height();
        for cell in cells.clone() {
            text.line(format!("{float} total{cell} = {zero};"));
        }
        for (number, one) in text.loops.reduced.iter().enumerate() {
            let extent = one.extent;
            let (from, step) = match number == self.team.along {
                true => ("item", self.team.items),
                false => ("0", 1),
            };
            if number == self.team.along {
                text.line("#pragma unroll 4");
            }
            text.line(format!(
                "for ({index} k{number} = {from}; k{number} < {extent}; k{number} += {step}) {{"
            ));
        }
        for cell in cells.clone() {
            let read = |slot: usize| {
                let reduced = |number| Some(format!("k{number}"));
                let at = text.address(slot, self.free(cell), reduced);
                text.element(slot, &format!("rhs{slot}[{at}]"))
            };
            let operands: Vec<String> = (1..=text.operands()).map(read).collect();
            let total = format!("total{cell}");
            let next = met(text.job, 1, &total, &operands);
            text.line(format!("{total} = {next};"));
        }
        for _ in &text.loops.reduced {
            text.line("}");
        }
        for cell in cells {
            text.line(format!("{} = total{cell};", self.place(cell)));
        }
    }

    /// Writes the expression that combines the totals of two parts.
    fn joined(&self, text: &Text, one: &str, other: &str) -> String {
        let how = match text.job.accumulator.combine {
            Combine::Subtract => Combine::Add,
            other => other,
        };
        combined(how, text.job.precision, 1, one, other)
    }

    /// Combines the totals of the items of each team.
    fn tree(&self, text: &mut Text) {
        text.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let mut half = self.team.items / 2;
        while half > 0 {
            text.line(format!("if (item < {half}) {{"));
            for cell in 0..self.team.height() {
                let one = self.place(cell);
                let other = format!("local_values[own + {}]", cell * ITEMS + half);
                let sum = self.joined(text, &one, &other);
                text.line(format!("{one} = {sum};"));
            }
            text.line("}");
            text.line("barrier(CLK_LOCAL_MEM_FENCE);");
            half /= 2;
        }
    }

    /// Has the first item of each team store its cells, if the place of the team is one of so many.
    fn store(&self, text: &mut Text, places: Option<u64>) {
        let exists = places.map_or(String::new(), |places| format!(" && place < {places}"));
        text.line(format!("if (item == 0{exists}) {{"));
        for number in 0..self.team.height() {
            let cell = format!("lhs[{}]", text.address(0, self.free(number), |_| None));
            let total = self.place(number);
            let value = match text.start() {
                Some(_) => total,
                None => self.joined(text, &text.element(0, &cell), &total),
            };
            text.line(format!("{cell} = {value};"));
        }
        text.line("}");
    }
}
