//! Patterns of shapes in the spelling of einops: `b t d, d h -> b t h`, with arithmetic in brackets, `...` and `_`.
//!
//! A parser of expressions, such as the crate `pest` generates, was considered and not tried: words between spaces are
//! most of the notation, brackets are read with a stack so that no depth of them exhausts the call stack, and each
//! mistake has words and a place of its own.

use std::fmt;

/// A pattern for each of several shapes, and for each result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// The names of sizes, in the order in which they are first written.
    pub names: Vec<String>,
    /// The shapes before the arrow.
    pub inputs: Vec<Vec<Axis>>,
    /// The shapes behind the arrow; nothing where there is no arrow.
    pub outputs: Option<Vec<Vec<Axis>>>,
}

/// An axis of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axis {
    /// `_`: any size.
    Any,
    /// `...`: any axes, the same ones wherever it is written.
    Rest,
    /// A size.
    Size(Size),
}

/// A size: a sum of multiples of products of names, and a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The products, each a sorted list of places in [`Pattern::names`] with the factor that multiplies it, which is
    /// not 0.
    pub products: Vec<(Vec<usize>, i64)>,
    /// The number that is added.
    pub number: i64,
}

/// The reason why a text is no pattern, with its place in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The pattern.
    text: String,
    /// The byte at which it goes wrong.
    at: usize,
    /// The error there, in words.
    message: String,
    /// The text to write instead.
    help: &'static str,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.text[..self.at].chars().count();
        write!(
            f,
            "pattern: {}\n  {}\n  {}^\n  help: {}",
            self.message,
            self.text,
            " ".repeat(column),
            self.help
        )
    }
}

impl Size {
    /// Returns the name that the size is, if it is one and nothing else.
    pub fn name(&self) -> Option<usize> {
        match (&self.products[..], self.number) {
            ([(names, 1)], 0) => match names[..] {
                [name] => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the sum of two sizes, one multiplied; nothing where a number has more than 64 bits.
    fn plus(mut self, factor: i64, other: &Size) -> Option<Size> {
        for (names, own) in &other.products {
            let more = own.checked_mul(factor)?;
            match self.products.iter_mut().find(|(known, _)| known == names) {
                Some((_, own)) => *own = own.checked_add(more)?,
                None => self.products.push((names.clone(), more)),
            }
        }
        self.products.retain(|(_, factor)| *factor != 0);
        self.number = self.number.checked_add(other.number.checked_mul(factor)?)?;
        Some(self)
    }

    /// Returns the product of two sizes; nothing where a number has more than 64 bits, or the product too many parts.
    fn times(&self, other: &Size) -> Option<Size> {
        let parts = |size: &Size| -> Vec<(Vec<usize>, i64)> {
            let own = size.products.iter().cloned();
            own.chain((size.number != 0).then_some((Vec::new(), size.number)))
                .collect()
        };
        let (left, right) = (parts(self), parts(other));
        if left.len().checked_mul(right.len())? > MOST_PARTS {
            return None;
        }
        let mut product = Size::default();
        for (names, factor) in &left {
            for (more, other) in &right {
                let factor = factor.checked_mul(*other)?;
                let mut names: Vec<usize> = names.iter().chain(more).copied().collect();
                names.sort_unstable();
                if names.len() > MOST_PARTS {
                    return None;
                }
                let part = match names.is_empty() {
                    true => Size {
                        number: factor,
                        ..Size::default()
                    },
                    false => Size {
                        products: vec![(names, factor)],
                        number: 0,
                    },
                };
                product = product.plus(1, &part)?;
            }
        }
        Some(product)
    }

    /// Returns the size as it is written in brackets.
    pub fn shown(&self, names: &[String]) -> String {
        let mut text = String::new();
        for (product, factor) in &self.products {
            let sign = match (text.is_empty(), *factor < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            text.push_str(sign);
            if factor.unsigned_abs() != 1 {
                text.push_str(&format!("{}*", factor.unsigned_abs()));
            }
            let product: Vec<&str> = product.iter().map(|name| names[*name].as_str()).collect();
            text.push_str(&product.join("*"));
        }
        match (text.is_empty(), self.number) {
            (true, number) => number.to_string(),
            (false, 0) => text,
            (false, number) if number < 0 => format!("{text} - {}", number.unsigned_abs()),
            (false, number) => format!("{text} + {number}"),
        }
    }
}

/// Writes a shape of a pattern.
pub fn shown(axes: &[Axis], names: &[String]) -> String {
    let axes: Vec<String> = axes
        .iter()
        .map(|axis| match axis {
            Axis::Any => "_".to_owned(),
            Axis::Rest => "...".to_owned(),
            Axis::Size(size) if size.name().is_some() || size.products.is_empty() => {
                size.shown(names)
            }
            Axis::Size(size) => format!("({})", size.shown(names)),
        })
        .collect();
    axes.join(" ")
}

/// The largest number of parts of a product of sums.
const MOST_PARTS: usize = 64;

/// The largest number of bytes of a pattern.
const MOST_BYTES: usize = 1 << 16;

impl Pattern {
    /// Reads another pattern with the same names: its shapes follow those that are there.
    ///
    /// # Errors
    /// Where it is none, with the place.
    pub fn and(self, text: &str) -> Result<Pattern, PatternError> {
        let mut reader = Reader {
            text,
            at: 0,
            pattern: self,
        };
        if text.len() > MOST_BYTES {
            return Err(reader.wrong("the pattern has more than 65536 bytes", HELP));
        }
        let first = reader.shapes()?;
        reader.pattern.inputs.extend(first);
        reader.space();
        if reader.takes("->") {
            let results = reader.shapes()?;
            reader
                .pattern
                .outputs
                .get_or_insert_default()
                .extend(results);
        }
        reader.space();
        match reader.at == text.len() {
            true => Ok(reader.pattern),
            false => Err(reader.wrong("this belongs to no axis", HELP)),
        }
    }
}

const HELP: &str = "write axes with spaces between them, as `b t d`, `b (2*h) w`, `... c` or `_ 3`";

/// The reader of a pattern.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    pattern: Pattern,
}

impl Reader<'_> {
    fn wrong(&self, message: impl Into<String>, help: &'static str) -> PatternError {
        PatternError {
            text: self.text.to_owned(),
            at: self.at,
            message: message.into(),
            help,
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_there = self.rest().starts_with(word);
        if is_there {
            self.at += word.len();
        }
        is_there
    }

    /// Reads shapes with commas between them.
    fn shapes(&mut self) -> Result<Vec<Vec<Axis>>, PatternError> {
        let mut shapes = Vec::new();
        loop {
            shapes.push(self.shape()?);
            if !self.takes(",") {
                return Ok(shapes);
            }
        }
    }

    fn shape(&mut self) -> Result<Vec<Axis>, PatternError> {
        let mut axes = Vec::new();
        loop {
            self.space();
            let rest = self.rest();
            if rest.is_empty() || rest.starts_with(',') || rest.starts_with("->") {
                return Ok(axes);
            }
            if rest.starts_with("...") || rest.starts_with('…') {
                if axes.contains(&Axis::Rest) {
                    return Err(self.wrong("a shape has `...` once", HELP));
                }
                self.at += '.'.len_utf8() * 3;
                axes.push(Axis::Rest);
                continue;
            }
            axes.push(self.axis()?);
        }
    }

    fn axis(&mut self) -> Result<Axis, PatternError> {
        if self.takes("(") {
            let size = self.sum()?;
            self.space();
            return match self.takes(")") {
                true => Ok(Axis::Size(size)),
                false => Err(self.wrong("here a `)` is missing", HELP)),
            };
        }
        let from = self.at;
        let size = self.factor()?;
        Ok(match &self.text[from..self.at] {
            "_" => Axis::Any,
            _ => Axis::Size(size),
        })
    }

    /// Reads what stands in brackets: products with `+` and `-` between them.
    fn sum(&mut self) -> Result<Size, PatternError> {
        let mut sum = Size::default();
        let mut sign = 1;
        loop {
            let product = self.product()?;
            sum = sum
                .plus(sign, &product)
                .ok_or_else(|| self.wrong("the size is too large", HELP))?;
            self.space();
            sign = match () {
                () if self.takes("+") => 1,
                () if self.takes("-") => -1,
                () => return Ok(sum),
            };
        }
    }

    /// Reads names and numbers with `*`, or spaces, between them.
    fn product(&mut self) -> Result<Size, PatternError> {
        self.space();
        let mut product = self.factor()?;
        loop {
            self.space();
            let is_next = self.takes("*") || self.rest().starts_with(is_word);
            if !is_next {
                return Ok(product);
            }
            self.space();
            let factor = self.factor()?;
            product = product
                .times(&factor)
                .ok_or_else(|| self.wrong("the product is too large", HELP))?;
        }
    }

    fn factor(&mut self) -> Result<Size, PatternError> {
        let rest = self.rest();
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = rest[..end].to_owned();
        if word.is_empty() {
            return Err(self.wrong("here a name or a number is missing", HELP));
        }
        let size = match word.starts_with(|c: char| c.is_ascii_digit()) {
            true => Size {
                number: word
                    .parse()
                    .map_err(|_| self.wrong(format!("`{word}` is no size"), HELP))?,
                ..Size::default()
            },
            false if word == "_" => Size::default(),
            false => Size {
                products: vec![(vec![self.name(&word)], 1)],
                number: 0,
            },
        };
        self.at += end;
        Ok(size)
    }

    /// Returns the place of a name, which is new if nobody has used it.
    fn name(&mut self, word: &str) -> usize {
        let names = &mut self.pattern.names;
        let known = names.iter().position(|name| name == word);
        known.unwrap_or_else(|| {
            names.push(word.to_owned());
            names.len() - 1
        })
    }
}

/// Tells whether a character belongs to a name or a number.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
