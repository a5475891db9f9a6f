//! `regions`: a statement with concatenated axes, windows and products, from its text to its loop nests, compared with
//! the points that its spec has by the pointwise definition.
//!
//! Each loop nest is followed point by point. Every index has to lie on its axis, or be one that the nest guards, and
//! no axis may be guarded without need. What the nests read and write together has to be what the definition says, each
//! cell is to be written once where the write is plain, and a cell that nothing writes has to be cleared. Then the
//! interpreter runs the statement.

use lozenge_backend::{Interpreter, LoopNest, Write};
use lozenge_vocabulary::operation::Region;
use lozenge_vocabulary::projections::Index;

use super::written_operation::{Sign, Visit, WrittenOperation};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::pipeline::{Prepared, prepare};
use crate::subject::party::Parties;

/// Compares the loop nests of a statement with its points.
pub fn regions(statement: &WrittenOperation, _: &mut Parties) -> Option<Comparison> {
    let expected = statement.visits();
    let answer = match (statement.alternatives, expected.is_empty()) {
        (_, true) => "no points",
        (true, false) => "alternatives",
        (false, false) => "one operation",
    };
    let disagreement = compared(statement, &expected).err();
    let outcome = disagreement.map_or(Outcome::Agree, |disagreement| {
        disagreement
            .answered("statement", statement.program())
            .into()
    });
    Some(Comparison {
        outcome,
        useful: true,
        answer,
    })
}

type Checked<T> = Result<T, Disagreement>;

fn compared(statement: &WrittenOperation, expected: &[Visit]) -> Checked<()> {
    let prepared = prepare(&statement.program()).map_err(|reason| {
        Disagreement::new("a statement that has a meaning is refused").answered("inference", reason)
    })?;
    let mut followed = Followed {
        cells: vec![Cell::Untouched; statement.cells(0) as usize],
        visits: Vec::new(),
    };
    let result = WrittenOperation::name(0);
    for (nest, region) in prepared.nests_of(&result) {
        followed
            .nest(nest, region)
            .map_err(|disagreement| disagreement.answered("loop nest", nest))?;
    }
    followed.visits.sort_unstable();
    if followed.visits != expected {
        let nests = prepared.nests_of(&result);
        let nests: String = nests.map(|(nest, _)| nest.to_string()).collect();
        return Err(
            Disagreement::new("loop nests differ from the pointwise definition")
                .answered("loop nests", nests)
                .answered("points of the loop nests", format!("{:?}", followed.visits))
                .answered("points of the spec", format!("{expected:?}")),
        );
    }
    followed.all_defined(expected)?;
    values(statement, expected, &prepared)
}

/// The content of a cell while loop nests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    /// The value from before the statement.
    Untouched,
    /// The neutral element.
    Cleared,
    /// The values of so many points.
    Written(u64),
}

/// The loop nests of a statement, followed point by point.
struct Followed {
    cells: Vec<Cell>,
    visits: Vec<Visit>,
}

/// The place of a point in a slot: its address, or outside of an axis that is guarded.
enum Place {
    Address(u64),
    Skipped,
}

impl Followed {
    fn nest(&mut self, nest: &LoopNest, region: &Region) -> Checked<()> {
        if nest.initial().is_some() {
            self.cells.fill(Cell::Cleared);
        }
        let mut needed = vec![Vec::new(); nest.slots().len()];
        let mut point = vec![0; nest.factors().len()];
        loop {
            self.point(nest, region, &point, &mut needed)?;
            let mut factors = nest.factors().iter().enumerate().rev();
            let next = factors.find(|(at, factor)| {
                point[*at] = (point[*at] + 1) % factor.size;
                point[*at] > 0
            });
            if next.is_none() {
                break;
            }
        }
        for (slot, mut needed) in nest.slots().iter().zip(needed) {
            needed.sort_unstable();
            needed.dedup();
            if *slot.guarded != needed {
                return Err(Disagreement::new("an axis is guarded without need")
                    .answered("guarded", format!("{} {:?}", slot.tensor, slot.guarded)));
            }
        }
        Ok(())
    }

    fn point(
        &mut self,
        nest: &LoopNest,
        region: &Region,
        point: &[u64],
        needed: &mut [Vec<usize>],
    ) -> Checked<()> {
        let mut addresses = Vec::new();
        for (slot, needed) in needed.iter_mut().enumerate() {
            match place(nest, slot, point, needed)? {
                Place::Address(address) => addresses.push(Some(address)),
                Place::Skipped => addresses.push(None),
            }
        }
        let Some(addresses) = addresses.into_iter().collect::<Option<Vec<u64>>>() else {
            return Ok(());
        };
        let read = (1..addresses.len()).filter(|slot| !region.unread.contains(slot));
        let read: Vec<(usize, u64)> = read
            .map(|slot| (number(&nest.slots()[slot].tensor), addresses[slot]))
            .collect();
        let cell = &mut self.cells[addresses[0] as usize];
        *cell = match (nest.write(), *cell) {
            (Write::Plain, Cell::Written(_)) => {
                return Err(
                    Disagreement::new("a cell is stored twice").answered("cell", addresses[0])
                );
            }
            (Write::Plain, _) | (Write::ReadModifyWrite, Cell::Cleared) => Cell::Written(1),
            (Write::ReadModifyWrite, Cell::Untouched) => {
                return Err(
                    Disagreement::new("a value is combined with what was there before")
                        .answered("cell", addresses[0]),
                );
            }
            (Write::ReadModifyWrite, Cell::Written(count)) => Cell::Written(count + 1),
        };
        self.visits.push((addresses[0], read));
        Ok(())
    }

    /// Checks that each cell holds the values of its points, and the neutral element if it has none.
    fn all_defined(&self, expected: &[Visit]) -> Checked<()> {
        let mut counts = vec![0; self.cells.len()];
        expected
            .iter()
            .for_each(|(cell, _)| counts[*cell as usize] += 1);
        for (cell, (holds, count)) in self.cells.iter().zip(counts).enumerate() {
            let right = match count {
                0 => *holds == Cell::Cleared,
                _ => *holds == Cell::Written(count),
            };
            if !right {
                return Err(
                    Disagreement::new("a cell does not hold the values of its points")
                        .answered("cell", cell)
                        .answered("it holds", format!("{holds:?}"))
                        .answered("its points", count),
                );
            }
        }
        Ok(())
    }
}

/// Returns the number of an operand by its name.
fn number(name: &str) -> usize {
    name[1..].parse().unwrap_or(0)
}

fn place(nest: &LoopNest, slot: usize, point: &[u64], needed: &mut Vec<usize>) -> Checked<Place> {
    let of = &nest.slots()[slot];
    let mut address = 0;
    let mut skipped = false;
    for (axis, (index, size)) in of.map.0.iter().zip(&*of.sizes).enumerate() {
        let cell = match index {
            Index::Iter(factor) => i128::from(point[*factor]),
            Index::Fix(position) => i128::from(*position),
            Index::Affine(affine) => affine.at(point),
            Index::Symbol(symbol) => {
                return Err(
                    Disagreement::new("an index comes from nowhere").answered("index", symbol)
                );
            }
        };
        match u64::try_from(cell).ok().filter(|cell| cell < size) {
            Some(cell) => address = address * size + cell,
            None if of.guarded.contains(&axis) => {
                needed.push(axis);
                skipped = true;
            }
            None => {
                return Err(Disagreement::new("an access outside of an axis").answered(
                    "access",
                    format!("axis {axis} of {} at {point:?}", of.tensor),
                ));
            }
        }
    }
    Ok(match skipped {
        true => Place::Skipped,
        false => Place::Address(address),
    })
}

/// Sums below this are exact in `f32`.
const EXACT: i64 = 1 << 24;

/// Checks the values of the result as the interpreter computes them. Each operand holds the addresses of its cells.
fn values(statement: &WrittenOperation, expected: &[Visit], prepared: &Prepared) -> Checked<()> {
    let mut cells: Vec<Vec<i64>> = vec![Vec::new(); statement.cells(0) as usize];
    for (cell, read) in expected {
        let value = read.iter().map(|(_, address)| *address as i64).product();
        cells[*cell as usize].push(value);
    }
    if cells
        .iter()
        .any(|values| values.iter().sum::<i64>() >= EXACT)
    {
        return Ok(());
    }
    let mut device = Interpreter::new(Default::default());
    let found = prepared
        .named(&WrittenOperation::name(0), &mut device)
        .map_err(|reason| {
            Disagreement::new("a statement does not run").answered("interpreter", reason)
        })?;
    for (cell, (values, found)) in cells.iter().zip(&found).enumerate() {
        let right = match (statement.sign, values.as_slice()) {
            (Sign::Max, []) => *found == f32::NEG_INFINITY,
            (_, []) => *found == 0.0,
            // The order of loops decides which of several values stays.
            (Sign::Replace, values) => values.iter().any(|value| *value as f32 == *found),
            (Sign::Add, values) => values.iter().sum::<i64>() as f32 == *found,
            (Sign::Max, values) => values
                .iter()
                .max()
                .is_some_and(|most| *most as f32 == *found),
        };
        if !right {
            return Err(
                Disagreement::new("a value differs from the pointwise definition")
                    .answered("cell", cell)
                    .answered("interpreter", found)
                    .answered("values of its points", format!("{values:?}")),
            );
        }
    }
    Ok(())
}
