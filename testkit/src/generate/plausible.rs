//! Whether a constraint is not refused at a glance: lengths that cannot fit, constants that face each other and clash. What
//! is refused so teaches nothing, and a generator draws again.

use lozenge_vocabulary::{Constraint, Dim, DimTerm, Ground, Order, RowTerm};

/// False when the constraint has no solution for a reason that needs no rule: Defs. 2.3 and 3.4 read off its text.
pub fn plausible(constraint: &Constraint) -> bool {
    match constraint {
        Constraint::DimEq(a, b) => agree(a, b, |a, b| a == b),
        Constraint::DimLe(a, b) => agree(a, b, Dim::below),
        Constraint::RowEq(a, b) => lengths(a, b) && facing(a, b, |a, b| a == b),
        Constraint::RowLe(a, b) => fits(a, b) && facing(a, b, Dim::below),
        Constraint::Window(_) | Constraint::Composite(_) | Constraint::AtLeast { .. } => {
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

/// The axes that a row shows from one side: its flank, and if it is closed what comes after.
fn shown(row: &RowTerm, from_front: bool) -> Vec<&DimTerm> {
    match (row.var.is_some(), from_front) {
        (true, true) => row.leading.iter().collect(),
        (true, false) => row.trailing.iter().rev().collect(),
        (false, true) => row.axes().collect(),
        (false, false) => row.axes().rev().collect(),
    }
}

/// For an equality the axes that face each other from either end; for an inequality those of the operand's flanks.
fn facing(a: &RowTerm, b: &RowTerm, holds: impl Fn(&Dim, &Dim) -> bool + Copy) -> bool {
    [true, false].into_iter().all(|front| {
        let mut pairs = shown(a, front).into_iter().zip(shown(b, front));
        pairs.all(|(a, b)| agree(a, b, holds))
    })
}

/// An equality has to be possible for some lengths of its variables.
fn lengths(a: &RowTerm, b: &RowTerm) -> bool {
    match (&a.var, &b.var) {
        (None, None) => a.explicit() == b.explicit(),
        (Some(_), None) => a.explicit() <= b.explicit(),
        (None, Some(_)) => b.explicit() <= a.explicit(),
        (Some(x), Some(y)) => x != y || a.explicit() == b.explicit(),
    }
}

/// A result that cannot grow has to be as long as the operand's flanks.
fn fits(result: &RowTerm, operand: &RowTerm) -> bool {
    let grows = result.var.is_some() && result.var != operand.var;
    let long = result.leading.len() >= operand.leading.len()
        && result.trailing.len() >= operand.trailing.len();
    grows || long
}
