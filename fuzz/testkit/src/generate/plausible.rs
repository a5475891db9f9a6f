//! The test whether a constraint is plausible: its lengths can fit, and no constants that face each other clash. A
//! constraint that is refused for such a reason tests nothing, so generators draw another one.

use lozenge_vocabulary::{Constraint, Dim, DimTerm, Ground, Order, RowTerm};

/// Returns false when the constraint obviously has no solution: by Defs. 2.3 and 3.4, without any rule.
pub fn plausible(constraint: &Constraint) -> bool {
    match constraint {
        Constraint::DimEq(a, b) => agree(a, b, |a, b| a == b),
        Constraint::DimLe(a, b) => agree(a, b, Dim::below),
        Constraint::RowEq(a, b) => lengths(a, b) && facing(a, b, |a, b| a == b),
        Constraint::RowLe(a, b) => fits(a, b) && facing(a, b, Dim::below),
        Constraint::Window(_)
        | Constraint::Composite(_)
        | Constraint::Elements(_)
        | Constraint::Flat(_)
        | Constraint::AtLeast { .. } => {
            let ground = Ground::default();
            ground.satisfies(constraint, Order::Marked) != Some(false)
        }
    }
}

fn agree(a: &DimTerm, b: &DimTerm, holds: impl Fn(&Dim, &Dim) -> bool) -> bool {
    match (a.ground(), b.ground()) {
        (Some(a), Some(b)) => holds(a, b),
        _ => true,
    }
}

/// Returns the known axes of a row from one side: its flank and, if it is closed, the other flank too.
fn shown(row: &RowTerm, from_front: bool) -> Vec<&DimTerm> {
    match (row.var.is_some(), from_front) {
        (true, true) => row.leading.iter().collect(),
        (true, false) => row.trailing.iter().rev().collect(),
        (false, true) => row.axes().collect(),
        (false, false) => row.axes().rev().collect(),
    }
}

/// Says whether `holds` of all constants that face each other: in an equality from either end, in an inequality on the
/// operand's flanks.
fn facing(a: &RowTerm, b: &RowTerm, holds: impl Fn(&Dim, &Dim) -> bool + Copy) -> bool {
    [true, false].into_iter().all(|front| {
        let mut pairs = shown(a, front).into_iter().zip(shown(b, front));
        pairs.all(|(a, b)| agree(a, b, holds))
    })
}

/// Says whether an equality is possible for some lengths of its variables.
fn lengths(a: &RowTerm, b: &RowTerm) -> bool {
    match (&a.var, &b.var) {
        (None, None) => a.explicit() == b.explicit(),
        (Some(_), None) => a.explicit() <= b.explicit(),
        (None, Some(_)) => b.explicit() <= a.explicit(),
        (Some(x), Some(y)) => x != y || a.explicit() == b.explicit(),
    }
}

/// Says whether a result that cannot grow is as long as the operand's flanks.
fn fits(result: &RowTerm, operand: &RowTerm) -> bool {
    let grows = result.var.is_some() && result.var != operand.var;
    let long = result.leading.len() >= operand.leading.len()
        && result.trailing.len() >= operand.trailing.len();
    grows || long
}
