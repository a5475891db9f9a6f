//! The values of data tensors: from the program, from files of comma-separated values, or from arrays of NumPy.

mod array;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use lozenge_vocabulary::operation::TensorId;

use crate::bounded_lines::BoundedLines;
use crate::diagnostic::Diagnostic;
use lozenge_vocabulary::counting::permutation;
use lozenge_vocabulary::program::{
    Column, Columns, Csv, Program, ReadingLimits, Rows, Source, Span, Tensor, Values,
};

/// A file that does not hold the values of a data tensor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}; {help}", self.place())]
pub struct LoadError {
    /// The tensor's name.
    pub tensor: String,
    /// Where the tensor is defined in the program.
    pub span: Span,
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, if the error is at one.
    pub line: Option<u64>,
    /// The value of the line, from 1, if the error is at one.
    pub field: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// How to repair it.
    pub help: String,
}

impl LoadError {
    /// The file with line and column, as far as they are known.
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

    /// The error at the tensor's place in the program.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!("{}: {}", self.place(), self.message);
        Diagnostic::new(self.span.clone(), message, "the values of this").help(self.help.as_str())
    }
}

/// Reads the values of every data tensor. Files are looked for in `folder`, the folder of the program.
///
/// # Errors
/// At the first file that is missing or does not contain the values that the shape requires.
pub fn load(
    program: &Program,
    folder: &Path,
) -> Result<BTreeMap<TensorId, Vec<f32>>, Box<LoadError>> {
    let mut loaded: BTreeMap<TensorId, Vec<f32>> = BTreeMap::new();
    for (at, tensor) in program.tensors.iter().enumerate() {
        let Source::Data(values) = &tensor.source else {
            continue;
        };
        let values = match values {
            Values::Listed(list) => list.clone(),
            Values::Range(bound) => (0..*bound).map(|i| i as f32).collect(),
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

/// The number of values of a data tensor. Its shape is ground, and the number is below the limit.
fn wanted(tensor: &Tensor) -> usize {
    axis_sizes(tensor).iter().product::<u64>() as usize
}

/// The sizes of the axes of a data tensor, in the order of memory.
fn axis_sizes(tensor: &Tensor) -> Vec<u64> {
    let rows = tensor.shape.rows().into_iter();
    let axes = rows.flat_map(|row| row.axes());
    axes.filter_map(|axis| axis.ground())
        .map(|dim| dim.size())
        .collect()
}

/// The sizes of the axes of an array that a `data` line reads; `None` for other files, whose rows have no axes, and if columns are
/// chosen.
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

/// A tensor for errors about a file, before its shape is known.
fn named(name: &str, span: &Span) -> Tensor {
    Tensor {
        name: name.into(),
        span: span.clone(),
        source: Source::Intermediate,
        shape: Default::default(),
        tag: Default::default(),
    }
}

/// The numbers of rows and columns of a file that a `data` line reads: those that its options do not state are taken from the
/// file.
///
/// # Errors
/// If the file cannot be read, or lacks what the options ask for.
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
                "mend the file, or name another one",
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
    Ok((rows, columns.len() as u64))
}

/// A number of things: `1 row`, `2 rows`.
fn many(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

impl Table<'_> {
    /// The error that there is no value in the part of an array that is read, whose axes have these sizes.
    fn without_cells(&self, sizes: &[u64]) -> Box<LoadError> {
        let message = match (sizes.first(), self.csv.rows) {
            (Some(0), Some(_)) => "none of the rows of the array is read".to_string(),
            (Some(0), None) => format!("the array has no rows: its shape is {sizes:?}"),
            _ => format!("the array has no values: its shape is {sizes:?}"),
        };
        let help = "an axis has at least one position: mend the file or the rows that are read";
        self.error(None, None, message, help.into())
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
    fn reader(&self) -> Result<csv::Reader<BoundedLines<Box<dyn Read>>>, Box<LoadError>> {
        Ok(csv::ReaderBuilder::new()
            .has_headers(self.csv.header)
            .flexible(true)
            // With quoting, an unclosed quote would make the rest of the file one cell.
            .quoting(false)
            .trim(csv::Trim::All)
            .from_reader(BoundedLines::new(self.open()?, self.limits.line_bytes)))
    }

    /// The number of rows of the file, and the columns that are read.
    fn counted(&self) -> Result<(u64, Range<usize>), Box<LoadError>> {
        let mut reader = self.reader()?;
        let names = self.names(&mut reader)?;
        let mut record = csv::StringRecord::new();
        let (mut lines, mut columns) = (0, 0..0);
        while reader
            .read_record(&mut record)
            .map_err(|error| self.unreadable(&error))?
        {
            if lines == 0 {
                columns = self.columns(&names, record.len())?;
            }
            lines += 1;
        }
        Ok((lines, columns))
    }

    /// The names of the columns, if the file has a header.
    fn names(
        &self,
        reader: &mut csv::Reader<BoundedLines<Box<dyn Read>>>,
    ) -> Result<Vec<String>, Box<LoadError>> {
        if !self.csv.header {
            return Ok(Vec::new());
        }
        let header = reader.headers().map_err(|error| self.unreadable(&error))?;
        Ok(header
            .iter()
            .map(|name| unquoted(name).to_string())
            .collect())
    }

    /// The columns that are read from rows of a given width.
    fn columns(&self, names: &[String], width: usize) -> Result<Range<usize>, Box<LoadError>> {
        let place = |column: &Column| match column {
            Column::Number(number) => Ok(*number),
            Column::Named(name) => {
                let found = names.iter().position(|known| known == name);
                found.ok_or_else(|| self.no_such_column(name, names))
            }
        };
        Ok(match &self.csv.columns {
            None => 0..width,
            Some(Columns::One(column)) => {
                let column = place(column)?;
                column..column + 1
            }
            Some(Columns::Range(from, to)) => {
                let from = place(from)?;
                let to = to.as_ref().map_or(Ok(width), place)?;
                if to <= from {
                    let message = format!("there are no columns from {from} to before {to}");
                    let help = "the second of `columns 0..64` is the first column that is left out";
                    return Err(self.error(None, None, message, help.into()));
                }
                from..to
            }
        })
    }

    fn no_such_column(&self, name: &str, names: &[String]) -> Box<LoadError> {
        let shown = crate::cursor::brief(name);
        let message = format!("there is no column `{shown}`");
        let near = crate::suggestion::nearest(name, names.iter().map(String::as_str));
        let help = match (near, self.csv.header) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, false) => {
                "write `header` in the `data` line if the first line holds names".to_string()
            }
            (None, true) => {
                let first: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
                format!("the header has {}", first.join(", "))
            }
        };
        self.error(None, None, message, help)
    }

    fn values(&self) -> Result<Vec<f32>, Box<LoadError>> {
        let wanted = wanted(self.tensor);
        let mut reader = self.reader()?;
        let names = self.names(&mut reader)?;
        let mut values = Vec::new();
        let mut record = csv::StringRecord::new();
        let mut line = 0;
        let mut at = 0;
        // Without named columns, all rows must be as wide as the first.
        let mut columns: Option<Range<usize>> = None;
        // Rows that are shuffled are read completely first.
        let rows = match self.csv.shuffled {
            None => self.csv.rows,
            Some(_) => None,
        };
        while reader
            .read_record(&mut record)
            .map_err(|error| self.unreadable(&error))?
        {
            line = record
                .position()
                .map_or(line + 1, |position| position.line());
            let place = at;
            at += 1;
            if rows.is_some_and(|rows| place < rows.from) {
                continue;
            }
            if rows.is_some_and(|rows| rows.to.is_some_and(|to| place >= to)) {
                break;
            }
            let columns = match &columns {
                Some(columns) => columns.clone(),
                None => columns.insert(self.columns(&names, record.len())?).clone(),
            };
            self.row(&record, line, columns, &mut values)?;
            let most = match self.csv.shuffled {
                None => wanted,
                Some(_) => self.limits.values as usize,
            };
            if values.len() > most {
                return Err(self.too_many(line, wanted));
            }
        }
        if let (Some(key), Some(columns)) = (self.csv.shuffled, &columns) {
            values = self.shuffled(key, &values, columns.len());
            if values.len() > wanted {
                return Err(self.too_many(line, wanted));
            }
        }
        if values.len() == wanted {
            return Ok(values);
        }
        let last_line = (line > 0).then_some(line);
        if let Some(to) = self.csv.rows.and_then(|rows| rows.to)
            && to > at
            && at > 0
        {
            let message = format!(
                "the file has {}, and row {} is wanted",
                many(at, "row"),
                to - 1
            );
            let help = "rows are counted from 0, and the second number of `rows 0..64` is left out";
            return Err(self.error(last_line, None, message, help.into()));
        }
        let message = format!("the file ends after {} of {wanted} values", values.len());
        Err(self.error(last_line, None, message, self.shape_help()))
    }

    /// The chosen rows after all rows were put into the order of a key.
    fn shuffled(&self, key: u64, values: &[f32], width: usize) -> Vec<f32> {
        let order = permutation(key, values.len() / width);
        let rows = self.csv.rows.unwrap_or(Rows { from: 0, to: None });
        let to = rows
            .to
            .map_or(order.len(), |to| order.len().min(to as usize));
        let from = to.min(rows.from as usize);
        let chosen = order[from..to].iter();
        chosen
            .flat_map(|row| &values[row * width..(row + 1) * width])
            .copied()
            .collect()
    }

    fn open(&self) -> Result<Box<dyn Read>, Box<LoadError>> {
        let file = File::open(&self.path).map_err(|error| self.cannot_be_opened(&error))?;
        let compressed = self
            .path
            .extension()
            .is_some_and(|extension| extension == "gz");
        Ok(if compressed {
            Box::new(flate2::read::MultiGzDecoder::new(BufReader::new(file)))
        } else {
            Box::new(file)
        })
    }

    fn cannot_be_opened(&self, error: &std::io::Error) -> Box<LoadError> {
        let help = format!(
            "`{}` is looked for beside the program",
            self.csv.path.display()
        );
        self.error(None, None, format!("cannot be opened: {error}"), help)
    }

    /// Adds the wanted columns of one row.
    fn row(
        &self,
        record: &csv::StringRecord,
        line: u64,
        columns: Range<usize>,
        values: &mut Vec<f32>,
    ) -> Result<(), Box<LoadError>> {
        let width = record.len();
        if self.csv.columns.is_none() && width != columns.end {
            let message = format!(
                "the row has {}, the first row {}",
                many(width as u64, "column"),
                columns.end
            );
            let help = "mend the file, or name the columns that are meant, such as `columns 0..64`";
            return Err(self.error(Some(line), None, message, help.into()));
        }
        if width < columns.end {
            let message = format!(
                "the row has {}, and column {} is wanted",
                many(width as u64, "column"),
                columns.end - 1
            );
            let help =
                "columns are counted from 0, and the second number of `columns 0..64` is left out";
            return Err(self.error(Some(line), None, message, help.into()));
        }
        for column in columns {
            values.push(self.number(&record[column], line, column)?);
        }
        Ok(())
    }

    /// The value of a cell. `nan`, `inf` and `-inf` are values; an empty cell and a number that is too large are not.
    fn number(&self, text: &str, line: u64, column: usize) -> Result<f32, Box<LoadError>> {
        let text = unquoted(text);
        let written = crate::cursor::brief(text);
        let (message, help) = match text.parse::<f32>() {
            Ok(value) if value.is_finite() || !text.contains(|c: char| c.is_ascii_digit()) => {
                return Ok(value);
            }
            Ok(_) => (
                format!("`{written}` does not fit"),
                "values are 32-bit floats: the largest is 3.4028235e38",
            ),
            Err(_) if text.is_empty() => (
                "the cell is empty".to_string(),
                "write `nan` for a value that is missing",
            ),
            Err(_) if text.contains([';', '\t']) => (
                format!("`{written}` is not a number"),
                "values are separated by commas",
            ),
            Err(_) if ["na", "n/a", "null", "none", "?"].contains(&&*text.to_lowercase()) => (
                format!("`{written}` is not a number"),
                "write `nan` for a value that is missing",
            ),
            Err(_) if line == 1 && !self.csv.header => (
                format!("`{written}` is not a number"),
                "if the first line holds names, write `header` at the end of the `data` line",
            ),
            Err(_) => (
                format!("`{written}` is not a number"),
                "a cell holds a number such as `3`, `-0.5`, `1e-3`, `nan` or `inf`",
            ),
        };
        Err(self.error(Some(line), Some(column + 1), message, help.into()))
    }

    fn too_many(&self, line: u64, wanted: usize) -> Box<LoadError> {
        let message = format!("the file goes on after the {wanted} values of the shape");
        self.error(Some(line), None, message, self.shape_help())
    }

    fn shape_help(&self) -> String {
        match self.csv.columns.as_ref().and_then(Columns::count) {
            Some(columns) => {
                let rows = wanted(self.tensor) / columns;
                format!(
                    "the shape of `{}` asks for {rows} rows of {columns} columns: mend the shape, the columns or the file",
                    self.tensor.name
                )
            }
            None => format!(
                "name the columns of `{}` that are meant, such as `columns 0..64`, or mend its shape",
                self.tensor.name
            ),
        }
    }

    fn unreadable(&self, error: &csv::Error) -> Box<LoadError> {
        let line = error.position().map(|position| position.line());
        let help = match error.kind() {
            csv::ErrorKind::Utf8 { .. } => "the file must be text in UTF-8",
            _ => "a name that ends in `.gz` must be a gzip file, any other plain text",
        };
        self.error(line, None, format!("cannot be read: {error}"), help.into())
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

/// A cell without the quotes around it.
fn unquoted(text: &str) -> &str {
    let inside = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    inside.unwrap_or(text)
}
