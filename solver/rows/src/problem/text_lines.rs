//! The lines of a text by the places in it.

use std::sync::{Arc, OnceLock};

use crate::ids::room;

/// The number of bytes that share one entry.
const BLOCK: usize = 1 << 12;

/// A text with the numbers of its lines. A large text is counted once, when a line is first asked for, many bytes at a
/// time, and only around a place that is asked for byte by byte.
#[derive(Debug, Default)]
pub(crate) struct TextLines {
    text: Arc<String>,
    /// The numbers of lines that end before each block of the text.
    before: OnceLock<Vec<u32>>,
}

impl TextLines {
    pub(super) fn of(text: Arc<String>) -> TextLines {
        TextLines {
            text,
            before: OnceLock::new(),
        }
    }

    /// Returns the bytes that the text and the numbers of its lines take.
    pub(super) fn bytes(&self) -> usize {
        let counted = self.before.get().map_or(0, room);
        [size_of_val(self), self.text.len(), counted].iter().sum()
    }

    /// Counts the lines that end before each block.
    fn counted(&self) -> Vec<u32> {
        let mut ended = 0;
        let blocks = self.text.as_bytes().chunks(BLOCK);
        let before = blocks.map(|block| {
            let before = ended;
            ended += line_breaks(block) as u32;
            before
        });
        before.collect()
    }

    /// Returns the number of the line, from 1, in which a byte of the text stands.
    pub(crate) fn line(&self, at: usize) -> usize {
        let block = at / BLOCK;
        let before = self.before.get_or_init(|| self.counted());
        let before = before.get(block).copied().unwrap_or_default() as usize;
        let rest = self.text.as_bytes().get(block * BLOCK..at);
        let rest = rest.unwrap_or_default();
        1 + before + line_breaks(rest)
    }
}

/// Counts the lines that end in a text.
pub(super) fn line_breaks(text: &[u8]) -> usize {
    // A count of so few bytes fits a byte, so that the compiler counts many of them with one instruction.
    let counts = text.chunks(usize::from(u8::MAX)).map(|part| {
        let ends = part.iter().map(|byte| u8::from(*byte == b'\n'));
        usize::from(ends.sum::<u8>())
    });
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_the_number_of_its_line() {
        for width in [0, 1, 7, 300, BLOCK - 1, BLOCK, 2 * BLOCK + 5] {
            let text = format!("{}\n", "x".repeat(width)).repeat(3 * BLOCK / (width + 1) + 3);
            let lines = TextLines::of(Arc::new(text.clone()));
            let mut expected = 1;
            for (at, byte) in text.bytes().enumerate() {
                assert_eq!(
                    lines.line(at),
                    expected,
                    "byte {at}, lines of {width} bytes"
                );
                expected += usize::from(byte == b'\n');
            }
            assert_eq!(line_breaks(text.as_bytes()), expected - 1);
        }
        assert_eq!(TextLines::default().line(0), 1);
    }
}
