//! Reasons: the caller's numbers for facts, and minimal sets of them that suffice for an answer.

use std::collections::BTreeSet;

/// The caller's number for a fact. Several facts may have one reason; they are then cited together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reason(pub u32);

/// The reasons for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reasons {
    /// The reasons in ascending order. The facts with these reasons suffice for the answer.
    pub reasons: Vec<Reason>,
    /// True if each of them was shown to be needed: without its facts, those of the others do not suffice.
    pub is_minimal: bool,
}

/// The result of an attempt to drop a reason.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// The others suffice, and so do these.
    Enough(BTreeSet<Reason>),
    /// The others do not suffice.
    NotEnough,
    /// The need for a reason is not known.
    Unknown,
    /// No work is left for further attempts.
    Exhausted,
}

/// Drops one reason after another if the others suffice.
pub(crate) fn minimise(
    enough: BTreeSet<Reason>,
    mut attempt: impl FnMut(&BTreeSet<Reason>) -> Attempt,
) -> Reasons {
    let mut kept = enough;
    let mut is_minimal = true;
    let mut after = None;
    // Each reason is tried once, in ascending order: a reason that is needed in a set is needed in every smaller one.
    while let Some(candidate) = kept.iter().copied().find(|reason| Some(*reason) > after) {
        after = Some(candidate);
        kept.remove(&candidate);
        match attempt(&kept) {
            Attempt::Enough(fewer) => {
                kept.retain(|reason| fewer.contains(reason));
                continue;
            }
            Attempt::NotEnough => {}
            Attempt::Unknown => is_minimal = false,
            Attempt::Exhausted => {
                kept.insert(candidate);
                is_minimal = false;
                break;
            }
        }
        kept.insert(candidate);
    }
    Reasons {
        reasons: kept.into_iter().collect(),
        is_minimal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_enough_and_minimal() {
        // A set suffices iff it contains 3 and one of 5 and 7.
        let enough = |set: &BTreeSet<Reason>| {
            set.contains(&Reason(3)) && (set.contains(&Reason(5)) || set.contains(&Reason(7)))
        };
        let attempt = |set: &BTreeSet<Reason>| match enough(set) {
            true => Attempt::Enough(set.clone()),
            false => Attempt::NotEnough,
        };
        let reasons = minimise((0..10).map(Reason).collect(), attempt);
        assert_eq!(reasons.reasons, [Reason(3), Reason(7)]);
        assert!(reasons.is_minimal);
    }
}
