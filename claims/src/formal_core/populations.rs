//! The constraint sets of the survey, and the random ones.

use lozenge_testkit::sampling::{self, LARGER};
use lozenge_testkit::sets::{Family as Sets, Scope};
use lozenge_vocabulary::constraint::ConstraintSet;
use lozenge_vocabulary::dim::Dim;

use crate::machinery::{CHUNK, Effort, Family, Population};

fn atom(size: u64) -> Dim {
    // The sizes are written below, and none is zero.
    Dim::new(size).unwrap_or(Dim::Unit)
}

/// Returns the scopes of the survey, the smallest sets first.
///
/// A set takes about a millisecond of processor time, and one with three row variables more than twice that, because
/// all their values are tried. The next scope after the full ones, triples of one axis with a second constant, has
/// nearly two million sets.
pub fn scopes(effort: Effort) -> Vec<Scope> {
    let (unit, three, five) = (Dim::Unit, atom(3), atom(5));
    let scope = |constraints, axes, dims: &[&Dim], dim_vars, row_vars| Scope {
        constraints,
        axes,
        dims: dims.iter().map(|d| (*d).clone()).collect(),
        dim_vars,
        row_vars,
    };
    match effort {
        Effort::Quick => vec![
            scope(1, 2, &[&unit, &three], 0, 2),
            scope(2, 1, &[&three], 0, 2),
            scope(2, 1, &[&unit], 0, 2),
            scope(2, 1, &[&three], 1, 1),
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

impl Family<ConstraintSet> for Sets {
    fn units(&self) -> usize {
        self.starts()
    }

    fn weight(&self, unit: usize) -> u64 {
        self.raw_starting_at(unit)
    }

    fn instances(&self, unit: usize) -> Vec<ConstraintSet> {
        self.starting_at(unit)
    }
}

/// Returns every set of some scopes, up to symmetry.
pub fn exhaustive(scopes: &[Scope]) -> Population<ConstraintSet> {
    let words: Vec<String> = scopes.iter().map(Scope::to_string).collect();
    let family = |scope: &Scope| Box::new(Sets::new(scope)) as Box<dyn Family<ConstraintSet>>;
    Population {
        families: scopes.iter().map(family).collect(),
        scope: format!(
            "all constraint sets up to symmetry: {}; solutions over {{1_, 3, 5}} with rows of rank up to 2, and where there are \
             none of these, Z3 decides whether there is any",
            words.join("; ")
        ),
    }
}

/// Returns the population of the survey.
pub fn survey(effort: Effort) -> Population<ConstraintSet> {
    exhaustive(&scopes(effort))
}

/// Random sets with numbers from `from` to `to`.
pub struct Random {
    /// The first number.
    pub from: u64,
    /// The number after the last.
    pub to: u64,
}

impl Family<ConstraintSet> for Random {
    fn units(&self) -> usize {
        (self.to - self.from).div_ceil(CHUNK) as usize
    }

    fn weight(&self, _: usize) -> u64 {
        1
    }

    fn instances(&self, unit: usize) -> Vec<ConstraintSet> {
        let start = self.from + unit as u64 * CHUNK;
        (start..self.to.min(start + CHUNK))
            .map(|index| sampling::set(&LARGER, index))
            .collect()
    }
}

/// Returns the population of random sets, larger than those of the survey.
pub fn sample(effort: Effort) -> Population<ConstraintSet> {
    // Every set is tried for each statement of the survey.
    let to = match effort {
        Effort::Quick => effort.samples() / 10,
        Effort::Full | Effort::Long => effort.samples(),
    };
    Population {
        families: vec![Box::new(Random { from: 0, to })],
        scope: format!(
            "{to} random sets of {} to {} constraints, flanks up to {}, {} row and {} dimension variables",
            LARGER.constraints.0,
            LARGER.constraints.1,
            LARGER.flank,
            LARGER.row_vars,
            LARGER.dim_vars
        ),
    }
}

/// Returns the highest rank of ground rows, where every row is tried.
pub fn rank(effort: Effort) -> usize {
    match effort {
        Effort::Quick => 3,
        Effort::Full | Effort::Long => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_of_a_population_counts_the_sets_of_its_scopes() {
        for scope in scopes(Effort::Quick) {
            let population = exhaustive(std::slice::from_ref(&scope));
            assert_eq!(population.weight(), scope.raw_len(), "{scope}");
        }
    }
}
