//! Row terms of a given shape whose axes are all different variables, for proofs about every constraint of that shape.

use crate::machinery::Effort;
use lozenge_vocabulary::{DimTerm, DimVar, RowTerm, RowVar};

/// Returns the longest flank of the shapes that are tried.
pub fn longest(effort: Effort) -> usize {
    if effort == Effort::Quick { 1 } else { 3 }
}

/// Returns a term with these flanks whose axes are variables that occur nowhere else.
pub fn term(prefix: &str, (leading, trailing): (usize, usize), var: Option<&str>) -> RowTerm {
    let axes = |side: &str, n: usize| {
        (0..n)
            .map(|i| DimTerm::Var(DimVar::new(&format!("{prefix}{side}{i}"))))
            .collect()
    };
    RowTerm {
        leading: axes("l", leading),
        var: var.map(RowVar::new),
        trailing: axes("t", trailing),
    }
}
