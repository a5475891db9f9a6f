//! The bound on the difference between two engines, and the difference that is measured.

use lozenge_vocabulary::operation::Function;

use crate::error::Error;
use crate::precision::Precision;
use crate::tensor::Tensor;

/// Measures the distance of two numbers in units in the last place: the number of `f32` steps from one to the other.
/// Equal numbers, -0 and 0, and any two NaN have distance 0; NaN has the largest distance from every number.
pub fn ulps(x: f32, y: f32) -> u32 {
    if x == y || (x.is_nan() && y.is_nan()) {
        return 0;
    }
    if x.is_nan() || y.is_nan() {
        return u32::MAX;
    }
    line(x).abs_diff(line(y))
}

/// Returns the place of a number among all `f32` in their order, without gaps; both zeros have place 0.
fn line(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    if bits < 0 { i32::MIN - bits } else { bits }
}

/// Measures the same distance in units in the last place of `f64`.
pub fn wide_ulps(x: f64, y: f64) -> u64 {
    if x == y || (x.is_nan() && y.is_nan()) {
        return 0;
    }
    if x.is_nan() || y.is_nan() {
        return u64::MAX;
    }
    let line = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    line(x).abs_diff(line(y))
}

/// Bounds the units in the last place by which one value of a function may differ between the interpreter and an OpenCL
/// device of the full profile. `exact_division` says that the device rounds division and square roots correctly (it is
/// asked to wherever it can). The bounds of OpenCL C are 3 for `exp`, `log`, `expm1` and `sqrt`, 2 for `log1p`, 2.5 for
/// `/`, 4 for `sin` and `cos`, 5 for `tanh` and 16 for `pow`; the host's own functions add 1.
pub fn bound(function: &Function, exact_division: bool) -> u32 {
    match function {
        Function::Exp | Function::Log | Function::Log1p | Function::Expm1 => 4,
        Function::Sin | Function::Cos => 5,
        Function::Tanh => 6,
        // 16 units for a device, and 1 for the host.
        Function::Power | Function::Erf => 17,
        // The errors of the parts may grow by any factor, so such an operation has to be compared in another way.
        Function::Formula(_) => u32::MAX,
        // The errors of `exp` and of the division, and one for the sum.
        Function::Sigmoid if exact_division => 6,
        Function::Sigmoid => 9,
        Function::Sqrt | Function::Reciprocal | Function::Divide if !exact_division => 3,
        _ => 0,
    }
}

/// The largest differences of two tensors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The largest distance of two elements; infinite where one is NaN or infinite and the other is not the same.
    pub absolute: f32,
    /// The largest distance in units in the last place, of `f64` where both tensors have 64 bits.
    pub ulps: u64,
}

/// Finds the largest differences of two tensors of one shape.
///
/// # Errors
/// [`Error::ShapesDiffer`] where the shapes differ.
pub fn difference(expected: &Tensor, found: &Tensor) -> Result<Difference, Error> {
    if expected.shape() != found.shape() {
        return Err(Error::ShapesDiffer {
            expected: expected.shape().to_vec(),
            found: found.shape().to_vec(),
        });
    }
    let none = Difference {
        absolute: 0.0,
        ulps: 0,
    };
    let larger = |largest: Difference, (ulps, distance): (u64, f32)| {
        let absolute = match distance {
            _ if ulps == 0 => 0.0,
            distance if distance.is_nan() => f32::INFINITY,
            distance => distance,
        };
        Difference {
            absolute: largest.absolute.max(absolute),
            ulps: largest.ulps.max(ulps),
        }
    };
    if expected.precision().min(found.precision()) == Precision::F64 {
        let (expected, found) = (expected.wide_values(), found.wide_values());
        let pairs = expected.iter().zip(found.iter());
        let each = pairs.map(|(x, y)| (wide_ulps(*x, *y), (x - y).abs() as f32));
        return Ok(each.fold(none, larger));
    }
    let pairs = expected.values().iter().zip(found.values());
    let each = pairs.map(|(x, y)| match ulps(*x, *y) {
        u32::MAX => (u64::MAX, f32::INFINITY),
        ulps => (ulps.into(), (x - y).abs()),
    });
    Ok(each.fold(none, larger))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_in_the_last_place_count_the_numbers_between() {
        assert_eq!(ulps(1.0, 1.0f32.next_up()), 1);
        assert_eq!(ulps(-1.0, (-1.0f32).next_up().next_up()), 2);
        assert_eq!(ulps(f32::from_bits(1), -f32::from_bits(1)), 2);
        assert_eq!(ulps(0.0, -0.0), 0);
        assert_eq!(ulps(f32::MAX, f32::INFINITY), 1);
        assert_eq!(ulps(f32::NAN, -f32::NAN), 0);
        assert_eq!(ulps(f32::NAN, 0.0), u32::MAX);
        assert_eq!(
            ulps(f32::INFINITY, f32::NEG_INFINITY),
            2 * f32::INFINITY.to_bits()
        );
    }

    #[test]
    fn tensors_of_64_bits_are_compared_in_64_bits() {
        let wide = |value: f64| Tensor::wide(vec![1], vec![value]).unwrap();
        let (one, next) = (wide(1.0), wide(1.0f64.next_up()));
        let found = difference(&one, &next).unwrap();
        assert_eq!((found.absolute, found.ulps), (f64::EPSILON as f32, 1));
        assert_eq!(difference(&wide(f64::NAN), &one).unwrap().ulps, u64::MAX);
        let narrow = Tensor::new(vec![1], vec![1.0]).unwrap();
        assert_eq!(difference(&narrow, &next).unwrap().ulps, 0);
        assert_eq!(wide_ulps(f64::from_bits(1), -f64::from_bits(1)), 2);
    }

    #[test]
    fn the_largest_difference_is_found() {
        let tensor = |values: &[f32]| Tensor::new(vec![3], values.to_vec()).unwrap();
        let found = |x: &[f32], y: &[f32]| {
            let Difference { absolute, ulps } = difference(&tensor(x), &tensor(y)).unwrap();
            (absolute, ulps)
        };
        let next = 4.0f32.next_up();
        assert_eq!(found(&[0.0, 4.0, 1.0], &[-0.0, next, 1.0]), (next - 4.0, 1));
        assert_eq!(
            found(
                &[f32::NAN, f32::INFINITY, 1.0],
                &[f32::NAN, f32::INFINITY, 1.0]
            ),
            (0.0, 0)
        );
        assert_eq!(
            found(&[f32::NAN, 0.0, 1.0], &[1.0, 0.0, 1.0]),
            (f32::INFINITY, u64::MAX)
        );
        assert!(difference(&tensor(&[0.0; 3]), &Tensor::new(vec![], vec![0.0]).unwrap()).is_err());
    }
}
