//! Source constraints (Fig. 4).

use lozenge_gradual_vocabulary::Type;

use super::target::{DimensionVariable, TypeVariable};
use crate::printed_functions::Convolution;

/// A source constraint. Gen makes a conjunction of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// `x = [[x]]`
    Same(TypeVariable, TypeVariable),
    /// `[[e]] = τ`
    Is(TypeVariable, Type),
    /// `τ ⊑ x`
    Precise(Type, TypeVariable),
    /// `|v| ≤ 4`
    Bounded(TypeVariable),
    /// `D ~ ζ`
    ConsistentNumber(u64, DimensionVariable),
    /// `⟨e1⟩ ~ ⟨e2⟩`
    Consistent(TypeVariable, TypeVariable),
    /// `[[e]] ▷ TensorType(ζ1, ζ2, ζ3, ζ4)`
    Matches(TypeVariable, [DimensionVariable; 4]),
    /// `[[e]] = ⟨e1⟩ ⊔* ⟨e2⟩`
    Bound(TypeVariable, TypeVariable, TypeVariable),
    /// `can-reshape([[e]], δ)`
    CanReshape(TypeVariable, Type),
    /// `[[e]] = calc-conv([[e']], c_out, κ)`, where e' matches the dimensions.
    Convolved(TypeVariable, [DimensionVariable; 4], Convolution),
    /// `⟨e1⟩, ⟨e2⟩ = apply-broadcasting([[e1]], [[e2]])`
    Broadcast {
        /// `⟨e1⟩, ⟨e2⟩`
        sides: [TypeVariable; 2],
        /// `[[e1]], [[e2]]`
        of: [TypeVariable; 2],
    },
}
