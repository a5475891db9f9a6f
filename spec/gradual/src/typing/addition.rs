//! The rule of `add`.

use lozenge_gradual_vocabulary::Type;

use super::{OfAddition, Reading};
use crate::printed_functions::apply_broadcasting;
use crate::relations::{bound_star, consistent};

/// ```text
/// Γ ⊢ e1 : t1    Γ ⊢ e2 : t2    (τ1, τ2) = apply-broadcasting(t1, t2)    τ1 ~ τ2
/// ⟹ Γ ⊢ add(e1, e2) : τ1 ⊔* τ2
/// ```
#[must_use]
pub fn t_add(_: &Reading, (left, right): &OfAddition) -> Option<Type> {
    let (left, right) = apply_broadcasting(left, right);
    if !consistent(&left, &right) {
        return None;
    }
    bound_star(&left, &right)
}

/// The rule is as printed: nothing against it was found.
#[must_use]
pub fn t_add_repaired(reading: &Reading, reads: &OfAddition) -> Option<Type> {
    t_add(reading, reads)
}
