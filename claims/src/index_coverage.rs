//! Where P1 to P6 fire, and where their premises do not hold: a constraint between two closed rows without variables is read
//! as an operation on two tensors, the result first.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_spec::elaboration::elaborate;
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Requirement, Shape, Side, TensorId,
};
use lozenge_vocabulary::{Constraint, Dim, Row, RowTerm, Rule};

use super::coverage::{Holds, row_eq, row_le};

/// What P1 to P6 ask of the rows; `None` where the constraint is not between closed rows without variables.
pub const PREMISES: &[(Rule, &str, Holds)] = &[
    (Rule::P1, "facing axes of equal rows are equal", |c| {
        equal(c, |a, b| a.rank() != b.rank() || a.flat() == b.flat())
    }),
    (Rule::P2, "the operand axis has size 1", |c| {
        below(c, |a, b| {
            a.rank() != b.rank() || b.flat().iter().all(|d| d.size() == 1)
        })
    }),
    (Rule::P3, "the operand axis is longer than 1", |c| {
        below(c, |a, b| {
            a.rank() != b.rank() || b.flat().iter().all(|d| d.size() > 1)
        })
    }),
    (Rule::P3, "the axes are in order", |c| {
        below(c, |a, b| a.rank() != b.rank() || pairs_in_order(a, b))
    }),
    (Rule::P4, "the rows are of one rank", |c| {
        equal(c, |a, b| a.rank() == b.rank())
    }),
    (Rule::P5, "the result has as many axes", |c| {
        below(c, |a, b| a.rank() >= b.rank())
    }),
    (Rule::P5, "a result axis faces no operand axis", |c| {
        below(c, |a, b| a.rank() != b.rank())
    }),
    (Rule::P6, "a tensor has an axis", |c| {
        equal(c, |a, b| a.rank() + b.rank() > 0)
    }),
];

fn pairs_in_order(low: &Row, high: &Row) -> bool {
    low.flat().iter().zip(high.flat()).all(|(a, b)| a.below(&b))
}

fn ground(term: &RowTerm) -> Option<Row> {
    let flank = |terms: &[lozenge_vocabulary::DimTerm]| -> Option<Vec<Dim>> {
        terms.iter().map(|t| t.ground().cloned()).collect()
    };
    term.var
        .is_none()
        .then(|| Some(Row::new(flank(&term.leading)?, flank(&term.trailing)?)))?
}

fn sides(constraint: &Constraint) -> Option<(Row, Row)> {
    match constraint {
        Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => Some((ground(a)?, ground(b)?)),
        Constraint::DimEq(..) | Constraint::DimLe(..) => None,
    }
}

fn equal(c: &Constraint, f: fn(&Row, &Row) -> bool) -> Option<bool> {
    row_eq(c, |_, _| true)?;
    sides(c).map(|(a, b)| f(&a, &b))
}

fn below(c: &Constraint, f: fn(&Row, &Row) -> bool) -> Option<bool> {
    row_le(c, |_, _| true)?;
    sides(c).map(|(a, b)| f(&a, &b))
}

/// The rules that give equations when the constraint is elaborated; none where it is refused. The equations of P4 are
/// those of P1 on its pairs, so that it counts wherever an equality is elaborated.
pub fn fired(constraint: &Constraint) -> BTreeSet<Rule> {
    let Some((result, operand)) = sides(constraint) else {
        return BTreeSet::new();
    };
    let [low, high] = [0, 1].map(|slot| Side::Slot(slot, Kind::Output));
    let (requirement, equality) = match constraint {
        Constraint::RowEq(..) => (Requirement::Equal(low, high), Some(Rule::P4)),
        _ => (Requirement::Below(low, high), None),
    };
    let op = Operation {
        slots: vec![TensorId(0), TensorId(1)],
        requirements: vec![requirement].into(),
        pins: BTreeMap::new(),
        accumulator: Accumulator {
            erase: true,
            combine: Combine::Add,
        },
        function: Function::Multiply,
    };
    let rows = [result, operand];
    let shape = |tensor: TensorId| Shape {
        output: rows[tensor.0].clone(),
        ..Shape::default()
    };
    let elaborated = elaborate(&op, shape).map(|e| e.equations);
    let rules = |equations: Vec<_>| equations.into_iter().map(|(rule, _)| rule);
    match elaborated {
        Ok(equations) => rules(equations).chain(equality).collect(),
        Err(_) => BTreeSet::new(),
    }
}
