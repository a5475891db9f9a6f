//! The one-shot reading of `R_res ⊑ R_op` (Rem. 2.15(ii)): the result is its flat content, so its axes face the
//! operand's across its own marker.

use super::rows::fitting;
use crate::clash::Clash;
use crate::firing::{Firing, Fresh, by};
use lozenge_vocabulary::alignment::aligned;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, RowTerm};

/// `R_res ⊑¹ R_op`
pub fn row_le(result: &RowTerm, operand: &RowTerm, _: Fresh) -> Firing {
    let deficit = aligned(result.flanks(), operand.flanks()).right;
    match &result.var {
        None => match split(result, operand) {
            Some(flat) => fitting(&flat, operand),
            None => by(Rule::RiShort).fails(Clash::FewAxes {
                result: result.explicit(),
                operand: operand.explicit(),
            }),
        },
        Some(_) if deficit.iter().all(|flank| flank.is_empty()) => fitting(result, operand),
        // The rank of the result's variable decides on which result axes a longer operand flank lies, so nothing is
        // concluded before it is known.
        Some(_) => by(Rule::RiDeficit).defers(Constraint::RowLe(result.clone(), operand.clone())),
    }
}

/// Returns the closed result with its marker moved so that the operand's flanks fit. `None` when it has too few axes.
fn split(result: &RowTerm, operand: &RowTerm) -> Option<RowTerm> {
    let flat: Vec<DimTerm> = result.axes().cloned().collect();
    let last = flat.len().checked_sub(operand.trailing.len())?;
    let first = operand.leading.len();
    (first <= last).then(|| {
        let split = result.leading.len().clamp(first, last);
        RowTerm::closed(flat[..split].to_vec(), flat[split..].to_vec())
    })
}
