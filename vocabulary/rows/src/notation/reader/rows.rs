//! Rows, as the notation writes them: axes, and at most one marker or variable.

use super::{Build, FLAT_EQUAL, MARKER, Read, Reader};
use crate::flat::Flat;

impl<'a, B: Build> Reader<'a, B> {
    /// Reads `[…]` or `<NAME>`.
    pub(in crate::notation) fn row(&mut self) -> Read<B::Row> {
        self.blanks();
        let open = self.at;
        self.dims.clear();
        if self.eat("<") {
            self.blanks();
            if self.peek() == Some(b'>') {
                return Err(self.error(
                    open..self.at + 1,
                    "a bare marker is no row".into(),
                    "`[]` for the empty row, or `<NAME>`".into(),
                ));
            }
            let name = self.name("the NAME of a row variable")?;
            self.blanks();
            self.close_variable(open)?;
            return Ok(self.build.row(&mut self.dims, 0, Some(name)));
        }
        if !self.eat("[") {
            return Err(self.unexpected("a row: `[…]` or `<NAME>`"));
        }
        let mut marker = None;
        self.flank(open, &mut marker)?;
        let (leading, var) = marker.unwrap_or((0, None));
        Ok(self.build.row(&mut self.dims, leading, var))
    }

    /// Reads the rest of `R ++ R' ++ … ~ [axes]`, whose first row is read.
    pub(in crate::notation) fn side_by_side(
        &mut self,
        first: B::Row,
    ) -> Read<Flat<B::Dim, B::Row>> {
        let mut rows = vec![first];
        loop {
            self.blanks();
            if !self.eat("++") {
                break;
            }
            self.blanks();
            rows.push(self.row()?);
        }
        if !self.eat("~") && !self.eat(FLAT_EQUAL) {
            return Err(
                self.unexpected("`++` and another row, or `~` and the axes that the rows have")
            );
        }
        self.blanks();
        let open = self.at;
        if !self.eat("[") {
            return Err(self.unexpected("`[…]`, the axes that the rows have"));
        }
        let mut marker = None;
        self.dims.clear();
        self.flank(open, &mut marker)?;
        if marker.is_some() {
            return Err(self.error(
                open..self.at,
                "a marker among the axes of rows side by side".into(),
                "axes alone: `<r> ++ <s> ~ [3, 5]`".into(),
            ));
        }
        let axes = self.dims.drain(..).collect();
        Ok(Flat { rows, axes })
    }

    /// Reads the inside of `[…]`: axes with commas between them, and at most one marker between two flanks.
    fn flank(&mut self, open: usize, marker: &mut Option<(usize, Option<&'a str>)>) -> Read<()> {
        let mut may_be_dim = true;
        loop {
            self.blanks();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                None | Some(b'\n' | b'#') => {
                    return Err(self.error(
                        open..open + 1,
                        "the bracket is not closed".into(),
                        "`]` on the same line".into(),
                    ));
                }
                Some(b'<') => self.marker(marker)?,
                Some(byte) if !byte.is_ascii() && self.at_marker() => self.marker(marker)?,
                Some(_) if !may_be_dim => return Err(self.unexpected("`,`, a marker or `]`")),
                Some(_) => {
                    self.comma_separated(marker.is_some())?;
                    may_be_dim = false;
                    continue;
                }
            }
            may_be_dim = true;
        }
    }

    fn at_marker(&self) -> bool {
        self.text.as_bytes()[self.at..].starts_with(MARKER.as_bytes())
    }

    /// Reads axes up to the end of the row or a marker. A comma before a second marker is left to the error for it.
    fn comma_separated(&mut self, has_marker: bool) -> Read<()> {
        loop {
            let dim = self.dim()?;
            self.dims.push(dim);
            self.blanks();
            if !self.eat(",") {
                return Ok(());
            }
            self.blanks();
            if has_marker && (self.peek() == Some(b'<') || self.at_marker()) {
                return Ok(());
            }
        }
    }

    /// Reads `<>`, `⋄` or `<NAME>` inside a row.
    fn marker(&mut self, marker: &mut Option<(usize, Option<&'a str>)>) -> Read<()> {
        let start = self.at;
        let var = if self.eat(MARKER) {
            None
        } else {
            self.at += 1;
            self.blanks();
            let var = match self.peek() {
                Some(b'>') => None,
                _ => Some(self.name("`>` or the NAME of a row variable")?),
            };
            self.blanks();
            self.close_variable(start)?;
            var
        };
        if marker.is_some() {
            return Err(self.error(
                start..self.at,
                "a second marker in one row".into(),
                "one `<>` or `<NAME>` in a row; shapes with two parts that grow, such as `s@[1]@t`, have their \
                 equations decided in .shapes files (docs/axon.md)"
                    .into(),
            ));
        }
        *marker = Some((self.dims.len(), var));
        Ok(())
    }

    /// Reads the `>` of a variable whose `<` is at `start`.
    pub(super) fn close_variable(&mut self, start: usize) -> Read<()> {
        if self.eat(">") {
            return Ok(());
        }
        match self.peek() {
            None | Some(b'\n') => Err(self.error(
                start..start + 1,
                "the `<` is not closed".into(),
                "`>` after the NAME of the row variable".into(),
            )),
            Some(_) => Err(self.unexpected("`>` after the NAME of the row variable")),
        }
    }
}
