//! Names, numbers of terms, and operators.

/// A name of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimVar(pub u32);

/// A name of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeVar(pub u32);

/// A name of either sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variable {
    /// A dimension.
    Dim(DimVar),
    /// A shape.
    Shape(ShapeVar),
}

/// A term of dimensions in a pool. The parts of a term have smaller numbers than the term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimId(pub u32);

/// An operator of dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The quotient, rounded down; it has no value if the divisor is 0.
    Divide,
}

impl Op {
    /// Returns the sign that the notation has for the operator.
    pub fn sign(self) -> char {
        match self {
            Op::Add => '+',
            Op::Subtract => '-',
            Op::Multiply => '*',
            Op::Divide => '/',
        }
    }

    /// Computes the value of the operator; none if it is not defined or does not fit 128 bits.
    pub fn apply(self, left: i128, right: i128) -> Option<i128> {
        match self {
            Op::Add => left.checked_add(right),
            Op::Subtract => left.checked_sub(right),
            Op::Multiply => left.checked_mul(right),
            Op::Divide => {
                let quotient = left.checked_div(right)?;
                let is_rounded_up = left % right != 0 && (left < 0) != (right < 0);
                Some(quotient - i128::from(is_rounded_up))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_rounds_down_for_every_sign() {
        let quotient = |left, right| Op::Divide.apply(left, right);
        assert_eq!(quotient(7, 2), Some(3));
        assert_eq!(quotient(-7, 2), Some(-4));
        assert_eq!(quotient(7, -2), Some(-4));
        assert_eq!(quotient(-7, -2), Some(3));
        assert_eq!(quotient(-8, 2), Some(-4));
        assert_eq!(quotient(1, 0), None);
    }
}
