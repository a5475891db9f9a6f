//! Interned terms: a dimension term is one word, a row term four.

/// An interned dimension term of one [`Problem`](crate::Problem): a variable, an atom or the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Term(u32);

const CONSTANT: u32 = 1 << 31;

/// "No such thing" in every index of this crate.
pub(crate) const NONE: u32 = u32::MAX;

/// A number; `None` for [`NONE`].
pub(crate) fn number(at: u32) -> Option<u32> {
    (at != NONE).then_some(at)
}

impl Term {
    /// The claim-free unit: constant number 0.
    pub(crate) const UNIT: Term = Term(CONSTANT);
    /// No term.
    pub(crate) const NONE: Term = Term(NONE);

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
    pub(crate) fn var(id: u32) -> Term {
        Term(id)
    }

    #[inline]
    pub(crate) fn constant(id: u32) -> Term {
        Term(CONSTANT + id)
    }

    #[inline]
    pub(crate) fn is_var(self) -> bool {
        self.0 & CONSTANT == 0
    }

    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self.0 == NONE
    }

    /// The number of the variable or of the constant.
    #[inline]
    pub(crate) fn id(self) -> u32 {
        self.0 & !CONSTANT
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
    /// Its row variable, or `NONE`.
    pub(crate) var: u32,
}

impl RowId {
    /// The number of explicit axes of a flank: 0 leading, 1 trailing.
    #[inline]
    pub(crate) fn flank(&self, side: usize) -> u32 {
        if side == 0 { self.lead } else { self.trail }
    }

    /// The place in the arena of the axis at `position`, counted from the outer edge of a flank.
    #[inline]
    pub(crate) fn place(&self, side: usize, position: u32) -> u32 {
        if side == 0 {
            self.start + position
        } else {
            self.start + self.lead + self.trail - 1 - position
        }
    }
}
