//! Lines of a text, found without reading the text up to them: an answer may name a place for each of many lines.

/// The beginnings of the lines of a text.
pub struct Lines(Vec<usize>);

impl Lines {
    pub fn of(text: &str) -> Lines {
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        Lines(std::iter::once(0).chain(ends).collect())
    }

    /// Returns the line of a byte, from 1.
    pub fn line(&self, byte: usize) -> usize {
        self.0.partition_point(|start| *start <= byte)
    }
}
