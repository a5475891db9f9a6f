//! Effects of the three operations on shapes, by the documentation of PyTorch. This is the meaning that the rules of
//! the paper are held against: a partial function of shapes for each operation, sizes 0 included.

use lozenge_gradual_vocabulary::{Dimension, Type};
use num_bigint::BigUint;

use crate::printed_functions::Convolution;
use crate::products::{known_product, product, unknowns};

/// `torch.reshape`: the number of elements stays. One size may be left open (-1); it is what remains, and there has to
/// be something to divide by, so none of the other sizes is 0.
#[must_use]
pub fn reshape(shape: &[u64], target: &Type) -> Option<Vec<u64>> {
    let target = target.dimensions()?;
    let elements = product(shape.iter().copied());
    let known = known_product(target);
    let zero = BigUint::ZERO;
    let open = match unknowns(target) {
        0 => (elements == known).then_some(0)?,
        1 if known != zero && &elements % &known == zero => u64::try_from(elements / known).ok()?,
        _ => return None,
    };
    let sizes = target.iter().map(|dimension| match dimension {
        Dimension::Dyn => open,
        Dimension::Size(size) => *size,
    });
    Some(sizes.collect())
}

/// Addition with broadcasting: from the back, two sizes are equal, or one of them is 1, or one tensor has no more axes.
#[must_use]
pub fn add(left: &[u64], right: &[u64]) -> Option<Vec<u64>> {
    let rank = left.len().max(right.len());
    let mut sizes = Vec::with_capacity(rank);
    for from_the_back in (1..=rank).rev() {
        let size = |shape: &[u64]| shape.len().checked_sub(from_the_back).map(|at| shape[at]);
        sizes.push(match (size(left), size(right)) {
            (Some(left), Some(right)) if left == right || right == 1 => left,
            (Some(1), Some(right)) => right,
            (Some(_), Some(_)) => return None,
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return None,
        });
    }
    Some(sizes)
}

/// `torch.nn.Conv2d` of a batch, without padding, with stride 1: the channels are as many as the kernel has, and the
/// kernel, which is not empty, fits into the image. A batch may be empty, a result without channels may not be.
#[must_use]
pub fn conv2d(shape: &[u64], convolution: &Convolution) -> Option<Vec<u64>> {
    let [batch, channels, height, width] = *shape else {
        return None;
    };
    let [down, across] = convolution.kernel[..] else {
        return None;
    };
    let places = |size: u64, kernel: u64| match kernel {
        0 => None,
        kernel => Some(size.checked_sub(kernel)? + 1),
    };
    let fits = channels == convolution.in_channels && convolution.out_channels > 0;
    let sizes = [places(height, down)?, places(width, across)?];
    fits.then_some(vec![batch, convolution.out_channels, sizes[0], sizes[1]])
}
