//! Data: tensors that are given with the text.

use lozenge_diagnostic::{Diagnostic, Parsed, brief};

use super::Parser;
use super::expression::number;
use crate::syntax::{Data, NodeKind, Source};
use crate::token::Token;

impl Parser<'_> {
    /// Reads `data NAME : TYPE = LIST`, `= range(N)` or `from "FILE"`.
    pub(super) fn data(&mut self) -> Parsed<()> {
        let start = self.cursor.advance().start;
        let (text, name_span) = self.cursor.word("the name of the data")?;
        self.cursor.expect(":", "behind the name of the data")?;
        let annotation = self.cursor.type_at(0)?;
        let from = self.cursor.span().start;
        let source = match self.cursor.peek() {
            Some(Token::Word("from")) => {
                self.cursor.advance();
                let Some(Token::Text(file)) = self.cursor.peek() else {
                    return Err(self
                        .cursor
                        .unexpected("the name of a file, such as `\"x.csv\"`,"));
                };
                self.cursor.advance();
                Source::File(file.to_string())
            }
            _ => {
                self.cursor
                    .expect("=", "or `from` behind the type of the data")?;
                self.values()?
            }
        };
        let span = from..self.cursor.last_end();
        self.cursor.takes(";");
        let name = self.bind(text, name_span);
        let place = self.program.data.len();
        self.program.data.push(Data {
            name,
            annotation,
            source,
            span,
        });
        let whole = start..self.cursor.last_end();
        self.node(NodeKind::Data(place), whole);
        Ok(())
    }

    fn values(&mut self) -> Parsed<Source> {
        if self.cursor.peek() == Some(Token::Word("range")) {
            self.cursor.advance();
            self.cursor.expect("(", "behind `range`")?;
            let count = self.count()?;
            self.cursor.expect(")", "behind the number of values")?;
            return Ok(Source::Range(count));
        }
        if !self.cursor.is("[") {
            return Ok(Source::Values(vec![self.value()?]));
        }
        self.cursor.advance();
        if !self.cursor.is("[") {
            return Ok(Source::Values(self.list()?));
        }
        let mut rows = Vec::new();
        while !self.cursor.takes("]") {
            self.cursor.expect("[", "before the values of an element")?;
            rows.push(self.list()?);
            if !self.cursor.is("]") {
                self.cursor.expect(",", "or `]` behind an element")?;
            }
        }
        Ok(Source::Rows(rows))
    }

    /// Reads values up to the end of their list.
    fn list(&mut self) -> Parsed<Vec<f64>> {
        let mut values = Vec::new();
        while !self.cursor.takes("]") {
            values.push(self.value()?);
            if !self.cursor.is("]") {
                self.cursor.expect(",", "or `]` behind a value")?;
            }
        }
        Ok(values)
    }

    fn count(&mut self) -> Parsed<u64> {
        let span = self.cursor.span();
        let Some(Token::Number(text)) = self.cursor.peek() else {
            return Err(self.cursor.unexpected("a number of values"));
        };
        self.cursor.advance();
        text.parse().map_err(|_| {
            let message = format!("`{}` is not a number of values", brief(text));
            Diagnostic::new(span, message, "this number").help("write a whole number, such as `12`")
        })
    }

    fn value(&mut self) -> Parsed<f64> {
        let sign = if self.cursor.takes("-") { -1.0 } else { 1.0 };
        let span = self.cursor.span();
        let value = match self.cursor.peek() {
            Some(Token::Number(text)) => number(text, &span)?.value,
            Some(Token::Word("inf")) => f64::INFINITY,
            Some(Token::Word("nan")) => f64::NAN,
            Some(Token::Sign("[")) => {
                return Err(self
                    .cursor
                    .unexpected("a number")
                    .help("the values stand in one list, the rightmost axis fastest; a ragged tensor has a list for each element"));
            }
            _ => return Err(self.cursor.unexpected("a number")),
        };
        self.cursor.advance();
        Ok(sign * value)
    }
}
