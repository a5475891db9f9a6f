//! The grammar, read in one pass without recursion; the caller chooses what is built from it.

mod rows;

use std::num::NonZeroU64;
use std::ops::Range;

use super::NotationError;
use crate::composite::{Composite, Composition};
use crate::constraint::{SUMMAND, Tag};
use crate::elements::Elements;
use crate::flat::Flat;
use crate::window::Window;

/// The two relations of the notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `=` of dimensions, `~` of rows.
    Equal,
    /// `<=`, the result on the left.
    Below,
}

/// The kind of term on the right of `=` between dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RightSide {
    /// A lone dimension.
    Dim,
    /// A window.
    Window,
    /// The parts of which the left side is made.
    Composite(Composition),
}

/// A product, as it was written.
pub(super) enum Product<D, R> {
    /// A product of axes alone.
    Axes(Composite<D>),
    /// A product of rows, and perhaps axes.
    Rows(Elements<D, R>),
}

/// A declared variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarName<'a> {
    /// A dimension variable `NAME`.
    Dim(&'a str),
    /// A row variable `<NAME>`.
    Row(&'a str),
}

/// The constructor of a value for each part of a text in the notation.
pub trait Build {
    /// A dimension term.
    type Dim;
    /// A row term.
    type Row;

    /// Builds a dimension variable.
    fn dim_var(&mut self, name: &str) -> Self::Dim;
    /// Builds the claim-free unit.
    fn unit(&mut self) -> Self::Dim;
    /// Builds an atom. The basis is `None` where none is written; it may be written as `default`.
    fn atom(&mut self, size: NonZeroU64, basis: Option<&str>) -> Self::Dim;
    /// Builds a row from its axes in order (to be drained, since the buffer is used again), the length of its leading
    /// flank, and its variable.
    fn row(&mut self, dims: &mut Vec<Self::Dim>, leading: usize, var: Option<&str>) -> Self::Row;
    /// Builds a constraint between dimensions, with its place in the text.
    fn dims(&mut self, left: Self::Dim, relation: Relation, right: Self::Dim, span: Range<usize>);
    /// Builds a constraint between rows, with its place in the text.
    fn rows(&mut self, left: Self::Row, relation: Relation, right: Self::Row, span: Range<usize>);
    /// Builds a window, with its place in the text.
    fn window(&mut self, window: Window<Self::Dim>, span: Range<usize>);
    /// Builds a composite axis, with its place in the text.
    fn composite(&mut self, composite: Composite<Self::Dim>, span: Range<usize>);
    /// Builds a product with rows among its factors, with its place in the text.
    fn elements(&mut self, elements: Elements<Self::Dim, Self::Row>, span: Range<usize>);
    /// Builds rows side by side with their axes, with its place in the text.
    fn flat(&mut self, flat: Flat<Self::Dim, Self::Row>, span: Range<usize>);
    /// Builds a bound of a size, with its place in the text.
    fn at_least(&mut self, dim: Self::Dim, size: NonZeroU64, span: Range<usize>);
    /// Builds a declaration that a dimension variable may be 0.
    fn summand(&mut self, name: &str);
    /// Builds a declaration.
    ///
    /// # Errors
    /// The tag that the variable already has, when it differs.
    fn declare(&mut self, tag: Tag, var: VarName<'_>) -> Result<(), Tag>;
}

/// Reads a whole text in the notation into `build`.
///
/// # Errors
/// At the first thing that is not in the notation. The caller must then discard what was built.
pub fn read<B: Build>(text: &str, build: &mut B) -> Result<(), NotationError> {
    let mut reader = Reader::new(text, build);
    loop {
        reader.blanks();
        match reader.peek() {
            None => return Ok(()),
            Some(b'\n') => reader.at += 1,
            Some(b'#') => reader.comment(),
            Some(_) => {
                reader.statement()?;
                reader.end_of_line()?;
            }
        }
    }
}

pub(super) struct Reader<'a, B: Build> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    dims: Vec<B::Dim>,
    build: &'a mut B,
}

pub(super) type Read<T> = Result<T, NotationError>;

const MARKER: &str = "⋄";
const BELOW: &str = "⊑";
const FLAT_EQUAL: &str = "≈";
const EMPTY_SET: &str = "∅";
const A_DIM: &str = "a dimension (a size like 3 or 3_rgb, the unit 1_, or a NAME)";

impl<'a, B: Build> Reader<'a, B> {
    pub(super) fn new(text: &'a str, build: &'a mut B) -> Self {
        Reader {
            text,
            at: 0,
            dims: Vec::new(),
            build,
        }
    }

    /// Reads the whole text as one thing.
    pub(super) fn whole<T>(mut self, part: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.blanks();
        let value = part(&mut self)?;
        self.blanks();
        if self.peek().is_some() {
            Err(self.unexpected("the end"))
        } else {
            Ok(value)
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn comment(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
    }

    /// Tells whether the text goes on with `token`, which is then skipped.
    #[inline]
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.text.as_bytes()[self.at..].starts_with(token.as_bytes());
        if found {
            self.at += token.len();
        }
        found
    }

    fn end_of_line(&mut self) -> Read<()> {
        self.blanks();
        match self.peek() {
            None | Some(b'\n') => Ok(()),
            Some(b'#') => {
                self.comment();
                Ok(())
            }
            Some(_) => {
                Err(self.unexpected("the end of the line: one constraint or declaration a line"))
            }
        }
    }

    /// Reads a declaration, or a constraint.
    fn statement(&mut self) -> Read<()> {
        let start = self.at;
        if self.at_row() {
            let left = self.row()?;
            self.blanks();
            if self.peek() == Some(b'+') {
                let flat = self.side_by_side(left)?;
                self.build.flat(flat, start..self.at);
                return Ok(());
            }
            let relation = self.row_relation()?;
            if !self.at_row() {
                return Err(self.unexpected("a row: a row is compared with a row"));
            }
            let right = self.row()?;
            self.build.rows(left, relation, right, start..self.at);
            return Ok(());
        }
        for tag in [Tag::Leaf, Tag::Param, Tag::Interior] {
            if self.starts_declaration(tag.word()) {
                self.at += tag.word().len();
                return self.declaration(tag);
            }
        }
        if self.starts_declaration(SUMMAND) {
            self.at += SUMMAND.len();
            return self.summands();
        }
        self.of_dims(start)
    }

    /// Reads a constraint that begins with a dimension.
    fn of_dims(&mut self, start: usize) -> Read<()> {
        let left = self.dim()?;
        self.blanks();
        if self.eat(">=") {
            let size = self.least_size()?;
            self.build.at_least(left, size, start..self.at);
            return Ok(());
        }
        let relation = self.dim_relation()?;
        if self.at_row() {
            return Err(self.unexpected("a dimension: a dimension is compared with a dimension"));
        }
        if relation == Relation::Equal {
            match self.right_side() {
                RightSide::Dim => {}
                RightSide::Window => {
                    let window = self.window(left)?;
                    self.build.window(window, start..self.at);
                    return Ok(());
                }
                RightSide::Composite(Composition::Product) => {
                    match self.product(left)? {
                        Product::Axes(composite) => {
                            self.build.composite(composite, start..self.at);
                        }
                        Product::Rows(elements) => {
                            self.build.elements(elements, start..self.at);
                        }
                    }
                    return Ok(());
                }
                RightSide::Composite(Composition::Concat) => {
                    let composite = self.concat(left)?;
                    self.build.composite(composite, start..self.at);
                    return Ok(());
                }
            }
        }
        let right = self.dim()?;
        self.build.dims(left, relation, right, start..self.at);
        Ok(())
    }

    /// Tells whether a word is a tag: only before a NAME or `<NAME>`. In `leaf = 3`, `leaf` is a variable.
    fn starts_declaration(&self, word: &str) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        if rest.first() != word.as_bytes().first() || !rest.starts_with(word.as_bytes()) {
            return false;
        }
        let rest = &self.text[self.at + word.len()..];
        let after = rest.trim_start_matches([' ', '\t', '\r']);
        let separate = after.len() < rest.len();
        let mut chars = after.chars();
        match chars.next() {
            Some('<') => !matches!(chars.next(), Some('=')),
            Some(c) => separate && starts_name(c),
            None => false,
        }
    }

    fn declaration(&mut self, tag: Tag) -> Read<()> {
        loop {
            self.blanks();
            let start = self.at;
            let var = if self.eat("<") {
                self.blanks();
                let name = self.name("the NAME of a row variable")?;
                self.blanks();
                self.close_variable(start)?;
                VarName::Row(name)
            } else {
                VarName::Dim(self.name("a variable to declare: a NAME or `<NAME>`")?)
            };
            if let Err(before) = self.build.declare(tag, var) {
                let message = format!(
                    "`{}` is declared {} already",
                    &self.text[start..self.at],
                    before.word()
                );
                return Err(self.error(
                    start..self.at,
                    message,
                    "one declaration a variable".into(),
                ));
            }
            self.blanks();
            if !self.eat(",") {
                return Ok(());
            }
        }
    }

    /// Reads the variables that may be 0.
    fn summands(&mut self) -> Read<()> {
        loop {
            self.blanks();
            if self.at_row() {
                return Err(self.unexpected("a NAME: a part of an axis may be 0, a row may not"));
            }
            let name = self.name("a variable that may be 0: a NAME")?;
            self.build.summand(name);
            self.blanks();
            if !self.eat(",") {
                return Ok(());
            }
        }
    }

    fn at_row(&mut self) -> bool {
        self.blanks();
        match self.peek() {
            Some(b'[') => true,
            Some(b'<') => self.text.as_bytes().get(self.at + 1) != Some(&b'='),
            _ => false,
        }
    }

    fn dim_relation(&mut self) -> Read<Relation> {
        self.blanks();
        let start = self.at;
        match self.relation_token() {
            Some((relation, false)) => Ok(relation),
            Some(_) => Err(self.error(
                start..self.at,
                "`~` compares rows".into(),
                "`=` or `<=` between dimensions".into(),
            )),
            None => Err(self.unexpected("`=` or `<=`")),
        }
    }

    fn row_relation(&mut self) -> Read<Relation> {
        self.blanks();
        let start = self.at;
        match self.relation_token() {
            Some((Relation::Equal, false)) => Err(self.error(
                start..self.at,
                "`=` compares dimensions".into(),
                "`~` or `<=` between rows".into(),
            )),
            Some((relation, _)) => Ok(relation),
            None => Err(self.unexpected("`~` or `<=`")),
        }
    }

    pub(super) fn relation(&mut self) -> Read<Relation> {
        self.relation_token()
            .map(|(relation, _)| relation)
            .ok_or_else(|| self.unexpected("`=`, `~` or `<=`"))
    }

    /// Returns the relation here, and whether its sign is for rows only.
    fn relation_token(&mut self) -> Option<(Relation, bool)> {
        if self.eat("<=") || self.eat(BELOW) {
            Some((Relation::Below, false))
        } else if self.eat("=") {
            Some((Relation::Equal, false))
        } else if self.eat("~") || self.eat(FLAT_EQUAL) {
            Some((Relation::Equal, true))
        } else {
            None
        }
    }

    pub(super) fn dim(&mut self) -> Read<B::Dim> {
        self.blanks();
        match self.peek() {
            Some(b'0'..=b'9') => self.constant(),
            _ => {
                let name = self.name(A_DIM)?;
                Ok(self.build.dim_var(name))
            }
        }
    }

    /// Reads `SIZE`, `SIZE_BASIS` or the unit.
    fn constant(&mut self) -> Read<B::Dim> {
        let start = self.at;
        let mut size = Some(0u64);
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            size = size.and_then(|s| s.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
            self.at += 1;
        }
        let digits = &self.text[start..self.at];
        if digits == "1" && self.eat(EMPTY_SET) {
            return Ok(self.build.unit());
        }
        let basis = if self.eat("_") {
            self.basis(digits == "1")?
        } else {
            None
        };
        let Some(size) = size else {
            return Err(self.error(
                start..self.at,
                "the size does not fit 64 bits".into(),
                format!("a size of at most {}", u64::MAX),
            ));
        };
        let Some(size) = NonZeroU64::new(size) else {
            return Err(self.error(
                start..self.at,
                "a size is zero".into(),
                "a size of at least 1".into(),
            ));
        };
        match basis {
            Some("") => Ok(self.build.unit()),
            basis => {
                self.no_name_follows(start)?;
                Ok(self.build.atom(size, basis))
            }
        }
    }

    /// Reads the basis after `_`: empty for the unit `1_`.
    fn basis(&mut self, may_be_unit: bool) -> Read<Option<&'a str>> {
        let start = self.at;
        let rest = &self.text[start..];
        let length = match rest.chars().next() {
            Some(c) if c.is_alphabetic() => rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len()),
            _ => 0,
        };
        if length == 0 && !may_be_unit {
            return Err(self.unexpected(
                "the basis of the size, a word that starts with a letter (only `1_` has none)",
            ));
        }
        self.at += length;
        if length == 0 {
            self.no_name_follows(start - 2)?;
        }
        Ok(Some(&rest[..length]))
    }

    fn no_name_follows(&mut self, start: usize) -> Read<()> {
        if self
            .peek()
            .is_none_or(|byte| byte.is_ascii() && !names(byte))
        {
            return Ok(());
        }
        match self.text[self.at..].chars().next() {
            Some(c) if continues_name(c) => {
                let rest = &self.text[self.at..];
                let end = self.at + rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
                let message = format!("`{}` is neither a size nor a name", &self.text[start..end]);
                Err(self.error(start..end, message, A_DIM.into()))
            }
            _ => Ok(()),
        }
    }

    #[inline]
    fn name(&mut self, expected: &str) -> Read<&'a str> {
        let rest = &self.text.as_bytes()[self.at..];
        let mut length = match rest.first() {
            Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => 1,
            _ => 0,
        };
        if length == 1 {
            let more = rest[1..].iter().take_while(|byte| names(**byte)).count();
            length += more;
        }
        // Beyond ASCII a name goes on character by character.
        if rest.get(length).is_some_and(|byte| !byte.is_ascii()) {
            length = self.name_length();
        }
        if length == 0 {
            return Err(self.unexpected(expected));
        }
        let start = self.at;
        self.at += length;
        Ok(&self.text[start..self.at])
    }

    fn name_length(&self) -> usize {
        let rest = &self.text[self.at..];
        match rest.chars().next() {
            Some(c) if starts_name(c) => rest.find(|c| !continues_name(c)).unwrap_or(rest.len()),
            _ => 0,
        }
    }

    pub(super) fn error(
        &self,
        span: Range<usize>,
        message: String,
        expected: String,
    ) -> NotationError {
        NotationError::new(self.text, span, message, expected)
    }

    /// Returns an error at the next token.
    pub(super) fn unexpected(&self, expected: &str) -> NotationError {
        let rest = &self.text[self.at..];
        let found = match rest.chars().next() {
            None => return self.error(self.at..self.at, "the text ends".into(), expected.into()),
            Some('\n') => {
                return self.error(self.at..self.at, "the line ends".into(), expected.into());
            }
            Some(c) if continues_name(c) => {
                let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
                &rest[..length]
            }
            Some(c) => &rest[..c.len_utf8()],
        };
        let shown: String = found.chars().take(40).collect();
        self.error(
            self.at..self.at + found.len(),
            format!("`{shown}` stands here"),
            expected.into(),
        )
    }
}

fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || (!c.is_ascii() && c.is_alphabetic())
}

/// Tells for an ASCII character the same as [`continues_name`].
fn names(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\''
}

/// Tells whether a character continues a name. A prime marks the variables that a solver mints: `r'1`.
fn continues_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '\'' || (!c.is_ascii() && c.is_alphanumeric())
}
