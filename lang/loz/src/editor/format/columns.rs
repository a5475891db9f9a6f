//! Columns: pieces that are aligned in the text stay aligned, as far to the left as possible.
//!
//! Pieces form a column if they begin with the same word, are at the same column of the text in lines of one group, and
//! at least one of them is preceded by more space than it needs. Blank lines end a group.

use std::collections::BTreeMap;

use super::line::{Code, Line, Piece, indentations};

/// Sets the space before the pieces that are in columns.
pub(super) fn align(lines: &mut [Line]) {
    for group in lines.split_mut(|line| matches!(line, Line::Blank)) {
        let mut codes: Vec<&mut Code> = group
            .iter_mut()
            .filter_map(|line| match line {
                Line::Code(code) => Some(code),
                _ => None,
            })
            .collect();
        for block in codes.chunk_by_mut(|one, next| one.depth == next.depth) {
            align_pieces(block);
        }
        align_comments(&mut codes);
    }
}

/// A piece that may be in a column: the number of its line, and its own number in the first row of the line.
struct Cell {
    line: usize,
    piece: usize,
}

/// Aligns the first rows of the lines of one block. The columns are set from left to right, because the position of a
/// column depends on those to its left.
fn align_pieces(block: &mut [&mut Code]) {
    let mut columns: BTreeMap<(usize, &str), Vec<Cell>> = BTreeMap::new();
    for (line, code) in block.iter().enumerate() {
        for (piece, found) in code.rows[0].pieces.iter().enumerate() {
            if let Some(key) = found.key {
                let column = columns.entry((found.column, key)).or_default();
                column.push(Cell { line, piece });
            }
        }
    }
    let mut ends: Vec<End> = block.iter().map(|_| End::default()).collect();
    for cells in columns.into_values() {
        let spaced = |cell: &Cell| is_spaced(block[cell.line], cell.piece);
        if cells.len() < 2 || !cells.iter().any(spaced) {
            continue;
        }
        let mut place = 0;
        for cell in &cells {
            let pieces = &block[cell.line].rows[0].pieces;
            let end = ends[cell.line].before(pieces, cell.piece);
            place = place.max(end + pieces[cell.piece].natural);
        }
        for cell in &cells {
            let end = ends[cell.line].column;
            block[cell.line].rows[0].pieces[cell.piece].gap = place - end;
        }
    }
}

/// The end of a number of pieces at the beginning of a row.
#[derive(Default)]
struct End {
    pieces: usize,
    column: usize,
}

impl End {
    /// Returns the column where the pieces before this one end. Calls must be in ascending order of `piece`.
    fn before(&mut self, pieces: &[Piece], piece: usize) -> usize {
        for (at, piece) in pieces.iter().enumerate().take(piece).skip(self.pieces) {
            let gap = if at == 0 { 0 } else { piece.gap };
            self.column += gap + piece.text.chars().count();
        }
        self.pieces = piece;
        self.column
    }
}

/// Tells whether more space is written before a piece than the piece needs.
fn is_spaced(code: &Code, piece: usize) -> bool {
    let pieces = &code.rows[0].pieces;
    let before = &pieces[piece - 1];
    let end = before.column + before.text.chars().count();
    pieces[piece].column > end + pieces[piece].natural
}

/// A comment after a row: the numbers of its line and row, and the least column at which it can begin.
struct Behind {
    line: usize,
    row: usize,
    least: usize,
    spaced: bool,
}

/// Aligns the comments at the ends of lines, including those of rows inside brackets, since nothing follows a comment.
fn align_comments(codes: &mut [&mut Code]) {
    let mut columns: BTreeMap<usize, Vec<Behind>> = BTreeMap::new();
    for (line, code) in codes.iter().enumerate() {
        for ((row, content), indentation) in code.rows.iter().enumerate().zip(indentations(code)) {
            let (Some(comment), Some(last)) = (&content.comment, content.pieces.last()) else {
                continue;
            };
            let width = End::default().before(&content.pieces, content.pieces.len());
            let written = last.column + last.text.chars().count();
            columns.entry(comment.column).or_default().push(Behind {
                line,
                row,
                least: indentation + width + comment.natural,
                spaced: comment.column > written + comment.natural,
            });
        }
    }
    for column in columns.into_values() {
        if column.len() < 2 || !column.iter().any(|behind| behind.spaced) {
            continue;
        }
        let place = column.iter().map(|behind| behind.least).max();
        for behind in column {
            if let Some(comment) = &mut codes[behind.line].rows[behind.row].comment {
                comment.gap = comment.natural + place.unwrap_or_default() - behind.least;
            }
        }
    }
}
