//! Printed rules that a definition contradicts. Each entry of [`Rules`] that the document prints otherwise is here as printed;
//! the claims run it to show in what way it is wrong, and nothing else does.

mod closing;
mod facts;
mod totals;

use lozenge_spec::bounds::Bounds;
use lozenge_spec::firing::{Firing, Fresh};
use lozenge_spec::rules::{RULES, Rules};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::term::{DimTerm, RowTerm};

/// Which entries of the calculus are run as printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Literal {
    /// Def. 4.3(i) to (iv) compare the totals of both flanks, and so do the facts of Def. 4.5.
    pub totals: bool,
    /// Def. 4.5 records facts about ranks, in one graph, although the rules go by flanks.
    pub rank_facts: bool,
    /// Def. 4.3(iv) with Def. 4.4: a constraint that made its result grow goes to the end of the queue.
    pub requeue: bool,
    /// Def. 4.3 without Def. 4.5: no rank facts, no cycle check.
    pub unguarded: bool,
    /// Def. 4.2's DI-cap and DI-adj: a cap is recorded and does not travel along adjacencies.
    pub caps_stay: bool,
    /// Def. 6.1(1): which leaf is closed next.
    pub closing: ClosingOrder,
}

/// The order in which leaves are closed; the document leaves it free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ClosingOrder {
    /// In rounds, as the calculus does: what is known first, and nothing while its bound can grow.
    #[default]
    Scheduled,
    /// By name, each from its own stored caps alone.
    Named,
    /// By name from the last, each from its own stored caps alone.
    Reversed,
    /// One at a time from below, as Rem. 6.3 asks; of the lowest leaves the first by name.
    Lowest,
}

type RowLe = fn(&RowTerm, &RowTerm, Fresh) -> Firing;

impl Literal {
    /// The calculus with these entries replaced.
    pub fn rules(self) -> Rules {
        Rules {
            dim_le: if self.caps_stay {
                caps_stay
            } else {
                RULES.dim_le
            },
            row_eq: match (self.unguarded, self.rank_facts) {
                (true, _) => facts::row_eq_without,
                (false, true) => facts::row_eq_of_ranks,
                (false, false) => RULES.row_eq,
            },
            row_le: match (self.totals, self.rank_facts) {
                (true, _) => row_le::<TOTALS>(self.unguarded, self.requeue),
                (false, true) => row_le::<RANK_FACTS>(self.unguarded, self.requeue),
                (false, false) => row_le::<FLANKS>(self.unguarded, self.requeue),
            },
            close: match self.closing {
                ClosingOrder::Scheduled => RULES.close,
                ClosingOrder::Named => closing::named,
                ClosingOrder::Reversed => closing::reversed,
                ClosingOrder::Lowest => closing::lowest_by_name,
            },
            ..RULES
        }
    }
}

/// A cap is recorded, and nothing else.
fn caps_stay(result: &DimTerm, operand: &DimTerm, bounds: &Bounds) -> Firing {
    let mut firing = (RULES.dim_le)(result, operand, bounds);
    if firing.stores.is_some() {
        firing.emits.clear();
    }
    firing
}

const FLANKS: u8 = 0;
const RANK_FACTS: u8 = 1;
const TOTALS: u8 = 2;

fn row_le<const BASE: u8>(unguarded: bool, requeue: bool) -> RowLe {
    match (unguarded, requeue) {
        (false, false) => variant::<BASE, false, false>,
        (false, true) => variant::<BASE, false, true>,
        (true, false) => variant::<BASE, true, false>,
        (true, true) => variant::<BASE, true, true>,
    }
}

/// `R_res ⊑ R_op`, without rank facts or with what has grown put at the end of the queue.
fn variant<const BASE: u8, const UNGUARDED: bool, const REQUEUE: bool>(
    result: &RowTerm,
    operand: &RowTerm,
    fresh: Fresh,
) -> Firing {
    let mut firing = match BASE {
        TOTALS => totals::row_le(result, operand, fresh),
        RANK_FACTS => facts::row_le_of_ranks(result, operand, fresh),
        _ => (RULES.row_le)(result, operand, fresh),
    };
    if UNGUARDED {
        firing.facts.clear();
    }
    if REQUEUE && std::mem::take(&mut firing.again) {
        firing = firing.emits([Constraint::RowLe(result.clone(), operand.clone())]);
    }
    firing
}
