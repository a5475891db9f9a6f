//! The greatest solution of a set at some of its rows, by Z3, which knows no rule and no policy.
//!
//! A greatest solution (Prop. 5.4) is above every other one at every variable. Two things of a set have no greatest
//! value for reasons that do not concern shapes: the place of a marker that equations leave open, and the label of an
//! axis, which could be the unit if its row were longer. So solutions are compared at rows only, by their contents (the
//! one-shot order of Rem. 2.15).

use std::collections::BTreeSet;

use lozenge_oracle::Entailment;
use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, Ground, Order, Row, Tag, Var};

use crate::subject::party::Effort;

/// The number of solutions that are tried.
const TRIED: usize = 8;

/// The knowledge about the greatest solution.
#[derive(Clone, Debug)]
pub enum Greatest {
    /// This is it.
    Is(Ground),
    /// None of the solutions that were tried: others stand beside each of them.
    NotFound,
    /// A limit was reached.
    Unknown(String),
}

/// Returns the greatest solution at these rows, looked for among the candidates, in their order, and among the
/// solutions that stand beside them.
pub fn greatest(
    set: &ConstraintSet,
    rows: &BTreeSet<Var>,
    candidates: impl IntoIterator<Item = Ground>,
) -> Greatest {
    let oracle = Effort::default().oracle();
    let mut candidates: Vec<Ground> = candidates.into_iter().collect();
    let mut at = 0;
    while at < candidates.len().min(TRIED) {
        match oracle.above_at(set, &candidates[at], rows, Order::OneShot) {
            Entailment::Holds => return Greatest::Is(candidates.swap_remove(at)),
            Entailment::Fails(beside) if !candidates.contains(&beside) => candidates.push(beside),
            Entailment::Fails(_) => {}
            Entailment::Unknown(why) => return Greatest::Unknown(format!("oracle: {why}")),
        }
        at += 1;
    }
    Greatest::NotFound
}

/// Returns the row variables of a set.
pub fn rows(set: &ConstraintSet) -> BTreeSet<Var> {
    let is_row = |var: &Var| matches!(var, Var::Row(_));
    set.vars().into_iter().filter(is_row).collect()
}

/// Says whether a solution has at each of these rows the content of another one, or a greater one.
pub fn is_as_great(rows: &BTreeSet<Var>, one: &Ground, other: &Ground) -> bool {
    rows.iter().all(|var| match var {
        Var::Dim(_) => true,
        Var::Row(var) => {
            let [one, other] = [one, other].map(|ground| ground.rows.get(var));
            other
                .zip(one)
                .is_some_and(|(low, high)| low.below_one_shot(high))
        }
    })
}

/// The side of a variable on which its value stands.
#[derive(Clone, Copy)]
enum Side {
    Below,
    Above,
}

/// Returns the constraints that each variable has its value on one side.
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

/// Returns the set with the leaves and parameters at their values. They close to what their uses ask for (Def. 6.1),
/// which is no greatest value; everything else closes below them.
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

/// Says whether a solution is below another one at every variable. 0 is below nothing but itself.
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
        greatest(&set, &rows(&set), [from])
    }

    #[test]
    fn the_greatest_solution_is_found_from_a_smaller_one() {
        let Greatest::Is(found) = of("<y> <= [3]", "<y> ~ [2, 3]") else {
            panic!("there is one");
        };
        assert_eq!(found.to_string(), "<y> ~ [3]\n");
    }

    #[test]
    fn the_place_of_a_marker_does_not_count() {
        let found = of("<y> ~ [2, 3]", "<y> ~ [2, 3]");
        assert!(matches!(found, Greatest::Is(_)), "{found:?}");
    }

    #[test]
    fn two_sizes_with_one_product_have_no_greatest_solution() {
        let found = of(
            "<y> ~ [a, b]\nt = 6\nt = a * b",
            "<y> ~ [2, 3]\na = 2\nb = 3\nt = 6",
        );
        assert!(matches!(found, Greatest::NotFound), "{found:?}");
    }
}
