//! The layout of large JSON documents: that of [`serde_json::ser::PrettyFormatter`], where the start of a line is one
//! write and not one for each step of its indentation.

use std::io::{self, Write};

use serde_json::ser::Formatter;

/// The text between two values: a comma, a line break and the indentation of the next line, as far as it is used.
const BETWEEN: &[u8] = b",\n                                ";

/// Lays out a document with one value on each line.
#[derive(Default)]
pub struct Pretty {
    /// The number of arrays and objects that are open.
    depth: usize,
    /// True if the innermost one that was closed or has a value so far has one.
    has_value: bool,
}

impl Pretty {
    /// Begins a line, after a comma unless it is the first one.
    fn line<W: ?Sized + Write>(&self, writer: &mut W, is_first: bool) -> io::Result<()> {
        let start = usize::from(is_first);
        let end = 2 + 2 * self.depth;
        writer.write_all(&BETWEEN[start..end.min(BETWEEN.len())])?;
        (BETWEEN.len()..end).try_for_each(|_| writer.write_all(b" "))
    }

    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        writer.write_all(bracket)
    }

    fn end<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.has_value {
            self.line(writer, true)?;
        }
        writer.write_all(bracket)
    }
}

impl Formatter for Pretty {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.line(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.line(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_layout_is_that_of_serde_json() {
        let mut deep = json!([]);
        for depth in 0..40 {
            deep = json!({ "a": [deep, {}, depth], "b\n": { "c": null } });
        }
        for value in [json!(3), json!([]), json!({}), json!([[], [1]]), deep] {
            let mut written = Vec::new();
            let mut serializer =
                serde_json::Serializer::with_formatter(&mut written, Pretty::default());
            value.serialize(&mut serializer).expect("written to memory");
            let expected = serde_json::to_string_pretty(&value).expect("a document");
            assert_eq!(String::from_utf8(written).as_deref(), Ok(&*expected));
        }
    }
}
