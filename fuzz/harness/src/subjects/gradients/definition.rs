//! The loss of a drawn statement and what its gradient is by definition, from the points of its spec alone.

use std::collections::BTreeMap;

use super::drawn::{Drawn, Inner, Together};
use crate::subjects::statements::written_operation::Visit;

/// The distance by which a value is moved. All values are whole numbers up to 25, and a loss is made of functions with
/// slopes up to 5, of which no two that differ at a whole number meet so near.
const STEP: f64 = 1.0 / 64.0;

/// The points of a statement by the cell that they write: for each point what is read, by operand and address.
pub(super) struct Points<'d> {
    drawn: &'d Drawn,
    weights: Vec<f64>,
    by_cell: BTreeMap<usize, Vec<Vec<(usize, usize)>>>,
}

/// The derivatives of a loss from both sides, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sides(pub f64, pub f64);

impl<'d> Points<'d> {
    pub fn of(drawn: &'d Drawn, visits: &[Visit]) -> Points<'d> {
        let mut by_cell: BTreeMap<usize, Vec<Vec<(usize, usize)>>> = BTreeMap::new();
        for (cell, read) in visits {
            let read = read.iter().map(|(operand, at)| (operand - 1, *at as usize));
            by_cell
                .entry(*cell as usize)
                .or_default()
                .push(read.collect());
        }
        Points {
            drawn,
            weights: drawn.weights(),
            by_cell,
        }
    }

    /// Returns the weights of the cells that have a point.
    pub fn weights(&self) -> impl Iterator<Item = f64> + '_ {
        self.by_cell.keys().map(|cell| self.weights[*cell])
    }

    /// Returns the loss: over all cells that have a point, the weight times the result.
    pub fn loss(&self, operands: &[Vec<f64>]) -> f64 {
        let cells = self.by_cell.iter().map(|(cell, points)| {
            let values = points
                .iter()
                .map(|read| self.value(&read_at(operands, read)));
            self.weights[*cell] * self.together(values)
        });
        cells.sum()
    }

    fn together(&self, values: impl Iterator<Item = f64>) -> f64 {
        match self.drawn.together {
            Together::Sum => values.sum(),
            Together::Largest => values.fold(f64::NEG_INFINITY, f64::max),
            Together::Smallest => values.fold(f64::INFINITY, f64::min),
        }
    }

    fn value(&self, read: &[f64]) -> f64 {
        match self.drawn.inner {
            Inner::Value => read[0],
            Inner::Negative => -read[0],
            Inner::Relu => read[0].max(0.0),
            Inner::Abs => read[0].abs(),
            Inner::Product => read[0] * read[1],
            Inner::Sum => read[0] + read[1],
            Inner::Larger => read[0].max(read[1]),
            Inner::Smaller => read[0].min(read[1]),
        }
    }

    /// Returns the share of a gradient of 1 that the function of a point hands back to each value that it has read: a
    /// half to each of two equal ones, and nothing at the kink of `relu` and `abs`.
    fn slopes(&self, read: &[f64]) -> Vec<f64> {
        let sign = |value: f64| if value == 0.0 { 0.0 } else { value.signum() };
        let share = |difference: f64| (1.0 + sign(difference)) / 2.0;
        match self.drawn.inner {
            Inner::Value => vec![1.0],
            Inner::Negative => vec![-1.0],
            Inner::Relu => vec![sign(read[0]).max(0.0)],
            Inner::Abs => vec![sign(read[0])],
            Inner::Product => vec![read[1], read[0]],
            Inner::Sum => vec![1.0, 1.0],
            Inner::Larger => vec![share(read[0] - read[1]), share(read[1] - read[0])],
            Inner::Smaller => vec![share(read[1] - read[0]), share(read[0] - read[1])],
        }
    }

    /// Returns the derivatives of the loss where some cells of an operand are moved together.
    pub fn sides(&self, operands: &mut [Vec<f64>], operand: usize, cells: &[usize]) -> Sides {
        let before = self.loss(operands);
        let mut by = |step: f64| {
            let moved = |operands: &mut [Vec<f64>], step: f64| {
                cells
                    .iter()
                    .for_each(|cell| operands[operand][*cell] += step);
            };
            moved(operands, step);
            let loss = self.loss(operands);
            moved(operands, -step);
            (loss - before) / step
        };
        let (right, left) = (by(STEP), by(-STEP));
        Sides(left.min(right), left.max(right))
    }

    /// Returns the gradient of each operand: what a cell of the result receives is divided evenly among the points that
    /// attain it, or goes to each point of a sum.
    pub fn gradients(&self) -> Vec<Vec<f64>> {
        let operands = &self.drawn.operands;
        let mut found: Vec<Vec<f64>> = operands.iter().map(|one| vec![0.0; one.len()]).collect();
        for (cell, points) in &self.by_cell {
            let values: Vec<f64> = points
                .iter()
                .map(|read| self.value(&read_at(operands, read)))
                .collect();
            let result = self.together(values.iter().copied());
            let is_sum = self.drawn.together == Together::Sum;
            let attain = values.iter().map(|value| is_sum || *value == result);
            let count = attain.clone().filter(|attains| *attains).count();
            let shares = if is_sum { 1.0 } else { count as f64 };
            for (read, _) in points.iter().zip(attain).filter(|(_, attains)| *attains) {
                let slopes = self.slopes(&read_at(operands, read));
                for ((operand, address), slope) in read.iter().zip(slopes) {
                    found[*operand][*address] += self.weights[*cell] / shares * slope;
                }
            }
        }
        found
    }
}

fn read_at(operands: &[Vec<f64>], read: &[(usize, usize)]) -> Vec<f64> {
    read.iter()
        .map(|(operand, address)| operands[*operand][*address])
        .collect()
}
