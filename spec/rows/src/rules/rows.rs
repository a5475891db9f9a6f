//! Def. 4.3: the row rules, with the rank facts of Def. 4.5. Above each arm stand the lines that the document prints
//! for it.
//!
//! The printed inequalities compare totals. The marked order (Def. 2.3) compares each flank separately, so here each
//! flank has its own surplus or deficit, and rank facts are facts about flanks.

use crate::clash::Clash;
use crate::firing::{Choice, Firing, Fresh, by};
use crate::rules::rank_facts::{entailed, longer};
use lozenge_vocabulary::alignment::{Aligned, Flanks, aligned, inherited_split, total};
use lozenge_vocabulary::constraint::Constraint::{RowEq, RowLe};
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, RowTerm, RowVar};

/// Returns the row with these flanks around this variable.
fn around([leading, trailing]: Flanks<DimTerm>, var: Option<&RowVar>) -> RowTerm {
    RowTerm {
        leading: leading.to_vec(),
        var: var.cloned(),
        trailing: trailing.to_vec(),
    }
}

/// `R₁ ≈ R₂`. Emit dimension equalities on the overlapping aligned flank positions. Let the surpluses (the unmatched
/// inner segments of the longer flanks) be `m_l`, `m_r`.
pub fn row_eq(left: &RowTerm, right: &RowTerm) -> Firing {
    let rows = aligned(left.flanks(), right.flanks());
    let (surplus, other) = (total(rows.left), total(rows.right));
    match (&left.var, &right.var) {
        // (a) both sides closed: fail iff the ranks differ;
        (None, None) if left.explicit() != right.explicit() => {
            by(Rule::ReClosed).fails(Clash::Ranks(left.explicit(), right.explicit()))
        }
        // at equal rank the constraint is the flat zip flat(R₁)[i] = flat(R₂)[i]
        (None, None) => by(Rule::ReClosed).equates(left.axes().zip(right.axes())),
        // (b) one side open with variable ρ, the other closed: its lines stand at `open_closed`
        (Some(var), None) => open_closed(left, var, right),
        (None, Some(var)) => open_closed(right, var, left),
        // (d) both open with ρ₁ = ρ₂: discard if surpluses empty, else fail
        (Some(a), Some(b)) if a == b && surplus + other == 0 => {
            by(Rule::ReSame).equates(rows.facing)
        }
        // Unequal known flank totals (occurs check): no finite row satisfies ρ ≈ m_l · ⟨ρ⟩ · m_r with m_l · m_r
        // nonempty
        (Some(a), Some(b)) if a == b && surplus != other => {
            by(Rule::ReSame).fails(Clash::LongerThanItself(a.clone()))
        }
        // Equal totals but shifted splits (rotational case): the residue is the word equation x · t = s · x […]
        // Rather than fail, the rotational case defers into the closing policy: the equation stays in flight
        (Some(a), Some(b)) if a == b => in_flight(Rule::ReRotational, rows, a, b),
        // (c) both open, ρ₁ ≠ ρ₂. Nested surpluses (both on the side of ρ₂'s term): bind ρ₁ ↦ m_l · ⟨ρ₂⟩ · m_r
        (Some(a), Some(b)) if surplus == 0 => nested(a, b, rows.right).equates(rows.facing),
        (Some(a), Some(b)) if other == 0 => nested(b, a, rows.left).equates(rows.facing),
        // Split surpluses (one leading surplus on one side, one trailing on the other): the residue is the two-variable
        // word equation s · x₁ = x₂ · t […] The rule therefore defers into the closing policy, like (d) below: the
        // equation stays in flight
        (Some(a), Some(b)) => in_flight(Rule::ReSplit, rows, a, b),
    }
}

/// (b) one side open with variable `ρ`, the other closed: fail iff `|l₁| + |r₁| > |l₂| + |r₂|` (total overflow […]).
/// Otherwise the open side's explicit flanks zip against the closed side's flattening from the outer edges, and the
/// variable's flat content is entailed: the uncovered middle `m` of `flat(R_closed)`. […] The rule commits the closed
/// side's declared split where it falls inside `m`, the left edge otherwise.
///
/// An empty middle leaves nothing to choose. Where the declared split falls behind `m` its right edge is committed
/// instead of the left one, so that the mirror image of a set has the mirrored solution; a row in which no place is
/// written declares its front.
fn open_closed(open: &RowTerm, var: &RowVar, closed: &RowTerm) -> Firing {
    let flat: Vec<&DimTerm> = closed.axes().collect();
    let Some(middle) = flat.len().checked_sub(open.explicit()) else {
        return by(Rule::ReOpenClosed).fails(Clash::overflow(open, closed));
    };
    let (start, end) = (open.leading.len(), open.leading.len() + middle);
    let split = inherited_split(start..=end, closed.leading.len());
    let part = |range: std::ops::Range<usize>| flat[range].iter().copied().cloned().collect();
    let value = RowTerm::closed(part(start..split), part(split..end));
    let choice = match middle {
        0 => Choice::Nothing,
        _ => Choice::Placement,
    };
    let fronts = open.leading.iter().zip(flat[..start].iter().copied());
    let backs = open.trailing.iter().zip(flat[end..].iter().copied());
    by(Rule::ReOpenClosed)
        .binds_row(var, value, choice)
        .equates(fronts.chain(backs))
}

/// The lengths of the flanks follow from the content and the place of the marker together (Def. 4.5(1)).
fn nested(outer: &RowVar, inner: &RowVar, surplus: Flanks<DimTerm>) -> Firing {
    by(Rule::ReNested)
        .records(longer(outer, inner, surplus.map(<[_]>::len)))
        .binds_row(outer, around(surplus, Some(inner)), Choice::Placement)
}

/// A word equation: the axes that face each other are equal, and the surpluses wait.
fn in_flight(rule: Rule, rows: Aligned<DimTerm>, left: &RowVar, right: &RowVar) -> Firing {
    let left = around(rows.left, Some(left));
    let right = around(rows.right, Some(right));
    by(rule).equates(rows.facing).defers(RowEq(left, right))
}

/// `R_res ⊑ R_op` in the marked order. Emit dimension inequalities `t_res ⊑ t_op` on aligned flank overlaps. Then:
pub fn row_le(result: &RowTerm, operand: &RowTerm, mut fresh: Fresh) -> Firing {
    let rows = aligned(result.flanks(), operand.flanks());
    let deficit = rows.right.map(<[_]>::len);
    match &result.var {
        // (iii) result closed and shorter than the operand's known flanks: fail (genuine rank mismatch).
        None if deficit != [0, 0] => by(Rule::RiShort).fails(Clash::short(result, operand)),
        // (iv) result open and shorter than the operand's known flanks (deficit k > 0): deficit rule — bind ρ_res ↦ α₁
        // ⋯ α_{k_l} · ⟨ρ'⟩ · β₁ ⋯ β_{k_r} with fresh dimension variables and a fresh row variable, sized to clear the
        // deficit, then reprocess.
        //
        // It is reprocessed at once: if it went back into Φ, the fact that ties the new variable to the operand's could
        // be postponed forever.
        Some(var) if deficit != [0, 0] => {
            let mut axes = |count| (0..count).map(|_| fresh.dim(var.name()).into()).collect();
            let (leading, trailing) = (axes(deficit[0]), axes(deficit[1]));
            let rest = fresh.row(var.name());
            by(Rule::RiDeficit)
                .records(entailed(result, operand))
                .records(longer(var, &rest, deficit))
                .binds_row(var, RowTerm::open(leading, rest, trailing), Choice::Nothing)
                .then_again()
        }
        _ => fitting(result, operand).records(entailed(result, operand)),
    }
}

/// (i) and (ii): no flank of the result is shorter than the operand's.
pub fn fitting(result: &RowTerm, operand: &RowTerm) -> Firing {
    let rows = aligned(result.flanks(), operand.flanks());
    match &operand.var {
        // (ii) operand closed, result rank ≥ operand flanks: the operand's interior in the expansion is 1∅; the
        // corresponding result positions are unconstrained — discard them.
        None => by(Rule::RiClosedOperand).orders(rows.facing),
        // (i) operand open, result supplies ≥ the operand's flanks: record the result's interior residue (a row term;
        // open if the result is) as a cap on ρ_op. ⟨ρ⟩ ⊑ ⟨ρ⟩ says nothing and is not recorded.
        Some(var) => {
            let (residue, var) = (around(rows.left, result.var.as_ref()), var.clone().into());
            let cap = by(Rule::RiCap).orders(rows.facing);
            match residue == var {
                true => cap,
                false => cap.stores(RowLe(residue, var)),
            }
        }
    }
}
