//! The constants of a file: their sizes always, their values if they are few.

use bytes::Bytes;
use lozenge_graph_vocabulary::{Constant, Data, ElementType};

use super::generated::tensor_proto::DataLocation;
use super::generated::{SparseTensorProto, TensorProto};
use super::source::Source;
use super::types;
use crate::{Limits, ModelError};

/// The most real numbers that are read. Sizes depend on few of them: the scales of a `Resize`, the ends of a `Range`.
const MOST_FLOATS: u64 = 1024;

/// Reads a constant.
pub(super) fn constant(
    source: &Source,
    part: &Bytes,
    limits: &Limits,
) -> Result<Constant, ModelError> {
    let tensor: TensorProto = source.decode(part, "a constant")?;
    let name = tensor.name().to_string();
    let sizes = sizes(&tensor.dims, limits).map_err(|error| error.at_value(&name))?;
    let element = types::element(tensor.data_type());
    let mut constant = Constant {
        name,
        element,
        sizes,
        data: Data::Unread(source.range(part)),
    };
    if tensor.data_location() == DataLocation::External {
        constant.data = Data::External;
        return Ok(constant);
    }
    let (Some(element), elements) = (element, constant.elements()) else {
        return Ok(constant);
    };
    check_stored(&tensor, element, elements).map_err(|error| error.at_value(&constant.name))?;
    let most = match element.is_float() {
        true => limits.max_values.min(MOST_FLOATS),
        false => limits.max_values,
    };
    if elements.is_some_and(|elements| elements <= most)
        && let Some(data) = values(&tensor, element)
    {
        constant.data = data;
    }
    Ok(constant)
}

/// Reads a constant that is stored by its entries that are not 0. Its values stay where they are.
pub(super) fn sparse(
    source: &Source,
    part: &Bytes,
    limits: &Limits,
) -> Result<Constant, ModelError> {
    let tensor: SparseTensorProto = source.decode(part, "a sparse constant")?;
    let values = tensor.values.unwrap_or_default();
    let name = values.name().to_string();
    let sizes = sizes(&tensor.dims, limits).map_err(|error| error.at_value(&name))?;
    Ok(Constant {
        name,
        element: types::element(values.data_type()),
        sizes,
        data: Data::Unread(source.range(part)),
    })
}

fn sizes(written: &[i64], limits: &Limits) -> Result<Vec<u64>, ModelError> {
    limits.check_entries(written.len(), "the shape of a constant")?;
    let sizes = written.iter().enumerate();
    sizes
        .map(|(axis, &size)| {
            u64::try_from(size).map_err(|_| {
                ModelError::new(format!(
                    "the size of axis {axis} is {size}, which is below 0"
                ))
            })
        })
        .collect()
}

/// Checks that as many values are stored as the sizes say.
fn check_stored(
    tensor: &TensorProto,
    element: ElementType,
    elements: Option<u64>,
) -> Result<(), ModelError> {
    let (stored, unit, ratio) = match (&tensor.raw_data, element.bits()) {
        (Some(raw), Some(bits)) => (raw.len() as u64, "bytes", (u64::from(bits), 8)),
        _ => (
            stored_entries(tensor, element),
            "values",
            (1, packed(element)),
        ),
    };
    // So many units hold so many elements.
    let (units, of_elements) = ratio;
    let needed = elements
        .and_then(|elements| elements.checked_mul(units))
        .map(|needed| needed.div_ceil(of_elements));
    if needed == Some(stored) {
        return Ok(());
    }
    let needed = needed.map_or("more than 2^64".to_string(), |number| number.to_string());
    let message = format!("its sizes need {needed} {unit}, and the file stores {stored}");
    Err(ModelError::new(message))
}

/// Gives the number of elements that lie in one entry of the list of integers.
fn packed(element: ElementType) -> u64 {
    match element.bits() {
        Some(2) => 4,
        Some(4) => 2,
        _ => 1,
    }
}

/// Counts the values that are not stored as raw bytes.
fn stored_entries(tensor: &TensorProto, element: ElementType) -> u64 {
    let entries = match element {
        ElementType::Float32 => tensor.float_data.len(),
        ElementType::Float64 => tensor.double_data.len(),
        ElementType::Complex64 => tensor.float_data.len() / 2,
        ElementType::Complex128 => tensor.double_data.len() / 2,
        ElementType::Int64 => tensor.int64_data.len(),
        ElementType::Uint32 | ElementType::Uint64 => tensor.uint64_data.len(),
        ElementType::String => tensor.string_data.len(),
        _ => tensor.int32_data.len(),
    };
    entries as u64
}

/// Gives the values, or nothing if they are of a kind that no shape depends on.
fn values(tensor: &TensorProto, element: ElementType) -> Option<Data> {
    if element.is_integer() || element == ElementType::Bool {
        return integers(tensor, element).map(Data::Integers);
    }
    floats(tensor, element).map(Data::Floats)
}

fn integers(tensor: &TensorProto, element: ElementType) -> Option<Vec<i64>> {
    if element.bits()? < 8 {
        return Some(narrow_integers(tensor, element));
    }
    let Some(raw) = &tensor.raw_data else {
        return match element {
            ElementType::Int64 => Some(tensor.int64_data.clone()),
            ElementType::Uint32 | ElementType::Uint64 => {
                let stored = tensor.uint64_data.iter();
                stored.map(|&value| i64::try_from(value).ok()).collect()
            }
            ElementType::Bool => Some(
                tensor
                    .int32_data
                    .iter()
                    .map(|&value| i64::from(value != 0))
                    .collect(),
            ),
            _ => Some(
                tensor
                    .int32_data
                    .iter()
                    .map(|&value| i64::from(value))
                    .collect(),
            ),
        };
    };
    Some(match element {
        ElementType::Bool => raw.iter().map(|&byte| i64::from(byte != 0)).collect(),
        ElementType::Uint8 => raw.iter().map(|&byte| i64::from(byte)).collect(),
        ElementType::Int8 => raw
            .iter()
            .map(|&byte| i64::from(byte.cast_signed()))
            .collect(),
        ElementType::Int16 => words(raw, i16::from_le_bytes).map(i64::from).collect(),
        ElementType::Uint16 => words(raw, u16::from_le_bytes).map(i64::from).collect(),
        ElementType::Int32 => words(raw, i32::from_le_bytes).map(i64::from).collect(),
        ElementType::Uint32 => words(raw, u32::from_le_bytes).map(i64::from).collect(),
        ElementType::Int64 => words(raw, i64::from_le_bytes).collect(),
        ElementType::Uint64 => words(raw, u64::from_le_bytes)
            .map(|value| i64::try_from(value).ok())
            .collect::<Option<_>>()?,
        _ => return None,
    })
}

/// Gives integers of two or four bits, of which a byte holds four or two, the lowest bits first.
fn narrow_integers(tensor: &TensorProto, element: ElementType) -> Vec<i64> {
    let bits = if packed(element) == 4 { 2 } else { 4 };
    let signed = matches!(element, ElementType::Int2 | ElementType::Int4);
    let bytes: Vec<u8> = match &tensor.raw_data {
        Some(raw) => raw.to_vec(),
        None => tensor.int32_data.iter().map(|&entry| entry as u8).collect(),
    };
    let elements: i64 = tensor.dims.iter().product();
    let places = (0..elements).zip(
        bytes
            .iter()
            .flat_map(|byte| (0..8).step_by(bits).map(move |low| byte >> low)),
    );
    let places = places.map(|(_, value)| i64::from(value & ((1 << bits) - 1)));
    places
        .map(|value| {
            if signed && value >> (bits - 1) == 1 {
                value - (1 << bits)
            } else {
                value
            }
        })
        .collect()
}

/// Gives real numbers, or nothing for elements that are none.
pub(super) fn floats(tensor: &TensorProto, element: ElementType) -> Option<Vec<f64>> {
    let halves = |widen: fn(u16) -> f64| match &tensor.raw_data {
        Some(raw) => words(raw, u16::from_le_bytes).map(widen).collect(),
        None => {
            let stored = tensor.int32_data.iter();
            // The 16 bits lie in the lower half of the entry.
            stored.map(|&bits| widen(bits as u16)).collect()
        }
    };
    Some(match (element, &tensor.raw_data) {
        (ElementType::Float32, Some(raw)) => {
            words(raw, f32::from_le_bytes).map(f64::from).collect()
        }
        (ElementType::Float32, None) => tensor
            .float_data
            .iter()
            .map(|&value| f64::from(value))
            .collect(),
        (ElementType::Float64, Some(raw)) => words(raw, f64::from_le_bytes).collect(),
        (ElementType::Float64, None) => tensor.double_data.clone(),
        (ElementType::Float16, _) => halves(widen_half),
        (ElementType::Bfloat16, _) => {
            halves(|bits| f64::from(f32::from_bits(u32::from(bits) << 16)))
        }
        _ => return None,
    })
}

/// Gives the numbers that bytes hold, the lowest byte of each first.
fn words<'a, const N: usize, T>(
    raw: &'a [u8],
    read: fn([u8; N]) -> T,
) -> impl Iterator<Item = T> + 'a
where
    T: 'a,
{
    let (words, _) = raw.as_chunks::<N>();
    words.iter().map(move |&word| read(word))
}

/// Gives the value of a number of 16 bits by IEEE 754: one bit of sign, five of exponent, ten of fraction.
fn widen_half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    match exponent {
        0 => sign * fraction * 2f64.powi(-14),
        0x1f if fraction == 0.0 => sign * f64::INFINITY,
        0x1f => f64::NAN,
        _ => sign * (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}
