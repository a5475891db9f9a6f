//! Products of sizes, which exceed every fixed number of bits.

use lozenge_gradual_vocabulary::Dimension;
use num_bigint::BigUint;

/// Multiplies sizes.
pub(crate) fn product(sizes: impl IntoIterator<Item = u64>) -> BigUint {
    sizes.into_iter().map(BigUint::from).product()
}

/// Multiplies the dimensions that are known.
pub(crate) fn known_product(dimensions: &[Dimension]) -> BigUint {
    product(dimensions.iter().filter_map(|dimension| dimension.size()))
}

/// Counts the occurrences of `Dyn`.
pub(crate) fn unknowns(dimensions: &[Dimension]) -> usize {
    let unknown = |dimension: &&Dimension| **dimension == Dimension::Dyn;
    dimensions.iter().filter(unknown).count()
}
