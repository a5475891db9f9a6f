//! The annotations of placeholders: gradual types, as PyTorch prints them.

use lozenge_graph_vocabulary::DeclaredSize;

/// Reads `TensorType[[1, Dyn, 3]]`: the sizes of a tensor, of which those that are not known are free. Of other
/// annotations, such as a class or `Dyn` alone, the sizes are not declared.
pub(super) fn sizes(text: &str) -> Option<Vec<DeclaredSize>> {
    let inner = text.trim().strip_prefix("TensorType")?.trim();
    let inner = inner.strip_prefix('[')?.strip_suffix(']')?.trim();
    let inner = match (inner.strip_prefix('['), inner.strip_prefix('(')) {
        (Some(rest), _) => rest.strip_suffix(']')?,
        (_, Some(rest)) => rest.strip_suffix(')')?,
        (None, None) => return None,
    };
    let sizes = inner.split(',').map(str::trim);
    let sizes = sizes.filter(|size| !size.is_empty());
    sizes
        .map(|size| match size {
            "Dyn" => Some(DeclaredSize::Free),
            number => number.parse().ok().map(DeclaredSize::Known),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{DeclaredSize, sizes};

    #[test]
    fn a_gradual_type_declares_its_numbers_and_nothing_else_declares_sizes() {
        let known = DeclaredSize::Known;
        assert_eq!(
            sizes("TensorType[[1, Dyn, 20]]"),
            Some(vec![known(1), DeclaredSize::Free, known(20)])
        );
        assert_eq!(sizes("TensorType[(7,)]"), Some(vec![known(7)]));
        assert_eq!(sizes("TensorType[[]]"), Some(Vec::new()));
        for other in [
            "Dyn",
            "<class 'torch.Tensor'>",
            "",
            "TensorType[[-1]]",
            "TensorType[[x]]",
            "TensorType[",
            "TensorType[]",
        ] {
            assert_eq!(sizes(other), None, "{other}");
        }
    }
}
