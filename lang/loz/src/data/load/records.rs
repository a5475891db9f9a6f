//! The rows of a table in a text file, as RFC 4180 has them: a cell that begins with a quote ends with the next single
//! one, and may hold separators and line breaks; a quote within quotes is doubled.
//!
//! The cells are found by csv-core, the state machine of the crate csv. The reader of that crate was tried: it ends a
//! quote that is not closed with the file, joins what follows a closing quote to the cell, and does not say in which
//! line a row begins that follows an empty one. So the lines are read here, with their quotes, and a row is cut only
//! when it is whole.

use std::io::{self, BufRead, Read};

use lozenge_vocabulary::program::Separator;

/// The state of a line while its quotes are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The state at the beginning of a cell, perhaps behind blanks.
    Begin,
    /// The state in a cell without quotes around it, where a quote is a character like others.
    Plain,
    /// The state between the quotes of a cell.
    Quoted,
    /// The state behind a quote that closes the cell, or is the first half of a doubled one.
    Closed,
    /// The state behind a closing quote and blanks.
    Behind,
}

/// A text that is no table.
#[derive(Debug)]
pub(super) enum RecordError {
    /// The system, or the decompression.
    System(io::Error),
    /// A line that is longer than the limit, or all the lines behind a quote that is not closed.
    TooLong {
        line: u64,
        limit: u64,
        is_open: bool,
    },
    /// A quote that is not closed: the line in which it is opened.
    Unclosed { line: u64 },
    /// A character behind a closing quote: the line of the quote that opens the cell, that of the character, and the
    /// character.
    Behind {
        opened: u64,
        line: u64,
        character: char,
    },
}

/// The cells of a row.
#[derive(Default)]
pub(super) struct Record {
    /// The texts of the cells, one behind the other.
    text: Vec<u8>,
    /// The end of each cell in the text; there is more room than cells.
    ends: Vec<usize>,
    count: usize,
    /// The line in which the row begins, from 1.
    pub line: u64,
    /// True if the row is the first one of the file.
    pub is_first: bool,
}

impl Record {
    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns a cell without the blanks around it.
    pub fn cell(&self, at: usize) -> &[u8] {
        let from = match at {
            0 => 0,
            _ => self.ends[at - 1],
        };
        self.text[from..self.ends[at]].trim_ascii()
    }

    /// Returns the cells as texts, for names and messages.
    pub fn texts(&self) -> Vec<String> {
        let cells = (0..self.count).map(|at| self.cell(at));
        cells
            .map(|cell| String::from_utf8_lossy(cell).into_owned())
            .collect()
    }
}

/// A reader of rows.
pub(super) struct Records<R> {
    input: R,
    core: csv_core::Reader,
    separator: u8,
    /// True if any number of blanks is one separator.
    blanks: bool,
    comments: Option<u8>,
    longest: u64,
    /// The lines of the rows that are being cut, as a rule one.
    text: Vec<u8>,
    /// The beginning of the part that is not cut yet.
    at: usize,
    /// The number of lines that were read before this text, and in this text.
    lines: (u64, u64),
    /// The number of lines of this text that were passed and end with a carriage return alone, as old files have them.
    returns: u64,
    /// The line of the quote that was opened last.
    opened: u64,
    record: Record,
}

impl<R: BufRead> Records<R> {
    pub fn new(input: R, separator: Separator, comments: Option<char>, longest: u64) -> Records<R> {
        let (separator, blanks) = match separator {
            Separator::Character(sign) => (sign as u8, false),
            Separator::Blanks => (b' ', true),
        };
        Records {
            input,
            core: csv_core::ReaderBuilder::new().delimiter(separator).build(),
            separator,
            blanks,
            comments: comments.map(|sign| sign as u8),
            longest,
            text: Vec::new(),
            at: 0,
            lines: (0, 0),
            returns: 0,
            opened: 0,
            record: Record::default(),
        }
    }

    /// Reads the next row; `None` behind the last. Lines without anything but blanks are left out.
    pub fn next(&mut self) -> Result<Option<&Record>, RecordError> {
        loop {
            self.pass_empty_lines();
            if self.at < self.text.len() {
                let before = self.record.line;
                self.cut();
                if self.record.count > 0 {
                    return Ok(Some(&self.record));
                }
                // csv-core passes over a byte order mark, also one that stands alone in a later line.
                self.record.line = before;
            } else if !self.read()? {
                return Ok(None);
            }
        }
    }

    fn is_blank(&self, byte: u8) -> bool {
        byte == b' ' || byte == b'\t' && self.separator != b'\t'
    }

    /// Passes lines that are left without a cell.
    fn pass_empty_lines(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blanks = rest.iter().take_while(|byte| self.is_blank(**byte)).count();
            match rest.get(blanks) {
                Some(b'\n' | b'\r') => self.at += blanks + 1,
                _ => return,
            }
            self.count_return();
        }
    }

    /// Counts the carriage return that was just passed, if no line feed follows it.
    fn count_return(&mut self) {
        let is_return = self.at > 0 && self.text[self.at - 1] == b'\r';
        self.returns += u64::from(is_return && self.text.get(self.at) != Some(&b'\n'));
    }

    /// Reads a line, and those behind it as long as a quote is open. False at the end of the file.
    fn read(&mut self) -> Result<bool, RecordError> {
        self.text.clear();
        self.at = 0;
        self.lines = (self.lines.0 + self.lines.1 + self.returns, 0);
        self.returns = 0;
        let mut state = State::Begin;
        loop {
            let from = self.text.len();
            let room = (self.longest + 1).saturating_sub(from as u64);
            let mut input = (&mut self.input).take(room);
            let count = input
                .read_until(b'\n', &mut self.text)
                .map_err(RecordError::System)?;
            let line = self.lines.0 + self.lines.1 + 1;
            if self.text.len() as u64 > self.longest {
                let is_open = state == State::Quoted;
                return Err(RecordError::TooLong {
                    line: if is_open { self.opened } else { line },
                    limit: self.longest,
                    is_open,
                });
            }
            if count == 0 {
                return match state == State::Quoted {
                    true => Err(RecordError::Unclosed { line: self.opened }),
                    false => Ok(!self.text.is_empty()),
                };
            }
            self.lines.1 += 1;
            if self.text.last() != Some(&b'\n') {
                self.text.push(b'\n');
            }
            if state == State::Begin && !self.needs_care(from) {
                return Ok(true);
            }
            state = self.tidied(from, state, line)?;
            if state != State::Quoted {
                return Ok(true);
            }
        }
    }

    /// Tells whether a line has a character that csv-core would not read as it is meant.
    fn needs_care(&self, from: usize) -> bool {
        let line = &self.text[from..];
        self.blanks
            || line.contains(&b'"')
            || self.comments.is_some_and(|sign| line.contains(&sign))
    }

    /// Follows the quotes of a line, and takes out what is no part of a cell: comments, blanks in front of a quote, and
    /// blanks beside others if they separate. The result is the state at the end of the line.
    fn tidied(&mut self, from: usize, mut state: State, line: u64) -> Result<State, RecordError> {
        let mut to = from;
        // The place of the first blank of a cell that has only blanks so far.
        let mut begin = from;
        let mut at = from;
        while at < self.text.len() {
            let byte = self.text[at];
            let is_end = matches!(byte, b'\n' | b'\r');
            let outside = !matches!(state, State::Quoted);
            if outside && self.comments == Some(byte) {
                let rest = self.text[at..].iter();
                at += rest
                    .take_while(|byte| !matches!(byte, b'\n' | b'\r'))
                    .count();
                continue;
            }
            if outside && self.blanks && matches!(byte, b' ' | b'\t') {
                at += 1;
                // One separator stands for all blanks of a line but the first and the last ones.
                let next = self.text.get(at);
                let is_between = to > from
                    && !next.is_none_or(|next| matches!(next, b' ' | b'\t' | b'\n' | b'\r'))
                    && next.copied() != self.comments;
                if is_between && !matches!(self.text[to - 1], b'\n' | b'\r') {
                    self.text[to] = b' ';
                    to += 1;
                    state = State::Begin;
                    begin = to;
                }
                continue;
            }
            state = match state {
                State::Quoted if byte == b'"' => State::Closed,
                State::Quoted => State::Quoted,
                State::Closed if byte == b'"' => State::Quoted,
                _ if is_end || byte == self.separator => State::Begin,
                State::Begin if self.is_blank(byte) => State::Begin,
                State::Begin if byte == b'"' => {
                    self.opened = line;
                    to = begin;
                    State::Quoted
                }
                State::Begin | State::Plain => State::Plain,
                State::Closed | State::Behind if self.is_blank(byte) => State::Behind,
                State::Closed | State::Behind => {
                    return Err(RecordError::Behind {
                        opened: self.opened,
                        line,
                        character: character(&self.text[at..]),
                    });
                }
            };
            self.text[to] = byte;
            to += 1;
            at += 1;
            if outside && (is_end || byte == self.separator) {
                begin = to;
            }
        }
        self.text.truncate(to);
        Ok(state)
    }

    /// Cuts the next row into its cells.
    fn cut(&mut self) {
        self.core.reset();
        let record = &mut self.record;
        record.is_first = record.line == 0;
        record.line = self.lines.0 + 1 + self.returns;
        let (mut written, mut cells) = (0, 0);
        loop {
            let (result, passed, text, ends) = self.core.read_record(
                &self.text[self.at..],
                &mut record.text[written..],
                &mut record.ends[cells..],
            );
            self.at += passed;
            written += text;
            cells += ends;
            match result {
                csv_core::ReadRecordResult::OutputFull => {
                    let more = record.text.len().max(1 << 10);
                    record.text.resize(record.text.len() + more, 0);
                }
                csv_core::ReadRecordResult::OutputEndsFull => {
                    let more = record.ends.len().max(1 << 6);
                    record.ends.resize(record.ends.len() + more, 0);
                }
                // The text ends with a line break, so that a row never waits for more of it.
                csv_core::ReadRecordResult::InputEmpty
                | csv_core::ReadRecordResult::Record
                | csv_core::ReadRecordResult::End => break,
            }
        }
        record.count = cells;
        self.count_return();
    }
}

/// Returns the first character of a text.
fn character(text: &[u8]) -> char {
    let start = &text[..text.len().min(4)];
    let known = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
    };
    known.chars().next().unwrap_or('\u{fffd}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads the rows of a text, each with its line.
    fn rows(text: &[u8], separator: Separator) -> Result<Vec<(u64, Vec<String>)>, RecordError> {
        let mut records = Records::new(text, separator, None, 1000);
        let mut rows = Vec::new();
        while let Some(record) = records.next()? {
            rows.push((record.line, record.texts()));
        }
        Ok(rows)
    }

    #[test]
    fn a_line_with_a_byte_order_mark_alone_is_no_row() {
        let text = "\n\u{feff}\n1,2\n\u{feff}\n3,4\n\u{feff}".as_bytes();
        let found = rows(text, Separator::Character(',')).expect("rows");
        let of = |cells: [&str; 2]| cells.map(String::from).to_vec();
        assert_eq!(found, [(3, of(["1", "2"])), (5, of(["3", "4"]))]);
    }

    const PIECES: [&str; 12] = [
        "\"", "\"\"", ",", "\n", "\r\n", "\r", "a", "1.5", " ", "\t", "#", "\u{e9}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// The reader of the crate csv finds the same cells in each text whose quotes are closed and stand around whole
        /// cells.
        #[test]
        fn rows_are_those_of_the_crate_csv(
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..24)
        ) {
            let text = pieces.concat();
            // The reader of `csv` takes blanks in front of a quote for a cell without quotes, and a line of blanks for
            // a cell.
            let has_blanks = text.contains([' ', '\t']);
            if let (Ok(rows), false) = (rows(text.as_bytes(), Separator::Character(',')), has_blanks) {
                let mut reader = csv::ReaderBuilder::new()
                    .has_headers(false)
                    .flexible(true)
                    .trim(csv::Trim::All)
                    .from_reader(text.as_bytes());
                let expected: Vec<Vec<String>> = reader
                    .records()
                    .map(|record| record.expect("text").iter().map(str::to_string).collect())
                    .collect();
                let found: Vec<Vec<String>> = rows.into_iter().map(|(_, cells)| cells).collect();
                prop_assert_eq!(found, expected, "{:?}", text);
            }
        }

        /// Lines go up, and no text is lost silently: a row is one line as long as there are no quotes.
        #[test]
        fn each_line_without_quotes_is_a_row(
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[2..]), 0..24)
        ) {
            let text = pieces.concat();
            let rows = rows(text.as_bytes(), Separator::Character(',')).expect("no quotes");
            let lines = text.replace("\r\n", "\n").replace('\r', "\n");
            let expected: Vec<(u64, usize)> = lines
                .split('\n')
                .enumerate()
                .filter(|(_, line)| !line.trim_matches([' ', '\t']).is_empty())
                .map(|(at, line)| (at as u64 + 1, line.split(',').count()))
                .collect();
            let found: Vec<(u64, usize)> =
                rows.iter().map(|(line, cells)| (*line, cells.len())).collect();
            prop_assert_eq!(found, expected, "{:?}", text);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, sign in 0..4usize) {
            let separator = [Separator::Character(','), Separator::Character('\t'), Separator::Blanks, Separator::Character('|')];
            let _ = rows(&bytes, separator[sign]);
        }
    }
}
