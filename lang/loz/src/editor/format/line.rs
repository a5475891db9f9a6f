//! The lines of the layout, with the comments between them and at their ends.

use crate::parse::token::{Placed, Token};

use super::part::{Part, Sort};
use super::spaces::{Gap, Place, between, is_prefix};

/// The indentation of a block relative to the line that opens it.
const INDENTATION: usize = 2;
/// The space before a comment at the end of a line.
const BEFORE_COMMENT: usize = 2;

/// A line of the text.
pub(super) enum Line<'a> {
    Blank,
    Comment { text: &'a str, depth: usize },
    Code(Code<'a>),
}

/// A statement, the header of a block, or both: one line, or several if line breaks occur inside brackets.
pub(super) struct Code<'a> {
    pub depth: usize,
    pub rows: Vec<Row<'a>>,
    /// The column of its first token in the text.
    column: usize,
}

/// A line of the text inside a statement.
#[derive(Default)]
pub(super) struct Row<'a> {
    /// The pieces of the row; none for a comment that stands alone inside brackets, and for a blank line.
    pub pieces: Vec<Piece<'a>>,
    pub comment: Option<Piece<'a>>,
}

/// A token or comment in the layout.
pub(super) struct Piece<'a> {
    pub text: &'a str,
    /// The number of spaces before it.
    pub gap: usize,
    /// The smallest permitted number of spaces before it.
    pub natural: usize,
    /// Its column in the text.
    pub column: usize,
    /// The word that pieces of the same column share.
    pub key: Option<&'a str>,
    /// The kind of bracket that the piece opens or closes, if any.
    bracket: Bracket,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    None,
    Opens,
    Closes,
}

/// Lists the lines of a text, in order. A comment gets the indentation of a block that fits its column.
pub(super) fn lines<'a>(text: &'a str, tokens: &[Placed<'a>], parts: &[Part]) -> Vec<Line<'a>> {
    let mut reader = Reader {
        text,
        lines: Vec::new(),
        rows: Vec::new(),
        row: Row::default(),
        depth: 0,
        counted: (0, 0),
        at: 0,
        open: 0,
        values_are_assigned: false,
    };
    let mut placed: Vec<Place> = Vec::new();
    let mut part = 0;
    for (number, token) in tokens.iter().enumerate() {
        while parts
            .get(part)
            .is_some_and(|p| p.span.end <= token.span.start)
        {
            part += 1;
        }
        let inside = |at: usize| parts.get(part).filter(|p| p.span.contains(&at));
        let next = tokens.get(number + 1).map_or(0, |next| next.span.start);
        let behind = parts.get(part).filter(|p| p.span.start == next);
        let place = Place {
            token,
            part: inside(token.span.start).map(|found| (part, found.sort)),
            before_shape: behind.is_some_and(|found| found.sort == Sort::Shape),
        };
        match token.token {
            Token::Indent => reader.depth += 1,
            Token::Dedent => reader.depth -= 1,
            Token::End => {
                reader.end(token);
                placed.clear();
            }
            _ => {
                let minus = placed.len() > 1
                    && is_prefix(placed.get(placed.len() - 2), &placed[placed.len() - 1])
                    || placed.len() == 1 && is_prefix(None, &placed[0]);
                reader.token(placed.last(), &place, minus);
                placed.push(place);
            }
        }
    }
    let mut lines = reader.lines;
    set_depths(&mut lines);
    without_needless_blanks(lines)
}

struct Reader<'a> {
    text: &'a str,
    lines: Vec<Line<'a>>,
    /// The rows of the current statement; `row` is the last of them, still open.
    rows: Vec<Row<'a>>,
    row: Row<'a>,
    depth: usize,
    /// A place of the text and its column, from which later columns are counted.
    counted: (usize, usize),
    /// The end of the last token.
    at: usize,
    /// The number of brackets that are open.
    open: usize,
    /// True if an assignment was the last token.
    values_are_assigned: bool,
}

impl<'a> Reader<'a> {
    /// Returns the column of a place. Calls must be in ascending order of places.
    fn column(&mut self, at: usize) -> usize {
        let (from, column) = self.counted;
        self.counted = (at, column + self.text[from..at].chars().count());
        self.counted.1
    }

    /// Adds a token, with the comments and line breaks before it.
    fn token(&mut self, before: Option<&Place<'_, 'a>>, place: &Place<'_, 'a>, minus: bool) {
        let span = place.token.span.clone();
        self.between_tokens(span.start);
        let gap = match (before, self.row.pieces.is_empty()) {
            (Some(before), false) => between(before, place, minus),
            _ => Gap::None,
        };
        let written = self.text[self.at..span.start].chars().count();
        let natural = match gap {
            Gap::None => 0,
            Gap::One => 1,
            Gap::Kept(least) => written.max(least),
        };
        let text = &self.text[span.clone()];
        let bracket = match place.token.token {
            Token::Sign("(" | "[") => Bracket::Opens,
            Token::Sign(")" | "]") => Bracket::Closes,
            _ => Bracket::None,
        };
        let piece = Piece {
            text,
            gap: natural,
            natural,
            column: self.column(span.start),
            key: self.key(place),
            bracket,
        };
        self.row.pieces.push(piece);
        self.values_are_assigned = matches!(place.token.token, Token::Accumulate(_));
        match bracket {
            Bracket::Opens => self.open += 1,
            Bracket::Closes => self.open = self.open.saturating_sub(1),
            Bracket::None => {}
        }
        self.at = span.end;
    }

    /// Returns the word by which a token may be in a column. Only tokens outside of brackets and expressions have one,
    /// and the beginning of an expression after an assignment.
    fn key(&self, place: &Place<'_, 'a>) -> Option<&'a str> {
        if self.row.pieces.is_empty() || self.open > 0 {
            return None;
        }
        if self.values_are_assigned {
            return Some("assigned");
        }
        if matches!(place.part, Some((_, Sort::Expression | Sort::Shape))) {
            return None;
        }
        Some(match place.token.token {
            // Every source of values has the same key, however it is written.
            Token::Accumulate(_) | Token::Sign("=") | Token::Word("from") => "=",
            Token::Text(_) => "text",
            _ => &self.text[place.token.span.clone()],
        })
    }

    /// Reads what is between the last token and the next one: comments, and line breaks inside brackets.
    fn between_tokens(&mut self, until: usize) {
        while let Some(found) = self.text[self.at..until].find(['#', '\n']) {
            let found = self.at + found;
            match self.text[found..].starts_with('#') {
                true => self.comment(found),
                false => {
                    self.at = found + 1;
                    let row = std::mem::take(&mut self.row);
                    let blank = |row: &Row| row.pieces.is_empty() && row.comment.is_none();
                    if !(blank(&row) && self.rows.last().is_some_and(blank)) {
                        self.rows.push(row);
                    }
                    self.counted = (found + 1, 0);
                }
            }
        }
    }

    fn comment(&mut self, start: usize) {
        let end = self.text[start..].find('\n').map(|length| start + length);
        let end = end.unwrap_or(self.text.len());
        self.row.comment = Some(Piece {
            text: self.text[start..end].trim_end(),
            gap: BEFORE_COMMENT,
            natural: BEFORE_COMMENT,
            column: self.column(start),
            key: Some("#"),
            bracket: Bracket::None,
        });
        self.at = end;
    }

    /// Ends a line of the text outside of brackets.
    fn end(&mut self, token: &Placed) {
        self.between_tokens(token.span.start);
        self.rows.push(std::mem::take(&mut self.row));
        let rows = std::mem::take(&mut self.rows);
        self.lines.push(match rows.as_slice() {
            [Row { pieces, comment }] if pieces.is_empty() => match comment {
                None => Line::Blank,
                // The column is stored in place of the depth until all lines have been read.
                Some(comment) => Line::Comment {
                    text: comment.text,
                    depth: comment.column,
                },
            },
            _ => {
                let first = rows.iter().flat_map(|row| &row.pieces).next();
                Line::Code(Code {
                    depth: self.depth,
                    column: first.map_or(0, |piece| piece.column),
                    rows,
                })
            }
        });
        self.open = 0;
        self.values_are_assigned = false;
        self.at = token.span.end;
        self.counted = (token.span.end, 0);
    }
}

/// Gives each comment on a line of its own the depth of a block: of the blocks that are open before or after it, the
/// innermost one that does not begin to the right of the comment.
fn set_depths(lines: &mut [Line]) {
    let mut next = vec![0; lines.len()];
    let mut depth = 0;
    for (at, line) in lines.iter().enumerate().rev() {
        next[at] = depth;
        if let Line::Code(code) = line {
            depth = code.depth;
        }
    }
    // The columns of the open blocks.
    let mut columns: Vec<usize> = Vec::new();
    for (line, next) in lines.iter_mut().zip(next) {
        match line {
            Line::Blank => {}
            Line::Code(code) => {
                columns.truncate(code.depth);
                columns.push(code.column);
            }
            Line::Comment { depth, .. } => {
                let open = columns.len().saturating_sub(1);
                let fits =
                    |block: &usize| columns.get(*block).is_some_and(|column| column <= depth);
                *depth = (next..=open).rev().find(fits).unwrap_or(next);
            }
        }
    }
}

/// Keeps blank lines only between other lines, and never two in succession.
fn without_needless_blanks(lines: Vec<Line>) -> Vec<Line> {
    let mut kept: Vec<Line> = Vec::with_capacity(lines.len());
    for line in lines {
        let needless =
            matches!(line, Line::Blank) && matches!(kept.last(), None | Some(Line::Blank));
        if !needless {
            kept.push(line);
        }
    }
    if let Some(Line::Blank) = kept.last() {
        kept.pop();
    }
    kept
}

/// Computes the indentations of the rows of a statement, in order. Inside a bracket a row is aligned with the token
/// after the bracket, or, if none follows it in its row, is one step deeper than that row.
pub(super) fn indentations<'c>(code: &'c Code<'_>) -> impl Iterator<Item = usize> + 'c {
    // For each open bracket the indentation of its rows and that of its closing bracket.
    let mut open: Vec<(usize, usize)> = Vec::new();
    code.rows.iter().map(move |row| {
        let closes = row
            .pieces
            .first()
            .is_some_and(|piece| piece.bracket == Bracket::Closes);
        let indentation = match (open.last(), closes) {
            (None, _) => INDENTATION * code.depth,
            (Some((inside, _)), false) => *inside,
            (Some((_, end)), true) => *end,
        };
        let mut column = indentation;
        for (at, piece) in row.pieces.iter().enumerate() {
            let start = column + if at == 0 { 0 } else { piece.gap };
            column = start + piece.text.chars().count();
            match piece.bracket {
                Bracket::None => {}
                Bracket::Closes => {
                    open.pop();
                }
                Bracket::Opens => open.push(match row.pieces.get(at + 1) {
                    Some(next) => (column + next.gap, start),
                    None => (indentation + INDENTATION, indentation),
                }),
            }
        }
        indentation
    })
}

/// Writes the text of the lines.
pub(super) fn text(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        match line {
            Line::Blank => out.push('\n'),
            Line::Comment { text, depth } => {
                spaces(&mut out, INDENTATION * depth);
                out.push_str(text);
                out.push('\n');
            }
            Line::Code(code) => {
                for (row, indentation) in code.rows.iter().zip(indentations(code)) {
                    row_text(&mut out, row, indentation);
                }
            }
        }
    }
    out
}

fn row_text(out: &mut String, row: &Row, indentation: usize) {
    let all = row.pieces.iter().chain(&row.comment);
    for (at, piece) in all.enumerate() {
        spaces(out, if at == 0 { indentation } else { piece.gap });
        out.push_str(piece.text);
    }
    out.push('\n');
}

fn spaces(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}
