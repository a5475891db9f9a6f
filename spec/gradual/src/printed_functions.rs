//! The functions of Appendix B, as printed.

use lozenge_gradual_vocabulary::{Dimension, Type};

/// `apply-broadcasting(τ1, τ2)`: nothing changes where one of the two is `Dyn`; else the shorter is padded with 1 at
/// the front, and each 1 of one becomes the entry of the other.
#[must_use]
pub fn apply_broadcasting(left: &Type, right: &Type) -> (Type, Type) {
    let (Type::Tensor(left_sizes), Type::Tensor(right_sizes)) = (left, right) else {
        return (left.clone(), right.clone());
    };
    let rank = left_sizes.len().max(right_sizes.len());
    let padded = |sizes: &[Dimension]| {
        let mut padded = vec![Dimension::Size(1); rank - sizes.len()];
        padded.extend_from_slice(sizes);
        padded
    };
    let (left, right) = (padded(left_sizes), padded(right_sizes));
    let replaced = |own: &[Dimension], other: &[Dimension]| {
        let entries = own.iter().zip(other);
        let replaced = entries.map(|(own, other)| match own {
            Dimension::Size(1) => *other,
            own => *own,
        });
        Type::Tensor(replaced.collect())
    };
    (replaced(&left, &right), replaced(&right, &left))
}

/// The parameters of a convolution.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Convolution {
    /// `c_in`
    pub in_channels: u64,
    /// `c_out`
    pub out_channels: u64,
    /// `κ`
    pub kernel: Vec<u64>,
}

/// `calc-conv(t, c_out, κ)` of the four dimensions that t matches. An entry that would be below 0 is no dimension, so
/// there is no result; 0 is one. A kernel of other than two sizes has no entry that the function asks for, or one too
/// many, and no result either.
#[must_use]
pub fn calc_conv(of: &[Dimension; 4], convolution: &Convolution) -> Option<Type> {
    let [height, width] = convolution.kernel[..] else {
        return None;
    };
    let entry = |of: Dimension, kernel: u64| match of {
        Dimension::Dyn => Some(Dimension::Dyn),
        Dimension::Size(size) => {
            let left = i128::from(size) - (i128::from(kernel) - 1);
            u64::try_from(left).ok().map(Dimension::Size)
        }
    };
    Some(Type::Tensor(vec![
        of[0],
        Dimension::Size(convolution.out_channels),
        entry(of[2], height)?,
        entry(of[3], width)?,
    ]))
}
