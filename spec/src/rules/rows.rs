//! Def. 4.3: the row rules, with the rank facts of Def. 4.5.
//!
//! The printed inequalities compare totals. The marked order (Def. 2.3) compares each flank separately, so here each flank
//! has its own surplus or deficit, and rank facts are facts about flanks.

use crate::clash::Clash;
use crate::firing::{Choice, Firing, Fresh, RankFact, by};
use lozenge_vocabulary::alignment::{Aligned, Flank, Flanks, aligned, inherited_split, total};
use lozenge_vocabulary::constraint::Constraint::{self, DimEq, DimLe, RowEq, RowLe};
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, RowTerm, RowVar};

fn equal<'a>(facing: impl IntoIterator<Item = (&'a DimTerm, &'a DimTerm)>) -> Vec<Constraint> {
    let pair = |(a, b): (&DimTerm, &DimTerm)| DimEq(a.clone(), b.clone());
    facing.into_iter().map(pair).collect()
}

fn below<'a>(facing: impl IntoIterator<Item = (&'a DimTerm, &'a DimTerm)>) -> Vec<Constraint> {
    let pair = |(a, b): (&DimTerm, &DimTerm)| DimLe(a.clone(), b.clone());
    facing.into_iter().map(pair).collect()
}

fn around([leading, trailing]: Flanks<DimTerm>, var: Option<&RowVar>) -> RowTerm {
    RowTerm {
        leading: leading.to_vec(),
        var: var.cloned(),
        trailing: trailing.to_vec(),
    }
}

/// The facts that `from` is longer than `to` on each flank, by at least these lengths.
fn longer(from: &RowVar, to: &RowVar, by: [usize; 2]) -> [RankFact; 2] {
    [(Flank::Leading, by[0]), (Flank::Trailing, by[1])].map(|(flank, by)| RankFact {
        flank,
        from: from.clone(),
        to: to.clone(),
        by,
    })
}

/// `R₁ ≈ R₂`
pub fn row_eq(left: &RowTerm, right: &RowTerm) -> Firing {
    let Aligned {
        facing,
        left: surplus,
        right: other,
    } = aligned(left.flanks(), right.flanks());
    match (&left.var, &right.var) {
        // (a) both sides closed: fail iff the ranks differ; else the flat zip
        (None, None) if left.explicit() != right.explicit() => {
            by(Rule::ReClosed).fails(Clash::Ranks(left.explicit(), right.explicit()))
        }
        (None, None) => by(Rule::ReClosed).emits(equal(left.axes().zip(right.axes()))),
        // (b) one side open
        (Some(var), None) => open_closed(left, var, right),
        (None, Some(var)) => open_closed(right, var, left),
        // (d) ρ₁ = ρ₂: discard if the surpluses are empty
        (Some(a), Some(b)) if a == b && total(surplus) + total(other) == 0 => {
            by(Rule::ReSame).emits(equal(facing))
        }
        // (d) unequal totals: no finite row satisfies the equation
        (Some(a), Some(b)) if a == b && total(surplus) != total(other) => {
            by(Rule::ReSame).fails(Clash::LongerThanItself(a.clone()))
        }
        // (d) equal totals but shifted splits: the word equation waits
        (Some(a), Some(b)) if a == b => by(Rule::ReRotational)
            .emits(equal(facing))
            .defers(RowEq(around(surplus, Some(a)), around(other, Some(b)))),
        // (c) nested surpluses: bind ρ₁ ↦ m_l · ⟨ρ₂⟩ · m_r
        (Some(a), Some(b)) if total(surplus) == 0 => nested(a, b, other).emits(equal(facing)),
        (Some(a), Some(b)) if total(other) == 0 => nested(b, a, surplus).emits(equal(facing)),
        // (c) split surpluses: the word equation waits
        (Some(a), Some(b)) => by(Rule::ReSplit)
            .emits(equal(facing))
            .defers(RowEq(around(surplus, Some(a)), around(other, Some(b)))),
    }
}

/// (b) fail iff |l₁| + |r₁| > |l₂| + |r₂|; else the explicit flanks zip against the flattening, and the variable is the
/// uncovered middle, split where the closed side declares it, at the left edge otherwise. An empty middle leaves
/// nothing to choose.
fn open_closed(open: &RowTerm, var: &RowVar, closed: &RowTerm) -> Firing {
    let flat: Vec<&DimTerm> = closed.axes().collect();
    let Some(middle) = flat.len().checked_sub(open.explicit()) else {
        return by(Rule::ReOpenClosed).fails(Clash::Overflow {
            open: open.explicit(),
            closed: flat.len(),
        });
    };
    let (start, end) = (open.leading.len(), open.leading.len() + middle);
    let split = inherited_split(start..=end, closed.leading.len());
    let part = |range: std::ops::Range<usize>| flat[range].iter().copied().cloned().collect();
    let value = RowTerm::closed(part(start..split), part(split..end));
    let choice = if middle == 0 {
        Choice::Nothing
    } else {
        Choice::Placement
    };
    let fronts = open.leading.iter().zip(flat[..start].iter().copied());
    let backs = open.trailing.iter().zip(flat[end..].iter().copied());
    by(Rule::ReOpenClosed)
        .binds_row(var, value, choice)
        .emits(equal(fronts.chain(backs)))
}

/// The lengths of the flanks follow from the content and the place of the marker together (Def. 4.5(1)).
fn nested(outer: &RowVar, inner: &RowVar, surplus: Flanks<DimTerm>) -> Firing {
    by(Rule::ReNested)
        .records(longer(outer, inner, surplus.map(<[_]>::len)))
        .binds_row(outer, around(surplus, Some(inner)), Choice::Placement)
}

/// `R_res ⊑ R_op` in the marked order.
pub fn row_le(result: &RowTerm, operand: &RowTerm, mut fresh: Fresh) -> Firing {
    let deficit = aligned(result.flanks(), operand.flanks())
        .right
        .map(<[_]>::len);
    match &result.var {
        // (iii) result closed and shorter than the operand's known flanks: fail
        None if deficit != [0, 0] => by(Rule::RiShort).fails(Clash::short(result, operand)),
        // (iv) result open and shorter: grow by exactly the deficit, with fresh variables, then reprocess. It is reprocessed
        // at once: if it went back into Φ, the fact that ties the new variable to the operand's could be postponed forever.
        Some(var) if deficit != [0, 0] => {
            let mut axes = |count| (0..count).map(|_| fresh.dim(var.name()).into()).collect();
            let (leading, trailing) = (axes(deficit[0]), axes(deficit[1]));
            let rest = fresh.row(var.name());
            by(Rule::RiDeficit)
                .records(facts(result, operand))
                .records(longer(var, &rest, deficit))
                .binds_row(var, RowTerm::open(leading, rest, trailing), Choice::Nothing)
                .then_again()
        }
        _ => fitting(result, operand).records(facts(result, operand)),
    }
}

/// Def. 4.5(2), (3) with its sign discipline: a flank in surplus entails only a nonpositive bound, so no fact is recorded.
fn facts(result: &RowTerm, operand: &RowTerm) -> Vec<RankFact> {
    let rows = aligned(result.flanks(), operand.flanks());
    let (Some(low), Some(high)) = (&result.var, &operand.var) else {
        return Vec::new();
    };
    let each = longer(low, high, rows.right.map(<[_]>::len));
    let in_surplus = rows.left.map(|surplus| !surplus.is_empty());
    each.into_iter()
        .zip(in_surplus)
        .filter(|(_, more)| !more)
        .map(|(fact, _)| fact)
        .collect()
}

/// (i) and (ii): no flank of the result is shorter than the operand's.
pub fn fitting(result: &RowTerm, operand: &RowTerm) -> Firing {
    let rows = aligned(result.flanks(), operand.flanks());
    match &operand.var {
        // (ii) operand closed: the result's axes beyond its flanks face inserted units and are unconstrained
        None => by(Rule::RiClosedOperand).emits(below(rows.facing)),
        // (i) operand open: the result's interior residue is a cap on ρ_op; ⟨ρ⟩ ⊑ ⟨ρ⟩ says nothing
        Some(var) => {
            let residue = around(rows.left, result.var.as_ref());
            let cap = by(Rule::RiCap).emits(below(rows.facing));
            if residue == RowTerm::from(var.clone()) {
                cap
            } else {
                cap.stores(RowLe(residue, var.clone().into()))
            }
        }
    }
}
