//! Prop. 7.6(iii): when a loop nest must read what it writes, and when it must clear it first, seen from the values.

use std::collections::BTreeMap;

/// A loop nest over a left-hand side with few cells: the cell of each point, in the order of the loops.
pub struct Nest {
    /// The cell that each point writes.
    pub cells: Vec<usize>,
    /// How many cells there are.
    pub count: usize,
    /// Whether what the tensor held is erased.
    pub erase: bool,
}

/// What is held before: a value for each cell that no sum of the others gives by chance.
fn held(cell: usize) -> i64 {
    1000 + 37 * cell as i64
}

/// The value that a point contributes.
fn contribution(point: usize) -> i64 {
    1 << point
}

impl Nest {
    /// What each cell is meant to hold when values are added.
    fn meaning(&self) -> BTreeMap<usize, i64> {
        let start = |cell| if self.erase { 0 } else { held(cell) };
        let mut cells: BTreeMap<usize, i64> =
            (0..self.count).map(|cell| (cell, start(cell))).collect();
        for (point, cell) in self.cells.iter().enumerate() {
            *cells.entry(*cell).or_default() += contribution(point);
        }
        cells
    }

    /// What the loop leaves: cleared first or not, reading what it writes or not.
    fn result(&self, clears: bool, reads: bool) -> BTreeMap<usize, i64> {
        let start = |cell| if clears { 0 } else { held(cell) };
        let mut cells: BTreeMap<usize, i64> =
            (0..self.count).map(|cell| (cell, start(cell))).collect();
        for (point, cell) in self.cells.iter().enumerate() {
            let before = if reads { cells[cell] } else { 0 };
            cells.insert(*cell, before + contribution(point));
        }
        cells
    }

    /// Whether some loop that does not read what it writes is right.
    pub fn needs_reading(&self) -> bool {
        ![false, true]
            .iter()
            .any(|clears| self.result(*clears, false) == self.meaning())
    }

    /// Whether no loop that does not clear first is right.
    pub fn needs_clearing(&self) -> bool {
        ![false, true]
            .iter()
            .any(|reads| self.result(false, *reads) == self.meaning())
    }

    /// Whether two points write one cell.
    pub fn is_injective(&self) -> bool {
        (0..self.count).all(|cell| self.cells.iter().filter(|c| **c == cell).count() <= 1)
    }

    /// Whether every cell is written.
    pub fn is_surjective(&self) -> bool {
        (0..self.count).all(|cell| self.cells.contains(&cell))
    }
}
