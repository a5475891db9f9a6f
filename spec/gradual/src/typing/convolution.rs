//! The rule of `Conv2D`.

use lozenge_gradual_vocabulary::{Dimension, Type};

use super::{OfConvolution, Reading};
use crate::printed_functions::calc_conv;
use crate::relations::{consistent_dimensions, matching};

/// ```text
/// Γ ⊢ e : t    t ▷⁴ TensorType(σ1, σ2, σ3, σ4)    τ = calc-conv(t, c_out, κ)    c_in ~ σ2
/// ⟹ Γ ⊢ Conv2D(c_in, c_out, κ, e) : τ
/// ```
///
/// `calc-conv` is applied to what t matches. Applied to t, as printed, it has no entries to compute with where t is
/// `Dyn`, and the solution that §4 prints for its example would be none.
#[must_use]
pub fn t_conv(_: &Reading, (of, convolution): &OfConvolution) -> Option<Type> {
    let sigma: [Dimension; 4] = matching(of, 4)?.try_into().ok()?;
    let tau = calc_conv(&sigma, convolution)?;
    consistent_dimensions(Dimension::Size(convolution.in_channels), sigma[1]).then_some(tau)
}

/// The rule with the premises that the operation has besides: no result without channels, no kernel without entries,
/// and a kernel fits.
#[must_use]
pub fn t_conv_repaired(reading: &Reading, reads: &OfConvolution) -> Option<Type> {
    let (_, convolution) = reads;
    let tau = t_conv(reading, reads)?;
    let is_empty = |dimension: &Dimension| *dimension == Dimension::Size(0);
    let exists = convolution.out_channels > 0
        && !convolution.kernel.contains(&0)
        && !tau.dimensions()?[2..].iter().any(is_empty);
    exists.then_some(tau)
}
