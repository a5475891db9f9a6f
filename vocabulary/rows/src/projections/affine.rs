//! Affine indices: sums of loop variables with coefficients, which windows, strides and dilation give.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Index;

/// `Σ coefficient * factor + offset`, in normal form: there is at least one term unless the offset lies outside of the
/// axis, no coefficient is 0, and factors are ascending. A lone factor with coefficient 1 and no offset, on an axis of
/// its length, is [`Index::Iter`] instead. [`Index::affine`] and [`Index::on_axis`] build the normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Affine {
    /// Coefficients, each at least 1, with the numbers of their factors.
    pub terms: Vec<(u64, usize)>,
    /// The index where all factors are 0. It is negative where a window begins before its axis.
    pub offset: i64,
}

impl Affine {
    /// Returns the value at a point of the product space, whose other coordinates are 0. Where it lies outside of the
    /// axis the point is skipped.
    pub fn at(&self, point: &[u64]) -> i128 {
        let values = self
            .terms
            .iter()
            .map(|(coefficient, factor)| (*coefficient, point.get(*factor).copied().unwrap_or(0)));
        total(values).saturating_add(i128::from(self.offset))
    }

    /// Writes the sum, such as `2*y + u - 1`, each factor as `name` writes it.
    ///
    /// # Errors
    /// The errors of the formatter.
    pub fn write<W: fmt::Write>(
        &self,
        f: &mut W,
        name: impl Fn(&mut W, usize) -> fmt::Result,
    ) -> fmt::Result {
        for (place, (coefficient, factor)) in self.terms.iter().enumerate() {
            if place > 0 {
                f.write_str(" + ")?;
            }
            if *coefficient > 1 {
                write!(f, "{coefficient}*")?;
            }
            name(f, *factor)?;
        }
        match (self.terms.is_empty(), self.offset) {
            (true, offset) => write!(f, "{offset}"),
            (false, 0) => Ok(()),
            (false, offset @ 1..) => write!(f, " + {offset}"),
            (false, offset) => write!(f, " - {}", offset.unsigned_abs()),
        }
    }

    /// Returns the least and the largest value over a product space with factors of these sizes; a factor without one
    /// has size 1.
    pub fn range(&self, factors: &[u64]) -> (i128, i128) {
        let reach = |(coefficient, factor): &(u64, usize)| {
            let size = factors.get(*factor).copied().unwrap_or(1);
            (*coefficient, size.saturating_sub(1))
        };
        let least = i128::from(self.offset);
        let most = total(self.terms.iter().map(reach)).saturating_add(least);
        (least, most)
    }
}

/// Returns the sum of products.
fn total(values: impl Iterator<Item = (u64, u64)>) -> i128 {
    values
        .map(|(x, y)| i128::try_from(u128::from(x) * u128::from(y)).unwrap_or(i128::MAX))
        .fold(0, i128::saturating_add)
}

impl Index {
    /// Returns the index `Σ coefficient * factor + offset` in its normal form. A negative constant remains an
    /// [`Index::Affine`] without terms: every point is skipped there.
    pub fn affine(terms: impl IntoIterator<Item = (u64, usize)>, offset: i64) -> Index {
        let mut terms: Vec<(u64, usize)> = terms.into_iter().filter(|(c, _)| *c > 0).collect();
        terms.sort_unstable_by_key(|(_, factor)| *factor);
        terms.dedup_by(|next, kept| {
            let same = next.1 == kept.1;
            if same {
                kept.0 = kept.0.saturating_add(next.0);
            }
            same
        });
        match (terms.as_slice(), u64::try_from(offset)) {
            ([(1, factor)], Ok(0)) => Index::Iter(*factor),
            ([], Ok(position)) => Index::Fix(position),
            _ => Index::Affine(Affine { terms, offset }),
        }
    }

    /// Returns the normal form of a derived index on an axis of this size: a lone factor is [`Index::Iter`] only if the
    /// axis is as long as the factor. On a shorter axis the index would be out of range; of a longer axis some cells
    /// would not be read. A constant is [`Index::Fix`] only if it lies on the axis. Otherwise it remains an
    /// [`Index::Affine`] without terms, and every point is skipped.
    pub fn on_axis(self, size: u64, factors: &[u64]) -> Index {
        match self {
            Index::Iter(factor) if factors.get(factor).is_some_and(|extent| *extent != size) => {
                Index::Affine(Affine {
                    terms: vec![(1, factor)],
                    offset: 0,
                })
            }
            Index::Fix(position) if position >= size => Index::Affine(Affine {
                terms: Vec::new(),
                offset: i64::try_from(position).unwrap_or(i64::MAX),
            }),
            other => other,
        }
    }

    /// Tells whether the index depends on a factor.
    pub fn mentions(&self, factor: usize) -> bool {
        match self {
            Index::Iter(other) => *other == factor,
            Index::Affine(affine) => affine.terms.iter().any(|(_, other)| *other == factor),
            Index::Fix(_) | Index::Symbol(_) => false,
        }
    }

    /// Returns the factors that the index depends on, each with its coefficient.
    pub fn terms(&self) -> Vec<(u64, usize)> {
        match self {
            Index::Iter(factor) => vec![(1, *factor)],
            Index::Affine(affine) => affine.terms.clone(),
            Index::Fix(_) | Index::Symbol(_) => Vec::new(),
        }
    }

    /// Tells whether the index is out of range at some point for an axis of this size, so that the point is skipped.
    pub fn leaves(&self, size: u64, factors: &[u64]) -> bool {
        match self {
            Index::Affine(affine) => {
                let (least, most) = affine.range(factors);
                least < 0 || most >= i128::from(size)
            }
            Index::Iter(_) | Index::Fix(_) | Index::Symbol(_) => false,
        }
    }
}
