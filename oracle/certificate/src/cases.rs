//! The cases in which a constraint does not hold: at some lengths, or at one place of its rows, which may be anywhere.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use lozenge_vocabulary::{Basis, Constraint, ConstraintSet, Dim, DimTerm, Order, RowTerm};

use crate::linear::{Form, POSITION};
use crate::{Rejected, Statement, rejected, walk};

/// A case: what it adds to the constraints.
#[derive(Default)]
pub(crate) struct Case {
    /// Forms that are at least 0.
    pub(crate) assumed: Vec<Form>,
    /// An axis of a row, at a place.
    pub(crate) axes: Vec<Statement>,
}

/// Returns all cases in which a constraint does not hold, up to the names of atoms that neither it nor the set
/// mentions: renaming those leaves a solution one.
pub(crate) fn cases(
    goal: &Constraint,
    set: &ConstraintSet,
    order: Order,
) -> Result<Vec<Case>, Rejected> {
    let is_of_dims = match goal {
        Constraint::DimEq(..) | Constraint::DimLe(..) => true,
        Constraint::RowEq(..) | Constraint::RowLe(..) => false,
        _ => return rejected("it is about a constraint between sizes, of which nothing is proved"),
    };
    let statement = Statement::of(goal);
    let mut cases = Vec::new();
    let parts = match (statement.is_equation, order) {
        (false, Order::OneShot) => 1,
        _ => 2,
    };
    for part in 0..parts {
        let form = statement.length(part, order)?;
        match form.as_number() {
            Some(number) if number >= 0 => {}
            Some(_) => cases.push(Case::default()),
            None => cases.push(Case {
                assumed: vec![form.times(-1)?.shifted(-1)?],
                axes: Vec::new(),
            }),
        }
    }
    let pairs = pairs(goal, set)?;
    let [left, right] = &statement.sides;
    let position = Form::variable(POSITION);
    let mut facing = |assumed: Vec<Form>, left_place: &Form| {
        for (a, b) in &pairs {
            cases.push(Case {
                assumed: assumed.clone(),
                axes: vec![axis(left, left_place, a), axis(right, &position, b)],
            });
        }
    };
    if statement.is_equation {
        facing(Vec::new(), &position);
        return Ok(cases);
    }
    let is_trailing = position.plus(-1, &walk::front(right)?)?;
    facing(vec![is_trailing.times(-1)?.shifted(-1)?], &position);
    if !is_of_dims {
        let from_right = position.plus(1, &walk::rank(left)?)?;
        facing(
            vec![is_trailing],
            &from_right.plus(-1, &walk::rank(right)?)?,
        );
    }
    Ok(cases)
}

/// States that a row has an axis at a place.
fn axis(row: &RowTerm, place: &Form, value: &Dim) -> Statement {
    let value = RowTerm::closed(vec![DimTerm::Const(value.clone())], Vec::new());
    Statement {
        is_equation: true,
        sides: [row.clone(), value],
        place: Some(place.clone()),
    }
}

/// Returns the pairs of axes that do not fit each other, the result's first (Def. 1.2 for `<=`).
fn pairs(goal: &Constraint, set: &ConstraintSet) -> Result<Vec<(Dim, Dim)>, Rejected> {
    let is_equation = matches!(goal, Constraint::DimEq(..) | Constraint::RowEq(..));
    let known: BTreeSet<Dim> = set
        .constraints
        .iter()
        .chain([goal])
        .flat_map(atoms)
        .collect();
    let mut others = (2..).filter_map(NonZeroU64::new).map(|size| Dim::Atom {
        size,
        basis: Basis::Default,
    });
    let sizes: BTreeSet<u64> = known.iter().map(Dim::size).collect();
    let mut other = || others.find(|dim| !sizes.contains(&dim.size()));
    let (Some(other), Some(second)) = (other(), other()) else {
        return rejected("there is no size that the set does not mention");
    };
    let atoms = || known.iter().chain([&other]);
    let unit = is_equation.then_some(&Dim::Unit);
    let mut pairs = Vec::new();
    for right in unit.into_iter().chain(atoms()) {
        for left in [&Dim::Unit].into_iter().chain(atoms()) {
            if left != right {
                pairs.push((left.clone(), right.clone()));
            }
        }
        if *right == other {
            pairs.push((second.clone(), right.clone()));
        }
    }
    Ok(pairs)
}

/// Returns the atoms that are written in a constraint.
fn atoms(constraint: &Constraint) -> Vec<Dim> {
    let rows = Statement::of(constraint).sides;
    let axes = rows
        .iter()
        .flat_map(|row| row.leading.iter().chain(&row.trailing));
    let written = axes.filter_map(|axis| match axis {
        DimTerm::Const(dim) if dim.is_atom() => Some(dim.clone()),
        _ => None,
    });
    written.collect()
}
