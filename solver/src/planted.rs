//! Planted defects: ways in which this crate could be wrong, switched on one at a time by a campaign that has to find them.
//!
//! They exist for tests only, behind the feature `planted`. Without it [`planted`] is `false` at compile time, and so costs
//! nothing.

use crate::term::{NONE, RowId, Term};

macro_rules! defects {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// One way to be wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Defect {
            $($(#[doc = $doc])+ $name,)+
        }

        /// Every defect, with what it does.
        #[cfg(feature = "planted")]
        pub const DEFECTS: &[(Defect, &str)] = &[$((Defect::$name, concat!($($doc),+)),)+];

        // Each is known to be off when the crate is compiled.
        #[cfg(not(feature = "planted"))]
        const _: () = {
            $(assert!(!planted(Defect::$name));)+
        };
    };
}

defects! {
    /// `1_ <= a` says nothing
    UnitBelowForgotten,
    /// the join of two different atoms is the first of them
    JoinKeepsFirst,
    /// an atom below a variable is not carried further up
    CapNotCarried,
    /// an atom below a variable is carried up only if it came after the inequality
    CapBeforeInequality,
    /// an inequality above a variable that has an atom below it is not recorded
    AdjacencyLost,
    /// the inequalities above a variable are not emitted again when it becomes an atom
    UpNotEmittedAgain,
    /// the inequalities below a variable are not emitted again when it becomes an atom
    DownNotEmittedAgain,
    /// a variable is bound to an atom though another one is below it
    CapIgnoredOnBinding,
    /// the inequalities of one of two variables that are found equal are lost
    RingsNotJoined,
    /// the last axis of two closed rows not compared
    LastAxisUnchecked,
    /// the trailing surplus of nested rows in the wrong direction
    NestedSurplusBackwards,
    /// a row may be longer than itself
    LongerThanItself,
    /// deferred equations are not looked at again when more is known
    DeferredNotWoken,
    /// the variable that a grown one becomes an alias of does not get its inequalities
    AliasLosesInequalities,
    /// the surplus of an inequality with its flanks swapped
    SurplusFlanksSwapped,
    /// the trailing flanks of an inequality not compared
    TrailingFlankUnchecked,
    /// the last position of a flank not compared
    FlankCutShort,
    /// rows below one that has grown do not grow
    GrowthNotPassedOn,
    /// inequalities of a row are not looked at again when it is closed
    ClosingNotPassedOn,
    /// more lengthenings than there are inequalities taken for a cycle
    CycleSeenTooSoon,
    /// a letter that is written late is not compared with what it faces
    LateLetterUncompared,
    /// a unit of an operand pins the result like an atom
    UnitPins,
    /// a marker stands one axis further back than it was declared
    MarkerShifted,
    /// axes that the end of a content gives to a flank come in the wrong direction
    ConsumedBackwards,
    /// a content has to have one axis more than a flank takes from it
    ConsumedOneMore,
    /// a commitment of policy is not marked as one: `rejected` is said as `unsat`
    CommitmentForgotten,
    /// of two reasons the second is forgotten
    ReasonForgotten,
    /// a leaf is closed upward
    LeafClosedUpward,
    /// a hole in a parameter's dimension is filled
    ParameterHoleFilled,
    /// a hidden row of a parameter is closed
    HiddenRowClosed,
    /// of leaf dimensions in order the upper may be closed first
    UpperLeafFirst,
    /// inequalities in a circle are not equalities
    AntisymmetryForgotten,
    /// the bound of a row has the longest trailing flank of its caps
    BoundTooLong,
    /// the bound of a row has the letters of its first cap
    BoundKeepsFirst,
    /// the content of a leaf does not inherit its tag
    TagNotInherited,
    /// a leaf's tag before a parameter's
    WeakerTag,
    /// the last branch of a choice not taken
    LastBranchSkipped,
    /// words are tried up to one letter only
    WordsTooShort,
    /// a rotated word begins with the second letter of its period
    PeriodShifted,
    /// the rank of a row is at most one less than its flanks allow
    RankIntervalShort,
    /// a rollback forgets the dimensions
    RollbackForgetsDims,
    /// a rollback forgets which equations have been resolved
    RollbackForgetsResolved,
    /// a rollback forgets a refusal
    RollbackForgetsRefusal,
    /// a snapshot that is kept forgets what the one around it has to undo
    KeptForgetsUndo,
    /// of two inequalities of one result the first is overwritten
    InequalityOverwritten,
    /// letters of a solution that are spelled out by another row are read without the shift between the two
    LetterReadUnshifted,
    /// atoms of one size with two bases taken for one
    BasisIgnored,
}

#[cfg(feature = "planted")]
thread_local! {
    static ACTIVE: std::cell::Cell<Option<Defect>> = const { std::cell::Cell::new(None) };
}

/// Whether the defect is switched on in this thread.
#[cfg(feature = "planted")]
pub(crate) fn planted(defect: Defect) -> bool {
    ACTIVE.get() == Some(defect)
}

/// Whether the defect is switched on: never, without the feature.
#[cfg(not(feature = "planted"))]
#[inline(always)]
pub(crate) const fn planted(_defect: Defect) -> bool {
    false
}

/// [`Defect::UnitBelowForgotten`], of a unit.
pub(crate) fn forgets_unit(term: Term) -> bool {
    planted(Defect::UnitBelowForgotten) && term == Term::UNIT
}

/// [`Defect::JoinKeepsFirst`], of an atom that is below a variable already.
pub(crate) fn keeps_first(cap: Term) -> bool {
    planted(Defect::JoinKeepsFirst) && !cap.is_none()
}

/// What [`Defect::MarkerShifted`] does.
pub(crate) fn shift_marker(row: &mut RowId) {
    if row.var == NONE && row.trail > 0 {
        (row.lead, row.trail) = (row.lead + 1, row.trail - 1);
    }
}

/// Runs `body` with the defect switched on in this thread.
#[cfg(feature = "planted")]
pub fn with<T>(defect: Defect, body: impl FnOnce() -> T) -> T {
    ACTIVE.set(Some(defect));
    let result = body();
    ACTIVE.set(None);
    result
}
