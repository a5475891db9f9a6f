//! The divisors of a number of 64 bits, found by its prime factors.
//!
//! Small primes are divided out. The rest is taken apart by the method of J. M. Pollard, *A Monte Carlo method for
//! factorization*, BIT 15 (1975), which finds a factor `p` in about `√p` steps, and whether a number is prime is asked
//! of the test of Miller and Rabin: with the first twelve primes as bases it errs for no number of 64 bits (J.
//! Sorenson, J. Webster, *Strong pseudoprimes to twelve prime bases*, Mathematics of Computation 86, 2017).
//!
//! A crate such as `num-prime` was considered and not tried: the steps here are paid from a meter, so that the limit on
//! work holds for factorisations too.

use crate::limit::{Limit, Meter};
use crate::number::{Int, gcd};

/// The bases of the test for primes.
const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// Divisors up to here are tried one by one.
const SMALL: u64 = 1 << 8;

/// Returns the positive divisors of a number other than 0, ascending.
pub(crate) fn divisors_of(number: Int, meter: &mut Meter) -> Result<Vec<Int>, Limit> {
    let Ok(number) = u64::try_from(number.unsigned_abs()) else {
        return Err(Limit::Overflow);
    };
    let mut divisors: Vec<Int> = vec![1];
    for (prime, exponent) in factors_of(number, meter)? {
        let known = divisors.len();
        meter.spend(known * exponent)?;
        for at in 0..known * exponent {
            divisors.push(divisors[at] * Int::from(prime));
        }
    }
    divisors.sort_unstable();
    Ok(divisors)
}

/// Returns the prime factors with their exponents.
fn factors_of(number: u64, meter: &mut Meter) -> Result<Vec<(u64, usize)>, Limit> {
    let mut primes = Vec::new();
    let mut rest = number;
    let mut candidate = 2;
    while candidate <= SMALL && candidate <= rest / candidate {
        meter.spend(0)?;
        while rest.is_multiple_of(candidate) {
            primes.push(candidate);
            rest /= candidate;
        }
        candidate += 1;
    }
    let mut composite = vec![rest];
    while let Some(part) = composite.pop() {
        if part == 1 {
            continue;
        }
        match is_prime(part) {
            true => primes.push(part),
            false => {
                let factor = a_factor(part, meter)?;
                composite.extend([factor, part / factor]);
            }
        }
    }
    primes.sort_unstable();
    let equal = primes.chunk_by(|a, b| a == b);
    Ok(equal.map(|chunk| (chunk[0], chunk.len())).collect())
}

/// Returns `a · b` modulo `modulus`.
fn times(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

/// Returns `base` to the power of `exponent` modulo `modulus`.
fn power(mut base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = times(result, base, modulus);
        }
        base = times(base, base, modulus);
        exponent /= 2;
    }
    result
}

/// Tells whether a number greater than 1 is prime.
fn is_prime(number: u64) -> bool {
    if let Some(base) = BASES.into_iter().find(|base| number.is_multiple_of(*base)) {
        return number == base;
    }
    let less = number - 1;
    let twos = less.trailing_zeros();
    let odd = less >> twos;
    BASES.into_iter().all(|base| {
        let mut value = power(base, odd, number);
        if value == 1 {
            return true;
        }
        for _ in 1..twos {
            if value == less {
                return true;
            }
            value = times(value, value, number);
        }
        value == less
    })
}

/// Returns a factor of a composite number that is neither 1 nor the number.
fn a_factor(number: u64, meter: &mut Meter) -> Result<u64, Limit> {
    if number.is_multiple_of(2) {
        return Ok(2);
    }
    for addend in 1.. {
        let step = |value: u64| {
            let sum = u128::from(times(value, value, number)) + addend;
            (sum % u128::from(number)) as u64
        };
        // Two walks on the same path, one of them twice as fast, meet modulo a factor long before they meet.
        let (mut slow, mut fast, mut common) = (2, 2, 1);
        while common == 1 {
            meter.spend(2)?;
            slow = step(slow);
            fast = step(step(fast));
            common = gcd(Int::from(slow.abs_diff(fast)), Int::from(number)) as u64;
        }
        if common != number {
            return Ok(common);
        }
    }
    // The loop above returns or spends the meter.
    Err(Limit::Work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_are_complete_and_ascending() {
        for number in (1..3000).chain(66_000..66_100) {
            let all: Vec<Int> = (1..=number).filter(|d| number % d == 0).collect();
            let mut meter = Meter::new(10_000);
            assert_eq!(divisors_of(number, &mut meter), Ok(all.clone()), "{number}");
            assert_eq!(divisors_of(-number, &mut meter), Ok(all));
        }
    }

    #[test]
    fn numbers_of_64_bits_are_taken_apart_in_bounded_work() {
        let factors = |number: u64| factors_of(number, &mut Meter::new(1 << 21)).unwrap();
        assert_eq!(
            factors(u64::MAX),
            [3, 5, 17, 257, 641, 65537, 6_700_417].map(|p| (p, 1))
        );
        assert_eq!(factors(u64::MAX - 58), [(u64::MAX - 58, 1)]);
        // The two greatest primes below 2^32: their product and their squares.
        let (p, q) = (4_294_967_291, 4_294_967_279);
        assert_eq!(factors(p * q), [(q, 1), (p, 1)]);
        assert_eq!(factors(p * p), [(p, 2)]);
        assert_eq!(factors(1 << 63), [(2, 63)]);
        // The square of a prime whose numbers modulo it are few, and a number that errs for the bases 2, 3, 5 and 7.
        assert_eq!(factors(257 * 257), [(257, 2)]);
        assert_eq!(factors(3_215_031_751), [(151, 1), (751, 1), (28351, 1)]);
        let few = divisors_of(Int::from(p * q), &mut Meter::new(1000));
        assert_eq!(few, Err(Limit::Work));
        // A number that errs for every base that it has no divisor in common with, if only the last power is looked at.
        assert_eq!(factors(172_947_529), [(307, 1), (613, 1), (919, 1)]);
    }

    /// Returns the work that something takes.
    fn spent<T>(of: impl FnOnce(&mut Meter) -> Result<T, Limit>) -> u64 {
        let mut meter = Meter::new(1 << 20);
        assert!(of(&mut meter).is_ok());
        (1 << 20) - meter.left()
    }

    #[test]
    fn work_is_counted_by_candidates_steps_and_divisors() {
        let factors = |number: u64| spent(|meter| factors_of(number, meter));
        // 101 and 103: a unit for each candidate from 2 to 101.
        assert_eq!(factors(10_403), 100);
        // 65,537 is prime: a unit for each candidate from 2 to 256, and none for the test.
        assert_eq!(factors(65_537), 255);
        // 257 and 263 have to be found by a walk; three units for each of its steps.
        assert_eq!(factors(67_591), 255 + 3 * 20);
        assert_eq!(factors(4_294_967_291 * 4_294_967_279), 255 + 3 * 53_804);
        // 24: a unit for the candidate 2, four for the three multiples of 1 by powers of 2, five for four multiples
        // by 3.
        assert_eq!(spent(|meter| divisors_of(24, meter)), 1 + 4 + 5);
    }
}
