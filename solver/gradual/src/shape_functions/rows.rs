//! The elements of tensors with known sizes, in the order of rows.

use crate::pass::MAX_ELEMENTS;
use crate::term::Terms;
use crate::value::{Content, Ratio, Shape, Tensor};

/// Returns the sizes as numbers, if all are known and the elements are few.
pub(super) fn sizes(terms: &Terms, shape: &Shape) -> Option<Vec<usize>> {
    if shape.block.is_some() {
        return None;
    }
    let sizes: Vec<usize> = shape
        .axes
        .iter()
        .map(|size| usize::try_from(terms.as_number(*size)?).ok())
        .collect::<Option<_>>()?;
    let count = sizes
        .iter()
        .try_fold(1usize, |count, size| count.checked_mul(*size))?;
    (count <= MAX_ELEMENTS).then_some(sizes)
}

/// Returns the place of an index among the rows.
fn place(sizes: &[usize], index: &[usize]) -> Option<usize> {
    if sizes.len() != index.len() || sizes.iter().zip(index).any(|(size, at)| at >= size) {
        return None;
    }
    Some(
        sizes
            .iter()
            .zip(index)
            .fold(0, |place, (size, at)| place * size + at),
    )
}

/// Lists every index of a tensor, in the order of rows.
pub(super) fn indices(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    let count: usize = sizes.iter().product();
    (0..count).map(move |mut place| {
        let mut index = vec![0; sizes.len()];
        for (at, size) in index.iter_mut().zip(sizes).rev() {
            *at = place % size;
            place /= size;
        }
        index
    })
}

/// Returns the element of a tensor at an index.
pub(super) fn element(terms: &Terms, tensor: &Tensor, index: &[usize]) -> Option<Ratio> {
    let Content::Numbers(numbers) = &tensor.content else {
        return None;
    };
    let sizes = sizes(terms, tensor.shape.as_ref()?)?;
    numbers.get(place(&sizes, index)?).copied()
}

/// Returns the elements of a tensor of the given shape, each from the index of `tensor` that `from` names.
pub(super) fn rearranged(
    terms: &Terms,
    tensor: &Tensor,
    shape: &Shape,
    from: impl Fn(&[usize]) -> Option<Vec<usize>>,
) -> Content {
    let (Content::Numbers(_), Some(sizes)) = (&tensor.content, sizes(terms, shape)) else {
        return Content::Unknown;
    };
    let numbers: Option<Vec<Ratio>> = indices(&sizes)
        .map(|index| element(terms, tensor, &from(&index)?))
        .collect();
    numbers.map_or(Content::Unknown, |numbers| Content::Numbers(numbers.into()))
}
