//! Functions of one integer that are polynomials on intervals.

use crate::limit::Limit;
use crate::term::{Int, gcd};

/// Disjoint intervals in order. `Int::MIN` and `Int::MAX` stand for no end.
pub(super) type Intervals = Vec<(Int, Int)>;

/// A polynomial on an interval: the coefficients, that of the highest power last and not 0.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    low: Int,
    high: Int,
    coefficients: Vec<Int>,
}

/// The pieces of a function, in order and without gaps.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    pub(super) parts: Vec<Piece>,
}

/// The number of pieces that a function may have.
const MAX_PIECES: usize = 10_000;

impl Piece {
    /// Returns the value, if it is the same everywhere on the piece.
    pub(super) fn constant(&self) -> Option<Int> {
        match self.coefficients.as_slice() {
            [] => Some(0),
            [value] => Some(*value),
            coefficients if self.low == self.high => evaluate(coefficients, self.low),
            _ => None,
        }
    }
}

impl Pieces {
    pub(super) fn constant(value: Int, (low, high): (Int, Int)) -> Self {
        let coefficients = if value == 0 { Vec::new() } else { vec![value] };
        Self {
            parts: vec![Piece {
                low,
                high,
                coefficients,
            }],
        }
    }

    /// Makes `base + slope*k`, for a slope that is not 0.
    pub(super) fn linear(base: Int, slope: Int, (low, high): (Int, Int)) -> Self {
        Self {
            parts: vec![Piece {
                low,
                high,
                coefficients: vec![base, slope],
            }],
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Result<Self, Limit> {
        self.zipped(other, |left, right| sum(left, right, 1))
    }

    pub(super) fn minus(&self, other: &Self) -> Result<Self, Limit> {
        self.zipped(other, |left, right| sum(left, right, -1))
    }

    pub(super) fn times(&self, other: &Self) -> Result<Self, Limit> {
        self.zipped(other, product)
    }

    pub(super) fn shifted(&self, by: Int) -> Result<Self, Limit> {
        self.mapped(|coefficients| sum(coefficients, &[by], 1))
    }

    pub(super) fn scaled(&self, by: Int) -> Result<Self, Limit> {
        self.mapped(|coefficients| product(coefficients, &[by]))
    }

    /// Returns the greatest common divisor of the coefficients of `k` and its powers, where the function is not
    /// constant.
    pub(super) fn content(&self) -> Int {
        let varying = self.parts.iter().filter(|piece| piece.low != piece.high);
        varying
            .flat_map(|piece| piece.coefficients.iter().skip(1))
            .fold(0, |divisor, coefficient| gcd(divisor, *coefficient))
    }

    /// Returns the quotient rounded down, by a divisor of [`Self::content`].
    pub(super) fn floor(&self, by: Int) -> Self {
        let divide = |piece: &Piece| {
            let coefficients = if piece.low == piece.high {
                vec![
                    evaluate(&piece.coefficients, piece.low)
                        .unwrap_or(0)
                        .div_euclid(by),
                ]
            } else {
                let mut coefficients: Vec<Int> = piece
                    .coefficients
                    .iter()
                    .map(|coefficient| coefficient / by)
                    .collect();
                if let Some(first) = coefficients.first_mut() {
                    *first = piece.coefficients[0].div_euclid(by);
                }
                coefficients
            };
            Piece {
                coefficients: trimmed(coefficients),
                ..*piece
            }
        };
        Self {
            parts: self.parts.iter().map(divide).collect(),
        }
    }

    /// Returns the function where `k` lies in the intervals, and the other one elsewhere.
    pub(super) fn choose(&self, other: &Self, intervals: &[(Int, Int)]) -> Result<Self, Limit> {
        let (left, right) = self.refined(other)?;
        let mut parts: Vec<Piece> = Vec::new();
        let mut at = 0;
        for (then, otherwise) in left.parts.into_iter().zip(right.parts) {
            let mut low = then.low;
            loop {
                while at < intervals.len() && intervals[at].1 < low {
                    at += 1;
                }
                let next = intervals.get(at).filter(|interval| interval.0 <= then.high);
                let (is_inside, high) = match next {
                    Some((start, end)) if *start <= low => (true, then.high.min(*end)),
                    Some((start, _)) => (false, start - 1),
                    None => (false, then.high),
                };
                let coefficients = if is_inside {
                    &then.coefficients
                } else {
                    &otherwise.coefficients
                };
                match parts.last_mut() {
                    Some(last) if last.coefficients == *coefficients => last.high = high,
                    _ => parts.push(Piece {
                        low,
                        high,
                        coefficients: coefficients.clone(),
                    }),
                }
                if high == then.high {
                    break;
                }
                low = high + 1;
            }
        }
        if parts.len() > MAX_PIECES {
            Err(Limit::Pieces)
        } else {
            Ok(Self { parts })
        }
    }

    /// Returns the places where the function is 0.
    pub(super) fn zeros(&self) -> Result<Intervals, Limit> {
        let mut zeros = Intervals::new();
        for piece in &self.parts {
            match piece.coefficients.as_slice() {
                [] => push(&mut zeros, piece.low, piece.high),
                [_] => {}
                [constant, slope] => {
                    if constant % slope == 0 {
                        let at = -(constant / slope);
                        if piece.low <= at && at <= piece.high {
                            push(&mut zeros, at, at);
                        }
                    }
                }
                coefficients => {
                    let negative = coefficients
                        .iter()
                        .map(|coefficient| coefficient.checked_neg())
                        .collect::<Option<Vec<_>>>();
                    let below =
                        sign_intervals(&negative.ok_or(Limit::Overflow)?, piece.low, piece.high)?;
                    let above = sign_intervals(coefficients, piece.low, piece.high)?;
                    crate::integers::combined(&below, &above, |below, above| below && above)
                        .into_iter()
                        .for_each(|(low, high)| push(&mut zeros, low, high));
                }
            }
        }
        Ok(zeros)
    }

    /// Returns the places where the function is at least 0.
    pub(super) fn not_negative(&self) -> Result<Intervals, Limit> {
        let mut result = Intervals::new();
        for piece in &self.parts {
            for (low, high) in sign_intervals(&piece.coefficients, piece.low, piece.high)? {
                push(&mut result, low, high);
            }
        }
        Ok(result)
    }

    /// Returns both functions, cut at the same places.
    pub(super) fn refined(&self, other: &Self) -> Result<(Self, Self), Limit> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let (mut i, mut j) = (0, 0);
        while let (Some(one), Some(two)) = (self.parts.get(i), other.parts.get(j)) {
            let (low, high) = (one.low.max(two.low), one.high.min(two.high));
            left.push(Piece {
                low,
                high,
                coefficients: one.coefficients.clone(),
            });
            right.push(Piece {
                low,
                high,
                coefficients: two.coefficients.clone(),
            });
            if left.len() > MAX_PIECES {
                return Err(Limit::Pieces);
            }
            i += usize::from(one.high == high);
            j += usize::from(two.high == high);
        }
        Ok((Self { parts: left }, Self { parts: right }))
    }

    fn mapped(&self, map: impl Fn(&[Int]) -> Option<Vec<Int>>) -> Result<Self, Limit> {
        let parts = self.parts.iter().map(|piece| {
            Some(Piece {
                coefficients: map(&piece.coefficients)?,
                ..*piece
            })
        });
        Ok(Self {
            parts: parts.collect::<Option<_>>().ok_or(Limit::Overflow)?,
        })
    }

    fn zipped(
        &self,
        other: &Self,
        with: impl Fn(&[Int], &[Int]) -> Option<Vec<Int>>,
    ) -> Result<Self, Limit> {
        let (left, right) = self.refined(other)?;
        let mut parts: Vec<Piece> = Vec::with_capacity(left.parts.len());
        for (one, two) in left.parts.iter().zip(&right.parts) {
            let coefficients = with(&one.coefficients, &two.coefficients).ok_or(Limit::Overflow)?;
            match parts.last_mut() {
                Some(last) if last.coefficients == coefficients => last.high = one.high,
                _ => parts.push(Piece {
                    coefficients,
                    ..*one
                }),
            }
        }
        Ok(Self { parts })
    }
}

fn push(intervals: &mut Intervals, low: Int, high: Int) {
    match intervals.last_mut() {
        Some(last) if last.1 != Int::MAX && last.1 + 1 >= low => last.1 = last.1.max(high),
        _ => intervals.push((low, high)),
    }
}

fn trimmed(mut coefficients: Vec<Int>) -> Vec<Int> {
    while coefficients.last() == Some(&0) {
        coefficients.pop();
    }
    coefficients
}

fn sum(left: &[Int], right: &[Int], factor: Int) -> Option<Vec<Int>> {
    let length = left.len().max(right.len());
    let at = |coefficients: &[Int], power: usize| coefficients.get(power).copied().unwrap_or(0);
    let sums = (0..length).map(|power| {
        at(right, power)
            .checked_mul(factor)?
            .checked_add(at(left, power))
    });
    sums.collect::<Option<Vec<_>>>().map(trimmed)
}

fn product(left: &[Int], right: &[Int]) -> Option<Vec<Int>> {
    if left.is_empty() || right.is_empty() {
        return Some(Vec::new());
    }
    let mut product = vec![0; left.len() + right.len() - 1];
    for (i, one) in left.iter().enumerate() {
        for (j, two) in right.iter().enumerate() {
            product[i + j] = one.checked_mul(*two)?.checked_add(product[i + j])?;
        }
    }
    Some(trimmed(product))
}

fn evaluate(coefficients: &[Int], at: Int) -> Option<Int> {
    coefficients
        .iter()
        .rev()
        .try_fold(0, |value: Int, coefficient| {
            value.checked_mul(at)?.checked_add(*coefficient)
        })
}

/// Returns the places where a polynomial is at least 0, between two ends.
fn sign_intervals(coefficients: &[Int], low: Int, high: Int) -> Result<Intervals, Limit> {
    match coefficients {
        [] => return Ok(vec![(low, high)]),
        [constant] => {
            return Ok(if *constant >= 0 {
                vec![(low, high)]
            } else {
                Vec::new()
            });
        }
        [constant, slope] => {
            // constant + slope*k ≥ 0
            let bound = Int::checked_neg(*constant).ok_or(Limit::Overflow)?;
            let (from, to) = if *slope > 0 {
                (
                    bound.div_euclid(*slope) + Int::from(bound.rem_euclid(*slope) != 0),
                    high,
                )
            } else {
                (low, constant.div_euclid(-slope))
            };
            let (from, to) = (from.max(low), to.min(high));
            return Ok(if from <= to {
                vec![(from, to)]
            } else {
                Vec::new()
            });
        }
        _ => {}
    }
    // Beyond a bound on the roots the sign is that of the leading coefficient. Between them the difference of
    // neighbours, whose degree is smaller, says where the polynomial rises and where it falls; there its changes of
    // sign are found by halving.
    let bound = root_bound(coefficients).ok_or(Limit::Overflow)?;
    let (inner_low, inner_high) = (low.max(-bound), high.min(bound));
    let mut result = Intervals::new();
    let leading = *coefficients.last().unwrap_or(&0);
    let sign_below = if coefficients.len().is_multiple_of(2) {
        -leading
    } else {
        leading
    };
    if low < inner_low && sign_below > 0 {
        push(&mut result, low, (inner_low - 1).min(high));
    }
    if inner_low <= inner_high {
        let rising = sign_intervals(
            &difference(coefficients).ok_or(Limit::Overflow)?,
            inner_low,
            inner_high,
        )?;
        let mut starts = vec![inner_low];
        for (from, to) in rising {
            starts.push(from);
            if to < inner_high {
                starts.push(to + 1);
            }
        }
        starts.dedup();
        for (at, start) in starts.iter().enumerate() {
            let end = starts.get(at + 1).map_or(inner_high, |next| next - 1);
            if *start <= end
                && let Some((from, to)) = monotone(coefficients, *start, end)?
            {
                push(&mut result, from, to);
            }
        }
    }
    if high > inner_high && leading > 0 {
        push(&mut result, (inner_high + 1).max(low), high);
    }
    Ok(result)
}

/// Returns the places where a polynomial that rises, or falls, from one end to the other is at least 0.
fn monotone(coefficients: &[Int], low: Int, high: Int) -> Result<Option<(Int, Int)>, Limit> {
    let is_in = |at: Int| {
        evaluate(coefficients, at)
            .map(|value| value >= 0)
            .ok_or(Limit::Overflow)
    };
    let (first, last) = (is_in(low)?, is_in(high)?);
    if first == last {
        return Ok(first.then_some((low, high)));
    }
    let (mut from, mut to) = (low, high);
    while to - from > 1 {
        let middle = from + (to - from) / 2;
        if is_in(middle)? == first {
            from = middle;
        } else {
            to = middle;
        }
    }
    Ok(Some(if first { (low, from) } else { (to, high) }))
}

/// Returns a number beyond which the polynomial has no root: 1 more than the largest ratio to the leading coefficient.
fn root_bound(coefficients: &[Int]) -> Option<Int> {
    let leading = coefficients.last()?.checked_abs()?;
    let largest = coefficients
        .iter()
        .map(|coefficient| coefficient.checked_abs())
        .collect::<Option<Vec<_>>>()?
        .into_iter()
        .max()?;
    (largest / leading).checked_add(2)
}

/// Computes `p(k+1) - p(k)`
fn difference(coefficients: &[Int]) -> Option<Vec<Int>> {
    let mut result = vec![0; coefficients.len()];
    for (power, coefficient) in coefficients.iter().enumerate() {
        // (k+1)^power by the row of Pascal's triangle
        let mut binomial: Int = 1;
        for (lower, entry) in result.iter_mut().enumerate().take(power) {
            *entry = binomial.checked_mul(*coefficient)?.checked_add(*entry)?;
            let left = Int::try_from(power - lower).ok()?;
            binomial = binomial.checked_mul(left)? / Int::try_from(lower + 1).ok()?;
        }
    }
    Some(trimmed(result))
}
