//! Interned terms: a dimension term is one word, a row term four.

use lozenge_vocabulary::alignment::Flank;

use crate::ids::{ConstantId, DimVarId, RowVarId};

/// An interned dimension term of one [`Problem`](crate::Problem): a variable, an atom or the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Term(u32);

const CONSTANT: u32 = 1 << 31;

impl Term {
    /// The claim-free unit: constant number 0.
    pub(crate) const UNIT: Term = Term(CONSTANT);
    /// No term.
    pub(crate) const NONE: Term = Term(u32::MAX);

    /// The one word that the term is.
    #[inline]
    pub(crate) fn word(self) -> u32 {
        self.0
    }

    #[inline]
    pub(crate) fn of_word(word: u32) -> Term {
        Term(word)
    }

    #[inline]
    pub(crate) fn var(id: DimVarId) -> Term {
        Term(id.number())
    }

    #[inline]
    pub(crate) fn constant(id: ConstantId) -> Term {
        Term(CONSTANT + id.number())
    }

    #[inline]
    pub(crate) fn is_var(self) -> bool {
        self.0 & CONSTANT == 0
    }

    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self == Term::NONE
    }

    /// The variable that the term is.
    #[inline]
    pub(crate) fn id(self) -> DimVarId {
        debug_assert!(self.is_var());
        DimVarId::of(self.0)
    }

    /// The constant that the term is.
    #[inline]
    pub(crate) fn constant_id(self) -> ConstantId {
        debug_assert!(!self.is_var());
        ConstantId::of(self.0 & !CONSTANT)
    }
}

/// An interned row term of one [`Problem`](crate::Problem).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowId {
    /// Where its axes start in the arena of terms.
    pub(crate) start: u32,
    /// How many of them lead.
    pub(crate) lead: u32,
    /// How many trail.
    pub(crate) trail: u32,
    /// Its row variable, if it is open.
    pub(crate) var: Option<RowVarId>,
}

impl RowId {
    /// The number of explicit axes of a flank.
    #[inline]
    pub(crate) fn flank(&self, flank: Flank) -> u32 {
        if flank == Flank::Leading {
            self.lead
        } else {
            self.trail
        }
    }

    /// The place in the arena of the axis at `position`, counted from the outer edge of a flank.
    #[inline]
    pub(crate) fn place(&self, flank: Flank, position: u32) -> u32 {
        if flank == Flank::Leading {
            self.start + position
        } else {
            self.start + self.lead + self.trail - 1 - position
        }
    }
}
