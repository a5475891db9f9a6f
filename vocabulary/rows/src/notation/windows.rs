//! Windows and bounds of sizes, as the notation writes them.
//!
//! ```text
//! window  := sum | MODE '(' sum (',' NUMBER (',' NUMBER)?)? ')'
//! sum     := summand ('+' summand)* ('+' NUMBER)?
//! summand := NUMBER '*' dim | NAME
//! ```
//!
//! A lone NAME is an equality, not a window. A number that multiplies nothing is a phase, so a size always has a
//! coefficient.

use std::num::NonZeroU64;
use std::ops::Range;

use super::reader::{Build, Read, Reader};
use crate::window::{Mode, Window};

/// A summand with its place: a term with its coefficient, or a phase.
enum Summand<D> {
    Term(NonZeroU64, D),
    Phase(u64),
}

impl<B: Build> Reader<'_, B> {
    /// Returns the mode whose word stands here before a parenthesis.
    pub(super) fn mode_here(&self, rest: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| {
            let rest = rest.strip_prefix(mode.word());
            rest.is_some_and(|rest| rest.trim_start_matches([' ', '\t', '\r']).starts_with('('))
        })
    }

    /// Reads the right side of a window on `axis`.
    pub(super) fn window(&mut self, axis: B::Dim) -> Read<Window<B::Dim>> {
        let rest = &self.text[self.at..];
        let Some(mode) = self.mode_here(rest) else {
            return self.sum(axis, Mode::Exact);
        };
        self.at += mode.word().len();
        self.blanks();
        let open = self.at;
        self.at += 1;
        let mut window = self.sum(axis, mode)?;
        self.blanks();
        if self.eat(",") {
            self.margins(&mut window)?;
        } else if mode == Mode::Exact {
            return Err(self.unexpected("`,` and the cells to add: without any, leave `pad` out"));
        }
        self.blanks();
        if self.eat(")") {
            return Ok(window);
        }
        Err(match self.peek() {
            None | Some(b'\n' | b'#') => self.error(
                open..open + 1,
                "the parenthesis is not closed".into(),
                "`)` on the same line".into(),
            ),
            Some(_) => self.unexpected("`,` or `)`"),
        })
    }

    /// Reads `LOW` for both sides, or `LOW, HIGH`.
    fn margins(&mut self, window: &mut Window<B::Dim>) -> Read<()> {
        self.blanks();
        if !window.mode.has_margins() {
            let expected = format!("`)`: `{}` makes its own margins", window.mode.word());
            return Err(self.unexpected(&expected));
        }
        let expected = "a number of cells";
        window.low = self.number(expected)?;
        self.blanks();
        window.high = match self.eat(",") {
            true => self.number(expected)?,
            false => window.low,
        };
        Ok(())
    }

    fn sum(&mut self, axis: B::Dim, mode: Mode) -> Read<Window<B::Dim>> {
        self.blanks();
        let start = self.at;
        let Summand::Term(stride, over) = self.summand()? else {
            return Err(self.size_alone(start..self.at));
        };
        let mut window = Window {
            axis,
            stride,
            over,
            taps: Vec::new(),
            phase: 0,
            mode,
            low: 0,
            high: 0,
        };
        loop {
            self.blanks();
            if !self.eat("+") {
                return Ok(window);
            }
            self.blanks();
            let start = self.at;
            match self.summand()? {
                Summand::Term(dilation, tap) => window.taps.push((dilation, tap)),
                Summand::Phase(phase) => {
                    let span = start..self.at;
                    if phase == 0 || phase >= stride.get() || !window.taps.is_empty() {
                        return Err(self.size_alone(span));
                    }
                    window.phase = phase;
                    return Ok(window);
                }
            }
        }
    }

    /// Returns the error for a size that has no coefficient and cannot be a phase.
    fn size_alone(&self, span: Range<usize>) -> super::NotationError {
        let size = self.text[span.clone()].to_string();
        self.error(
            span,
            format!("`{size}` is no position in a block of cells"),
            format!(
                "`1*{size}` for an axis of that size, or after one summand a number from 1 up to its coefficient less 1"
            ),
        )
    }

    fn summand(&mut self) -> Read<Summand<B::Dim>> {
        self.blanks();
        let start = self.at;
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Ok(Summand::Term(NonZeroU64::MIN, self.dim()?));
        }
        let number = self.number("a number")?;
        let end = self.at;
        self.blanks();
        if !self.eat("*") {
            self.at = end;
            return match self.peek() {
                Some(b'_') => {
                    self.at = start;
                    self.dim()?;
                    Err(self.size_alone(start..self.at))
                }
                _ => Ok(Summand::Phase(number)),
            };
        }
        let Some(coefficient) = NonZeroU64::new(number) else {
            return Err(self.error(
                start..end,
                "a coefficient is zero".into(),
                "a coefficient of at least 1".into(),
            ));
        };
        Ok(Summand::Term(coefficient, self.dim()?))
    }

    /// Reads the number after `>=`.
    pub(super) fn least_size(&mut self) -> Read<NonZeroU64> {
        self.blanks();
        let start = self.at;
        let number = self.number("a size: `>=` bounds the size of an axis by a number")?;
        NonZeroU64::new(number).ok_or_else(|| {
            self.error(
                start..self.at,
                "a size is zero".into(),
                "a size of at least 1".into(),
            )
        })
    }

    fn number(&mut self, expected: &str) -> Read<u64> {
        self.blanks();
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        let digits = &self.text[start..self.at];
        if digits.is_empty() {
            return Err(self.unexpected(expected));
        }
        digits.parse().map_err(|_| {
            self.error(
                start..self.at,
                "the number does not fit 64 bits".into(),
                format!("a number of at most {}", u64::MAX),
            )
        })
    }
}
