//! One position further in than any window: where a constraint that is denied may fail.
//!
//! That `R ⊑ R'` between open rows fails at some position is a statement about every length. The position is named, `P` places
//! from the edge, and the constraints that hold are instantiated around it, at `P + k`. What is derived there holds
//! at every distance. Positions here are those of row variables' values; explicit axes lie nearer to the edge.

use std::ops::Range;

use lozenge_vocabulary::{Constraint, Order, RowTerm};

use crate::formula::{Axis, Facing, Guard, Measure};
use crate::symbols::{SymbolicRow, Symbols};

/// Whether the constraint holds around the far position, or fails at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Assumed,
    Denied,
}

/// The axes that the constraint compares at `P + k` for `k` in the range, from either edge.
///
/// `P + k` counts in the upper row's value (for `≈`, in the left one's). A position at which `≈` is denied is on one side of
/// that value's marker; it is counted from the edge of this side, where `⊑` speaks of it too.
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

/// Whether a position that no window shows, at which the constraint fails, is always one of two values' axes.
/// Not so where the lower row is read flat past its variable: there its far flank may face the upper row's value.
pub(crate) fn covers(constraint: &Constraint, order: Order) -> bool {
    match constraint {
        Constraint::RowLe(low, _) => order == Order::Marked || low.explicit() == 0,
        _ => true,
    }
}

/// How much further in the lower row's value the axis lies that faces one of the upper row's value, from either edge.
fn shift(low: &SymbolicRow, high: &SymbolicRow) -> (i32, i32) {
    let by = |high: &[Axis], low: &[Axis]| high.len() as i32 - low.len() as i32;
    (
        by(&high.leading, &low.leading),
        by(&high.trailing, &low.trailing),
    )
}

/// Whether both axes lie at most `reach` nearer to the edge than the far position, so that they are inside the values.
pub(crate) fn in_reach(pair: &Facing, reach: i32) -> bool {
    [pair.low, pair.high].iter().all(|axis| match axis {
        Axis::FarFront(_, k) | Axis::FarBack(_, k) => *k >= -reach,
        _ => true,
    })
}

/// The explicit axes of the longer row.
pub(crate) fn longest_row(constraint: &Constraint) -> u32 {
    match constraint {
        Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => {
            let longest: usize = RowTerm::explicit(a).max(b.explicit());
            longest as u32
        }
        _ => 0,
    }
}
