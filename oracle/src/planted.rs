//! Planted defects: ways in which this crate could be wrong, switched on one at a time by its own tests.
//!
//! Outside the crate's unit tests [`planted`] is `false` at compile time.

macro_rules! defects {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// One way to be wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Defect {
            $($(#[doc = $doc])+ $name,)+
        }

        /// Every defect, with what it does.
        #[cfg(test)]
        pub(crate) const DEFECTS: &[(Defect, &str)] = &[$((Defect::$name, concat!($($doc),+)),)+];
    };
}

defects! {
    /// `t <= t'` between dimensions with its sides swapped
    DimensionSidesSwapped,
    /// `R <= R'` between rows with its sides swapped
    RowSidesSwapped,
    /// the unit taken for the bottom of the order instead of the top
    UnitAtBottom,
    /// `<=` between letters taken for `=`
    BelowTakenForSame,
    /// `=` between letters taken for `<=`
    SameTakenForBelow,
    /// atoms not kept apart from each other
    AtomsNotDistinct,
    /// the unit not kept apart from atoms
    UnitNotDistinct,
    /// atoms of one size with two bases taken for one
    BasisIgnored,
    /// the fit of leading flanks the wrong way round
    LeadingFitFlipped,
    /// flanks have to be of equal length
    FlankFitExact,
    /// the trailing flank of `<=` not checked
    TrailingFlankUnchecked,
    /// `>=` between lengths taken for `>`
    LengthStrict,
    /// lengths may be negative
    NegativeLengths,
    /// the rank of a flat equality not checked
    EqualityRankUnchecked,
    /// flat equality read from the front only
    EqualityOnlyFromFront,
    /// leading flanks of an equality never compared with trailing ones
    CrossFlanksUnseen,
    /// the guard of a position of a value off by one
    WindowPositionShifted,
    /// the link between the two ends of a value off by one
    LinkShifted,
    /// the two ends of a value not linked
    LinkMissing,
    /// the one-shot reading taken for the marked one
    OneShotReadAsMarked,
    /// the rank condition of the one-shot order dropped
    OneShotRankUnchecked,
    /// the trailing flank of the one-shot order not checked
    OneShotTrailingUnchecked,
    /// the far flank of the lower row not seen by the one-shot order
    OneShotFarFlankUnseen,
    /// a value's two flanks swapped when a model is read
    ModelFlanksSwapped,
    /// `unsat` believed though only the window excludes solutions
    WindowBelieved,
    /// the residue of a periodic value off by one
    ResidueShifted,
    /// a value taken to be periodic however short it is
    PeriodTooSoon,
    /// a value taken to be periodic outside its periodic core too
    PeriodBeyondCore,
    /// the place of a periodic core in a value off by one
    CoreMisplaced,
    /// a far position compared with the wrong one
    FarShifted,
    /// a far position taken to be farther away than it may be
    FarTooFar,
    /// a core that is not shrunk
    CoreNotMinimal,
    /// a value that every model so far shares taken for forced
    ForcedUnchecked,
    /// the negation of a constraint that forgets the lengths
    NegationWithoutLengths,
}

#[cfg(test)]
thread_local! {
    static ACTIVE: std::cell::Cell<Option<Defect>> = const { std::cell::Cell::new(None) };
}

/// Whether the defect is switched on.
#[cfg(test)]
pub(crate) fn planted(defect: Defect) -> bool {
    ACTIVE.get() == Some(defect)
}

/// Whether the defect is switched on: never, outside the unit tests.
#[cfg(not(test))]
pub(crate) const fn planted(_defect: Defect) -> bool {
    false
}

/// `n`; under the defect `by` more.
pub(crate) fn off_by<T: std::ops::Add<Output = T>>(defect: Defect, by: T, n: T) -> T {
    if planted(defect) { n + by } else { n }
}

/// Runs `body` with the defect switched on in this thread.
#[cfg(test)]
pub(crate) fn with<T>(defect: Defect, body: impl FnOnce() -> T) -> T {
    ACTIVE.set(Some(defect));
    let result = body();
    ACTIVE.set(None);
    result
}
