//! A problem from text: the reader of the notation builds the interned form directly.

use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;

use lozenge_vocabulary::notation::{Build, NotationError, Relation, VarName, read};
use lozenge_vocabulary::{Composite, Elements, Flat, Tag, Window};

use super::Problem;
use super::declarations::VarId;
use super::text_lines::{TextLines, line_breaks};
use crate::term::{RowId, Term};

impl Problem {
    /// Reads a text in the notation; refusals and derivations will quote its lines.
    ///
    /// # Errors
    /// At the first thing that is not in the notation, with its place.
    pub fn parse(text: &str) -> Result<Problem, NotationError> {
        Problem::parse_shared(&Arc::new(text.into()))
    }

    /// Reads a text that the problem keeps without copying it.
    ///
    /// # Errors
    /// At the first thing that is not in the notation, with its place.
    pub fn parse_shared(text: &Arc<String>) -> Result<Problem, NotationError> {
        if u32::try_from(text.len()).is_err() {
            return Err(NotationError {
                line: 1,
                column: 1,
                span: 0..0,
                message: format!("the text has {} bytes", text.len()),
                expected: format!("at most {} bytes", u32::MAX),
            });
        }
        let mut problem = Problem::default();
        problem.expect(line_breaks(text.as_bytes()));
        problem.read(text)?;
        problem.arrange_rows();
        problem.text = Some(Arc::new(TextLines::of(text.clone())));
        Ok(problem)
    }

    /// Makes room for about so many lines of text.
    fn expect(&mut self, lines: usize) {
        self.spans.reserve(lines);
        self.make_room(lines, lines / 2, 0);
    }

    /// Reads more constraints from a text in the notation. Their places are not kept.
    ///
    /// # Errors
    /// At the first thing that is not in the notation; what stood before it has been added.
    pub fn read(&mut self, text: &str) -> Result<(), NotationError> {
        read(text, &mut Reader(self))
    }
}

/// A builder that the reader of the notation fills.
struct Reader<'a>(&'a mut Problem);

impl Build for Reader<'_> {
    type Dim = Term;
    type Row = RowId;

    fn dim_var(&mut self, name: &str) -> Term {
        self.0.intern_dim(name)
    }

    fn unit(&mut self) -> Term {
        Term::UNIT
    }

    fn atom(&mut self, size: NonZeroU64, basis: Option<&str>) -> Term {
        Term::constant(self.0.constants.atom(size, basis))
    }

    fn row(&mut self, dims: &mut Vec<Term>, leading: usize, var: Option<&str>) -> RowId {
        let start = self.0.terms.len() as u32;
        let trail = (dims.len() - leading) as u32;
        self.0.terms.append(dims);
        RowId {
            start,
            lead: leading as u32,
            trail,
            var: var.map(|name| self.0.row_names.intern(name)),
        }
    }

    fn dims(&mut self, left: Term, relation: Relation, right: Term, span: Range<usize>) {
        match relation {
            Relation::Equal => self.0.assert_dim_eq(left, right),
            Relation::Below => self.0.assert_dim_le(left, right),
        }
        self.0.spans.push((span.start as u32, span.end as u32));
    }

    fn rows(&mut self, left: RowId, relation: Relation, right: RowId, span: Range<usize>) {
        match relation {
            Relation::Equal => self.0.assert_row_eq(left, right),
            Relation::Below => self.0.assert_row_le(left, right),
        }
        self.0.spans.push((span.start as u32, span.end as u32));
    }

    fn window(&mut self, window: Window<Term>, span: Range<usize>) {
        self.0.assert_window(window);
        self.0.spans.push((span.start as u32, span.end as u32));
    }

    fn composite(&mut self, composite: Composite<Term>, span: Range<usize>) {
        self.0.assert_composite(composite);
        self.0.spans.push((span.start as u32, span.end as u32));
    }

    fn elements(&mut self, elements: Elements<Term, RowId>, span: Range<usize>) {
        self.0.assert_elements(elements);
        self.0.spans.push((span.start as u32, span.end as u32));
    }

    fn flat(&mut self, flat: Flat<Term, RowId>, span: Range<usize>) {
        self.0.assert_flat(flat);
        self.0.spans.push((span.start as u32, span.end as u32));
    }

    fn at_least(&mut self, dim: Term, size: NonZeroU64, span: Range<usize>) {
        self.0.assert_at_least(dim, size);
        self.0.spans.push((span.start as u32, span.end as u32));
    }

    fn summand(&mut self, name: &str) {
        let id = self.0.dim_names.intern(name);
        self.0.take_summand(id);
    }

    fn declare(&mut self, tag: Tag, var: VarName<'_>) -> Result<(), Tag> {
        match var {
            VarName::Dim(name) => {
                let id = self.0.dim_names.intern(name);
                self.0.declarations.declare(VarId::Dim(id), tag)
            }
            VarName::Row(name) => {
                let id = self.0.row_names.intern(name);
                self.0.declarations.declare(VarId::Row(id), tag)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::ids::Id;

    /// Lines between bare row variables, every variable in two of them.
    fn lines(vars: usize) -> String {
        let mut text = String::new();
        for line in 0..2 * vars {
            let (left, right) = (line % vars, (line + 1) % vars);
            writeln!(text, "<r{left:06}> <= <r{right:06}>").expect("a string");
        }
        text
    }

    #[test]
    fn rows_have_their_numbers_in_the_order_in_which_they_are_mentioned() {
        let mut problem = Problem::new();
        let text = "<a> <= <b>\nleaf <c>, <a>\n[2 <d>] ~ <c>";
        assert!(problem.read(text).is_ok());
        let vars: Vec<usize> = problem
            .rows
            .iter()
            .filter_map(|row| row.var)
            .map(Id::index)
            .collect();
        assert_eq!(vars, [0, 1, 3, 2]);
        assert_eq!((problem.len(), problem.row_names.len()), (2, 4));
    }

    /// `clone` has no spare capacity; 4681 names of 7 bytes just exceed a power of two, where doubling would waste
    /// most.
    #[test]
    fn the_room_made_for_a_text_is_what_it_needs() {
        let problem = Problem::parse(&lines(4681)).expect("in the notation");
        // The copy also remembers what it was made from, which the original does not.
        let spare = problem.bytes().saturating_sub(problem.clone().bytes());
        assert!(spare < 64, "{spare} bytes are held for nothing");
    }
}
