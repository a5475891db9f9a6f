//! The values of a data tensor from a table in a text file, and the errors about one that does not fit.

use std::io::BufRead;
use std::ops::Range;

use lozenge_vocabulary::counting::permutation;
use lozenge_vocabulary::program::{Column, Columns, Rows, Separator};

use super::cell::{Cell, Float, Unfit, cell};
use super::opened::opened;
use super::records::{Record, RecordError, Records};
use super::{LoadError, Table, many, separator, wanted};
use crate::diagnostic::brief;

const LEAVE_OUT_COMMENTS: &str =
    "write `comments \"#\"` behind the name of the file to leave out what follows a `#` in a line";

/// A table while its rows are read. All have as many cells as its first line.
struct Reading<'t> {
    table: &'t Table<'t>,
    records: Records<Box<dyn BufRead>>,
    /// The number of cells of the first line, once it is read, the word for that line in messages, and a flag: true if
    /// it looks like a comment.
    first: Option<(usize, &'static str, bool)>,
}

impl Reading<'_> {
    /// Reads the next row.
    fn next(&mut self) -> Result<Option<&Record>, Box<LoadError>> {
        let record = match self.records.next() {
            Ok(Some(record)) => record,
            Ok(None) => return Ok(None),
            Err(error) => return Err(self.table.unreadable(error)),
        };
        let is_comment = record.cell(0).starts_with(b"#");
        let first = (record.len(), "first row", is_comment);
        let (cells, first, is_first_comment) = *self.first.get_or_insert(first);
        if record.len() != cells {
            let message = format!(
                "the row has {}, the {first} {cells}",
                many(record.len() as u64, "column")
            );
            let help = match is_comment || is_first_comment {
                true => LEAVE_OUT_COMMENTS,
                false => {
                    "all rows of a table are of one length: correct the file; a text that holds the separator stands in quotes"
                }
            };
            return Err(self
                .table
                .error(Some(record.line), None, message, help.into()));
        }
        Ok(Some(record))
    }
}

impl Table<'_> {
    /// Reads the names of the columns, if the file has a header, and the rows behind it.
    fn reading(&self) -> Result<(Vec<String>, Reading<'_>), Box<LoadError>> {
        let opened = opened(&self.path).map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidInput | std::io::ErrorKind::UnexpectedEof => {
                self.unreadable(RecordError::System(error))
            }
            _ => self.cannot_be_opened(&error),
        })?;
        let opened = opened
            .map_err(|(message, help)| self.error(None, None, message.into(), help.into()))?;
        let (separator, comments) = (self.csv.separated_by(), self.csv.comments);
        if let (None, Separator::Character(used)) = (self.csv.separator, separator)
            && let Some(other) = separator::other(&opened.head, opened.is_whole, used, comments)
        {
            return Err(self.other_separator(used, &other));
        }
        let mut reading = Reading {
            table: self,
            records: Records::new(opened.input, separator, comments, self.limits.line_bytes),
            first: None,
        };
        if !self.csv.header {
            return Ok((Vec::new(), reading));
        }
        let header = match reading.next()? {
            Some(header) => header,
            None => return Ok((Vec::new(), reading)),
        };
        let (names, line) = (header.texts(), header.line);
        self.names_are_no_numbers(&names, line)?;
        let is_comment = names[0].starts_with('#');
        reading.first = Some((names.len(), "header", is_comment));
        Ok((names, reading))
    }

    fn other_separator(&self, used: char, other: &separator::Other) -> Box<LoadError> {
        let by = &separator::known(used);
        let (message, help) = match other.by_used {
            None => (
                format!(
                    "{} separate the cells of this file, and it is read as if {} did",
                    other.known.plural, by.plural
                ),
                format!(
                    "write `{}` behind the name of the file",
                    other.known.written
                ),
            ),
            Some(cells) => (
                format!(
                    "its lines have {cells} cells each if {} separate them, and {} if {} do",
                    by.plural, other.cells, other.known.plural
                ),
                format!(
                    "write `{}` or `{}` behind the name of the file",
                    by.written, other.known.written
                ),
            ),
        };
        self.error(None, None, message, help)
    }

    /// Refuses a header that has only numbers, if no column is chosen by its name: it is probably a row, which would be
    /// lost.
    fn names_are_no_numbers(&self, names: &[String], line: u64) -> Result<(), Box<LoadError>> {
        let is_named = match &self.csv.columns {
            None => false,
            Some(Columns::One(column)) => matches!(column, Column::Named(_)),
            Some(Columns::Range(from, to)) => {
                matches!(from, Column::Named(_)) || matches!(to, Some(Column::Named(_)))
            }
        };
        if is_named || !names.iter().all(|name| name.parse::<f64>().is_ok()) {
            return Ok(());
        }
        let message = "the line of names has only numbers".to_string();
        let help = match names.first() {
            Some(first) => format!(
                "leave out `header`, or name a column if these are names: `column \"{}\"`",
                brief(first)
            ),
            None => "leave out `header`".to_string(),
        };
        Err(self.error(Some(line), None, message, help))
    }

    /// Counts the rows of the file, and the columns that are read.
    pub(super) fn counted(&self) -> Result<(u64, Range<usize>), Box<LoadError>> {
        let (names, mut reading) = self.reading()?;
        let (mut rows, mut columns) = (0, 0..0);
        while let Some(record) = reading.next()? {
            if rows == 0 {
                columns = self.columns(&names, record)?;
            }
            rows += 1;
        }
        Ok((rows, columns))
    }

    /// Determines the columns that are read, by the first row.
    fn columns(&self, names: &[String], first: &Record) -> Result<Range<usize>, Box<LoadError>> {
        let width = first.len();
        let place = |column: &Column| match column {
            Column::Number(number) => Ok(*number),
            Column::Named(name) => self.place(name, names),
        };
        let columns = match &self.csv.columns {
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
        };
        if width < columns.end {
            let message = format!(
                "the row has {}, and column {} is wanted",
                many(width as u64, "column"),
                columns.end - 1
            );
            let help =
                "columns are counted from 0, and the second number of `columns 0..64` is left out";
            return Err(self.error(Some(first.line), None, message, help.into()));
        }
        Ok(columns)
    }

    /// Finds the place of the column with a name, which no other one may have.
    fn place(&self, name: &str, names: &[String]) -> Result<usize, Box<LoadError>> {
        let mut found = names.iter().enumerate().filter(|(_, known)| *known == name);
        match (found.next(), found.next()) {
            (Some((place, _)), None) => Ok(place),
            (Some((one, _)), Some((other, _))) => {
                let shown = brief(name);
                let message = format!("the columns {one} and {other} are both called `{shown}`");
                let help = format!("choose one of them by its number: `column {one}`");
                Err(self.error(None, None, message, help))
            }
            (None, _) => Err(self.no_such_column(name, names)),
        }
    }

    fn no_such_column(&self, name: &str, names: &[String]) -> Box<LoadError> {
        let shown = brief(name);
        let message = format!("there is no column `{shown}`");
        let near = crate::diagnostic::nearest_name::nearest(name, names.iter().map(String::as_str));
        let help = match (near, self.csv.header) {
            (Some(near), _) => format!("did you mean `{}`?", brief(near)),
            (None, false) => {
                "write `header` in the `data` line if the first line holds names".to_string()
            }
            (None, true) => {
                let first: Vec<String> = names.iter().take(8).map(|name| brief(name)).collect();
                format!("the header has {}", first.join(", "))
            }
        };
        self.error(None, None, message, help)
    }

    /// Reads the values.
    pub(super) fn values<F: Float>(&self) -> Result<Vec<F>, Box<LoadError>> {
        let wanted = wanted(self.tensor);
        let (names, mut reading) = self.reading()?;
        let mut values = Vec::new();
        let (mut line, mut at) = (0, 0);
        let mut columns: Option<Range<usize>> = None;
        // Rows that are shuffled are read completely first.
        let (rows, most) = match self.csv.shuffled {
            None => (self.csv.rows, wanted),
            Some(_) => (None, self.limits.values as usize),
        };
        let rows = rows.unwrap_or(Rows { from: 0, to: None });
        while rows.to.is_none_or(|to| at < to) {
            let Some(record) = reading.next()? else {
                break;
            };
            line = record.line;
            at += 1;
            let columns = match &columns {
                Some(columns) => columns.clone(),
                None => columns.insert(self.columns(&names, record)?).clone(),
            };
            if at <= rows.from {
                continue;
            }
            for column in columns {
                values.push(self.number(record, column)?);
            }
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
        match values.len() == wanted {
            true => Ok(values),
            false => Err(self.too_few(line, at, values.len())),
        }
    }

    /// Puts all rows into the order of a key, and returns the chosen ones.
    fn shuffled<F: Float>(&self, key: u64, values: &[F], width: usize) -> Vec<F> {
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

    /// Reads the value of a cell.
    fn number<F: Float>(&self, record: &Record, column: usize) -> Result<F, Box<LoadError>> {
        let error = |message: String, help: &str| {
            self.error(Some(record.line), Some(column + 1), message, help.into())
        };
        let Ok(text) = std::str::from_utf8(record.cell(column)) else {
            let message = "the cell is no text in UTF-8".to_string();
            return Err(error(message, "save the file as UTF-8"));
        };
        let unfit = match (cell(text), self.csv.missing) {
            (Cell::Number(value), _) => return Ok(value),
            (Cell::Missing, Some(value)) => return Ok(F::of(value)),
            (Cell::Missing, None) => {
                let message = match text {
                    "" => "the cell is empty".to_string(),
                    _ => format!("the cell is `{text}`, which is no number"),
                };
                let help = "write `missing nan` or `missing 0` behind the name of the file to read cells without a value as that number";
                return Err(error(message, help));
            }
            (Cell::Unfit(unfit), _) => unfit,
        };
        let written: String = brief(text)
            .chars()
            .map(|sign| if sign.is_control() { ' ' } else { sign })
            .collect();
        let message = match unfit {
            Unfit::TooLarge => format!("`{written}` does not fit"),
            _ => format!("`{written}` is not a number"),
        };
        let is_first = !self.csv.header && record.is_first;
        let help = match unfit {
            Unfit::TooLarge => F::LARGEST,
            Unfit::Comma => {
                "numbers have a decimal point and no commas: `1.5`, `1234`; correct the file"
            }
            Unfit::Truth => "truth values are 1 and 0: correct the file",
            Unfit::Text if text.starts_with('#') && !is_first => LEAVE_OUT_COMMENTS,
            Unfit::Text if is_first => {
                "if the first line holds names, write `header` at the end of the `data` line"
            }
            Unfit::Text => {
                "a cell holds a number such as `3`, `-0.5`, `1e-3`, `nan` or `inf`; `columns` chooses those that do"
            }
        };
        Err(error(message, help))
    }

    fn too_few(&self, line: u64, rows: u64, values: usize) -> Box<LoadError> {
        let line = (line > 0).then_some(line);
        if let Some(to) = self.csv.rows.and_then(|rows| rows.to)
            && to > rows
            && rows > 0
        {
            let message = format!(
                "the file has {}, and row {} is wanted",
                many(rows, "row"),
                to - 1
            );
            let help = "rows are counted from 0, and the second number of `rows 0..64` is left out";
            return self.error(line, None, message, help.into());
        }
        let wanted = wanted(self.tensor);
        let message = format!("the file ends after {values} of {wanted} values");
        self.error(line, None, message, self.shape_help())
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
                    "the shape of `{}` asks for {rows} rows of {columns} columns: correct the shape, the columns or the file",
                    self.tensor.name
                )
            }
            None => format!(
                "name the columns of `{}` that are meant, such as `columns 0..64`, or correct its shape",
                self.tensor.name
            ),
        }
    }

    fn unreadable(&self, error: RecordError) -> Box<LoadError> {
        let (line, message, help) = match error {
            RecordError::System(error) => (
                None,
                format!("cannot be read: {error}"),
                "a name that ends in `.gz` must be a gzip file, any other plain text",
            ),
            RecordError::TooLong {
                line,
                limit,
                is_open: false,
            } => (
                Some(line),
                format!("the line is longer than {limit} bytes"),
                "--max-line-bytes raises the limit",
            ),
            RecordError::TooLong { line, limit, .. } => (
                Some(line),
                format!("a quote is opened here, and not closed within {limit} bytes"),
                "close it; --max-line-bytes raises the limit",
            ),
            RecordError::Unclosed { line } => (
                Some(line),
                "a quote is opened here, and the file ends before it is closed".to_string(),
                "close it; a quote that is part of a cell in quotes is doubled",
            ),
            RecordError::Behind {
                opened,
                line,
                character,
            } => (
                Some(opened),
                match opened == line {
                    true => format!("a closing quote is followed by `{character}`"),
                    false => format!(
                        "a quote is opened here, and the one in line {line} that closes it is followed by `{character}`"
                    ),
                },
                "a cell ends with its closing quote; a quote that is part of a cell in quotes is doubled: `\"a \"\"b\"\" c\"`",
            ),
        };
        self.error(line, None, message, help.into())
    }
}
