//! Def. 4.3(i) to (iv) as printed: both sides are compared by the totals of their flanks.

use super::RowLe;
use lozenge_spec::clash::Clash;
use lozenge_spec::firing::{Choice, Firing, Fresh, RankFact, by};
use lozenge_spec::rules::rows::fitting;
use lozenge_vocabulary::alignment::{Flank, aligned};
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{RowTerm, RowVar};

/// Def. 4.3 by totals: the cases depend on whether the result has enough axes in total to "supply" the operand's
/// flanks.
#[derive(Debug)]
pub struct ByTotals;

impl RowLe for ByTotals {
    fn row_le(result: &RowTerm, operand: &RowTerm, mut fresh: Fresh) -> Firing {
        let deficit = operand.explicit().saturating_sub(result.explicit());
        match &result.var {
            // (iii) result closed and shorter than the operand's known flanks: fail
            None if deficit > 0 => by(Rule::RiShort).fails(Clash::FewAxes {
                result: result.explicit(),
                operand: operand.explicit(),
            }),
            // (iv) as many axes as clear the total deficit, those of the leading flank first
            Some(var) if deficit > 0 => {
                let lacking = aligned(result.flanks(), operand.flanks()).right[0].len();
                let front = lacking.min(deficit);
                let mut axes = |count| (0..count).map(|_| fresh.dim(var.name()).into()).collect();
                let (leading, trailing) = (axes(front), axes(deficit - front));
                let rest = fresh.row(var.name());
                by(Rule::RiDeficit)
                    .records(facts(result, operand))
                    .records([of_rank(var, &rest, deficit)])
                    .binds_row(var, RowTerm::open(leading, rest, trailing), Choice::Nothing)
                    .then_again()
            }
            // (i), (ii) the axes of the result beyond the overlaps form the cap, or are discarded
            _ => fitting(result, operand).records(facts(result, operand)),
        }
    }
}

/// Returns the fact of Def. 4.5(2), (3): a weight of 0 at equal totals, the deficit otherwise, nothing at a surplus.
pub fn facts(result: &RowTerm, operand: &RowTerm) -> Option<RankFact> {
    let (low, high) = (result.var.as_ref()?, operand.var.as_ref()?);
    let weight = operand.explicit().checked_sub(result.explicit())?;
    Some(of_rank(low, high, weight))
}

/// Returns a fact about ranks, as the document has it: one graph, that of the leading flanks, serves for both flanks.
pub fn of_rank(from: &RowVar, to: &RowVar, by: usize) -> RankFact {
    RankFact {
        flank: Flank::Leading,
        from: from.clone(),
        to: to.clone(),
        by,
    }
}
