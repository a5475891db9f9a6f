//! Def. 4.2: the dimension rules, and the admissible DI-antisym of §10.

use crate::bounds::Bounds;
use crate::clash::Clash;
use crate::firing::{Choice, Firing, by};
use lozenge_vocabulary::constraint::Constraint::{self, DimEq, DimLe};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::DimTerm::{self, Const, Var};
use lozenge_vocabulary::term::DimVar;

const UNIT: DimTerm = Const(Dim::Unit);

fn equal(var: &DimVar, term: DimTerm) -> Constraint {
    DimEq(Var(var.clone()), term)
}

fn below(atom: &Dim, var: &DimVar) -> Constraint {
    DimLe(Const(atom.clone()), Var(var.clone()))
}

/// `t = t'`
pub fn dim_eq(left: &DimTerm, right: &DimTerm) -> Firing {
    match (left, right) {
        // DE-refl    t = t                                          discard
        (t, u) if t == u => by(Rule::DeRefl),
        // DE-clash   n_b = m_c, (n,b) ≠ (m,c) (incl. atom vs 1∅)    fail
        (Const(a), Const(b)) => by(Rule::DeClash).fails(Clash::Unequal(a.clone(), b.clone())),
        // DE-bind    α = t, t ≠ α                                   bind α ↦ t
        (Var(var), term) | (term, Var(var)) => {
            by(Rule::DeBind).binds_dim(var, term.clone(), Choice::Nothing)
        }
    }
}

/// `t ⊑ t'`. Beside what is printed, caps travel: an atom below `α` is also below all that is above `α` (Rem. 6.3).
pub fn dim_le(result: &DimTerm, operand: &DimTerm, bounds: &Bounds) -> Firing {
    match (result, operand) {
        // DI-top     t ⊑ 1∅                      discard
        (_, Const(Dim::Unit)) => by(Rule::DiTop),
        // DI-refl    t ⊑ t                       discard
        (t, u) if t == u => by(Rule::DiRefl),
        // DI-ground  d ⊑ d' ground               check Def. 1.2; else fail
        (Const(low), Const(high)) => by(Rule::DiGround).fails(Clash::not_below(low, high)),
        // DI-pin     α ⊑ d, d an atom            replace by α = d
        (Var(var), Const(_)) => by(Rule::DiPin).emits([equal(var, operand.clone())]),
        // DI-pin-top 1∅ ⊑ α                      replace by α = 1∅
        (Const(Dim::Unit), Var(var)) => by(Rule::DiPinTop).emits([equal(var, UNIT)]),
        // AR-pin     t ⊑ α, α an atom (§8)       replace by t = α
        (_, Var(var)) if let Some(why) = bounds.atom(var) => {
            let pinned = DimEq(result.clone(), operand.clone());
            by(Rule::ArPin).because(why).emits([pinned])
        }
        // DI-cap     d ⊑ α, d an atom            if lb(α) unset: record; if = d: discard;
        //                                        if = d' ≠ d: replace by α = 1∅
        (Const(atom), Var(var)) => match bounds.lower_bound(var) {
            None => {
                let above = bounds.above(var);
                let forwarded = above.map(|(high, why)| (below(atom, high), why.clone()));
                by(Rule::DiCap).stores(below(atom, var)).forwards(forwarded)
            }
            Some((known, _)) if known == atom => by(Rule::DiCap),
            Some((_, why)) => by(Rule::DiCap).because(why).emits([equal(var, UNIT)]),
        },
        (Var(low), Var(high)) => match bounds.path(high, low) {
            // DI-antisym α ⊑ β where β ⊑ … ⊑ α       replace by α = β
            Some(why) => {
                let same = equal(low, operand.clone());
                by(Rule::DiAntisym).because(&why).emits([same])
            }
            // DI-adj     α ⊑ β, α ≠ β                defer (record adjacency on both)
            None => {
                let forwarded = bounds.lower_bound(low);
                let forwarded = forwarded.map(|(atom, why)| (below(atom, high), why.clone()));
                let adjacency = DimLe(result.clone(), operand.clone());
                by(Rule::DiAdj).stores(adjacency).forwards(forwarded)
            }
        },
    }
}
