//! Interned terms: a dimension term is one word, a row term four.

use std::num::NonZeroU32;

use lozenge_vocabulary::alignment::Flank;

use crate::ids::{ConstantId, DimVarId, RowVarId};

/// An interned dimension term of one [`Problem`](crate::Problem): a variable, an atom or the unit.
///
/// It is the word of the variable's or the constant's number, which is not 0, so that `Option<Term>` is a word too; the
/// highest bit marks a constant. There are 2³⁰ variables, and as many constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Term(NonZeroU32);

const CONSTANT: u32 = 1 << 31;

impl Term {
    /// The claim-free unit: constant number 0.
    pub(crate) const UNIT: Term = Term(NonZeroU32::MIN.saturating_add(CONSTANT));

    /// Returns the one word that the term is.
    #[inline]
    pub(crate) fn word(self) -> u32 {
        self.0.get()
    }

    /// Returns the term that such a word is.
    #[inline]
    pub(crate) fn of_word(word: u32) -> Term {
        Term(NonZeroU32::MIN | word)
    }

    #[inline]
    pub(crate) fn var(id: DimVarId) -> Term {
        debug_assert!(id.number() < 1 << 30);
        Term(id.word())
    }

    #[inline]
    pub(crate) fn constant(id: ConstantId) -> Term {
        debug_assert!(id.number() < 1 << 30);
        Term(id.word() | CONSTANT)
    }

    #[inline]
    pub(crate) fn is_var(self) -> bool {
        self.0.get() & CONSTANT == 0
    }

    /// Returns the variable that the term is.
    #[inline]
    pub(crate) fn id(self) -> DimVarId {
        debug_assert!(self.is_var());
        DimVarId::of_word(self.0)
    }

    /// Returns the constant that the term is.
    #[inline]
    pub(crate) fn constant_id(self) -> ConstantId {
        debug_assert!(!self.is_var());
        ConstantId::of((self.0.get() & !CONSTANT) >> 1)
    }
}

/// An interned row term of one [`Problem`](crate::Problem).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowId {
    /// The beginning of its axes in the arena of terms.
    pub(crate) start: u32,
    /// The number of them that lead.
    pub(crate) lead: u32,
    /// The number of them that trail.
    pub(crate) trail: u32,
    /// Its row variable, if it is open.
    pub(crate) var: Option<RowVarId>,
}

impl RowId {
    /// Returns the number of explicit axes of a flank.
    #[inline]
    pub(crate) fn flank(&self, flank: Flank) -> u32 {
        if flank == Flank::Leading {
            self.lead
        } else {
            self.trail
        }
    }

    /// Returns the place in the arena of the axis at `position`, counted from the outer edge of a flank.
    #[inline]
    pub(crate) fn place(&self, flank: Flank, position: u32) -> u32 {
        if flank == Flank::Leading {
            self.start + position
        } else {
            self.start + self.lead + self.trail - 1 - position
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_term_takes_no_more_room_than_a_term() {
        assert_eq!(size_of::<Option<Term>>(), size_of::<u32>());
        for number in [0, 1, (1 << 30) - 1] {
            let (var, constant) = (DimVarId::of(number), ConstantId::of(number));
            assert!(Term::var(var).is_var() && !Term::constant(constant).is_var());
            assert_eq!(Term::var(var).id(), var);
            assert_eq!(Term::constant(constant).constant_id(), constant);
        }
        assert_eq!(Term::UNIT, Term::constant(ConstantId::of(0)));
    }
}
