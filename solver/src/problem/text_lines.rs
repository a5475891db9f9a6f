//! The lines of a text by the places in it.

use std::sync::Arc;

/// How many bytes have one entry.
const BLOCK: usize = 1 << 12;

/// The numbers of lines. A large text is counted once, many bytes at a time, and only around a place that is asked for byte by byte.
#[derive(Debug, Default)]
pub(crate) struct TextLines {
    text: Option<Arc<String>>,
    /// How many lines end before each block of the text.
    before: Vec<u32>,
}

impl TextLines {
    pub(super) fn of(text: Option<Arc<String>>) -> TextLines {
        let bytes = text.as_deref().map_or(&[][..], |text| text.as_bytes());
        let mut ended = 0;
        let before = bytes.chunks(BLOCK).map(|block| {
            let before = ended;
            ended += line_breaks(block) as u32;
            before
        });
        TextLines {
            before: before.collect(),
            text,
        }
    }

    /// The number of the line, from 1, in which a byte of the text stands.
    pub(crate) fn line(&self, at: usize) -> usize {
        let text = self.text.as_deref().map_or(&[][..], |text| text.as_bytes());
        let block = at / BLOCK;
        let before = self.before.get(block).copied().unwrap_or_default() as usize;
        let rest = text.get(block * BLOCK..at).unwrap_or_default();
        1 + before + line_breaks(rest)
    }
}

/// How many lines end in a text.
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
            let lines = TextLines::of(Some(Arc::new(text.clone())));
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
