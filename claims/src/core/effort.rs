//! How much is searched: scopes that grow from the test run to the long run.

use lozenge_testkit::sets::Scope;
use lozenge_vocabulary::dim::Dim;

/// How long a search may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// The test run: a minute or so in the development profile.
    Quick,
    /// The whole table, within 10 minutes on two cores. Single constraints: up to three axes in a row, or two with three
    /// dimension variables. Pairs: one axis with two variables of each sort, or two axes over one atom. Triples: one axis over
    /// one atom, or no axes with three variables of each sort. A set takes about a millisecond of a core, and three row
    /// variables more than twice that, because all their values are tried. The next larger scope, triples of one axis with
    /// a second letter, is nearly two million sets; triples with flanks of 2 and three variables of each sort are more than
    /// 10^19.
    Full,
    /// Days: every triple over the unit and an atom with a dimension variable and three row variables, pairs of rows with two
    /// axes, single constraints with four.
    Long,
}

fn atom(size: u64) -> Dim {
    // Sizes are written below; none is zero.
    Dim::new(size).unwrap_or(Dim::Unit)
}

impl Effort {
    /// The scopes of the survey, smallest sets first.
    pub fn scopes(self) -> Vec<Scope> {
        let (unit, three, five) = (Dim::Unit, atom(3), atom(5));
        let scope = |constraints, axes, dims: &[&Dim], dim_vars, row_vars| Scope {
            constraints,
            axes,
            dims: dims.iter().map(|d| (*d).clone()).collect(),
            dim_vars,
            row_vars,
        };
        match self {
            Effort::Quick => vec![
                scope(1, 2, &[&unit, &three], 1, 2),
                scope(2, 1, &[&unit, &three], 0, 2),
                scope(2, 1, &[&three], 1, 2),
            ],
            Effort::Full => vec![
                scope(1, 3, &[&unit, &three], 1, 2),
                scope(1, 2, &[&unit, &three, &five], 3, 2),
                scope(2, 1, &[&unit, &three, &five], 2, 2),
                scope(2, 2, &[&three], 0, 2),
                scope(3, 0, &[&unit, &three, &five], 3, 3),
                scope(3, 1, &[&three], 0, 2),
            ],
            Effort::Long => vec![
                scope(1, 4, &[&unit, &three], 1, 2),
                scope(2, 2, &[&unit, &three], 0, 3),
                scope(3, 1, &[&unit, &three], 1, 3),
            ],
        }
    }

    /// How many random sets are tried where sets larger than those of the survey are.
    pub fn samples(self) -> u64 {
        match self {
            Effort::Quick => 10_000,
            Effort::Full => 100_000,
            Effort::Long => 1_000_000,
        }
    }

    /// The highest rank of ground rows, where every row is tried.
    pub fn rank(self) -> usize {
        match self {
            Effort::Quick => 3,
            Effort::Full | Effort::Long => 4,
        }
    }
}
