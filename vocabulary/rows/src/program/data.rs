//! The source of the values of data.

use std::path::{Path, PathBuf};

use crate::operation::TensorId;

/// The values of a data tensor, in the order of memory: the batch axes first, then the input axes, then the output
/// axes, the last axis fastest.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Written in the program. A single number stands in every cell.
    Listed(Vec<f64>),
    /// 0, 1, 2 … below a bound of at most 2^24, up to which `f32` counts exactly.
    Range(u32),
    /// Columns of a file, row by row.
    Csv(Box<Csv>),
    /// Given by whoever runs the program.
    Outside,
    /// The values of another data tensor, cut into batches along its first axis. Rows at the end that do not fill a
    /// batch are left out.
    Batches(TensorId),
}

/// Columns of a table in a text file, which is decompressed if its name ends in `.gz`; or of an array of NumPy, if it
/// ends in `.npy` or `.npz`. A row of an array is an index of its first axis, and columns are the cells of a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csv {
    /// The file, as written: relative to the folder of the program.
    pub path: PathBuf,
    /// The columns that are read; all of them if none are named.
    pub columns: Option<Columns>,
    /// The name of the array in a `.npz` file; without one it is the only array.
    pub array: Option<String>,
    /// True if the first line holds names and no values.
    pub header: bool,
    /// The key of the permutation that is applied to the rows before [`Csv::rows`] are chosen.
    pub shuffled: Option<u64>,
    /// The rows that are read; all of them if none are named.
    pub rows: Option<Rows>,
    /// The separator between two cells of a line, if the program names one.
    pub separator: Option<Separator>,
    /// The character from which on the rest of a line is left out, outside of quotes.
    pub comments: Option<char>,
    /// The value of a cell that has none; without it such a cell is an error.
    pub missing: Option<f64>,
}

/// The separator between two cells of a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One ASCII character.
    Character(char),
    /// Any number of spaces and tabs.
    Blanks,
}

/// Rows of a file, counted from 0 without the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The first row that is read.
    pub from: u64,
    /// The first row after it that is not read; without it all rows to the end are read.
    pub to: Option<u64>,
}

/// Columns of a file that stand side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Columns {
    /// A single one.
    One(Column),
    /// The columns from the first up to, but without, the second; up to the last column where there is no second.
    Range(Column, Option<Column>),
}

/// A column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Counted from 0.
    Number(usize),
    /// Its name in the header.
    Named(String),
}

impl Csv {
    /// Tells whether the file is an array or an archive of arrays, by its name.
    pub fn is_array(&self) -> bool {
        self.path.extension().is_some_and(|end| end == "npy") || self.is_archive()
    }

    /// Tells whether the file is an archive of arrays, by its name.
    pub fn is_archive(&self) -> bool {
        self.path.extension().is_some_and(|end| end == "npz")
    }
}

impl Csv {
    /// Returns the separator between two cells of a line: the one that the program names, else a tab in a file whose
    /// name ends in `.tsv` or `.tsv.gz`, and a comma in all others.
    pub fn separated_by(&self) -> Separator {
        let name = match self.path.extension().is_some_and(|end| end == "gz") {
            true => self.path.file_stem().map(Path::new),
            false => Some(self.path.as_path()),
        };
        let is_tsv = name.is_some_and(|name| name.extension().is_some_and(|end| end == "tsv"));
        let usual = Separator::Character(if is_tsv { '\t' } else { ',' });
        self.separator.unwrap_or(usual)
    }
}

impl Columns {
    /// Returns the number of columns, if the program determines it.
    pub fn count(&self) -> Option<usize> {
        match self {
            Columns::One(_) => Some(1),
            Columns::Range(Column::Number(from), Some(Column::Number(to))) => {
                Some(to.saturating_sub(*from))
            }
            Columns::Range(..) => None,
        }
    }
}

impl Rows {
    /// Returns the number of rows, if the program determines it.
    pub fn count(&self) -> Option<u64> {
        Some(self.to?.saturating_sub(self.from))
    }
}
