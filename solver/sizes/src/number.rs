//! Integers with a known bound: every operation either is exact or reports [`Overflow`].
//!
//! The numbers are `i128` and stay within ±2¹²⁶, so that a negation or a comparison never overflows. Sizes are 64-bit
//! numbers, and elimination multiplies coefficients of primitive rows; the other 64 bits are room for intermediate
//! results. A big-integer crate (`num-bigint`, `dashu-int`) was considered: it would turn the rare `unknown` by
//! overflow into an answer, but it would make every operation of the common case slower and every clone an allocation.

use thiserror::Error;

/// The numbers of forms.
pub type Int = i128;

/// The error of a result outside the range in which the arithmetic is exact: ±2¹²⁶.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a number is too large")]
pub struct Overflow;

const BOUND: u128 = 1 << 126;

fn within(value: Option<Int>) -> Result<Int, Overflow> {
    match value {
        Some(value) if value.unsigned_abs() <= BOUND => Ok(value),
        _ => Err(Overflow),
    }
}

/// Returns `a + b`.
pub(crate) fn add(a: Int, b: Int) -> Result<Int, Overflow> {
    within(a.checked_add(b))
}

/// Returns `a - b`.
pub(crate) fn subtract(a: Int, b: Int) -> Result<Int, Overflow> {
    within(a.checked_sub(b))
}

/// Returns `a * b`.
pub(crate) fn multiply(a: Int, b: Int) -> Result<Int, Overflow> {
    within(a.checked_mul(b))
}

/// Returns the greatest common divisor, which is never negative; `gcd(0, a)` is `|a|`.
pub(crate) fn gcd(a: Int, b: Int) -> Int {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        // Most numbers are small, and a division of 64 bits is several times faster.
        if let (Ok(mut c), Ok(mut d)) = (u64::try_from(a), u64::try_from(b)) {
            while d != 0 {
                (c, d) = (d, c % d);
            }
            return Int::from(c);
        }
        (a, b) = (b, a % b);
    }
    // Numbers within the bound have divisors within it.
    a as Int
}

/// Returns `⌊a / b⌋` for a positive `b`.
pub(crate) fn floor_div(a: Int, b: Int) -> Int {
    a.div_euclid(b)
}

/// Returns `⌈a / b⌉` for a positive `b`.
pub(crate) fn ceil_div(a: Int, b: Int) -> Int {
    -(-a).div_euclid(b)
}

/// Returns the integer `q` for which `|a - q * b|` is at most `|b| / 2`; `b` is not 0.
pub(crate) fn nearest(a: Int, b: Int) -> Int {
    let (quotient, rest) = (a.div_euclid(b), a.rem_euclid(b));
    match rest > b.abs() / 2 {
        true => quotient + b.signum(),
        false => quotient,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_round_as_named() {
        for a in -20..=20 {
            for b in 1..=7 {
                assert!(floor_div(a, b) * b <= a && a < (floor_div(a, b) + 1) * b);
                assert!(ceil_div(a, b) * b >= a && a > (ceil_div(a, b) - 1) * b);
                for b in [b, -b] {
                    assert!(2 * (a - nearest(a, b) * b).abs() <= b.abs());
                }
            }
        }
    }

    #[test]
    fn of_two_nearest_numbers_the_one_with_a_positive_rest_is_taken() {
        for (a, b, quotient) in [(3, 2, 1), (-3, 2, -2), (3, -2, -1), (-3, -2, 2), (6, 4, 1)] {
            assert_eq!(nearest(a, b), quotient, "{a} / {b}");
        }
    }

    #[test]
    fn results_beyond_the_bound_are_refused() {
        let large = 1 << 126;
        assert_eq!(add(large, 1), Err(Overflow));
        assert_eq!(subtract(-large, 1), Err(Overflow));
        assert_eq!(multiply(1 << 100, 1 << 100), Err(Overflow));
        assert_eq!(gcd(large, 1 << 80), 1 << 80);
        assert_eq!(gcd(0, -6), 6);
    }
}
