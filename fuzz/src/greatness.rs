//! The greatest solution of a set (Prop. 5.4), by Z3, which knows no rule and no policy.

use lozenge_oracle::{Entailment, Satisfiability};
use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, Ground, Row, Tag, Var};

use crate::parties::Effort;

/// How often the search goes on from a solution to a greater one.
const CLIMBS: usize = 12;

/// What is known of the greatest solution.
#[derive(Clone, Debug)]
pub enum Greatest {
    /// This is it.
    Is(Ground),
    /// There is none: no solution is above both of two, of which this is one.
    None(Ground),
    /// A limit was reached.
    Unknown(String),
}

/// The greatest solution of a set, looked for upward from a solution.
pub fn greatest(set: &ConstraintSet, from: Ground) -> Greatest {
    let oracle = Effort::default().oracle();
    let mut best = from;
    for _ in 0..CLIMBS {
        let beside = match oracle.greatest(set, &best).marked {
            Entailment::Holds => return Greatest::Is(best),
            Entailment::Fails(other) => other,
            Entailment::Unknown(why) => return Greatest::Unknown(format!("oracle: {why}")),
        };
        let mut above = set.clone();
        for low in [&best, &beside] {
            above.constraints.extend(bounds(set, low, Side::Below));
        }
        match oracle.sat(&above) {
            Satisfiability::Sat(greater) => best = greater,
            Satisfiability::Unsat => return Greatest::None(beside),
            Satisfiability::Unknown(why) => return Greatest::Unknown(format!("oracle: {why}")),
        }
    }
    Greatest::Unknown(format!("{CLIMBS} solutions, each above the one before"))
}

/// On which side of a variable its value stands.
#[derive(Clone, Copy)]
enum Side {
    Below,
    Above,
}

/// The constraints that each variable has its value on one side.
fn bounds(set: &ConstraintSet, values: &Ground, side: Side) -> Vec<Constraint> {
    let bound = |var: Var| match var {
        Var::Dim(var) => {
            let value: Dim = values.dims.get(&var)?.clone();
            Some(match side {
                Side::Below => Constraint::DimLe(value.into(), var.into()),
                Side::Above => Constraint::DimLe(var.into(), value.into()),
            })
        }
        Var::Row(var) => {
            let value: Row = values.rows.get(&var)?.clone();
            Some(match side {
                Side::Below => Constraint::RowLe(value.into(), var.into()),
                Side::Above => Constraint::RowLe(var.into(), value.into()),
            })
        }
    };
    set.vars().into_iter().filter_map(bound).collect()
}

/// The set with the leaves and parameters at their values. They close to what their uses ask for (Def. 6.1), which is
/// no greatest value; everything else closes below them.
#[must_use]
pub fn with_leaves(set: &ConstraintSet, values: &Ground) -> ConstraintSet {
    let mut pinned = set.clone();
    let is_leaf = |var: &Var| set.tags.get(var).is_some_and(|tag| *tag != Tag::Interior);
    for side in [Side::Below, Side::Above] {
        let of_leaves = bounds(set, values, side);
        let of_leaves = of_leaves
            .into_iter()
            .filter(|bound| bound.vars().iter().any(is_leaf));
        pinned.constraints.extend(of_leaves);
    }
    pinned
}

/// Whether a solution is below another one at every variable. 0 is below nothing but itself.
pub fn is_below(set: &ConstraintSet, low: &Ground, high: &Ground) -> bool {
    set.vars().iter().all(|var| match var {
        Var::Dim(var) => match (low.dims.get(var), high.dims.get(var)) {
            (Some(low), Some(high)) => low.below(high),
            _ => low.zeros.contains(var) && high.zeros.contains(var),
        },
        Var::Row(var) => {
            let [low, high] = [low, high].map(|ground| ground.rows.get(var));
            low.zip(high).is_some_and(|(low, high)| low.below(high))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, from: &str) -> Greatest {
        let set: ConstraintSet = text.parse().expect("a set");
        let values: ConstraintSet = from.parse().expect("values");
        let from = lozenge_oracle::solution(&values).expect("each variable has a value");
        greatest(&set, from)
    }

    #[test]
    fn the_greatest_solution_is_found_from_a_smaller_one() {
        let Greatest::Is(found) = of("<y> <= [3]", "<y> ~ [2, 3]") else {
            panic!("there is one");
        };
        assert_eq!(found.to_string(), "<y> ~ [3]\n");
    }

    #[test]
    fn a_free_marker_has_no_greatest_place() {
        let found = of("<y> ~ [2, 3]", "<y> ~ [2, 3]");
        assert!(matches!(found, Greatest::None(_)), "{found:?}");
    }
}
