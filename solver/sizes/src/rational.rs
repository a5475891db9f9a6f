//! Rational numbers. Every operation either is exact or reports [`Overflow`].
//!
//! The `Ratio` of `num-rational` was considered and not tried: its checked operations notice only that 128 bits do not
//! hold a number, while the numbers of the module `number` stay within ±2¹²⁶, so that no negation or comparison
//! overflows.

use std::cmp::Ordering;

use crate::number::{Int, Overflow, add, floor_div, gcd, multiply, subtract};

/// A rational number in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rational {
    numerator: Int,
    /// The denominator, always positive.
    denominator: Int,
}

impl Rational {
    /// The number 0.
    pub const ZERO: Rational = Rational {
        numerator: 0,
        denominator: 1,
    };

    /// Returns an integer.
    pub fn integer(value: Int) -> Rational {
        Rational {
            numerator: value,
            denominator: 1,
        }
    }

    /// Returns `numerator / denominator`, where the denominator is not 0.
    pub(crate) fn ratio(numerator: Int, denominator: Int) -> Rational {
        if denominator == 1 {
            return Rational::integer(numerator);
        }
        let common = gcd(numerator, denominator).max(1);
        let divisor = match denominator.is_negative() {
            true => -common,
            false => common,
        };
        Rational {
            numerator: numerator / divisor,
            denominator: denominator / divisor,
        }
    }

    /// Returns the value as an integer, if it is one.
    pub fn as_integer(self) -> Option<Int> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// Returns the greatest integer that is not above the number.
    pub fn floor(self) -> Int {
        match self.denominator {
            1 => self.numerator,
            denominator => floor_div(self.numerator, denominator),
        }
    }

    /// Returns the least integer that is not below the number.
    pub fn ceil(self) -> Int {
        match self.denominator {
            1 => self.numerator,
            denominator => -floor_div(-self.numerator, denominator),
        }
    }

    pub(crate) fn sign(self) -> Int {
        self.numerator.signum()
    }

    /// Returns `self + factor * other`, where the factor is `factor / over`.
    pub(crate) fn plus(
        self,
        factor: Int,
        over: Int,
        other: Rational,
    ) -> Result<Rational, Overflow> {
        // Most numbers are integers, for which no common divisor is needed.
        if (self.denominator, other.denominator, over) == (1, 1, 1) {
            let step = multiply(other.numerator, factor)?;
            return Ok(Rational::integer(add(self.numerator, step)?));
        }
        let step = other.times(factor, over)?;
        if self.denominator == step.denominator {
            return Ok(Rational::ratio(
                add(self.numerator, step.numerator)?,
                self.denominator,
            ));
        }
        let numerator = add(
            multiply(self.numerator, step.denominator)?,
            multiply(step.numerator, self.denominator)?,
        )?;
        let denominator = multiply(self.denominator, step.denominator)?;
        Ok(Rational::ratio(numerator, denominator))
    }

    pub(crate) fn minus(self, other: Rational) -> Result<Rational, Overflow> {
        self.plus(-1, 1, other)
    }

    /// Returns `self * factor / over`.
    pub(crate) fn times(self, factor: Int, over: Int) -> Result<Rational, Overflow> {
        let numerator = multiply(self.numerator, factor)?;
        let denominator = multiply(self.denominator, over)?;
        Ok(Rational::ratio(numerator, denominator))
    }

    /// Returns the order of two numbers.
    pub(crate) fn order(self, other: Rational) -> Result<Ordering, Overflow> {
        if self.denominator == other.denominator {
            return Ok(self.numerator.cmp(&other.numerator));
        }
        let left = multiply(self.numerator, other.denominator)?;
        let right = multiply(other.numerator, self.denominator)?;
        Ok(subtract(left, right)?.cmp(&0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_form_whatever_it_is_computed_from() {
        let half = Rational::ratio(1, 2);
        assert_eq!(half.denominator, 2);
        for (numerator, denominator) in [(3, 6), (-3, -6)] {
            assert_eq!(Rational::ratio(numerator, denominator), half);
        }
        assert_eq!(Rational::ratio(3, -6), Rational::ratio(-1, 2));
        assert_eq!(Rational::ratio(0, -5), Rational::ZERO);
        assert_eq!(
            half.plus(1, 2, Rational::integer(1)),
            Ok(Rational::integer(1))
        );
        assert_eq!(half.plus(-1, 3, half), Ok(Rational::ratio(1, 3)));
        assert_eq!(half.minus(Rational::ratio(1, 3)), Ok(Rational::ratio(1, 6)));
    }

    #[test]
    fn numbers_between_two_integers_are_rounded_to_them() {
        for (numerator, floor, ceil) in [(7, 3, 4), (-7, -4, -3), (6, 3, 3)] {
            let number = Rational::ratio(numerator, 2);
            assert_eq!((number.floor(), number.ceil()), (floor, ceil));
        }
    }
}
