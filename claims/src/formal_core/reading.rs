//! Under which rules a constraint set is run: those that the document prints, or repaired ones.
//!
//! Several printed rules contradict a printed definition. A statement about runs can therefore be read in more than one way,
//! and each falsification names its reading.

use std::fmt;

use crate::printed::{ClosingOrder, Literal};

/// A set of rules. Each reading repairs more than the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// Every rule as the document prints it.
    Printed,
    /// Def. 4.3(i) to (iv) compare each flank instead of the totals of both; everything else is as printed.
    ByFlanks,
    /// Def. 4.5 records facts about each flank as well; everything else is as printed.
    FactsByFlanks,
    /// A constraint that made its result grow is read again at once (Def. 4.4), caps travel along adjacencies (Def. 4.2), and
    /// leaves close by the schedule of Rem. 6.3 as well: the rules of `lozenge-spec`.
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

    /// The rules.
    pub fn rules(self) -> Literal {
        let repaired = Literal::default();
        let printed = Literal {
            requeue: true,
            caps_stay: true,
            closing: ClosingOrder::Named,
            ..repaired
        };
        match self {
            Reading::Printed => Literal {
                totals: true,
                ..printed
            },
            Reading::ByFlanks => Literal {
                rank_facts: true,
                ..printed
            },
            Reading::FactsByFlanks => printed,
            Reading::Repaired => repaired,
        }
    }

    /// The same rules without the cycle check of Def. 4.5.
    pub fn unguarded(self) -> Literal {
        Literal {
            unguarded: true,
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
