//! Conditions: comparisons of sums of sizes.

use std::fmt;

/// A number that a condition speaks of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// The size of an axis of an input or a node, counted from 0, or from the end if it is negative: `x[0]`,
    /// `conv1[-1]`.
    Axis {
        /// The name of the input or node.
        of: String,
        /// The place of the axis.
        at: i64,
    },
    /// The number of axes of an input or a node: `x.rank`.
    Rank(String),
    /// An axis with a name, or an integer input: `h`, `sr`.
    Named(String),
    /// The remainder of a sum by a positive number: `h % 32`.
    Remainder(Sum, i128),
}

/// A sum of multiples of quantities and a number, each quantity at most once.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sum {
    /// The quantities in the order in which they are first written, each with the factor that multiplies it, which is
    /// not 0.
    pub parts: Vec<(Quantity, i128)>,
    /// The number that is added.
    pub number: i128,
}

/// The relation of two sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// `=`, also written `==`.
    Equal,
    /// `!=`
    Differs,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Relation {
    /// Tells whether two numbers are in the relation.
    #[must_use]
    pub fn holds(self, left: i128, right: i128) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::Differs => left != right,
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::Greater => left > right,
            Relation::AtLeast => left >= right,
        }
    }
}

/// A comparison of two sums.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Condition {
    /// The sum on the left.
    pub left: Sum,
    /// The relation between them.
    pub relation: Relation,
    /// The sum on the right.
    pub right: Sum,
}

impl Sum {
    /// Makes a sum that is a number.
    #[must_use]
    pub fn number(number: i128) -> Sum {
        Sum {
            parts: Vec::new(),
            number,
        }
    }

    /// Makes a sum that is a quantity.
    #[must_use]
    pub fn of(quantity: Quantity) -> Sum {
        Sum {
            parts: vec![(quantity, 1)],
            number: 0,
        }
    }

    /// Adds a multiple of another sum; `None` where a number becomes too large.
    #[must_use]
    pub fn plus(mut self, factor: i128, other: &Sum) -> Option<Sum> {
        self.number = self.number.checked_add(other.number.checked_mul(factor)?)?;
        for (quantity, times) in &other.parts {
            let times = times.checked_mul(factor)?;
            match self.parts.iter_mut().find(|(known, _)| known == quantity) {
                Some((_, known)) => *known = known.checked_add(times)?,
                None => self.parts.push((quantity.clone(), times)),
            }
        }
        self.parts.retain(|(_, times)| *times != 0);
        Some(self)
    }

    /// Returns the sum as a number, if it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<i128> {
        self.parts.is_empty().then_some(self.number)
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Equal => "=",
            Relation::Differs => "!=",
            Relation::Less => "<",
            Relation::AtMost => "<=",
            Relation::Greater => ">",
            Relation::AtLeast => ">=",
        })
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Axis { of, at } => write!(f, "{}[{at}]", Name(of)),
            Quantity::Rank(of) => write!(f, "{}.rank", Name(of)),
            Quantity::Named(name) => write!(f, "{}", Name(name)),
            Quantity::Remainder(sum, by) => match (&sum.parts[..], sum.number) {
                ([(Quantity::Remainder(..), _)], _) => write!(f, "({sum}) % {by}"),
                ([(quantity, 1)], 0) => write!(f, "{quantity} % {by}"),
                _ => write!(f, "({sum}) % {by}"),
            },
        }
    }
}

/// A name, in quotes where it would not be read as one.
pub(crate) struct Name<'n>(pub(crate) &'n str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = crate::name::is_plain(self.0);
        match is_plain {
            true => f.write_str(self.0),
            false => write!(f, "'{}'", self.0.replace('\\', "\\\\").replace('\'', "\\'")),
        }
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        for (quantity, times) in &self.parts {
            let sign = match (is_first, *times < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            f.write_str(sign)?;
            if times.unsigned_abs() != 1 {
                write!(f, "{}*", times.unsigned_abs())?;
            }
            // A remainder reads as the product before it otherwise.
            match quantity {
                Quantity::Remainder(..) if times.unsigned_abs() != 1 => write!(f, "({quantity})")?,
                _ => write!(f, "{quantity}")?,
            }
            is_first = false;
        }
        match (is_first, self.number) {
            (true, number) => write!(f, "{number}"),
            (false, 0) => Ok(()),
            (false, number) if number < 0 => write!(f, " - {}", number.unsigned_abs()),
            (false, number) => write!(f, " + {number}"),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.left, self.relation, self.right)
    }
}
