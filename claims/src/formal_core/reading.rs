//! Readings: the rules under which a constraint set is run, as the document prints them or repaired.
//!
//! Several printed rules contradict a printed definition, so a statement about runs can be read in more than one way.
//! Each falsification therefore names its reading.

use std::fmt;

use crate::printed::{
    ByFlanks, ByTotals, PRINTED, PRINTED_BY_FLANKS, PRINTED_WITH_FACTS_BY_FLANKS, Requeued, RowLe,
    Unguarded, row_eq_without_facts,
};
use lozenge_spec::rules::{RULES, Rules};

/// A set of rules. Each reading repairs more than the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// Every rule as the document prints it.
    Printed,
    /// Def. 4.3(i) to (iv) compare each flank instead of the totals of both; everything else is as printed.
    ByFlanks,
    /// Def. 4.5 records facts about each flank as well; everything else is as printed.
    FactsByFlanks,
    /// The rules as repaired: in addition, a constraint that made its result grow is processed again at once
    /// (Def. 4.4), caps are forwarded along adjacencies (Def. 4.2), and leaves close by the schedule of Rem. 6.3. These
    /// are the rules of `lozenge-spec`.
    Repaired,
}

impl Reading {
    /// Every reading, from the printed rules to the repaired ones.
    pub const ALL: [Reading; 4] = [
        Reading::Printed,
        Reading::ByFlanks,
        Reading::FactsByFlanks,
        Reading::Repaired,
    ];

    /// Returns the rules of this reading.
    pub fn rules(self) -> Rules {
        match self {
            Reading::Printed => PRINTED,
            Reading::ByFlanks => PRINTED_BY_FLANKS,
            Reading::FactsByFlanks => PRINTED_WITH_FACTS_BY_FLANKS,
            Reading::Repaired => RULES,
        }
    }

    /// Returns the same rules without the cycle check of Def. 4.5.
    pub fn unguarded(self) -> Rules {
        Rules {
            row_eq: row_eq_without_facts,
            row_le: match self {
                Reading::Printed => Unguarded::<Requeued<ByTotals>>::row_le,
                Reading::ByFlanks | Reading::FactsByFlanks => {
                    Unguarded::<Requeued<ByFlanks>>::row_le
                }
                Reading::Repaired => Unguarded::<ByFlanks>::row_le,
            },
            ..self.rules()
        }
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reading::Printed => "as printed throughout",
            Reading::ByFlanks => "as printed, with Def. 4.3 by flanks",
            Reading::FactsByFlanks => "as printed, with Defs. 4.3 and 4.5 by flanks",
            Reading::Repaired => "repaired throughout",
        })
    }
}
