//! Printed rules that contradict a printed definition, exactly as printed. Only the claims run them, to show how they
//! are wrong.
//!
//! A variant of the calculus is a record of rules like [`RULES`], with other entries where the document prints other
//! rules.

mod closing;
mod facts;
mod totals;

use std::marker::PhantomData;

use lozenge_spec::bounds::Bounds;
use lozenge_spec::firing::{Firing, Fresh};
use lozenge_spec::rules::{RULES, Rules};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::term::{DimTerm, RowTerm};

pub use closing::{lowest_by_name, named, reversed};
pub use facts::{OfRanks, row_eq_of_ranks, row_eq_without_facts};
pub use totals::ByTotals;

/// Every rule as printed: Def. 4.3 compares totals, a constraint whose result has grown goes to the end of the queue
/// (Def. 4.4), caps are not forwarded (Def. 4.2), and leaves close in the order of their names (Def. 6.1(1)).
pub const PRINTED: Rules = Rules {
    dim_le: caps_stay,
    row_le: Requeued::<ByTotals>::row_le,
    close: named,
    ..RULES
};

/// The same, but Def. 4.3 compares flanks. The facts of Def. 4.5 are about ranks.
pub const PRINTED_BY_FLANKS: Rules = Rules {
    row_eq: row_eq_of_ranks,
    row_le: Requeued::<OfRanks>::row_le,
    ..PRINTED
};

/// The same, but the facts of Def. 4.5 are about flanks as well.
pub const PRINTED_WITH_FACTS_BY_FLANKS: Rules = Rules {
    row_le: Requeued::<ByFlanks>::row_le,
    ..PRINTED
};

/// A rule for `R_res ⊑ R_op`. It is a type, so that [`Requeued`] and [`Unguarded`] can modify it.
pub trait RowLe {
    /// Returns the conclusion of the rule.
    fn row_le(result: &RowTerm, operand: &RowTerm, fresh: Fresh) -> Firing;
}

/// Def. 4.3 as in the calculus: each flank is compared separately.
#[derive(Debug)]
pub struct ByFlanks;

impl RowLe for ByFlanks {
    fn row_le(result: &RowTerm, operand: &RowTerm, fresh: Fresh) -> Firing {
        (RULES.row_le)(result, operand, fresh)
    }
}

/// Def. 4.3(iv) with Def. 4.4: a constraint that made its result grow goes to the end of the queue.
#[derive(Debug)]
pub struct Requeued<R>(PhantomData<R>);

impl<R: RowLe> RowLe for Requeued<R> {
    fn row_le(result: &RowTerm, operand: &RowTerm, fresh: Fresh) -> Firing {
        let mut firing = R::row_le(result, operand, fresh);
        if std::mem::take(&mut firing.again) {
            firing = firing.emits([Constraint::RowLe(result.clone(), operand.clone())]);
        }
        firing
    }
}

/// Def. 4.3 without Def. 4.5: no rank facts, so no cycle check. To be combined with [`row_eq_without_facts`].
#[derive(Debug)]
pub struct Unguarded<R>(PhantomData<R>);

impl<R: RowLe> RowLe for Unguarded<R> {
    fn row_le(result: &RowTerm, operand: &RowTerm, fresh: Fresh) -> Firing {
        let mut firing = R::row_le(result, operand, fresh);
        firing.facts.clear();
        firing
    }
}

/// Applies DI-cap and DI-adj of Def. 4.2 as printed: a cap is recorded but not forwarded along adjacencies.
pub fn caps_stay(result: &DimTerm, operand: &DimTerm, bounds: &Bounds) -> Firing {
    let mut firing = (RULES.dim_le)(result, operand, bounds);
    if firing.stores.is_some() {
        firing.emits.clear();
    }
    firing
}
