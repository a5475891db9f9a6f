//! Lines and columns of a text, found without reading the text up to them: a program may have all its operations in one
//! line.
//!
//! The crate `line-index` was considered and not tried: its columns count bytes, and where they are turned into
//! characters, it walks along all wide characters of the line.

use std::ops::Range;

/// The number of bytes after which the characters up to there are counted once and for all.
const BLOCK: usize = 256;

/// The beginnings of the lines of a text, and the numbers of characters before each block of its bytes.
pub struct Places {
    line_starts: Vec<usize>,
    characters: Vec<usize>,
}

impl Places {
    pub fn of(text: &str) -> Places {
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        let blocks = text.as_bytes().chunks(BLOCK);
        let ends_of_blocks = blocks.scan(0, |before, block| {
            *before += starts(block);
            Some(*before)
        });
        Places {
            line_starts: std::iter::once(0).chain(ends).collect(),
            characters: std::iter::once(0).chain(ends_of_blocks).collect(),
        }
    }

    /// Returns the line and the column of a byte, both from 1, the column in characters.
    pub fn place(&self, text: &str, byte: usize) -> (usize, usize) {
        let line = self.line_starts.partition_point(|start| *start <= byte);
        let start = self.line_starts[line - 1];
        let before = |byte| self.characters_before(text, byte);
        (line, before(byte) - before(start) + 1)
    }

    /// Returns the bytes of the line of a byte, without its end.
    pub fn line(&self, text: &str, byte: usize) -> Range<usize> {
        let line = self.line_starts.partition_point(|start| *start <= byte);
        let next = self.line_starts.get(line);
        self.line_starts[line - 1]..next.map_or(text.len(), |next| next - 1)
    }

    fn characters_before(&self, text: &str, byte: usize) -> usize {
        let block = byte / BLOCK;
        self.characters[block] + starts(&text.as_bytes()[block * BLOCK..byte])
    }
}

/// Returns the number of characters that begin among some bytes of UTF-8.
fn starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_reading_the_text_up_to_them() {
        let long = "é𝛼b ".repeat(300);
        for text in [
            "",
            "\n",
            "a\n\nbc",
            "é\r\n𝛽",
            &long,
            &format!("{long}\n{long}x\n"),
        ] {
            let places = Places::of(text);
            let bytes = text
                .char_indices()
                .map(|(byte, _)| byte)
                .chain([text.len()]);
            for byte in bytes {
                let read = lozenge_lang::place(text, byte);
                assert_eq!(places.place(text, byte), read, "{byte} of {text:?}");
                let line = text.split('\n').nth(read.0 - 1);
                assert_eq!(
                    text.get(places.line(text, byte)),
                    line,
                    "{byte} of {text:?}"
                );
            }
        }
    }
}
