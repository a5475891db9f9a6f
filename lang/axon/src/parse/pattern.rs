//! Patterns: what a statement binds.

use lozenge_diagnostic::{Diagnostic, Parsed};

use super::Parser;
use crate::Span;
use crate::syntax::{NameId, Pattern};

/// The deepest nesting of patterns.
const DEEPEST: usize = 64;

/// A pattern whose names are not bound yet: those on the left of an `=` hold only behind its statement.
pub(super) enum Written<'t> {
    Name(&'t str, Span),
    Ignored(Span),
    Tuple(Vec<Written<'t>>, Span),
}

impl<'t> Written<'t> {
    /// Collects the names.
    pub(super) fn names(&self, names: &mut Vec<&'t str>) {
        match self {
            Written::Name(text, _) => names.push(text),
            Written::Ignored(_) => {}
            Written::Tuple(parts, _) => parts.iter().for_each(|part| part.names(names)),
        }
    }
}

impl<'t> Parser<'t> {
    /// Reads a pattern, which may be several with commas between them.
    pub(super) fn pattern(&mut self, depth: usize) -> Parsed<Written<'t>> {
        let start = self.cursor.span().start;
        let mut parts = vec![self.pattern_part(depth)?];
        while self.cursor.takes(",") {
            parts.push(self.pattern_part(depth)?);
        }
        match parts.len() {
            1 => Ok(parts.remove(0)),
            _ => Ok(Written::Tuple(parts, start..self.cursor.last_end())),
        }
    }

    fn pattern_part(&mut self, depth: usize) -> Parsed<Written<'t>> {
        if depth == DEEPEST {
            return Err(Diagnostic::new(
                self.cursor.span(),
                format!("a pattern nests at most {DEEPEST} deep"),
                "this parenthesis is nested deeper",
            )
            .help("bind an inner part to a name, and take that apart by a statement of its own"));
        }
        if self.cursor.takes("(") {
            let inner = self.pattern(depth + 1)?;
            self.cursor.expect(")", "at the end of the pattern")?;
            return Ok(inner);
        }
        let (text, span) = self.cursor.word("a name")?;
        Ok(match text {
            "_" => Written::Ignored(span),
            _ => Written::Name(text, span),
        })
    }

    /// Binds the names of a pattern.
    pub(super) fn bound(&mut self, pattern: Written<'t>) -> Pattern {
        match pattern {
            Written::Name(text, span) => Pattern::Name(self.bind(text, span)),
            Written::Ignored(span) => Pattern::Ignored(span),
            Written::Tuple(parts, span) => {
                let parts = parts.into_iter().map(|part| self.bound(part));
                Pattern::Tuple(parts.collect(), span)
            }
        }
    }

    /// Binds a name.
    pub(super) fn bind(&mut self, text: &'t str, span: Span) -> NameId {
        let id = self.program.names.len();
        self.program.names.push(crate::syntax::Name {
            text: text.into(),
            span,
            owner: self.names.innermost(),
        });
        self.names.bind(text, id);
        id
    }
}
