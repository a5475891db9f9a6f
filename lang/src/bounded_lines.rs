//! A reader that refuses overlong lines: a small compressed file can contain a line that would fill the memory.

use std::io::{self, Read};

/// A reader whose lines have at most so many bytes.
pub(crate) struct BoundedLines<R> {
    inner: R,
    /// How long the current line is so far.
    length: u64,
    longest: u64,
}

impl<R: Read> BoundedLines<R> {
    pub(crate) fn new(inner: R, longest: u64) -> Self {
        BoundedLines {
            inner,
            length: 0,
            longest,
        }
    }
}

impl<R: Read> Read for BoundedLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let mut too_long = false;
        for (at, piece) in buffer[..count].split(|byte| *byte == b'\n').enumerate() {
            // The first piece continues the line of the read before.
            let before = if at == 0 { self.length } else { 0 };
            self.length = before + piece.len() as u64;
            too_long |= self.length > self.longest;
        }
        if too_long {
            let message = format!(
                "a line is longer than {} bytes; --max-line-bytes raises the limit",
                self.longest
            );
            return Err(io::Error::other(message));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(text: &[u8], longest: u64) -> bool {
        let mut reader = BoundedLines::new(text, longest);
        // A buffer of one byte makes every line cross the border between two reads.
        let mut byte = [0];
        loop {
            match reader.read(&mut byte) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => {
                    assert!(error.to_string().starts_with("a line is longer than"));
                    return false;
                }
            }
        }
    }

    #[test]
    fn a_long_line_between_short_ones_is_found_in_one_read() {
        let found = |text: &[u8]| BoundedLines::new(text, 3).read(&mut [0; 64]).is_err();
        assert!(found(b"1,2\n3,45\n6,7\n"));
        assert!(!found(b"1,2\n3,4\n6,7\n"));
    }

    #[test]
    fn many_short_lines_are_read_and_a_long_one_is_not() {
        assert!(reads(b"1,2\n3,4\n5,6\n", 3));
        assert!(!reads(b"1,2\n3,45\n6,7\n", 3));
        assert!(!reads(b"1,22", 3));
    }
}
