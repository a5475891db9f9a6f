//! Labels of specs, and the sizes of tensors that meet.

use crate::refusal::Why;

/// Gives the label of an axis by its number.
pub(crate) fn label(axis: usize) -> String {
    format!("a{axis}")
}

/// Gives the labels of so many axes.
pub(crate) fn labels(rank: usize) -> Vec<String> {
    (0..rank).map(label).collect()
}

/// Writes a shape: `2, 3`, or `->` for a tensor without axes.
pub(crate) fn shape(sizes: &[u64]) -> String {
    match sizes {
        [] => "->".into(),
        _ => joined(sizes),
    }
}

/// Writes parts with commas between them.
pub(crate) fn joined<T: ToString>(parts: &[T]) -> String {
    let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
    parts.join(", ")
}

/// Gives the sizes to which tensors are stretched that meet cell by cell: aligned at the last axis, where a size 1 fits
/// any other.
pub(crate) fn stretched(all: &[&[u64]]) -> Result<Vec<u64>, Why> {
    let rank = all.iter().map(|sizes| sizes.len()).max().unwrap_or(0);
    let mut result = vec![1; rank];
    for sizes in all {
        for (one, &size) in result[rank - sizes.len()..].iter_mut().zip(*sizes) {
            match (*one, size) {
                (1, _) => *one = size,
                (_, 1) => {}
                (known, _) if known == size => {}
                (known, _) => {
                    let message = format!("the sizes {known} and {size} meet in one axis");
                    return Err(Why::Said(message));
                }
            }
        }
    }
    Ok(result)
}

/// Writes the part of a spec that reads a tensor of these sizes where the result has the sizes `to`: a stretched axis
/// at its only position.
pub(crate) fn reading(sizes: &[u64], to: &[u64]) -> String {
    let skipped = to.len() - sizes.len();
    let axes = sizes.iter().enumerate();
    let axes = axes.map(|(axis, &size)| match (size, to[axis + skipped]) {
        (1, wanted) if wanted != 1 => "0".to_string(),
        _ => label(axis + skipped),
    });
    joined(&axes.collect::<Vec<_>>())
}

/// Multiplies sizes.
pub(crate) fn cells(sizes: &[u64]) -> Option<u64> {
    sizes
        .iter()
        .try_fold(1u64, |product, &size| product.checked_mul(size))
}
