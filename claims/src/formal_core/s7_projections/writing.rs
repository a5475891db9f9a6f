//! Prop. 7.6(iii): when a loop nest must read the cells that it writes, and when it must clear them first, judged by
//! values.

use std::collections::BTreeMap;

/// A loop nest over a left-hand side with few cells: the cell of each point, in the order of the loops.
pub struct Nest {
    /// The cell that each point writes.
    pub cells: Vec<usize>,
    /// The number of cells.
    pub count: usize,
    /// True if the previous values of the tensor are erased.
    pub erase: bool,
}

/// Returns the previous value of a cell, chosen so that no sum of other values equals it by chance.
fn held(cell: usize) -> i64 {
    1000 + 37 * cell as i64
}

/// Returns the value that a point contributes.
fn contribution(point: usize) -> i64 {
    1 << point
}

impl Nest {
    /// Returns the value that each cell should have at the end, where values are added.
    fn meaning(&self) -> BTreeMap<usize, i64> {
        let start = |cell| if self.erase { 0 } else { held(cell) };
        let mut cells: BTreeMap<usize, i64> =
            (0..self.count).map(|cell| (cell, start(cell))).collect();
        for (point, cell) in self.cells.iter().enumerate() {
            *cells.entry(*cell).or_default() += contribution(point);
        }
        cells
    }

    /// Returns the values that the loop leaves, with or without clearing first, and with or without reading the cells
    /// that it writes.
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

    /// Tells whether no loop without reading is right.
    pub fn needs_reading(&self) -> bool {
        ![false, true]
            .iter()
            .any(|clears| self.result(*clears, false) == self.meaning())
    }

    /// Tells whether no loop without clearing is right.
    pub fn needs_clearing(&self) -> bool {
        ![false, true]
            .iter()
            .any(|reads| self.result(false, *reads) == self.meaning())
    }

    /// Tells whether no two points write the same cell.
    pub fn is_injective(&self) -> bool {
        (0..self.count).all(|cell| self.cells.iter().filter(|c| **c == cell).count() <= 1)
    }

    /// Tells whether every cell is written.
    pub fn is_surjective(&self) -> bool {
        (0..self.count).all(|cell| self.cells.contains(&cell))
    }
}
