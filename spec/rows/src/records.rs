//! The records of facts about sizes in B (§8): they are constraints of the notation itself.

use std::num::NonZeroU64;

use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::term::{DimTerm, DimVar};
use lozenge_vocabulary::window::{Mode, Window};

fn window(axis: DimTerm, over: DimTerm, taps: Vec<(NonZeroU64, DimTerm)>) -> Constraint {
    Constraint::Window(Window {
        axis,
        stride: NonZeroU64::MIN,
        over,
        taps,
        phase: 0,
        mode: Mode::Exact,
        low: 0,
        high: 0,
    })
}

/// Returns `α = 1*α`: α is an atom.
pub fn is_atom(var: &DimVar) -> Constraint {
    let term = || DimTerm::from(var.clone());
    window(term(), term(), Vec::new())
}

/// Returns `n = 1*1 + α`: the size of α is n.
pub fn has_size(var: &DimVar, size: NonZeroU64) -> Constraint {
    let atom = |size| Dim::Atom {
        size,
        basis: Basis::Default,
    };
    let tap = (NonZeroU64::MIN, DimTerm::from(var.clone()));
    let (whole, one) = (atom(size), atom(NonZeroU64::MIN));
    window(whole.into(), one.into(), vec![tap])
}
