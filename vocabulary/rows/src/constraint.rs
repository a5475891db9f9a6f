//! Atomic constraints, constraint sets and the provenance tags of their variables (Defs. 3.4 and 6.1).

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::composite::Composite;
use crate::elements::Elements;
use crate::flat::Flat;
use crate::term::{DimTerm, DimVar, RowTerm, Substitution, Var};
use crate::window::Window;

/// An atomic constraint (Def. 3.4), or one of sizes (§8). In an inequality the result is on the left and below, the
/// operand above.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Constraint {
    /// `t = t'`: identity.
    DimEq(DimTerm, DimTerm),
    /// `t ⊑ t'`: the broadcast order.
    DimLe(DimTerm, DimTerm),
    /// `R ≈ R'`: equality of flat content.
    RowEq(RowTerm, RowTerm),
    /// `R ⊑ R'`: the row order.
    RowLe(RowTerm, RowTerm),
    /// `i = 2*o + k`: windows on an axis.
    Window(Window),
    /// `t = a ^ b` or `n = a * b`: a composite axis.
    Composite(Composite),
    /// `n = a * |<r>|`: a product with rows among its factors.
    Elements(Elements),
    /// `<r> ++ <s> ~ [3, 5]`: rows side by side that have exactly these axes. Only the oracle decides it.
    Flat(Flat),
    /// `a >= 4`: a bound of a size. The unit has size 1.
    AtLeast {
        /// The bounded dimension.
        dim: DimTerm,
        /// The least size that it may have.
        size: NonZeroU64,
    },
}

impl Constraint {
    /// Returns the same constraint over other terms.
    pub fn map(
        &self,
        mut dim: impl FnMut(&DimTerm) -> DimTerm,
        mut row: impl FnMut(&RowTerm) -> RowTerm,
    ) -> Constraint {
        match self {
            Constraint::DimEq(a, b) => Constraint::DimEq(dim(a), dim(b)),
            Constraint::DimLe(a, b) => Constraint::DimLe(dim(a), dim(b)),
            Constraint::RowEq(a, b) => Constraint::RowEq(row(a), row(b)),
            Constraint::RowLe(a, b) => Constraint::RowLe(row(a), row(b)),
            Constraint::Window(window) => Constraint::Window(window.map(dim)),
            Constraint::Composite(composite) => Constraint::Composite(composite.map(dim)),
            Constraint::Elements(elements) => Constraint::Elements(elements.map(dim, row)),
            Constraint::Flat(flat) => Constraint::Flat(flat.map(dim, row)),
            Constraint::AtLeast { dim: bounded, size } => Constraint::AtLeast {
                dim: dim(bounded),
                size: *size,
            },
        }
    }

    /// Returns the constraint with the substitution applied to every term.
    pub fn substituted(&self, by: &Substitution) -> Constraint {
        self.map(|term| by.dim(term), |term| by.row(term))
    }

    /// Tells whether the constraint is one of §8, and not one between dimensions or rows as a whole.
    pub fn is_of_sizes(&self) -> bool {
        matches!(
            self,
            Constraint::Window(_)
                | Constraint::Composite(_)
                | Constraint::Elements(_)
                | Constraint::Flat(_)
                | Constraint::AtLeast { .. }
        )
    }

    /// Returns the dimension terms of a constraint between dimensions, from left to right; empty for a constraint
    /// between rows. Of a row among the factors of a product these are the axes that are written.
    pub fn dims(&self) -> Vec<&DimTerm> {
        match self {
            Constraint::DimEq(a, b) | Constraint::DimLe(a, b) => vec![a, b],
            Constraint::Window(window) => window.axes().collect(),
            Constraint::Composite(composite) => composite.axes().collect(),
            Constraint::Elements(elements) => elements.written().collect(),
            Constraint::Flat(flat) => flat.written().collect(),
            Constraint::AtLeast { dim, .. } => vec![dim],
            Constraint::RowEq(..) | Constraint::RowLe(..) => Vec::new(),
        }
    }

    /// Returns the row terms of a constraint between rows, from left to right; `None` for a constraint between
    /// dimensions.
    pub fn rows(&self) -> Option<[&RowTerm; 2]> {
        match self {
            Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => Some([a, b]),
            _ => None,
        }
    }

    /// Tells whether the variable occurs.
    pub fn mentions(&self, var: &Var) -> bool {
        match self {
            Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => a.mentions(var) || b.mentions(var),
            Constraint::Elements(elements) => {
                elements.axes().any(|axis| axis.mentions(var))
                    || elements.rows().any(|row| row.mentions(var))
            }
            Constraint::Flat(flat) => {
                flat.axes.iter().any(|axis| axis.mentions(var))
                    || flat.rows.iter().any(|row| row.mentions(var))
            }
            _ => self.dims().into_iter().any(|term| term.mentions(var)),
        }
    }

    /// Returns the variables that occur.
    pub fn vars(&self) -> BTreeSet<Var> {
        self.occurrences().into_iter().collect()
    }

    /// Returns every occurrence of a variable, from left to right; the row variable of a row comes after its axes.
    pub fn occurrences(&self) -> Vec<Var> {
        match self {
            Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => {
                [a, b].into_iter().flat_map(RowTerm::occurrences).collect()
            }
            Constraint::Elements(elements) => elements.occurrences(),
            Constraint::Flat(flat) => flat.occurrences(),
            _ => self.dims().into_iter().filter_map(DimTerm::var).collect(),
        }
    }
}

/// The origin of a variable, which decides how it is closed (Def. 6.1).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Tag {
    /// A variable of a terminal tensor's shape: closed downward, to the join of its caps.
    Leaf,
    /// A leaf whose holes are errors.
    Param,
    /// Every other variable, declared or not: closed upward, to its top.
    #[default]
    Interior,
}

impl Tag {
    /// Returns the word of the notation.
    pub fn word(self) -> &'static str {
        match self {
            Tag::Leaf => "leaf",
            Tag::Param => "param",
            Tag::Interior => "interior",
        }
    }
}

/// A constraint set Φ with the tags of its variables.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ConstraintSet {
    /// The constraints, in the order in which they were written.
    pub constraints: Vec<Constraint>,
    /// The declared tags; a variable without one is [`Tag::Interior`].
    pub tags: BTreeMap<Var, Tag>,
    /// The variables that may be 0 (§8). Every other variable is a dimension.
    pub summands: BTreeSet<DimVar>,
}

/// The word that declares that a variable may be 0.
pub const SUMMAND: &str = "summand";

impl ConstraintSet {
    /// Returns every variable that is declared, with a tag or as a summand.
    fn declared(&self) -> impl Iterator<Item = Var> {
        let summands = self.summands.iter().cloned().map(Var::Dim);
        self.tags.keys().cloned().chain(summands)
    }

    /// Returns the variables that occur in the constraints or are declared.
    pub fn vars(&self) -> BTreeSet<Var> {
        self.constraints
            .iter()
            .flat_map(Constraint::occurrences)
            .chain(self.declared())
            .collect()
    }

    /// Returns the same variables in the order of their first occurrence, which does not depend on names. Those that
    /// are only declared come last.
    pub fn vars_in_order(&self) -> Vec<Var> {
        let mut seen = BTreeSet::new();
        self.constraints
            .iter()
            .flat_map(Constraint::occurrences)
            .chain(self.declared())
            .filter(|var| seen.insert(var.clone()))
            .collect()
    }

    /// Tells whether a constraint of the set is about sizes (§8).
    pub fn has_sizes(&self) -> bool {
        self.constraints.iter().any(Constraint::is_of_sizes)
    }

    /// Returns the tag of a variable.
    pub fn tag(&self, var: &Var) -> Tag {
        self.tags.get(var).copied().unwrap_or_default()
    }
}

impl FromIterator<Constraint> for ConstraintSet {
    fn from_iter<I: IntoIterator<Item = Constraint>>(constraints: I) -> ConstraintSet {
        ConstraintSet {
            constraints: constraints.into_iter().collect(),
            ..ConstraintSet::default()
        }
    }
}

/// A constraint set that was read from text, with the place of each constraint in it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Located {
    /// The constraint set that was read.
    pub set: ConstraintSet,
    /// The byte range of each constraint in the text.
    pub spans: Vec<Range<usize>>,
}
