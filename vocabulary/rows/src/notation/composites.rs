//! Concatenations and products, as the notation writes them.
//!
//! ```text
//! concatenation := dim ('^' dim)+
//! product       := factor ('*' factor)*
//! factor        := dim | '|' row '|'
//! ```
//!
//! A product has two factors or more, unless its only factor is a row. A bare size before `*` is the stride of a
//! window, so where the first factor of a product of axes is a size, its basis is written: `3_default * b`. A row among
//! the factors shows that it is no window.

use super::reader::{Build, Product, Read, Reader, RightSide};
use crate::composite::{Composite, Composition};
use crate::elements::{Elements, Factor};

impl<B: Build> Reader<'_, B> {
    /// Recognises the kind of term on the right of `=` by the first sign on the line.
    pub(super) fn right_side(&mut self) -> RightSide {
        self.blanks();
        let rest = &self.text[self.at..];
        let Some(at) = rest.find(['\n', '#', '+', '*', '(', '^', '|']) else {
            return RightSide::Dim;
        };
        let is_bare_size = || {
            let before = rest[..at].trim_end();
            before.bytes().all(|byte| byte.is_ascii_digit())
        };
        let has_row = || {
            let sign = rest[at..].find(['\n', '#', '|']);
            sign.is_some_and(|sign| rest.as_bytes()[at + sign] == b'|')
        };
        match rest.as_bytes()[at] {
            b'^' => RightSide::Composite(Composition::Concat),
            b'|' => RightSide::Composite(Composition::Product),
            b'*' if !is_bare_size() || has_row() => RightSide::Composite(Composition::Product),
            b'+' | b'*' => RightSide::Window,
            b'(' if self.mode_here(rest).is_some() => RightSide::Window,
            _ => RightSide::Dim,
        }
    }

    /// Reads the parts of the concatenation `whole`, of which there are at least two.
    pub(super) fn concat(&mut self, whole: B::Dim) -> Read<Composite<B::Dim>> {
        let composition = Composition::Concat;
        let mut parts = vec![self.dim()?];
        self.blanks();
        while self.eat(composition.sign()) {
            parts.push(self.dim()?);
            self.blanks();
        }
        self.made_in_one_way()?;
        Ok(Composite {
            composition,
            whole,
            parts,
        })
    }

    /// Reads the factors of the product `whole`.
    pub(super) fn product(&mut self, whole: B::Dim) -> Read<Product<B::Dim, B::Row>> {
        let composition = Composition::Product;
        let mut factors = vec![self.factor()?];
        self.blanks();
        while self.eat(composition.sign()) {
            factors.push(self.factor()?);
            self.blanks();
        }
        self.made_in_one_way()?;
        if factors.iter().any(|one| matches!(one, Factor::Row(_))) {
            return Ok(Product::Rows(Elements { whole, factors }));
        }
        let parts = factors.into_iter().filter_map(|one| match one {
            Factor::Axis(axis) => Some(axis),
            Factor::Row(_) => None,
        });
        Ok(Product::Axes(Composite {
            composition,
            whole,
            parts: parts.collect(),
        }))
    }

    /// Reads a dimension, or a row between two bars.
    fn factor(&mut self) -> Read<Factor<B::Dim, B::Row>> {
        self.blanks();
        if !self.eat("|") {
            return self.dim().map(Factor::Axis);
        }
        let row = self.row()?;
        self.blanks();
        match self.eat("|") {
            true => Ok(Factor::Row(row)),
            false => Err(self.unexpected("`|` after a row whose elements are counted")),
        }
    }

    fn made_in_one_way(&self) -> Read<()> {
        match self.peek() {
            Some(b'^' | b'*' | b'+') => Err(self.unexpected(
                "the end of the line: an axis is made in one way, give the inner one a name and a line of its own",
            )),
            _ => Ok(()),
        }
    }
}
