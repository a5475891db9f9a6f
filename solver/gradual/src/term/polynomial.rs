//! Polynomials with integer coefficients over atoms: the normal form of every size.
//!
//! The crate `feanor-math` was considered and not tried: it needs a nightly compiler, and a ring of its polynomials has
//! a fixed number of unknowns, where atoms are added while a model is followed.

use super::Atom;
use std::cmp::Ordering;

/// The integers in which sizes are computed. A size of a model has at most 63 bits; products of a few of them fit.
pub type Int = i128;

/// A product of powers of atoms, sorted by atom. The empty product is 1.
pub(crate) type Monomial = Vec<(Atom, u32)>;

/// A sum of monomials with nonzero coefficients, sorted by monomial; equal polynomials are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Polynomial {
    pub(crate) parts: Vec<(Monomial, Int)>,
}

/// The numbers of an arithmetic step left the range of [`Int`], or the polynomial grew beyond [`MAX_PARTS`].
#[derive(Debug)]
pub(crate) struct TooLarge;

/// The number of monomials that a polynomial may have.
const MAX_PARTS: usize = 4096;

impl Polynomial {
    pub(crate) fn constant(value: Int) -> Self {
        Self {
            parts: if value == 0 {
                Vec::new()
            } else {
                vec![(Vec::new(), value)]
            },
        }
    }

    pub(crate) fn atom(atom: Atom) -> Self {
        Self {
            parts: vec![(vec![(atom, 1)], 1)],
        }
    }

    /// Sums up parts in any order.
    pub(crate) fn collect(mut parts: Vec<(Monomial, Int)>) -> Result<Self, TooLarge> {
        parts.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        let mut sum: Vec<(Monomial, Int)> = Vec::with_capacity(parts.len());
        for (monomial, coefficient) in parts {
            match sum.last_mut() {
                Some(last) if last.0 == monomial => {
                    last.1 = last.1.checked_add(coefficient).ok_or(TooLarge)?
                }
                _ => {
                    if sum.last().is_some_and(|last| last.1 == 0) {
                        sum.pop();
                    }
                    sum.push((monomial, coefficient));
                }
            }
        }
        if sum.last().is_some_and(|last| last.1 == 0) {
            sum.pop();
        }
        if sum.len() > MAX_PARTS {
            Err(TooLarge)
        } else {
            Ok(Self { parts: sum })
        }
    }

    /// Returns the value, if there is no atom.
    pub(crate) fn as_constant(&self) -> Option<Int> {
        match self.parts.as_slice() {
            [] => Some(0),
            [(monomial, value)] if monomial.is_empty() => Some(*value),
            _ => None,
        }
    }

    /// Returns the atom, if the polynomial is one and nothing else.
    pub(crate) fn as_atom(&self) -> Option<Atom> {
        match self.parts.as_slice() {
            [(monomial, 1)] => match monomial.as_slice() {
                [(atom, 1)] => Some(*atom),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the coefficient of the empty monomial, which sorts first.
    pub(crate) fn constant_part(&self) -> Int {
        self.parts
            .first()
            .filter(|(monomial, _)| monomial.is_empty())
            .map_or(0, |part| part.1)
    }

    /// Returns the parts that have an atom.
    pub(crate) fn variable_parts(&self) -> &[(Monomial, Int)] {
        match self.parts.first() {
            Some((monomial, _)) if monomial.is_empty() => &self.parts[1..],
            _ => &self.parts,
        }
    }

    /// Returns the greatest common divisor of the coefficients of the variable parts, 0 if there are none.
    pub(crate) fn content(&self) -> Int {
        self.variable_parts()
            .iter()
            .fold(0, |divisor, part| gcd(divisor, part.1))
    }

    pub(crate) fn plus(&self, factor: Int, other: &Self) -> Result<Self, TooLarge> {
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut left, mut right) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(left), Some(right)) => left.0.cmp(&right.0),
            };
            let mut coefficient = 0;
            let mut monomial = None;
            if order != Ordering::Greater
                && let Some(part) = left.next()
            {
                coefficient = part.1;
                monomial = Some(&part.0);
            }
            if order != Ordering::Less
                && let Some(part) = right.next()
            {
                let added = factor.checked_mul(part.1).ok_or(TooLarge)?;
                coefficient = added.checked_add(coefficient).ok_or(TooLarge)?;
                monomial = Some(&part.0);
            }
            if let Some(monomial) = monomial
                && coefficient != 0
            {
                parts.push((monomial.clone(), coefficient));
            }
        }
        if parts.len() > MAX_PARTS {
            Err(TooLarge)
        } else {
            Ok(Self { parts })
        }
    }

    pub(crate) fn scaled(&self, factor: Int) -> Result<Self, TooLarge> {
        Self::default().plus(factor, self)
    }

    pub(crate) fn times(&self, other: &Self) -> Result<Self, TooLarge> {
        if self.parts.len().saturating_mul(other.parts.len()) > 16 * MAX_PARTS {
            return Err(TooLarge);
        }
        let mut parts = Vec::with_capacity(self.parts.len() * other.parts.len());
        for (left, by) in &self.parts {
            for (right, factor) in &other.parts {
                parts.push((
                    monomial_product(left, right)?,
                    by.checked_mul(*factor).ok_or(TooLarge)?,
                ));
            }
        }
        Self::collect(parts)
    }

    /// Divides by `divisor` if that leaves no remainder.
    pub(crate) fn exact_quotient(&self, divisor: &Self) -> Result<Option<Self>, TooLarge> {
        let leading = |polynomial: &Self| {
            polynomial
                .parts
                .iter()
                .max_by(|left, right| graded(&left.0, &right.0))
                .cloned()
        };
        let Some((by, factor)) = leading(divisor) else {
            return Ok(None);
        };
        let mut rest = self.clone();
        let mut quotient = Vec::new();
        // Each step removes the leading monomial; as many steps as a product of the two could have are enough.
        for _ in 0..=self.parts.len() * 2 {
            let Some((monomial, coefficient)) = leading(&rest) else {
                return Self::collect(quotient).map(Some);
            };
            let Some(monomial) =
                monomial_quotient(&monomial, &by).filter(|_| coefficient % factor == 0)
            else {
                return Ok(None);
            };
            let step = Self {
                parts: vec![(monomial, coefficient / factor)],
            };
            rest = rest.plus(-1, &step.times(divisor)?)?;
            quotient.extend(step.parts);
        }
        Ok(None)
    }
}

/// Compares by degree, then by the powers of the atoms: an order that products respect.
fn graded(left: &Monomial, right: &Monomial) -> Ordering {
    let degree = |monomial: &Monomial| monomial.iter().map(|power| u64::from(power.1)).sum::<u64>();
    degree(left).cmp(&degree(right)).then_with(|| {
        for (one, other) in left.iter().zip(right) {
            if one.0 != other.0 {
                return other.0.cmp(&one.0);
            }
            if one.1 != other.1 {
                return one.1.cmp(&other.1);
            }
        }
        left.len().cmp(&right.len())
    })
}

fn monomial_product(left: &Monomial, right: &Monomial) -> Result<Monomial, TooLarge> {
    let mut product = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        match (left.get(i), right.get(j)) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                product.push((a.0, a.1.checked_add(b.1).ok_or(TooLarge)?));
                i += 1;
                j += 1;
            }
            (Some(a), Some(b)) if a.0 > b.0 => {
                product.push(*b);
                j += 1;
            }
            (Some(a), _) => {
                product.push(*a);
                i += 1;
            }
            (None, Some(b)) => {
                product.push(*b);
                j += 1;
            }
            (None, None) => break,
        }
    }
    Ok(product)
}

/// Divides one product of powers by another, if it contains it.
pub(crate) fn monomial_quotient(whole: &Monomial, part: &Monomial) -> Option<Monomial> {
    let mut quotient = whole.clone();
    for (atom, power) in part {
        let at = quotient.iter().position(|factor| factor.0 == *atom)?;
        quotient[at].1 = quotient[at].1.checked_sub(*power)?;
    }
    quotient.retain(|factor| factor.1 > 0);
    Some(quotient)
}

/// Returns the greatest common divisor, not negative.
pub(crate) fn gcd(left: Int, right: Int) -> Int {
    let (mut a, mut b) = (left.unsigned_abs(), right.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    Int::try_from(a).unwrap_or(1)
}
