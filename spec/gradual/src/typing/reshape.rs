//! The rules of `reshape`.

use lozenge_gradual_vocabulary::{Dimension, Type};
use num_bigint::BigUint;

use super::{ModuloZero, Occurrence, OfReshape, Reading};
use crate::products::{known_product, unknowns};

/// ```text
/// Γ ⊢ e : TensorType(D1, …, Dn)    ∏ D = ∏ U
/// ⟹ Γ ⊢ reshape(e, TensorType(U1, …, Um)) : TensorType(U1, …, Um)
/// ```
#[must_use]
pub fn t_reshape_s(_: &Reading, (of, target): &OfReshape) -> Option<Type> {
    let holds = of.is_static()
        && target.is_static()
        && known_product(of.dimensions()?) == known_product(target.dimensions()?);
    holds.then(|| target.clone())
}

/// ```text
/// Γ ⊢ e : TensorType(σ1, …, σm)    ∏ σ mod ∏ d = 0 ∨ ∏ d mod ∏ σ = 0, of all d and σ that are not Dyn
/// Dyn occurs exactly once in d and σ, or more than once in d
/// ⟹ Γ ⊢ reshape(e, TensorType(d1, …, dn)) : TensorType(d1, …, dn)
/// ```
#[must_use]
pub fn t_reshape_g(reading: &Reading, (of, target): &OfReshape) -> Option<Type> {
    let (of, wanted) = (of.dimensions()?, target.dimensions()?);
    let (sigma, d) = (known_product(of), known_product(wanted));
    let divides = is_multiple(reading.modulo_zero, &sigma, &d)
        || is_multiple(reading.modulo_zero, &d, &sigma);
    let occurs = unknowns(of) + unknowns(wanted) == 1 || unknowns(wanted) > 1;
    (divides && occurs).then(|| target.clone())
}

/// ```text
/// Γ ⊢ e : τ where τ = Dyn, or τ = TensorType(σ1, …, σm) and Dyn occurs more than once with at least one occurrence in δ and σ
/// ⟹ Γ ⊢ reshape(e, δ) : δ
/// ```
#[must_use]
pub fn t_reshape(reading: &Reading, (of, target): &OfReshape) -> Option<Type> {
    let Type::Tensor(of) = of else {
        return Some(target.clone());
    };
    let (sigma, delta) = (unknowns(of), unknowns(target.dimensions()?));
    let is_placed = match reading.at_least_one {
        Occurrence::Each => sigma > 0 && delta > 0,
        Occurrence::Union => true,
    };
    (sigma + delta > 1 && is_placed).then(|| target.clone())
}

/// The one rule that stands for the three: there are sizes for each `Dyn` at which PyTorch reshapes.
///
/// The target is a list of dimensions with at most one `Dyn`, by which something is divided, so the product `q` of its
/// numbers is not 0 where it has one. Of the product `p` of the numbers of the source, the number of elements is a
/// multiple, and any, where the source has a `Dyn`.
#[must_use]
pub fn t_reshape_repaired(_: &Reading, (of, target): &OfReshape) -> Option<Type> {
    let wanted = target.dimensions()?;
    let (q, open) = (known_product(wanted), unknowns(wanted));
    if open > 1 || (open == 1 && q == BigUint::ZERO) {
        return None;
    }
    let (p, free) = match of {
        Type::Dyn => (BigUint::from(1u32), true),
        Type::Tensor(of) => (known_product(of), of.contains(&Dimension::Dyn)),
    };
    let is_some_run = match (free, open == 1) {
        // No elements are a multiple of everything.
        (true, true) => true,
        (true, false) => is_multiple(ModuloZero::ForZero, &q, &p),
        (false, true) => is_multiple(ModuloZero::Never, &p, &q),
        (false, false) => p == q,
    };
    is_some_run.then(|| target.clone())
}

/// `of mod by = 0`.
fn is_multiple(modulo_zero: ModuloZero, of: &BigUint, by: &BigUint) -> bool {
    let zero = BigUint::ZERO;
    match (*by == zero, modulo_zero) {
        (false, _) => of % by == zero,
        (true, ModuloZero::Never) => false,
        (true, ModuloZero::ForZero) => *of == zero,
        (true, ModuloZero::Always) => true,
    }
}
