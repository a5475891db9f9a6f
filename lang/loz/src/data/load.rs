//! The values of data tensors: from the program, from tables in text files, or from arrays of NumPy.

mod array;
mod cell;
mod opened;
mod records;
mod separator;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lozenge_vocabulary::operation::TensorId;

use crate::diagnostic::Diagnostic;
use cell::Float;
use lozenge_vocabulary::program::{
    Columns, Csv, Program, ReadingLimits, Rows, Source, Span, Tensor, Values,
};

/// A file that does not hold the values of a data tensor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}; {help}", self.place())]
pub struct LoadError {
    /// The tensor's name.
    pub tensor: String,
    /// The place in the program where the tensor is defined.
    pub span: Span,
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, if the error is at one.
    pub line: Option<u64>,
    /// The value of the line, from 1, if the error is at one.
    pub field: Option<usize>,
    /// The mistake.
    pub message: String,
    /// The advice for a repair.
    pub help: String,
}

impl LoadError {
    /// Writes the file with line and column, as far as they are known.
    fn place(&self) -> String {
        let mut place = self.path.display().to_string();
        if let Some(line) = self.line {
            place.push_str(&format!(", line {line}"));
        }
        if let Some(field) = self.field {
            place.push_str(&format!(", value {field}"));
        }
        place
    }

    /// Places the error at the tensor in the program.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!("{}: {}", self.place(), self.message);
        Diagnostic::new(self.span.clone(), message, "the values of this").help(self.help.as_str())
    }
}

/// Reads the values of every data tensor, rounded to 32 bits. Files are looked for in `folder`, the folder of the
/// program.
///
/// # Errors
/// At the first file that is missing or does not contain the values that the shape requires.
pub fn load(
    program: &Program,
    folder: &Path,
) -> Result<BTreeMap<TensorId, Vec<f32>>, Box<LoadError>> {
    loaded(program, folder)
}

/// Reads the values of every data tensor as [`load`] does, with the digits of 64 bits, for a run in that precision.
///
/// # Errors
/// As for [`load`].
pub fn load_wide(
    program: &Program,
    folder: &Path,
) -> Result<BTreeMap<TensorId, Vec<f64>>, Box<LoadError>> {
    loaded(program, folder)
}

fn loaded<F: Float>(
    program: &Program,
    folder: &Path,
) -> Result<BTreeMap<TensorId, Vec<F>>, Box<LoadError>> {
    let mut loaded: BTreeMap<TensorId, Vec<F>> = BTreeMap::new();
    for (at, tensor) in program.tensors.iter().enumerate() {
        let Source::Data(values) = &tensor.source else {
            continue;
        };
        let values = match values {
            // A number without brackets stands in every cell; in brackets there are as many as cells.
            Values::Listed(list) if list.len() == 1 => vec![F::of(list[0]); wanted(tensor)],
            Values::Listed(list) => list.iter().map(|value| F::of(*value)).collect(),
            Values::Range(bound) => (0..*bound).map(|at| F::of(f64::from(at))).collect(),
            Values::Csv(csv) => {
                let path = folder.join(&csv.path);
                let limits = program.surroundings.limits;
                let table = Table {
                    tensor,
                    csv,
                    path,
                    limits,
                };
                match csv.is_array() {
                    true => table.array_values()?,
                    false => table.values()?,
                }
            }
            Values::Outside => {
                return Err(Box::new(LoadError {
                    tensor: tensor.name.to_string(),
                    span: tensor.span.clone(),
                    path: PathBuf::from("the program"),
                    line: None,
                    field: None,
                    message: format!("`{}` has no values", tensor.name),
                    help: "write where they are, such as `from \"x.csv\"`, or give them to the library".into(),
                }));
            }
            Values::Batches(whole) => {
                let count = wanted(tensor);
                let whole = loaded.get(whole).map_or(&[][..], Vec::as_slice);
                whole[..count.min(whole.len())].to_vec()
            }
        };
        loaded.insert(TensorId(at), values);
    }
    Ok(loaded)
}

/// Returns the number of values of a data tensor. Its shape is ground, and the number is below the limit.
fn wanted(tensor: &Tensor) -> usize {
    axis_sizes(tensor).iter().product::<u64>() as usize
}

/// Returns the sizes of the axes of a data tensor, in the order of memory.
fn axis_sizes(tensor: &Tensor) -> Vec<u64> {
    let rows = tensor.shape.rows().into_iter();
    let axes = rows.flat_map(|row| row.axes());
    axes.filter_map(|axis| axis.ground())
        .map(|dim| dim.size())
        .collect()
}

/// Reads the sizes of the axes of an array that a `data` line reads; `None` for other files, whose rows have no axes,
/// and if columns are chosen.
///
/// # Errors
/// If the file cannot be read, or has no such array.
pub(crate) fn axes_in_file(
    csv: &Csv,
    folder: &Path,
    name: &str,
    span: &Span,
    limits: ReadingLimits,
) -> Result<Option<Vec<u64>>, Box<LoadError>> {
    if !csv.is_array() {
        return Ok(None);
    }
    let tensor = named(name, span);
    let path = folder.join(&csv.path);
    let table = Table {
        tensor: &tensor,
        csv,
        path,
        limits,
    };
    let sizes = table.array_axes()?;
    match &sizes {
        Some(sizes) if sizes.contains(&0) => Err(table.without_cells(sizes)),
        _ => Ok(sizes),
    }
}

/// Makes a tensor for errors about a file, before its shape is known.
fn named(name: &str, span: &Span) -> Tensor {
    Tensor {
        name: name.into(),
        span: span.clone(),
        source: Source::Intermediate,
        shape: Default::default(),
        tag: Default::default(),
    }
}

/// Reads the numbers of rows and columns of a file that a `data` line reads: those that its options do not state are
/// taken from the file.
///
/// # Errors
/// If the file cannot be read, or lacks the rows or columns that the options ask for.
pub(crate) fn extent(
    csv: &Csv,
    folder: &Path,
    name: &str,
    span: &Span,
    limits: ReadingLimits,
) -> Result<(u64, u64), Box<LoadError>> {
    let rows = csv.rows.and_then(|rows| rows.count());
    let columns = csv.columns.as_ref().and_then(Columns::count);
    if let (Some(rows), Some(columns)) = (rows, columns) {
        return Ok((rows, columns as u64));
    }
    let tensor = named(name, span);
    let path = folder.join(&csv.path);
    let table = Table {
        tensor: &tensor,
        csv,
        path,
        limits,
    };
    let (lines, columns) = match csv.is_array() {
        true => table.array_extent()?,
        false => table.counted()?,
    };
    let rows = match csv.rows {
        None => lines,
        Some(Rows { from, to }) => to.unwrap_or(lines).saturating_sub(from),
    };
    if rows == 0 {
        let (message, help) = match lines {
            0 => (
                "the file has no rows".to_string(),
                "correct the file, or name another one",
            ),
            _ => (
                format!(
                    "the file has {}, and none of them is read",
                    many(lines, "row")
                ),
                "rows are counted from 0: write `rows 0..` for all of them",
            ),
        };
        return Err(table.error(None, None, message, help.into()));
    }
    if columns.is_empty() {
        return Err(table.without_cells(&[rows, 0]));
    }
    Ok((rows, columns.len() as u64))
}

/// Writes a number of things: `1 row`, `2 rows`.
fn many(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

/// The columns of a file that a tensor reads.
struct Table<'a> {
    tensor: &'a Tensor,
    csv: &'a Csv,
    path: PathBuf,
    limits: ReadingLimits,
}

impl Table<'_> {
    /// Returns the error that there is no value in the part of an array that is read, whose axes have these sizes.
    fn without_cells(&self, sizes: &[u64]) -> Box<LoadError> {
        let message = match (sizes.first(), self.csv.rows) {
            (Some(0), Some(_)) => "none of the rows of the array is read".to_string(),
            (Some(0), None) => format!("the array has no rows: its shape is {sizes:?}"),
            _ => format!("the array has no values: its shape is {sizes:?}"),
        };
        let help = "an axis has at least one position: correct the file or the rows that are read";
        self.error(None, None, message, help.into())
    }

    fn cannot_be_opened(&self, error: &std::io::Error) -> Box<LoadError> {
        let help = format!(
            "`{}` is looked for beside the program",
            self.csv.path.display()
        );
        self.error(None, None, format!("cannot be opened: {error}"), help)
    }

    fn error(
        &self,
        line: Option<u64>,
        field: Option<usize>,
        message: String,
        help: String,
    ) -> Box<LoadError> {
        Box::new(LoadError {
            tensor: self.tensor.name.to_string(),
            span: self.tensor.span.clone(),
            path: self.path.clone(),
            line,
            field,
            message,
            help,
        })
    }
}
