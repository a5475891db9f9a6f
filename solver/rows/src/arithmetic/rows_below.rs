//! Open rows among factors that lie above other rows.
//!
//! An axis above an atom is that atom or the unit, above the unit there is only the unit, and a row has at most as many
//! axes as one below it. So the number of elements of a row divides that of every row below it, and where the latter is
//! known the former has finitely many values, whatever the number of axes.

use lozenge_vocabulary::alignment::Flank;
use lozenge_vocabulary::{Composite, Composition};
use rustc_hash::FxHashSet;

use super::residue::Residue;
use crate::ids::{InequalityId, RowVarId};
use crate::state::engine::Engine;
use crate::state::inferences::Reason;
use crate::state::sizes::Counted;
use crate::term::Term;

/// At most so many rows below one row are looked at.
const LOOKED_AT: usize = 64;

/// A demand: the number that an open row counts beside its known axes divides this one.
pub(super) struct Multiple {
    row: RowVarId,
    number: u64,
    why: Vec<Reason>,
}

/// The part below a row: so many elements and the content of another row, if there is one.
struct Below {
    further: Option<RowVarId>,
    number: u64,
    why: Vec<Reason>,
}

impl Engine {
    /// Returns the numbers of elements that are known of rows below open rows among factors.
    pub(super) fn multiples(&mut self) -> Vec<Multiple> {
        let open = self.sizes.counted.values().filter(|of| of.is_open());
        let mut rows: Vec<RowVarId> = open.flat_map(|of: &Counted| of.open.clone()).collect();
        rows.sort_unstable();
        rows.dedup();
        let mut found = Vec::new();
        for row in rows {
            let mut seen = FxHashSet::from_iter([row]);
            let mut due = vec![Below {
                further: Some(row),
                number: 1,
                why: Vec::new(),
            }];
            while let Some(Below {
                further,
                number,
                why,
            }) = due.pop()
            {
                let Some(var) = further else {
                    found.push(Multiple { row, number, why });
                    continue;
                };
                let mut next = self.rows.nodes.at(var).operands;
                while let Some(at) = next {
                    next = self.rows.inequalities.at(at).next_operand;
                    let below = self.below(at, var, number, &why);
                    due.extend(below.filter(|below| match below.further {
                        Some(further) => seen.len() < LOOKED_AT && seen.insert(further),
                        None => true,
                    }));
                }
            }
        }
        found
    }

    /// Returns the row on the left of an inequality beyond the axes that face known ones of this variable on the right;
    /// `None` where the size of an axis is not known.
    fn below(
        &mut self,
        at: InequalityId,
        var: RowVarId,
        number: u64,
        why: &[Reason],
    ) -> Option<Below> {
        let inequality = self.rows.inequalities.get(at);
        let right = self.row(inequality.row.right());
        if right.var != Some(var) {
            return None;
        }
        let left = self.spell(inequality.row).ok()?;
        let node = self.rows.nodes.get(var);
        let mut why = why.to_vec();
        why.push(inequality.reason);
        why.extend(left.reason);
        let reasons = [Flank::Leading, Flank::Trailing].map(|flank| node.length_reasons[flank]);
        why.extend(reasons.into_iter().flatten());
        let facing = |flank| (right.flank(flank) + node.len[flank]) as usize;
        let leading = left.lead.iter().skip(facing(Flank::Leading));
        let trailing = left.trail.iter().skip(facing(Flank::Trailing));
        let axes: Vec<Term> = leading.chain(trailing).copied().collect();
        let mut number = number;
        for axis in axes {
            number = number.checked_mul(self.size_of(axis)?)?;
            self.reasons_of(axis, &mut why);
        }
        Some(Below {
            further: left.open,
            number,
            why,
        })
    }
}

impl Residue {
    /// States that open rows among factors count divisors of known numbers.
    pub(super) fn state_multiples(&mut self, multiples: Vec<Multiple>) {
        for Multiple { row, number, why } in multiples {
            let Some(others) = self.counted_of(row) else {
                continue;
            };
            let beyond = self.store.size();
            let product = Composite {
                composition: Composition::Product,
                whole: self.number(number),
                parts: vec![others, beyond],
            };
            let reason = self.reason(why);
            self.state_composite(&product, 0, reason);
        }
    }
}
