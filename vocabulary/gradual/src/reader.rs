//! The reader of conditions.
//!
//! ```text
//! conditions = comparison { "," comparison }          sum    = [ "-" ] product { ("+" | "-") product }
//! comparison = sum relation sum { relation sum }      product = factor { ("*" | "%") factor }
//! relation   = "=" "==" "!=" "<" "<=" ">" ">="        factor = number | quantity | "(" sum ")" | "-" factor
//! quantity   = name [ "[" [ "-" ] number "]" | ".rank" ]
//! ```
//!
//! A name is letters, digits, `_`, and inside it `.`, `/` and `:`, or any characters in quotes. A product has at most
//! one factor that is no number.

use std::ops::Range;

use crate::blanks::next_start;
use crate::name::name_length;
use crate::{Condition, Quantity, Relation, Restriction, Sum};

/// A text that is no list of conditions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConditionError {
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
    /// The reason.
    pub message: String,
    /// A change that reads.
    pub help: String,
}

/// The greatest depth of parentheses.
const DEEPEST: usize = 64;

/// Reads a list of conditions. A chain such as `1 < h < 9` is two of them.
///
/// # Errors
/// When the text is not in the notation, or a number has more than 127 bits.
pub fn conditions(text: &str) -> Result<Vec<Condition>, ConditionError> {
    let mut reader = Reader::new(text, 0);
    let mut read = Vec::new();
    loop {
        let left = reader.sum()?;
        reader.comparison(left, &mut read)?;
        match reader.next_byte() {
            None => return Ok(read),
            Some(b',') => reader.at += 1,
            Some(_) => return Err(reader.here("a comma or the end is expected here")),
        }
    }
}

/// The demands behind a `where`, each with its bytes.
pub(crate) type Placed = Vec<(Restriction, Range<usize>)>;

/// Reads the demands behind a `where` of a program, and gives the place where they end.
pub(crate) fn restrictions(text: &str, from: usize) -> Result<(Placed, usize), ConditionError> {
    let mut reader = Reader::new(text, from);
    reader.has_comments = true;
    let mut read = Vec::new();
    loop {
        reader.next_byte();
        let start = reader.at;
        let left = reader.sum()?;
        let end = reader.at;
        if let Some(restriction) = reader.wish(&left) {
            read.push((restriction, start..end));
        } else {
            let mut conditions = Vec::new();
            reader.comparison(left, &mut conditions)?;
            let span = start..start + text[start..reader.at].trim_end().len();
            let conditions = conditions.into_iter().map(Restriction::Holds);
            read.extend(conditions.map(|condition| (condition, span.clone())));
        }
        let end = reader.at;
        if reader.next_byte() != Some(b',') {
            return Ok((read, end));
        }
        reader.at += 1;
    }
}

/// A text while it is read.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// True if `#` begins a comment.
    has_comments: bool,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, at: usize) -> Self {
        Reader {
            text,
            at,
            depth: 0,
            has_comments: false,
        }
    }

    /// Reads `static` behind a size or a name.
    fn wish(&mut self, wanted: &Sum) -> Option<Restriction> {
        let [(quantity, 1)] = &wanted.parts[..] else {
            return None;
        };
        let (of, axis) = match quantity {
            Quantity::Axis { of, at } => (of, Some(*at)),
            Quantity::Named(name) => (name, None),
            Quantity::Rank(_) | Quantity::Remainder(..) => return None,
        };
        self.next_byte();
        let rest = self.rest();
        if wanted.number != 0 || rest[..name_length(rest)] != *"static" {
            return None;
        }
        self.at += "static".len();
        let of = of.clone();
        Some(Restriction::Static { of, axis })
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Passes blanks and returns the next byte.
    fn next_byte(&mut self) -> Option<u8> {
        match self.has_comments {
            true => self.at = next_start(self.text, self.at),
            false => self.at += self.rest().len() - self.rest().trim_start().len(),
        }
        self.rest().bytes().next()
    }

    fn error(&self, span: Range<usize>, message: impl Into<String>) -> ConditionError {
        let help = "write such as `x[0] >= 2, h % 32 = 0, x.rank = 4`".to_string();
        ConditionError {
            span,
            message: message.into(),
            help,
        }
    }

    fn here(&self, message: &str) -> ConditionError {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        self.error(self.at..self.at + length, message)
    }

    fn too_large(&self, from: usize) -> ConditionError {
        self.error(from..self.at, "this number is too large")
    }

    fn comparison(&mut self, left: Sum, read: &mut Vec<Condition>) -> Result<(), ConditionError> {
        let mut left = left;
        let mut relation = self.relation()?.ok_or_else(|| {
            self.here("a relation is expected here: `=`, `!=`, `<`, `<=`, `>` or `>=`")
        })?;
        loop {
            let right = self.sum()?;
            let next = self.relation()?;
            read.push(Condition {
                left,
                relation,
                right: right.clone(),
            });
            match next {
                None => return Ok(()),
                Some(next) => (left, relation) = (right, next),
            }
        }
    }

    fn relation(&mut self) -> Result<Option<Relation>, ConditionError> {
        self.next_byte();
        const RELATIONS: [(&str, Relation); 7] = [
            ("==", Relation::Equal),
            ("!=", Relation::Differs),
            ("<=", Relation::AtMost),
            (">=", Relation::AtLeast),
            ("=", Relation::Equal),
            ("<", Relation::Less),
            (">", Relation::Greater),
        ];
        let found = RELATIONS
            .iter()
            .find(|(sign, _)| self.rest().starts_with(sign));
        if let Some((sign, relation)) = found {
            self.at += sign.len();
            return Ok(Some(*relation));
        }
        Ok(None)
    }

    fn sum(&mut self) -> Result<Sum, ConditionError> {
        let from = self.at;
        let mut sum = self.product()?;
        loop {
            let factor = match self.next_byte() {
                Some(b'+') => 1,
                Some(b'-') => -1,
                _ => return Ok(sum),
            };
            self.at += 1;
            let next = self.product()?;
            sum = sum
                .plus(factor, &next)
                .ok_or_else(|| self.too_large(from))?;
        }
    }

    fn product(&mut self) -> Result<Sum, ConditionError> {
        let from = self.at;
        let mut product = self.factor()?;
        loop {
            let sign = match self.next_byte() {
                Some(sign @ (b'*' | b'%')) => sign,
                _ => return Ok(product),
            };
            self.at += 1;
            let next = self.factor()?;
            product = match (sign, product.as_number(), next.as_number()) {
                (b'%', _, Some(by)) if by > 0 => remainder(product, by),
                (b'%', ..) => {
                    return Err(self.error(from..self.at, "a remainder is by a positive number"));
                }
                (_, Some(number), _) => {
                    scaled(&next, number).ok_or_else(|| self.too_large(from))?
                }
                (_, _, Some(number)) => {
                    scaled(&product, number).ok_or_else(|| self.too_large(from))?
                }
                _ => {
                    return Err(self.error(
                        from..self.at,
                        "a product of two sizes cannot be compared: one factor is a number",
                    ));
                }
            };
        }
    }

    fn factor(&mut self) -> Result<Sum, ConditionError> {
        let mut sign = 1;
        while self.next_byte() == Some(b'-') {
            self.at += 1;
            sign = -sign;
        }
        let from = self.at;
        let sum = match self.next_byte() {
            Some(b'(') if self.depth < DEEPEST => {
                self.at += 1;
                self.depth += 1;
                let sum = self.sum()?;
                self.depth -= 1;
                if self.next_byte() != Some(b')') {
                    return Err(self.here("a `)` is expected here"));
                }
                self.at += 1;
                sum
            }
            Some(b'(') => return Err(self.here("parentheses are nested too deep")),
            Some(b'0'..=b'9') => Sum::number(self.number()?),
            Some(_) => Sum::of(self.quantity()?),
            None => return Err(self.here("a size or a number is expected at the end")),
        };
        scaled(&sum, sign).ok_or_else(|| self.too_large(from))
    }

    fn number(&mut self) -> Result<i128, ConditionError> {
        let from = self.at;
        let rest = self.rest();
        let length = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        self.at += length;
        rest[..length].parse().map_err(|_| self.too_large(from))
    }

    fn quantity(&mut self) -> Result<Quantity, ConditionError> {
        let (name, is_quoted) = self.name()?;
        if self.rest().starts_with('[') {
            self.at += 1;
            let is_negative = self.next_byte() == Some(b'-');
            self.at += usize::from(is_negative);
            if !matches!(self.next_byte(), Some(b'0'..=b'9')) {
                return Err(self.here("the number of an axis is expected here"));
            }
            let from = self.at;
            let number = i64::try_from(self.number()?).map_err(|_| self.too_large(from))?;
            if self.next_byte() != Some(b']') {
                return Err(self.here("a `]` is expected here"));
            }
            self.at += 1;
            let at = if is_negative { -number } else { number };
            return Ok(Quantity::Axis { of: name, at });
        }
        if is_quoted && self.rest().starts_with(".rank") {
            self.at += ".rank".len();
            return Ok(Quantity::Rank(name));
        }
        match name.strip_suffix(".rank") {
            Some(of) if !is_quoted => Ok(Quantity::Rank(of.to_string())),
            _ => Ok(Quantity::Named(name)),
        }
    }

    /// Reads a name, and tells whether it stood in quotes.
    fn name(&mut self) -> Result<(String, bool), ConditionError> {
        let rest = self.rest();
        if let Some(quoted) = rest.strip_prefix('\'') {
            let mut name = String::new();
            let mut characters = quoted.char_indices();
            while let Some((at, c)) = characters.next() {
                match c {
                    '\'' => {
                        self.at += 1 + at + 1;
                        return Ok((name, true));
                    }
                    '\\' => name.extend(characters.next().map(|(_, c)| c)),
                    c => name.push(c),
                }
            }
            return Err(self.error(self.at..self.text.len(), "this quote is not closed"));
        }
        let length = name_length(rest);
        if length == 0 {
            return Err(self.here("a size or a number is expected here"));
        }
        self.at += length;
        Ok((rest[..length].to_string(), false))
    }
}

/// Returns a multiple of a sum; `None` where a number becomes too large.
fn scaled(sum: &Sum, factor: i128) -> Option<Sum> {
    Sum::default().plus(factor, sum)
}

/// Returns the remainder of a sum by a positive number.
fn remainder(sum: Sum, by: i128) -> Sum {
    match sum.as_number() {
        Some(number) => Sum::number(number.rem_euclid(by)),
        None => Sum::of(Quantity::Remainder(sum, by)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let read = conditions(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        read.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn conditions_are_read_in_normal_form() {
        for (text, expected) in [
            ("h>=2", "h >= 2"),
            ("x[-1]==-3*-2", "x[-1] = 6"),
            ("2*(h + w) - h - 1 != w*0", "h + 2*w - 1 != 0"),
            ("x.rank<4", "x.rank < 4"),
            ("input.1[0] = /conv/Add:0[2]", "input.1[0] = /conv/Add:0[2]"),
            ("'a b'[1] > 'it\\'s'.rank", "'a b'[1] > 'it\\'s'.rank"),
            ("(h - 1) % 32 = 0", "(h - 1) % 32 = 0"),
            ("3*(h % 4) % 5 = 1", "(3*(h % 4)) % 5 = 1"),
            ("7 % 4 < h", "3 < h"),
        ] {
            assert_eq!(texts(text), [expected]);
        }
        assert_eq!(texts("5 < h < 20, w = h"), ["5 < h", "h < 20", "w = h"]);
    }

    #[test]
    fn errors_have_a_place() {
        for (text, span, what) in [
            ("", 0..0, "expected"),
            ("h", 1..1, "a relation"),
            ("h = ", 4..4, "at the end"),
            ("h = 2 w = 3", 6..7, "a comma"),
            ("h * w = 3", 0..5, "a product of two sizes"),
            ("h % 0 = 3", 0..5, "positive"),
            ("x[a] = 3", 2..3, "the number of an axis"),
            ("x[1 = 3", 4..5, "`]`"),
            ("(h = 3", 3..4, "`)`"),
            ("'h = 3", 0..6, "not closed"),
            (
                "h = 999999999999999999999999999999999999999999",
                4..46,
                "too large",
            ),
        ] {
            let error = conditions(text).expect_err(text);
            assert_eq!(
                (error.span, error.message.contains(what)),
                (span, true),
                "{text}: {}",
                error.message
            );
        }
        let deep = format!("{}h = 1", "(".repeat(100_000));
        assert!(
            conditions(&deep)
                .expect_err("too deep")
                .message
                .contains("too deep")
        );
    }

    proptest! {
        #[test]
        fn no_text_panics_and_what_is_read_reads_back(text in "[-hx0-9\\[\\].,()*%<>=!+' r]{0,24}") {
            if let Ok(read) = conditions(&text) {
                let written: Vec<String> = read.iter().map(ToString::to_string).collect();
                prop_assert_eq!(conditions(&written.join(", ")), Ok(read));
            }
        }
    }
}
