//! The first two rows of an operation that do not fit together, and the axes at which they do not.

use lozenge_vocabulary::alignment::aligned;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::{Assignment, Family};

use super::Known;

/// A row of the tensor in a slot of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub slot: usize,
    pub kind: Kind,
}

/// The relation between two rows of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// A result is below both: facing axes are equal, or one of them is the unit.
    Beside,
    /// The first is below the second: it has the second's axes, and perhaps more.
    Below,
}

/// Two rows that do not fit together.
#[derive(Clone, Debug)]
pub(crate) struct Mismatch {
    pub left: Place,
    pub right: Place,
    pub what: What,
}

/// The mismatch between two rows that should fit together.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// Two axes that face each other.
    Axes(Dim, Dim),
    /// The first row lacks axes that it must have because the second row has them.
    Missing,
}

/// Returns the first two rows of an operation that do not fit together, as far as the rows are known without the
/// operation.
pub(crate) fn mismatch(known: &mut Known<'_>, step: &Assignment) -> Option<Mismatch> {
    meetings(step)
        .into_iter()
        .find_map(|(left, right, relation)| {
            let row = |known: &Known<'_>, place: Place| {
                known.row(step.operation.slots[place.slot], place.kind)
            };
            let (low, high) = (row(known, left), row(known, right));
            let facing = aligned(low.flanks(), high.flanks()).facing;
            let axes = facing.into_iter().find(|(low, high)| match relation {
                Relation::Beside => **low != Dim::Unit && **high != Dim::Unit && low != high,
                Relation::Below => !low.below(high),
            });
            if let Some((low, high)) = axes {
                let what = What::Axes(low.clone(), high.clone());
                return Some(Mismatch { left, right, what });
            }
            let longer =
                low.leading.len() < high.leading.len() || low.trailing.len() < high.trailing.len();
            let closed = !known.can_grow(step.operation.slots[left.slot], left.kind);
            (relation == Relation::Below && longer && closed).then_some(Mismatch {
                left,
                right,
                what: What::Missing,
            })
        })
}

/// Returns the related rows of an operation's tensors, except through a spec. An updated tensor takes part as slot 0.
fn meetings(step: &Assignment) -> Vec<(Place, Place, Relation)> {
    let place = |slot: usize, kind: Kind| Place { slot, kind };
    let operands = step.operation.slots.len();
    let mut meetings = Vec::new();
    match step.logic {
        Family::Pointwise => {
            for kind in Kind::ALL {
                for left in 1..operands {
                    for right in left + 1..operands {
                        meetings.push((place(left, kind), place(right, kind), Relation::Beside));
                    }
                }
            }
            if !step.operation.accumulator.erase {
                for operand in 1..operands {
                    for kind in Kind::ALL {
                        meetings.push((place(0, kind), place(operand, kind), Relation::Below));
                    }
                }
            }
        }
        Family::Compose if operands == 3 => {
            use Kind::{Batch, Input, Output};
            meetings.push((place(1, Input), place(2, Output), Relation::Below));
            meetings.push((place(1, Batch), place(2, Batch), Relation::Beside));
            if !step.operation.accumulator.erase {
                let above = [(Batch, 1), (Batch, 2), (Input, 2), (Output, 1)];
                let update = |(kind, slot)| (place(0, kind), place(slot, kind), Relation::Below);
                meetings.extend(above.map(update));
            }
        }
        Family::Compose | Family::Transpose | Family::Einsum | Family::Fill => {}
    }
    meetings
}
