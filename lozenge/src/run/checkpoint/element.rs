//! The numbers in a file of safetensors, by their types.

use lozenge_backend::{Error, Tensor};
use safetensors::tensor::{Dtype, TensorView};

/// Returns the tensor of an entry: in 64 bits if its type has numbers that 32-bit floats may not hold, else in 32.
///
/// # Errors
/// The type, in words, if its values are no numbers of whole bytes.
pub(super) fn tensor(view: &TensorView<'_>) -> Result<Result<Tensor, Error>, String> {
    let shape: Vec<u64> = view.shape().iter().map(|size| *size as u64).collect();
    let bytes = view.data();
    let small = |form: Small| {
        let values = bytes.iter().map(|byte| form.value(u32::from(*byte)));
        Tensor::new(shape.clone(), values.collect())
    };
    Ok(match view.dtype() {
        Dtype::BOOL => single(&shape, bytes, |[byte]| f32::from(u8::from(byte != 0))),
        Dtype::U8 => single(&shape, bytes, |[byte]| f32::from(byte)),
        Dtype::I8 => single(&shape, bytes, |[byte]| f32::from(byte as i8)),
        Dtype::F8_E5M2 => small(Small::E5M2),
        Dtype::F8_E4M3 => small(Small::E4M3),
        Dtype::F8_E8M0 => small(Small::E8M0),
        Dtype::F8_E5M2FNUZ => small(Small::E5M2FNUZ),
        Dtype::F8_E4M3FNUZ => small(Small::E4M3FNUZ),
        Dtype::I16 => single(&shape, bytes, |two| f32::from(i16::from_le_bytes(two))),
        Dtype::U16 => single(&shape, bytes, |two| f32::from(u16::from_le_bytes(two))),
        Dtype::F16 => single(&shape, bytes, |two| {
            Small::HALF.value(u32::from(u16::from_le_bytes(two)))
        }),
        // The upper half of a 32-bit float.
        Dtype::BF16 => single(&shape, bytes, |two| {
            f32::from_bits(u32::from(u16::from_le_bytes(two)) << 16)
        }),
        Dtype::F32 => single(&shape, bytes, f32::from_le_bytes),
        Dtype::I32 => wide(&shape, bytes, |four| f64::from(i32::from_le_bytes(four))),
        Dtype::U32 => wide(&shape, bytes, |four| f64::from(u32::from_le_bytes(four))),
        Dtype::I64 => wide(&shape, bytes, |eight| i64::from_le_bytes(eight) as f64),
        Dtype::U64 => wide(&shape, bytes, |eight| u64::from_le_bytes(eight) as f64),
        Dtype::F64 => wide(&shape, bytes, f64::from_le_bytes),
        Dtype::C64 => return Err("complex numbers (C64)".to_string()),
        other => {
            return Err(format!(
                "numbers of less than a byte, or of a new type ({other})"
            ));
        }
    })
}

fn single<const N: usize>(
    shape: &[u64],
    bytes: &[u8],
    value: impl Fn([u8; N]) -> f32,
) -> Result<Tensor, Error> {
    let (values, _) = bytes.as_chunks::<N>();
    let values = values.iter().map(|bytes| value(*bytes));
    Tensor::new(shape.to_vec(), values.collect())
}

fn wide<const N: usize>(
    shape: &[u64],
    bytes: &[u8],
    value: impl Fn([u8; N]) -> f64,
) -> Result<Tensor, Error> {
    let (values, _) = bytes.as_chunks::<N>();
    let values = values.iter().map(|bytes| value(*bytes));
    Tensor::wide(shape.to_vec(), values.collect())
}

/// The codes of a small float that are no finite numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    /// The largest exponent means an infinity or, with a fraction, NaN (IEEE 754).
    Exponent,
    /// All ones mean NaN, and there is no infinity.
    Ones,
    /// The code of -0 means NaN, and there is no infinity.
    NegativeZero,
}

/// A float of at most 16 bits: perhaps a sign, an exponent, a fraction.
#[derive(Clone, Copy)]
struct Small {
    exponent: u32,
    fraction: u32,
    bias: i32,
    special: Special,
}

impl Small {
    const fn new(exponent: u32, fraction: u32, bias: i32, special: Special) -> Small {
        Small {
            exponent,
            fraction,
            bias,
            special,
        }
    }

    const HALF: Small = Small::new(5, 10, 15, Special::Exponent);
    const E5M2: Small = Small::new(5, 2, 15, Special::Exponent);
    const E4M3: Small = Small::new(4, 3, 7, Special::Ones);
    const E5M2FNUZ: Small = Small::new(5, 2, 16, Special::NegativeZero);
    const E4M3FNUZ: Small = Small::new(4, 3, 8, Special::NegativeZero);
    /// A power of two without a sign and without a zero.
    const E8M0: Small = Small::new(8, 0, 127, Special::Ones);

    /// Returns the number of a code, which a 32-bit float holds.
    fn value(self, code: u32) -> f32 {
        let all = self.exponent + self.fraction;
        let ones = |bits: u32| (1 << bits) - 1;
        let magnitude = code & ones(all);
        let is_negative = code >> all == 1;
        let (exponent, fraction) = (magnitude >> self.fraction, code & ones(self.fraction));
        let is_nan = match self.special {
            Special::Exponent => exponent == ones(self.exponent) && fraction != 0,
            Special::Ones => magnitude == ones(all),
            Special::NegativeZero => is_negative && magnitude == 0,
        };
        if is_nan {
            return f32::NAN;
        }
        let is_infinite = self.special == Special::Exponent && exponent == ones(self.exponent);
        let (whole, power) = match exponent {
            // E8M0 has no fraction, and so no numbers below the smallest power.
            0 if self.fraction > 0 => (0, 1),
            _ => (1 << self.fraction, exponent as i32),
        };
        let power = power - self.bias - self.fraction as i32;
        let value = match is_infinite {
            true => f64::INFINITY,
            false => f64::from(whole + fraction) * 2f64.powi(power),
        };
        (if is_negative { -value } else { value }) as f32
    }
}
