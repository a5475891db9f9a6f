//! Def. 4.5 as printed: facts about ranks, in one graph.

use super::RowLe;
use super::totals::{self, of_rank};
use lozenge_spec::firing::{Firing, Fresh, Value};
use lozenge_spec::rules::RULES;
use lozenge_vocabulary::term::RowTerm;

fn without_facts(mut firing: Firing) -> Firing {
    firing.facts.clear();
    firing
}

/// Applies equality of rows without rank facts.
pub fn row_eq_without_facts(left: &RowTerm, right: &RowTerm) -> Firing {
    without_facts((RULES.row_eq)(left, right))
}

/// Applies Def. 4.5(1): solving `ρ ↦ l · ⟨ρ'⟩ · r` records the weight `|l| + |r|`.
fn with_binding_fact(firing: Firing) -> Firing {
    let bound = firing.binds.as_ref().map(|binding| binding.value.clone());
    match bound {
        Some(Value::Row(var, term)) => {
            let rest = term.var.as_ref();
            let fact = rest.map(|rest| of_rank(&var, rest, term.explicit()));
            firing.records(fact)
        }
        _ => firing,
    }
}

/// Applies equality of rows with a fact about ranks for each binding.
pub fn row_eq_of_ranks(left: &RowTerm, right: &RowTerm) -> Firing {
    with_binding_fact(row_eq_without_facts(left, right))
}

/// Def. 4.3 by flanks, but the facts of the constraint and of the binding are about ranks.
#[derive(Debug)]
pub struct OfRanks;

impl RowLe for OfRanks {
    fn row_le(result: &RowTerm, operand: &RowTerm, fresh: Fresh) -> Firing {
        let firing = without_facts((RULES.row_le)(result, operand, fresh));
        with_binding_fact(firing.records(totals::facts(result, operand)))
    }
}
