//! Atomic constraints, constraint sets and the provenance tags of their variables (Defs. 3.4 and 6.1).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::term::{DimTerm, RowTerm, Substitution, Var};

/// An atomic constraint (Def. 3.4). In an inequality the result is on the left and below, the operand above.
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
}

impl Constraint {
    /// The constraint with the substitution applied to both sides.
    pub fn substituted(&self, by: &Substitution) -> Constraint {
        match self {
            Constraint::DimEq(a, b) => Constraint::DimEq(by.dim(a), by.dim(b)),
            Constraint::DimLe(a, b) => Constraint::DimLe(by.dim(a), by.dim(b)),
            Constraint::RowEq(a, b) => Constraint::RowEq(by.row(a), by.row(b)),
            Constraint::RowLe(a, b) => Constraint::RowLe(by.row(a), by.row(b)),
        }
    }

    /// Whether the variable occurs.
    pub fn mentions(&self, var: &Var) -> bool {
        match self {
            Constraint::DimEq(a, b) | Constraint::DimLe(a, b) => a.mentions(var) || b.mentions(var),
            Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => a.mentions(var) || b.mentions(var),
        }
    }

    /// The variables that occur.
    pub fn vars(&self) -> BTreeSet<Var> {
        self.occurrences().into_iter().collect()
    }

    /// Every occurrence of a variable, from left to right; the row variable of a row comes after its axes.
    pub fn occurrences(&self) -> Vec<Var> {
        match self {
            Constraint::DimEq(a, b) | Constraint::DimLe(a, b) => {
                [a, b].into_iter().filter_map(DimTerm::var).collect()
            }
            Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => {
                [a, b].into_iter().flat_map(RowTerm::occurrences).collect()
            }
        }
    }
}

/// Where a variable comes from, which decides how it is closed (Def. 6.1).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Tag {
    /// Of a terminal tensor's shape: closed downward, to the join of its caps.
    Leaf,
    /// A leaf whose holes are errors.
    Param,
    /// Everything else, and what is not declared: closed upward, to its top.
    #[default]
    Interior,
}

impl Tag {
    /// The word of the notation.
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
}

impl ConstraintSet {
    /// The variables that occur in the constraints or are declared.
    pub fn vars(&self) -> BTreeSet<Var> {
        self.constraints
            .iter()
            .flat_map(Constraint::occurrences)
            .chain(self.tags.keys().cloned())
            .collect()
    }

    /// The same variables in the order of their first occurrence, which names do not decide. Those that are only
    /// declared come last.
    pub fn vars_in_order(&self) -> Vec<Var> {
        let mut seen = BTreeSet::new();
        self.constraints
            .iter()
            .flat_map(Constraint::occurrences)
            .chain(self.tags.keys().cloned())
            .filter(|var| seen.insert(var.clone()))
            .collect()
    }

    /// The tag of a variable.
    pub fn tag(&self, var: &Var) -> Tag {
        self.tags.get(var).copied().unwrap_or_default()
    }
}

impl FromIterator<Constraint> for ConstraintSet {
    fn from_iter<I: IntoIterator<Item = Constraint>>(constraints: I) -> ConstraintSet {
        ConstraintSet {
            constraints: constraints.into_iter().collect(),
            tags: BTreeMap::new(),
        }
    }
}

/// A constraint set that was read from text, with the place of each constraint in it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Located {
    /// What was read.
    pub set: ConstraintSet,
    /// For each constraint, its byte range in the text.
    pub spans: Vec<Range<usize>>,
}
