//! A symbolic position further in than any window, at which a negated constraint may fail.
//!
//! "`R ⊑ R'` between open rows fails at some position" is a statement about rows of every length. The position gets a
//! name, `P` places from the edge, and the assumed constraints are instantiated around it, at `P + k`. A refutation
//! then holds at every distance. Positions here are those of row variables' values; explicit axes lie nearer to the
//! edge.

use std::ops::Range;

use lozenge_vocabulary::{Constraint, Order, RowTerm};

use crate::formula::{Axis, Facing, Guard, Measure};
use crate::symbols::{SymbolicRow, Symbols};

/// The use of a constraint at the far position: it is assumed to hold there, or to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Assumed,
    Denied,
}

/// Returns the axes that the constraint compares at `P + k` for `k` in the range, from either edge.
///
/// `P + k` counts in the upper row's value (for `≈`, in the left row's). A position at which `≈` fails lies on one side
/// of that value's marker and is counted from the edge of this side, as it is for `⊑`.
pub(crate) fn facing(
    constraint: &Constraint,
    order: Order,
    usage: Use,
    symbols: &mut Symbols,
    around: Range<i32>,
) -> Vec<Facing> {
    let (low, high, flat) = match constraint {
        Constraint::RowEq(a, b) => (b, a, [true, usage == Use::Assumed]),
        Constraint::RowLe(low, high) => (low, high, [order == Order::OneShot, false]),
        _ => return Vec::new(),
    };
    let (low, high) = (symbols.symbolic_row(low), symbols.symbolic_row(high));
    let (Some(lower), Some(upper)) = (low.var, high.var) else {
        return Vec::new();
    };
    let (front, back) = shift(&low, &high);
    let measures = |flank: Measure| flat.map(|flat| if flat { Measure::Rank } else { flank });
    let (leading, trailing) = (measures(Measure::Leading), measures(Measure::Trailing));
    let mut pairs = Vec::new();
    for k in around {
        pairs.push(Facing {
            guards: [
                Some(Guard::ExceedsFarFront(leading[0], lower, k + front)),
                Some(Guard::ExceedsFarFront(leading[1], upper, k)),
                None,
            ],
            low: Axis::FarFront(lower, k + front),
            high: Axis::FarFront(upper, k),
        });
        pairs.push(Facing {
            guards: [
                Some(Guard::ExceedsFarBack(trailing[0], lower, k + back)),
                Some(Guard::ExceedsFarBack(trailing[1], upper, k)),
                None,
            ],
            low: Axis::FarBack(lower, k + back),
            high: Axis::FarBack(upper, k),
        });
    }
    pairs
}

/// Tells whether the constraint, if it fails beyond every window, always fails between axes of two variables' values.
/// That is not so where the lower row is read flat beyond its variable: there its far flank may face the upper row's
/// value.
pub(crate) fn covers(constraint: &Constraint, order: Order) -> bool {
    match constraint {
        Constraint::RowLe(low, _) => order == Order::Marked || low.explicit() == 0,
        _ => true,
    }
}

/// Returns, for each edge, how much further in an axis of the lower row's value lies than the axis of the upper row's
/// value that it faces.
fn shift(low: &SymbolicRow, high: &SymbolicRow) -> (i32, i32) {
    let by = |high: &[Axis], low: &[Axis]| high.len() as i32 - low.len() as i32;
    (
        by(&high.leading, &low.leading),
        by(&high.trailing, &low.trailing),
    )
}

/// Tells whether neither axis is more than `reach` places nearer to the edge than the far position, so that both are
/// inside the values.
pub(crate) fn in_reach(pair: &Facing, reach: i32) -> bool {
    [pair.low, pair.high].iter().all(|axis| match axis {
        Axis::FarFront(_, k) | Axis::FarBack(_, k) => *k >= -reach,
        _ => true,
    })
}

/// Returns the number of explicit axes of the longer row.
pub(crate) fn longest_row(constraint: &Constraint) -> u32 {
    match constraint {
        Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => {
            let longest: usize = RowTerm::explicit(a).max(b.explicit());
            longest as u32
        }
        _ => 0,
    }
}
