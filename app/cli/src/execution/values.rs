//! The values of a tensor as text: nested in brackets, one pair for each axis, as NumPy prints arrays.

use std::fmt::{Display, Write};

use lozenge_backend::Tensor;
use lozenge_vocabulary::Row;
use lozenge_vocabulary::operation::{Kind, Shape};

use crate::loaded::shape_text;

/// The indentation of the rows of a large tensor.
const INDENT: usize = 2;

/// A tensor that fits into this many columns is written on one line.
const COLUMNS: usize = 80;

/// Returns a tensor with its shape, which a number has not, and its values as a text.
pub fn assigned(name: &str, shape: &Shape<Row>, values: &str) -> String {
    let is_number = Kind::ALL.iter().all(|&kind| shape.row(kind).rank() == 0);
    let shape = match is_number {
        true => String::new(),
        false => format!(" : {}", shape_text(shape)),
    };
    let space = if values.starts_with('\n') { "" } else { " " };
    format!("{name}{shape} ={space}{values}")
}

/// Returns the values of a tensor, with as many digits as its precision has.
pub fn of(tensor: &Tensor) -> String {
    match tensor.double_values() {
        Some(values) => nested(values, tensor.shape()),
        None => nested(tensor.values(), tensor.shape()),
    }
}

/// Returns the first values of a tensor that is too large to be shown.
pub fn first_of(tensor: &Tensor, count: usize) -> String {
    match tensor.double_values() {
        Some(values) => beginning(values, tensor.shape(), count),
        None => beginning(tensor.values(), tensor.shape(), count),
    }
}

/// Returns the values, in the order of memory, of a tensor with these sizes. Values that do not fit into a line have a
/// line for each row of the last axis, below the line that they belong to, and their columns are aligned.
fn nested<T: Display>(values: &[T], sizes: &[u64]) -> String {
    let cells: Vec<String> = values.iter().map(T::to_string).collect();
    let Some(width) = sizes.last().map(|&size| (size as usize).max(1)) else {
        return cells.concat();
    };
    let rows: Vec<&[String]> = cells.chunks(width).collect();
    let brackets = Brackets::of(sizes);
    if rows.len() == 1 || line_length(&cells, &brackets, rows.len()) <= COLUMNS {
        return one_line(&rows, &brackets);
    }
    let widths: Vec<usize> = (0..width)
        .map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let (opened, closed) = (brackets.opened(number), brackets.closed(number));
        let margin = brackets.axes - opened;
        let _ = write!(text, "\n{:INDENT$}{:margin$}{}", "", "", "[".repeat(opened));
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let comma = if column == 0 { "" } else { ", " };
            let _ = write!(text, "{comma}{cell:>width$}");
        }
        text.push_str(&"]".repeat(closed));
        if number + 1 < rows.len() {
            text.push(',');
        }
    }
    text
}

/// Returns the first of some values.
fn beginning<T: Display>(values: &[T], sizes: &[u64], count: usize) -> String {
    let width = sizes.last().map_or(1, |&size| size as usize);
    let shown: Vec<String> = values
        .iter()
        .take(count.min(width))
        .map(T::to_string)
        .collect();
    let within = if count < width { ", …" } else { "" };
    let after: String = (1..sizes.len())
        .rev()
        .map(|axis| if sizes[axis - 1] > 1 { "], …" } else { "]" })
        .collect();
    let open = "[".repeat(sizes.len());
    format!("{open}{}{within}{after}]", shown.join(", "))
}

/// The brackets between rows: a row of the last axis begins and ends as many blocks as it is the first or the last of.
struct Brackets {
    axes: usize,
    /// The number of rows of a block of each axis, from the last axis outwards.
    blocks: Vec<usize>,
}

impl Brackets {
    fn of(sizes: &[u64]) -> Brackets {
        let mut rows = 1;
        let outer = sizes.iter().rev().skip(1);
        let blocks = outer.map(|&size| {
            rows *= size as usize;
            rows
        });
        Brackets {
            axes: sizes.len(),
            blocks: blocks.collect(),
        }
    }

    fn opened(&self, row: usize) -> usize {
        1 + self
            .blocks
            .iter()
            .take_while(|&&rows| row.is_multiple_of(rows))
            .count()
    }

    fn closed(&self, row: usize) -> usize {
        self.opened(row + 1)
    }
}

/// Returns the length of all cells on one line.
fn line_length(cells: &[String], brackets: &Brackets, rows: usize) -> usize {
    let pairs: usize = (0..rows).map(|row| brackets.opened(row)).sum();
    let cells = cells.iter().map(|cell| cell.len() + 2);
    cells.sum::<usize>() + 2 * pairs
}

fn one_line(rows: &[&[String]], brackets: &Brackets) -> String {
    let rows = rows.iter().enumerate().map(|(number, row)| {
        let open = "[".repeat(brackets.opened(number));
        let close = "]".repeat(brackets.closed(number));
        format!("{open}{}{close}", row.join(", "))
    });
    rows.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(sizes: &[u64]) -> Vec<u64> {
        (0..sizes.iter().product()).collect()
    }

    fn all(sizes: &[u64]) -> String {
        nested(&counted(sizes), sizes)
    }

    #[test]
    fn a_small_tensor_stands_on_one_line_with_a_pair_of_brackets_for_each_axis() {
        assert_eq!(all(&[]), "0");
        assert_eq!(all(&[3]), "[0, 1, 2]");
        assert_eq!(all(&[2, 3]), "[[0, 1, 2], [3, 4, 5]]");
        assert_eq!(all(&[2, 1, 2]), "[[[0, 1]], [[2, 3]]]");
        assert_eq!(all(&[1, 1, 1]), "[[[0]]]");
    }

    #[test]
    fn rows_of_a_large_tensor_stand_below_each_other() {
        let wide = all(&[2, 2, 10]);
        let lines: Vec<&str> = wide.lines().collect();
        assert_eq!(
            lines,
            [
                "",
                "  [[[ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9],",
                "    [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]],",
                "   [[20, 21, 22, 23, 24, 25, 26, 27, 28, 29],",
                "    [30, 31, 32, 33, 34, 35, 36, 37, 38, 39]]]",
            ]
        );
    }

    #[test]
    fn a_vector_of_any_length_is_one_line() {
        assert_eq!(all(&[1000]).lines().count(), 1);
        assert_eq!(all(&[1, 1000]).lines().count(), 1);
    }

    #[test]
    fn the_beginning_says_where_values_are_left_out() {
        let begin = |sizes: &[u64]| beginning(&counted(sizes), sizes, 3);
        assert_eq!(begin(&[20]), "[0, 1, 2, …]");
        assert_eq!(begin(&[20, 2]), "[[0, 1], …]");
        assert_eq!(begin(&[9, 1, 8]), "[[[0, 1, 2, …]], …]");
    }
}
