//! The scalar arithmetic of the interpreter, which kernels reproduce.
//!
//! Values are `f32`, or `f64` where that is asked for ([`crate::Precision`]). Where OpenCL C leaves something open,
//! this module decides: the larger and the smaller of two numbers are NaN if one of them is, and the first one if they
//! are equal (which matters for -0 and 0).

use lozenge_vocabulary::operation::{Combine, Function};

/// A type of numbers in which values are computed.
pub trait Real:
    Copy
    + std::fmt::Debug
    + PartialOrd
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::Neg<Output = Self>
{
    /// Rounds a number to the nearest one of this kind.
    fn of(value: f64) -> Self;
    /// Widens the number to `f64`.
    fn wide(self) -> f64;
    /// Computes the value of a function of one operand; for any other function, the operand itself.
    fn unary(function: &Function, x: Self) -> Self;
    /// Returns `self` to the power of `exponent`.
    fn power(self, exponent: Self) -> Self;
    /// Returns the remainder of `self` after whole multiples of `divisor` are taken away, without rounding.
    fn left_over(self, divisor: Self) -> Self;
}

macro_rules! real {
    ($real:ty, $erf:path) => {
        impl Real for $real {
            fn of(value: f64) -> Self {
                value as $real
            }

            fn wide(self) -> f64 {
                self.into()
            }

            fn unary(function: &Function, x: Self) -> Self {
                match function {
                    Function::Negate => -x,
                    Function::Relu => larger(x, 0.0),
                    Function::Exp => x.exp(),
                    Function::Log => x.ln(),
                    Function::Sqrt => x.sqrt(),
                    Function::Square => x * x,
                    Function::Reciprocal => 1.0 / x,
                    Function::Abs => x.abs(),
                    Function::Floor => x.floor(),
                    Function::Sin => x.sin(),
                    Function::Cos => x.cos(),
                    Function::Tanh => x.tanh(),
                    Function::Sigmoid => 1.0 / (1.0 + (-x).exp()),
                    Function::Erf => $erf(x),
                    Function::Log1p => x.ln_1p(),
                    Function::Expm1 => x.exp_m1(),
                    Function::Round => x.round_ties_even(),
                    _ => x,
                }
            }

            fn power(self, exponent: Self) -> Self {
                self.powf(exponent)
            }

            fn left_over(self, divisor: Self) -> Self {
                self % divisor
            }
        }
    };
}
real!(f32, libm::erff);
real!(f64, libm::erf);

/// Returns the larger number; NaN where either is.
pub fn larger<R: Real>(x: R, y: R) -> R {
    if x >= y || is_nan(x) { x } else { y }
}

/// Returns the smaller number; NaN where either is.
pub fn smaller<R: Real>(x: R, y: R) -> R {
    if x <= y || is_nan(x) { x } else { y }
}

fn is_nan<R: Real>(x: R) -> bool {
    x.partial_cmp(&x).is_none()
}

/// Applies a function to the values that were read, as many as its arity. A missing value counts as NaN.
pub fn apply<R: Real>(function: &Function, values: &[R]) -> R {
    let operand = |at: usize| values.get(at).copied().unwrap_or(R::of(f64::NAN));
    let truth = |holds: bool| R::of(f64::from(holds));
    let (x, y) = match function.arity() {
        0 => (R::of(0.0), R::of(0.0)),
        1 => (operand(0), operand(0)),
        _ => (operand(0), operand(1)),
    };
    match function {
        Function::Constant(value) => R::of(*value),
        Function::Identity => x,
        Function::Add => x + y,
        Function::Subtract => x - y,
        Function::Multiply => x * y,
        Function::Divide => x / y,
        Function::Max => larger(x, y),
        Function::Min => smaller(x, y),
        Function::Equal => truth(x == y),
        Function::NotEqual => truth(x != y),
        Function::Less => truth(x < y),
        Function::LessEqual => truth(x <= y),
        Function::Greater => truth(x > y),
        Function::GreaterEqual => truth(x >= y),
        Function::Power => x.power(y),
        Function::Fmod => x.left_over(y),
        Function::Where if x != R::of(0.0) => y,
        Function::Where => operand(2),
        Function::Formula(formula) => {
            let value = formula.fold(values, |function, values| apply(function, values));
            value.unwrap_or(R::of(f64::NAN))
        }
        unary => R::unary(unary, x),
    }
}

/// Computes the new value of a cell after combining what it holds with a value.
pub fn combine<R: Real>(combine: Combine, held: R, value: R) -> R {
    match combine {
        Combine::Replace => value,
        Combine::Add => held + value,
        Combine::Subtract => held - value,
        Combine::Multiply => held * value,
        Combine::Max => larger(held, value),
        Combine::Min => smaller(held, value),
    }
}

/// Computes the new value of a cell of a long sum, and the accumulated rounding error (Kahan's summation). At an
/// infinity the error would be NaN and is taken to be 0, so that a sum with an infinity is that infinity.
pub fn compensated<R: Real>(how: Combine, held: R, excess: R, value: R) -> (R, R) {
    let value = if how == Combine::Subtract {
        -value
    } else {
        value
    };
    let wanted = value - excess;
    let sum = held + wanted;
    let excess = (sum - held) - wanted;
    (sum, if is_nan(excess) { R::of(0.0) } else { excess })
}

/// Returns the neutral element, which an erased cell holds: combined with a value, it gives the value (for `-`, its
/// negation). Replacing has none, since it never reads; a cell that `=:` erases and does not write holds 0.
pub fn neutral(combine: Combine) -> f32 {
    match combine {
        Combine::Replace | Combine::Add | Combine::Subtract => 0.0,
        Combine::Multiply => 1.0,
        Combine::Max => f32::NEG_INFINITY,
        Combine::Min => f32::INFINITY,
    }
}

/// Returns the value that a plain write stores: `combine(combine, neutral(combine), value)` without reading. The two
/// differ at most in the sign of a zero (0 + -0 is 0, but a plain write stores -0).
pub fn first<R: Real>(combine: Combine, value: R) -> R {
    match combine {
        Combine::Subtract => -value,
        Combine::Replace | Combine::Add | Combine::Multiply | Combine::Max | Combine::Min => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_the_values_that_they_are_named_for() {
        let table = [
            (Function::Constant(2.5), 2.5),
            (Function::Identity, 4.0),
            (Function::Negate, -4.0),
            (Function::Relu, 4.0),
            (Function::Exp, 54.598_15),
            (Function::Log, 1.386_294_4),
            (Function::Sqrt, 2.0),
            (Function::Square, 16.0),
            (Function::Reciprocal, 0.25),
            (Function::Add, 12.0),
            (Function::Subtract, -4.0),
            (Function::Multiply, 32.0),
            (Function::Divide, 0.5),
            (Function::Max, 8.0),
            (Function::Min, 4.0),
            (Function::Equal, 0.0),
            (Function::Less, 1.0),
            (Function::NotEqual, 1.0),
            (Function::LessEqual, 1.0),
            (Function::Greater, 0.0),
            (Function::GreaterEqual, 0.0),
            (Function::Power, 65536.0),
            (Function::Abs, 4.0),
            (Function::Floor, 4.0),
            (Function::Sin, -0.756_802_5),
            (Function::Cos, -0.653_643_6),
            (Function::Tanh, 0.999_329_3),
            (Function::Sigmoid, 0.982_013_8),
            (Function::Erf, 0.999_999_98),
            (Function::Log1p, 1.609_438),
            (Function::Expm1, 53.598_15),
            (Function::Round, 4.0),
            (Function::Fmod, 4.0),
            (Function::Where, 8.0),
        ];
        for (function, expected) in table {
            let found = apply(&function, &[4.0f32, 8.0, 2.0][..function.arity().max(2)]);
            assert!((found - expected).abs() < 1e-5, "{function:?}: {found}");
        }
        assert_eq!(apply(&Function::Relu, &[-4.0, 0.0f32]), 0.0);
        assert_eq!(apply(&Function::Equal, &[3.0, 3.0f32]), 1.0);
        assert_eq!(apply(&Function::Less, &[3.0, 3.0f32]), 0.0);
        assert_eq!(apply(&Function::LessEqual, &[3.0, 3.0f32]), 1.0);
        assert_eq!(apply(&Function::Greater, &[3.0, 3.0f32]), 0.0);
        assert_eq!(apply(&Function::Greater, &[8.0, 4.0f32]), 1.0);
        assert_eq!(apply(&Function::GreaterEqual, &[3.0, 3.0f32]), 1.0);
        assert_eq!(apply(&Function::NotEqual, &[3.0, 3.0f32]), 0.0);
        assert_eq!(apply(&Function::NotEqual, &[f32::NAN, f32::NAN]), 1.0);
        assert_eq!(apply(&Function::Abs, &[-4.5, 0.0f32]), 4.5);
        assert_eq!(apply(&Function::Floor, &[-4.5, 0.0f32]), -5.0);
        for (x, whole) in [
            (0.5, 0.0),
            (1.5, 2.0),
            (2.5, 2.0),
            (-2.5, -2.0),
            (0.499_999_97, 0.0),
            (8_388_609.0, 8_388_609.0),
        ] {
            assert_eq!(apply(&Function::Round, &[x, 0.0f32]), whole, "{x}");
        }
        for (x, y, rest) in [(-1.0, 3.0, -1.0), (7.5, -2.0, 1.5), (1e8, 3.0, 1.0)] {
            assert_eq!(apply(&Function::Fmod, &[x, y as f32]), rest, "{x} {y}");
        }
        assert_eq!(apply(&Function::Log1p, &[1e-8f32, 0.0]), 1e-8);
        assert_eq!(apply(&Function::Expm1, &[1e-8f32, 0.0]), 1e-8);
        assert_eq!(apply(&Function::Max, &[8.0, 4.0f32]), 8.0);
        assert_eq!(apply(&Function::Min, &[8.0, 4.0f32]), 4.0);
    }

    #[test]
    fn a_compensated_sum_is_as_good_as_its_rounding() {
        let sum = |how: Combine, values: &mut dyn Iterator<Item = f32>| {
            values.fold((0.0f32, 0.0), |(held, excess), value| {
                compensated(how, held, excess, value)
            })
        };
        let (found, _) = sum(Combine::Add, &mut (0..1_000_000).map(|i| i as f32));
        assert_eq!(found, 499_999_500_000.0_f64 as f32);
        let (found, _) = sum(Combine::Subtract, &mut (0..1_000_000).map(|_| 0.1));
        assert_eq!(found, (-0.1_f32 as f64 * 1e6) as f32);
        for (values, expected) in [
            ([1.0, f32::INFINITY, 1.0], f32::INFINITY),
            ([f32::NEG_INFINITY, 1.0, 1.0], f32::NEG_INFINITY),
        ] {
            assert_eq!(sum(Combine::Add, &mut values.into_iter()).0, expected);
        }
        let opposite = [f32::INFINITY, f32::NEG_INFINITY, 1.0];
        assert!(sum(Combine::Add, &mut opposite.into_iter()).0.is_nan());
    }

    #[test]
    fn nan_is_larger_and_smaller_than_everything() {
        for (x, y) in [(f32::NAN, 1.0), (1.0, f32::NAN)] {
            assert!(larger(x, y).is_nan() && smaller(x, y).is_nan());
        }
        assert!(
            larger(-0.0f32, 0.0).is_sign_negative() && smaller(0.0f32, -0.0).is_sign_positive()
        );
    }

    #[test]
    fn the_neutral_element_gives_what_a_plain_write_stores() {
        use Combine::*;
        for how in [Replace, Add, Subtract, Max, Min] {
            let values = [1.5, -2.0, 0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
            for value in values {
                let (long, short) = (combine(how, neutral(how), value), first(how, value));
                assert!(
                    long == short || (long.is_nan() && short.is_nan()),
                    "{how:?} {value}"
                );
            }
        }
        assert_eq!(combine(Subtract, 5.0f32, 3.0), 2.0);
        assert_eq!(combine(Replace, 5.0f32, 3.0), 3.0);
    }
}
