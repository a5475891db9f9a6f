//! A row of the tableau, which expresses a basic variable by nonbasic ones.

use std::cmp::Ordering;

use crate::number::{Int, Overflow, add, gcd, multiply};

/// `denominator * basic = Σ terms`.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) basic: u32,
    /// The denominator, always positive.
    pub(super) denominator: Int,
    /// Coefficients by variable, ascending. No variable here is basic.
    pub(super) terms: Vec<(u32, Int)>,
}

/// Returns the factor of a variable in a row, if it occurs there.
pub(super) fn factor(row: &Row, column: u32) -> Option<Int> {
    let at = row.terms.binary_search_by_key(&column, |term| term.0);
    at.ok().map(|at| row.terms[at].1)
}

impl Row {
    /// Divides all numbers of the row by their common divisor.
    pub(super) fn reduce(&mut self) {
        let mut divisor = self.denominator;
        for (_, factor) in &self.terms {
            if divisor == 1 {
                return;
            }
            divisor = gcd(divisor, *factor);
        }
        if divisor != 1 {
            self.denominator /= divisor;
            self.terms.iter_mut().for_each(|term| term.1 /= divisor);
        }
    }
}

/// Returns `a * left + b * right`.
pub(super) fn combined(
    left: &[(u32, Int)],
    a: Int,
    right: &[(u32, Int)],
    b: Int,
) -> Result<Vec<(u32, Int)>, Overflow> {
    let mut terms = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        let order = match (left.get(i), right.get(j)) {
            (Some(x), Some(y)) => x.0.cmp(&y.0),
            (_, None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let mut factor = 0;
        let mut column = 0;
        if order.is_le() {
            (column, factor) = (left[i].0, multiply(left[i].1, a)?);
            i += 1;
        }
        if order.is_ge() {
            column = right[j].0;
            factor = add(factor, multiply(right[j].1, b)?)?;
            j += 1;
        }
        if factor != 0 {
            terms.push((column, factor));
        }
    }
    Ok(terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_divided_by_what_all_its_numbers_have_in_common() {
        let reduced = |denominator, factors: [Int; 2]| {
            let mut row = Row {
                basic: 9,
                denominator,
                terms: vec![(0, factors[0]), (1, factors[1])],
            };
            row.reduce();
            (
                row.denominator,
                row.terms.iter().map(|term| term.1).collect(),
            )
        };
        assert_eq!(reduced(6, [4, -10]), (3, vec![2, -5]));
        assert_eq!(reduced(6, [4, 9]), (6, vec![4, 9]));
        assert_eq!(reduced(1, [4, 8]), (1, vec![4, 8]));
    }

    #[test]
    fn terms_that_cancel_are_left_out_of_a_combination() {
        let left = [(1, 2), (3, 4), (5, 6)];
        let right = [(0, 1), (3, 6), (5, 7), (8, 1)];
        let sum = combined(&left, 3, &right, -2);
        assert_eq!(sum, Ok(vec![(0, -2), (1, 6), (5, 4), (8, -2)]));
    }
}
