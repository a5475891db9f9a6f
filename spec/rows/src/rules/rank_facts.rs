//! The facts of Def. 4.5 that the row rules record, flank by flank.

use crate::firing::RankFact;
use lozenge_vocabulary::alignment::{Flank, aligned};
use lozenge_vocabulary::term::{RowTerm, RowVar};

/// Returns the facts that `from` is longer than `to` on each flank, by at least these lengths.
pub(super) fn longer(from: &RowVar, to: &RowVar, by: [usize; 2]) -> [RankFact; 2] {
    [(Flank::Leading, by[0]), (Flank::Trailing, by[1])].map(|(flank, by)| RankFact {
        flank,
        from: from.clone(),
        to: to.clone(),
        by,
    })
}

/// Returns the facts that `R_res ⊑ R_op` entails about the two row variables: Def. 4.5(2), (3) with its sign
/// discipline. A flank in surplus entails only a nonpositive bound, so no fact is recorded.
pub(super) fn entailed(result: &RowTerm, operand: &RowTerm) -> Vec<RankFact> {
    let (Some(low), Some(high)) = (&result.var, &operand.var) else {
        return Vec::new();
    };
    let rows = aligned(result.flanks(), operand.flanks());
    let facts = longer(low, high, rows.right.map(<[_]>::len));
    let by_flank = facts.into_iter().zip(rows.left);
    let recorded = by_flank.filter(|(_, surplus)| surplus.is_empty());
    recorded.map(|(fact, _)| fact).collect()
}
