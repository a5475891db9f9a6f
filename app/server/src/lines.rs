//! Positions in a text as the protocol counts them: lines from 0, and UTF-16 code units from 0 within a line.
//!
//! The crate `line-index` was considered and not tried: its lines end at `\n` alone, where the protocol has three ends,
//! and its places in a text are 32-bit numbers.

use std::ops::Range;

use lsp_types::Position;

/// The beginnings of the lines of a text.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Lines {
        let bytes = text.as_bytes();
        // The protocol has three ends of lines: `\n`, `\r\n`, and `\r` alone.
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let starts = ends.map(|(at, _)| at + 1);
        Lines {
            starts: std::iter::once(0).chain(starts).collect(),
        }
    }

    /// Returns the byte at a position. A position beyond the end of a line means its end, and one inside a character
    /// means its start.
    pub(crate) fn byte(&self, text: &str, position: Position) -> usize {
        let Some(start) = self.starts.get(position.line as usize) else {
            return text.len();
        };
        let end = self.starts.get(position.line as usize + 1);
        let line = &text[*start..end.copied().unwrap_or(text.len())];
        let line = line.trim_end_matches(['\n', '\r']);
        let mut left = position.character as usize;
        for (at, c) in line.char_indices() {
            if left < c.len_utf16() {
                return start + at;
            }
            left -= c.len_utf16();
        }
        start + line.len()
    }

    /// Returns the position of a byte, which must be at a character boundary.
    pub(crate) fn position(&self, text: &str, byte: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let before = &text[self.starts[line]..byte];
        let units: usize = before.chars().map(char::len_utf16).sum();
        Position::new(line as u32, units as u32)
    }

    pub(crate) fn range(&self, text: &str, span: &Range<usize>) -> lsp_types::Range {
        lsp_types::Range::new(
            self.position(text, span.start),
            self.position(text, span.end),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units_of_utf_16_are_counted() {
        let text = "aé𝛼b\r\nx";
        let lines = Lines::new(text);
        let byte = |line, character| lines.byte(text, Position::new(line, character));
        assert_eq!([byte(0, 0), byte(0, 1), byte(0, 2)], [0, 1, 3]);
        assert_eq!(byte(0, 3), 3, "inside a character");
        assert_eq!([byte(0, 4), byte(0, 5), byte(0, 9)], [7, 8, 8]);
        assert_eq!(
            [byte(1, 0), byte(1, 1), byte(1, 7), byte(2, 0)],
            [10, 11, 11, 11]
        );
        assert_eq!(byte(u32::MAX, u32::MAX), 11);
    }

    #[test]
    fn the_three_ends_of_lines_are_known() {
        let text = "a\rb\r\nc\n\rd";
        let lines = Lines::new(text);
        let at = |found: &str| {
            let position = lines.position(text, text.find(found).expect(found));
            (position.line, position.character)
        };
        assert_eq!(
            [at("a"), at("b"), at("c"), at("d")],
            [(0, 0), (1, 0), (2, 0), (4, 0)]
        );
        assert_eq!(
            lines.byte(text, Position::new(1, 9)),
            3,
            "the end of the line"
        );
    }

    proptest! {
        #[test]
        fn a_position_leads_back(text in "[a\u{e9}\u{1d6fc}\r\n]{0,20}") {
            let lines = Lines::new(&text);
            for (byte, c) in text.char_indices() {
                if c == '\n' && text[..byte].ends_with('\r') {
                    continue;
                }
                let position = lines.position(&text, byte);
                prop_assert_eq!(lines.byte(&text, position), byte, "{:?}", c);
            }
            prop_assert_eq!(lines.byte(&text, lines.position(&text, text.len())), text.len());
        }
    }
}
