//! Regions: programs with concatenated axes are run, and each cell is compared with the pointwise definition. A cell of
//! the result lies in one part of each of its axes; its value is that of the operand's cell with the same position in
//! the part of the same label.

use std::collections::BTreeMap;
use std::path::Path;

use crate::machinery::{Effort, Finding, Witness};
use lozenge::backend::Interpreter;

/// The labels with their sizes.
const LABELS: [(&str, u64); 4] = [("a", 1), ("b", 2), ("c", 3), ("d", 2)];

fn size(label: usize) -> u64 {
    LABELS[label].1
}

/// An axis: the labels of its parts.
type Axis = Vec<usize>;

/// Returns the position of a cell along an axis, as a part and a position in it.
fn part_of(axis: &Axis, mut at: u64) -> (usize, u64) {
    for label in axis {
        match at.checked_sub(size(*label)) {
            Some(rest) => at = rest,
            None => return (*label, at),
        }
    }
    (axis[0], 0)
}

fn length(axis: &Axis) -> u64 {
    axis.iter().map(|label| size(*label)).sum()
}

/// Returns the cells of a tensor, outermost axis first.
fn cells(axes: &[Axis]) -> Vec<Vec<u64>> {
    axes.iter().fold(vec![Vec::new()], |cells, axis| {
        let longer = |cell: &Vec<u64>| {
            let cell = cell.clone();
            (0..length(axis)).map(move |at| [cell.as_slice(), &[at]].concat())
        };
        cells.iter().flat_map(longer).collect()
    })
}

/// Returns the place of each part of a cell: its labels, each with a position.
fn places(axes: &[Axis], cell: &[u64]) -> BTreeMap<usize, u64> {
    axes.iter()
        .zip(cell)
        .map(|(axis, at)| part_of(axis, *at))
        .collect()
}

/// A copy of operands into a result. The numbers in the operands are all different.
struct Copy {
    operands: Vec<Vec<Axis>>,
    result: Vec<Axis>,
}

impl Copy {
    fn text(&self) -> String {
        let mut first = 1;
        let mut lines: Vec<String> = Vec::new();
        for (number, operand) in self.operands.iter().enumerate() {
            let sizes: Vec<String> = operand
                .iter()
                .map(|axis| length(axis).to_string())
                .collect();
            let count: u64 = operand.iter().map(length).product();
            let values: Vec<String> = (first..first + count).map(|n| n.to_string()).collect();
            lines.push(format!(
                "data x{number} : {} = [{}]",
                sizes.join(","),
                values.join(", ")
            ));
            first += count;
        }
        let names: Vec<String> = (0..self.operands.len()).map(|n| format!("x{n}")).collect();
        let row = |axes: &Vec<Axis>| {
            let axis = |axis: &Axis| {
                let parts: Vec<String> = axis
                    .iter()
                    .map(|label| format!("{}:{}", LABELS[*label].0, size(*label)))
                    .collect();
                parts.join("^")
            };
            axes.iter().map(axis).collect::<Vec<_>>().join(", ")
        };
        let operands: Vec<String> = self.operands.iter().map(row).collect();
        let read = match names.as_slice() {
            [one] => one.clone(),
            _ => format!("concat({})", names.join(", ")),
        };
        lines.push(format!(
            "z =: {read} \"{} => {}\"",
            operands.join("; "),
            row(&self.result)
        ));
        lines.join("\n")
    }

    /// Returns the value of each cell of the result, by the pointwise definition.
    fn meaning(&self) -> Vec<f64> {
        let mut values: BTreeMap<BTreeMap<usize, u64>, f64> = BTreeMap::new();
        let mut next = 1.0;
        for operand in &self.operands {
            for cell in cells(operand) {
                values.insert(places(operand, &cell), next);
                next += 1.0;
            }
        }
        let value = |cell: &Vec<u64>| values.get(&places(&self.result, cell)).copied();
        cells(&self.result)
            .iter()
            .map(|cell| value(cell).unwrap_or(0.0))
            .collect()
    }

    fn computed(&self) -> Result<Vec<f64>, String> {
        let program = lozenge::parse(&self.text()).map_err(|errors| errors[0].to_string())?;
        let inference = lozenge::infer(&program, &lozenge::Options::default())
            .map_err(|refusal| refusal.to_string())?;
        let data = lozenge::load(&program, Path::new("")).map_err(|error| error.to_string())?;
        let mut device = Interpreter::new(Default::default());
        let tensors = lozenge::run(&program, &inference, &data, &mut device)
            .map_err(|error| error.to_string())?;
        let result = program
            .tensors
            .iter()
            .position(|tensor| &*tensor.name == "z");
        let result = result.ok_or("no result")?;
        Ok(tensors[result]
            .values()
            .iter()
            .map(|value| f64::from(*value))
            .collect())
    }

    fn wrong(&self) -> Option<String> {
        let meaning = self.meaning();
        match self.computed() {
            Err(why) => Some(why),
            Ok(values) if values != meaning => Some(format!(
                "the result is {values:?}, and by its definition {meaning:?}"
            )),
            Ok(_) => None,
        }
    }
}

/// Returns every order of these labels.
fn orders(labels: &[usize]) -> Vec<Axis> {
    labels.iter().fold(vec![Vec::new()], |orders, _| {
        let longer = |order: &Axis| {
            let order = order.clone();
            let rest = labels
                .iter()
                .filter(|label| !order.contains(label))
                .copied()
                .collect::<Vec<_>>();
            rest.into_iter()
                .map(move |label| [order.as_slice(), &[label]].concat())
                .collect::<Vec<_>>()
        };
        orders.iter().flat_map(longer).collect()
    })
}

/// Returns the copies of one axis from an operand for each part, in every order; permuted parts of one operand; blocks
/// of two axes.
fn copies() -> Vec<Copy> {
    let mut all = Vec::new();
    for labels in [&[0, 1][..], &[1, 2], &[0, 1, 2], &[1, 2, 3]] {
        let plain = || labels.iter().map(|label| vec![vec![*label]]);
        for result in orders(labels) {
            all.push(Copy {
                operands: plain().collect(),
                result: vec![result.clone()],
            });
            for operand in orders(labels) {
                all.push(Copy {
                    operands: vec![vec![operand]],
                    result: vec![result.clone()],
                });
            }
        }
        // A part of several operands is one of the result.
        let one_and_rest = Copy {
            operands: vec![vec![vec![labels[0]]], vec![labels[1..].to_vec()]],
            result: vec![labels.to_vec()],
        };
        all.push(one_and_rest);
    }
    for rows in orders(&[0, 1]) {
        for columns in orders(&[2, 3]) {
            let blocks = [[0, 2], [0, 3], [1, 2], [1, 3]];
            let operands = blocks
                .iter()
                .map(|block| block.iter().map(|label| vec![*label]).collect());
            all.push(Copy {
                operands: operands.collect(),
                result: vec![rows.clone(), columns.clone()],
            });
            let whole = vec![vec![vec![0, 1], vec![2, 3]]];
            all.push(Copy {
                operands: whole,
                result: vec![rows.clone(), columns.clone()],
            });
        }
    }
    all
}

/// Tries every copy of the scope.
pub fn search(_: Effort) -> Finding {
    let all = copies();
    let witness = all
        .iter()
        .find_map(|copy| Some(Witness::new(copy.text(), copy.wrong()?)));
    let scope = "programs that lay two or three parts one behind the other, from one operand or from several, in every order, and \
                 matrices of four blocks; executed, each cell compared with its definition";
    Finding::exhaustive(scope, all.len() as u64, witness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_those_of_their_parts() {
        let copy = Copy {
            operands: vec![vec![vec![0]], vec![vec![1]]],
            result: vec![vec![1, 0]],
        };
        assert_eq!(copy.meaning(), [2.0, 3.0, 1.0]);
        assert_eq!(copy.computed().unwrap(), [2.0, 3.0, 1.0]);
        assert_eq!(orders(&[0, 1, 2]).len(), 6);
    }
}
