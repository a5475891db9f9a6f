//! The values of a data tensor from a file of NumPy: rows are the indices of the first axis, and columns are the cells
//! of a row.

use std::fs::File;
use std::io::BufReader;
use std::ops::Range;

use lozenge_vocabulary::counting::permutation;
use lozenge_vocabulary::program::{Column, Columns, Rows};

use super::cell::Float;
use super::{LoadError, Table, axis_sizes};
use crate::data::numpy::{
    ArrayError, read, read_from_archive, read_whole, read_whole_from_archive, shape,
    shape_in_archive,
};

impl Table<'_> {
    fn file(&self) -> Result<BufReader<File>, Box<LoadError>> {
        let file = File::open(&self.path).map_err(|error| self.cannot_be_opened(&error))?;
        Ok(BufReader::new(file))
    }

    fn no_array(&self, error: &ArrayError) -> Box<LoadError> {
        let help = match error {
            ArrayError::Several { names } if !names.is_empty() => {
                format!(
                    "{}, as in `array \"{}\"`",
                    error.help(),
                    crate::diagnostic::brief(&names[0])
                )
            }
            ArrayError::TooLarge { .. } => {
                format!("{}; --max-values raises the limit", error.help())
            }
            _ => error.help(),
        };
        self.error(None, None, error.to_string(), help)
    }

    /// Reads the sizes of the axes of the array.
    fn array_sizes(&self) -> Result<Vec<u64>, Box<LoadError>> {
        let file = self.file()?;
        let sizes = match self.csv.is_archive() {
            true => shape_in_archive(file, self.csv.array.as_deref()),
            false => shape(file),
        };
        sizes.map_err(|error| self.no_array(&error))
    }

    /// Reads the sizes of the axes that are read, the rows first; `None` if columns are chosen, which have no axes.
    pub(super) fn array_axes(&self) -> Result<Option<Vec<u64>>, Box<LoadError>> {
        if self.csv.columns.is_some() {
            return Ok(None);
        }
        let mut sizes = self.array_sizes()?;
        if let Some(rows) = sizes.first_mut() {
            let chosen = self.array_rows(*rows);
            *rows = chosen.end - chosen.start;
        }
        Ok(Some(sizes))
    }

    /// Reads the number of rows of the array, and the columns that are read.
    pub(super) fn array_extent(&self) -> Result<(u64, Range<usize>), Box<LoadError>> {
        let sizes = self.array_sizes()?;
        let (rows, width) = rows_and_width(&sizes);
        Ok((rows, self.array_columns(width)?))
    }

    fn array_rows(&self, rows: u64) -> Range<u64> {
        let Rows { from, to } = self.csv.rows.unwrap_or(Rows { from: 0, to: None });
        let to = to.map_or(rows, |to| to.min(rows));
        from.min(to)..to
    }

    fn array_columns(&self, width: usize) -> Result<Range<usize>, Box<LoadError>> {
        let number = |column: &Column| match column {
            Column::Number(number) => Ok(*number),
            Column::Named(name) => {
                let message = format!(
                    "an array has no column `{}`",
                    crate::diagnostic::brief(name)
                );
                let help = "columns of an array are counted from 0: `columns 0..64`";
                Err(self.error(None, None, message, help.into()))
            }
        };
        let columns = match &self.csv.columns {
            None => 0..width,
            Some(Columns::One(column)) => number(column)?..number(column)? + 1,
            Some(Columns::Range(from, to)) => {
                number(from)?..to.as_ref().map_or(Ok(width), number)?
            }
        };
        if columns.is_empty() && width > 0 || columns.end > width {
            let message = format!(
                "a row of the array has {width} values, and the columns from {} to before {} are wanted",
                columns.start, columns.end
            );
            let help =
                "columns are counted from 0, and the second number of `columns 0..64` is left out";
            return Err(self.error(None, None, message, help.into()));
        }
        Ok(columns)
    }

    pub(super) fn array_values<F: Float>(&self) -> Result<Vec<F>, Box<LoadError>> {
        let file = self.file()?;
        let (name, limit) = (self.csv.array.as_deref(), self.limits.values);
        let array = match (self.csv.is_archive(), F::IS_WIDE) {
            (true, false) => read_from_archive(file, name, limit),
            (true, true) => read_whole_from_archive(file, name, limit),
            (false, false) => read(file, limit),
            (false, true) => read_whole(file, limit),
        };
        let array = array.map_err(|error| self.no_array(&error))?;
        let sizes = array.shape.clone();
        let values = F::all(array);
        let (all, width) = rows_and_width(&sizes);
        let rows = self.array_rows(all);
        let columns = self.array_columns(width)?;
        self.array_fits(&sizes, &rows, &columns)?;
        let row = |row: u64| {
            let start = row as usize * width;
            values[start + columns.start..start + columns.end]
                .iter()
                .copied()
        };
        Ok(match self.csv.shuffled {
            None => rows.flat_map(row).collect(),
            Some(key) => {
                let order = permutation(key, all as usize);
                let chosen = &order[rows.start as usize..rows.end as usize];
                chosen.iter().flat_map(|at| row(*at as u64)).collect()
            }
        })
    }

    /// Checks the axes of the array, or the number of its values if columns are chosen, against the shape of the
    /// tensor.
    fn array_fits(
        &self,
        sizes: &[u64],
        rows: &Range<u64>,
        columns: &Range<usize>,
    ) -> Result<(), Box<LoadError>> {
        let wanted = axis_sizes(self.tensor);
        let name = &self.tensor.name;
        let count = rows.end - rows.start;
        if self.csv.columns.is_some() {
            let found = count * columns.len() as u64;
            let expected: u64 = wanted.iter().product();
            if found == expected {
                return Ok(());
            }
            let message = format!(
                "{count} rows of {} columns are {found} values, and `{name}` has {expected}",
                columns.len()
            );
            let help = "correct the shape, the rows or the columns".to_string();
            return Err(self.error(None, None, message, help));
        }
        let mut found = sizes.to_vec();
        if let Some(first) = found.first_mut() {
            *first = count;
        }
        if found == wanted {
            return Ok(());
        }
        let what = match count == rows_and_width(sizes).0 {
            true => "the array has the shape",
            false => "the rows of the array that are read have the shape",
        };
        let message = format!("{what} {found:?}, and `{name}` has {wanted:?}");
        let help = match rows_and_width(&found).1 {
            width
                if width > 1 && found.iter().product::<u64>() == wanted.iter().product::<u64>() =>
            {
                format!(
                    "correct the shape; if the cells of a row are meant in their order, write `columns 0..{width}`"
                )
            }
            _ => {
                "axes are in the order batch, input, output: correct the shape or the array".into()
            }
        };
        Err(self.error(None, None, message, help))
    }
}

/// Returns the size of the first axis, and the number of cells of each of its indices.
fn rows_and_width(sizes: &[u64]) -> (u64, usize) {
    match sizes {
        [] => (1, 1),
        [rows, rest @ ..] => (*rows, rest.iter().product::<u64>() as usize),
    }
}
