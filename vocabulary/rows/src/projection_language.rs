//! Def. 7.1: the projection language.

use std::fmt;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use crate::projections::Index;

/// A projection identifier: one axis of one tensor occurrence of one operation. Identifiers are fresh for each
/// operation by construction, so no other operation can identify two of them (Lemma 7.7(b)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AxisId {
    /// The slot of the occurrence.
    pub slot: usize,
    /// The axis, counted over batch, input and output axes in that order.
    pub axis: usize,
}

/// An atom `q`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Atom {
    /// `Proj(p)`: the index of an axis, to be found.
    Proj(AxisId),
    /// `Sol(idx)`: an index that is supplied from outside.
    Sol(Index),
}

/// An equation `e`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Equation {
    /// `Eq(q₁, q₂)`, symmetric: the same index.
    Eq(Atom, Atom),
    /// `Iter(q)`: the axis is traversed.
    Iter(Atom),
    /// `Derive(p, Σ cⱼ·qⱼ + o)`: the index of an axis is a sum of indices of other axes, which are not derived
    /// themselves (§8).
    Derive(AxisId, Sum),
}

/// `Σ cⱼ·qⱼ + o`
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sum {
    /// Coefficients with the axes that they multiply.
    pub terms: Vec<(NonZeroU64, AxisId)>,
    /// The constant that is added.
    pub offset: i64,
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Index::Iter(factor) => write!(f, "s{factor}"),
            Index::Fix(position) => write!(f, "{position}"),
            Index::Symbol(name) => f.write_str(name),
            Index::Affine(affine) => affine.write(f, |f, factor| write!(f, "s{factor}")),
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Proj(id) => write!(f, "slot {} axis {}", id.slot, id.axis),
            Atom::Sol(index) => write!(f, "index {index}"),
        }
    }
}

impl fmt::Display for Equation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Equation::Eq(a, b) => write!(f, "{a} = {b}"),
            Equation::Iter(a) => write!(f, "{a} is iterated"),
            Equation::Derive(p, sum) => {
                write!(f, "{} = {}", Atom::Proj(*p), sum.offset)?;
                let mut terms = sum.terms.iter();
                terms.try_for_each(|(c, q)| write!(f, " + {c} * ({})", Atom::Proj(*q)))
            }
        }
    }
}
