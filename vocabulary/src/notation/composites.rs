//! Concatenations and products, as the notation writes them.
//!
//! ```text
//! concatenation := dim ('^' dim)+
//! product       := factor ('*' dim)+
//! factor        := NAME | SIZE '_' BASIS | '1_'
//! ```
//!
//! A bare size before `*` is the stride of a window. So where the first factor of a product is a size, its basis is written.

use super::reader::{Build, Read, Reader, RightSide};
use crate::composite::{Composite, Composition};

impl<B: Build> Reader<'_, B> {
    /// What stands here on the right of `=`, recognised by the first sign on the line.
    pub(super) fn right_side(&mut self) -> RightSide {
        self.blanks();
        let rest = &self.text[self.at..];
        let Some(at) = rest.find(['\n', '#', '+', '*', '(', '^']) else {
            return RightSide::Dim;
        };
        let is_bare_size = || {
            let before = rest[..at].trim_end();
            before.bytes().all(|byte| byte.is_ascii_digit())
        };
        match rest.as_bytes()[at] {
            b'^' => RightSide::Composite(Composition::Concat),
            b'*' if !is_bare_size() => RightSide::Composite(Composition::Product),
            b'+' | b'*' => RightSide::Window,
            b'(' if self.mode_here(rest).is_some() => RightSide::Window,
            _ => RightSide::Dim,
        }
    }

    /// Reads the parts of `whole`, of which there are at least two.
    pub(super) fn composite(
        &mut self,
        whole: B::Dim,
        composition: Composition,
    ) -> Read<Composite<B::Dim>> {
        let mut parts = vec![self.dim()?];
        self.blanks();
        while self.eat(composition.sign()) {
            self.blanks();
            if self.text[self.at..].starts_with("|") {
                return Err(self.unexpected(
                    "a dimension: the number of elements of a row is no factor here, write its axes one by one",
                ));
            }
            parts.push(self.dim()?);
            self.blanks();
        }
        match self.peek() {
            Some(b'^' | b'*' | b'+') => Err(self.unexpected(
                "the end of the line: an axis is made in one way, give the inner one a name and a line of its own",
            )),
            _ => Ok(Composite {
                composition,
                whole,
                parts,
            }),
        }
    }
}
