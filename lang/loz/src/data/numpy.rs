//! Arrays in the files of NumPy: `.npy` with one array, and `.npz`, an archive of `.npy` files (`numpy.lib.format`,
//! versions 1 to 3).
//!
//! The crate npyz was tried. It reads headers with a recursive parser of Python literals, and brings encryption and
//! three compressions that such files do not have.

mod archive;
mod header;

use std::io::{self, ErrorKind, Read, Write};

pub use archive::{
    archive, read_archive, read_from_archive, read_some, read_whole_from_archive, shape_in_archive,
    write_archive,
};
use header::{Header, Number};

/// An array of floats.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The sizes of its axes.
    pub shape: Vec<u64>,
    /// Its values in 32 bits, the last axis fastest.
    pub values: Vec<f32>,
    /// The values in 64 bits, if the file has numbers that 32-bit floats may not hold and they were to be kept
    /// ([`read_whole`], [`read_archive`]).
    pub double: Option<Vec<f64>>,
}

/// The values of an array that is written.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'v> {
    /// The numbers as 32-bit floats.
    Single(&'v [f32]),
    /// The numbers as 64-bit floats.
    Double(&'v [f64]),
}

impl Numbers<'_> {
    /// Returns the number of values.
    pub fn count(&self) -> usize {
        match self {
            Numbers::Single(values) => values.len(),
            Numbers::Double(values) => values.len(),
        }
    }
}

impl<'v, V: AsRef<[f32]> + ?Sized> From<&'v V> for Numbers<'v> {
    fn from(values: &'v V) -> Numbers<'v> {
        Numbers::Single(values.as_ref())
    }
}

/// A container of numbers in 32 or in 64 bits.
pub trait AsNumbers {
    /// Returns the numbers, in the order of memory.
    fn numbers(&self) -> Numbers<'_>;
}

impl AsNumbers for Vec<f32> {
    fn numbers(&self) -> Numbers<'_> {
        Numbers::Single(self)
    }
}

impl AsNumbers for Vec<f64> {
    fn numbers(&self) -> Numbers<'_> {
        Numbers::Double(self)
    }
}

impl AsNumbers for &[f32] {
    fn numbers(&self) -> Numbers<'_> {
        Numbers::Single(self)
    }
}

impl AsNumbers for &[f64] {
    fn numbers(&self) -> Numbers<'_> {
        Numbers::Double(self)
    }
}

/// A file that does not have the array that is read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArrayError {
    /// The system cannot read it.
    #[error("cannot be read: {0}")]
    System(String),
    /// The file does not begin like a `.npy` file.
    #[error("this is no `.npy` file: it does not begin with \\x93NUMPY")]
    NoArray,
    /// The header is not one that NumPy writes.
    #[error("the header of the array cannot be read: {0}")]
    Header(String),
    /// The values are no numbers that can be read.
    #[error("the values of the array are {what} (`{dtype}`)")]
    Values {
        /// The kind of the values, in words.
        what: &'static str,
        /// The type as NumPy writes it.
        dtype: String,
    },
    /// The shape has too many values.
    #[error("the array has the shape {shape:?}, which is more than {limit} values")]
    TooLarge {
        /// The sizes of its axes.
        shape: Vec<u64>,
        /// The largest number of values.
        limit: u64,
    },
    /// The file ends within the values.
    #[error("the file ends after {found} of the {expected} values of its shape: it is truncated")]
    Short {
        /// The number of complete values.
        found: usize,
        /// The number that the shape requires.
        expected: usize,
    },
    /// The file has more bytes than the shape requires.
    #[error("the file goes on after the {0} values of its shape")]
    Long(usize),
    /// A finite value that no 32-bit float is near.
    #[error("value {at}, {value}, is too large for a 32-bit float")]
    Overflow {
        /// The place of the value, from 0, in the order of the file.
        at: usize,
        /// The value.
        value: String,
    },
    /// The file is no archive, or it is damaged.
    #[error("this is no `.npz` archive, or it is damaged: {0}")]
    Archive(String),
    /// The archive has no array of this name.
    #[error("the archive has no array `{name}`")]
    Missing {
        /// The name.
        name: String,
        /// The names that the archive has.
        names: Vec<String>,
    },
    /// No name was given, and the archive does not have exactly one array.
    #[error("the archive has {} arrays", names.len())]
    Several {
        /// Their names.
        names: Vec<String>,
    },
}

impl ArrayError {
    /// Returns advice for the repair.
    pub fn help(&self) -> String {
        match self {
            ArrayError::System(_) => "the file must be there and readable".to_string(),
            ArrayError::NoArray => {
                "write it with `numpy.save`; other files of numbers are read as CSV".to_string()
            }
            ArrayError::Header(_) => "write the file again with `numpy.save`".to_string(),
            ArrayError::Values { what, .. } => match *what {
                RECORDS => {
                    "save one field, as in `x[\"a\"]`, or all of them as columns: \
                    `numpy.lib.recfunctions.structured_to_unstructured(x)`"
                }
                COMPLEX => "save the parts as two arrays, `x.real` and `x.imag`",
                UNKNOWN => "save an array of numbers",
                _ => "convert it with `.astype(\"float32\")` before it is saved",
            }
            .to_string(),
            ArrayError::TooLarge { .. } => "split the array into several files".to_string(),
            ArrayError::Short { .. } => "copy the file again, or write it again".to_string(),
            ArrayError::Long(_) => {
                "a `.npy` file has one array: write several into a `.npz` file".to_string()
            }
            ArrayError::Overflow { .. } => {
                "values are 32-bit floats: the largest is 3.4028235e38".to_string()
            }
            ArrayError::Archive(_) => "write the file again with `numpy.savez`".to_string(),
            ArrayError::Missing { name, names } => {
                let known = names.iter().map(String::as_str);
                match crate::diagnostic::nearest_name::nearest(name, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it has {}", listed(names)),
                }
            }
            ArrayError::Several { names } if names.is_empty() => {
                "write arrays into it with `numpy.savez`".to_string()
            }
            ArrayError::Several { names } => {
                format!("name the one that is meant: it has {}", listed(names))
            }
        }
    }
}

/// The kinds of values that `astype` does not make numbers of, or not all that they are.
const RECORDS: &str = "records of several fields";
const COMPLEX: &str = "complex numbers";
const UNKNOWN: &str = "of an unknown type";

/// Lists the first names of a list.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect();
    let more = if names.len() > SHOWN { " …" } else { "" };
    shown.join(", ") + more
}

impl From<io::Error> for ArrayError {
    fn from(error: io::Error) -> ArrayError {
        ArrayError::System(error.to_string())
    }
}

/// Reads the shape of the array of a `.npy` file, from its header.
///
/// # Errors
/// A file that is no array of numbers.
pub fn shape(mut file: impl Read) -> Result<Vec<u64>, ArrayError> {
    Ok(Header::read(&mut file)?.shape)
}

/// Reads the array of a `.npy` file with at most so many values. Integers and floats of all sizes and truth values
/// become 32-bit floats, rounded to the nearest; an array in Fortran order is put into C order.
///
/// # Errors
/// A file that is no array of numbers, or is damaged.
pub fn read(file: impl Read, limit: u64) -> Result<Array, ArrayError> {
    array(file, limit, false)
}

/// Reads the array of a `.npy` file as [`read`] does, and keeps 64-bit floats and integers of 32 and 64 bits in 64 bits
/// too ([`Array::double`]). Values that are too large for 32 bits become infinite among the 32-bit ones.
///
/// # Errors
/// As for [`read`], but none for a value that is too large.
pub fn read_whole(file: impl Read, limit: u64) -> Result<Array, ArrayError> {
    array(file, limit, true)
}

fn array(mut file: impl Read, limit: u64, whole: bool) -> Result<Array, ArrayError> {
    let Header {
        number,
        swapped,
        fortran,
        shape,
    } = Header::read(&mut file)?;
    // An axis of size 0 makes the array empty, whatever the others are.
    let count = match shape.contains(&0) {
        true => Some(0),
        false => shape
            .iter()
            .try_fold(1u64, |count, size| count.checked_mul(*size)),
    };
    let Some(count) = count.filter(|count| *count <= limit) else {
        return Err(ArrayError::TooLarge { shape, limit });
    };
    let mut double = (whole && number.is_wide()).then(Vec::new);
    let kept = double.as_mut();
    let mut values = values(&mut file, number, swapped, count as usize, kept)?;
    if file.read(&mut [0])? > 0 {
        return Err(ArrayError::Long(values.len()));
    }
    if fortran && shape.len() > 1 {
        values = from_fortran(&shape, &values);
        double = double.map(|values| from_fortran(&shape, &values));
    }
    Ok(Array {
        shape,
        values,
        double,
    })
}

/// Reads so many values, also into `kept` if there is something. Memory is taken only for values that the file has.
fn values(
    file: &mut impl Read,
    number: Number,
    swapped: bool,
    count: usize,
    mut kept: Option<&mut Vec<f64>>,
) -> Result<Vec<f32>, ArrayError> {
    let width = number.width();
    let mut values = Vec::new();
    let mut buffer = vec![0; width * count.clamp(1, 1 << 13)];
    while values.len() < count {
        let bytes = width * (count - values.len()).min(buffer.len() / width);
        let filled = fill(file, &mut buffer[..bytes])?;
        for bytes in buffer[..filled - filled % width].chunks_exact_mut(width) {
            if swapped {
                bytes.reverse();
            }
            let value = number.value(bytes);
            let rounded = value as f32;
            if let Some(kept) = &mut kept {
                kept.push(value);
            } else if rounded.is_infinite() && value.is_finite() {
                return Err(ArrayError::Overflow {
                    at: values.len(),
                    value: format!("{value:e}"),
                });
            }
            values.push(rounded);
        }
        if filled < bytes {
            return Err(ArrayError::Short {
                found: values.len(),
                expected: count,
            });
        }
    }
    Ok(values)
}

/// Reads until a buffer is full or the file ends; how many bytes that were.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> Result<usize, ArrayError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(filled)
}

/// Puts values with the first axis fastest into the order with the last axis fastest.
fn from_fortran<T: Copy>(shape: &[u64], values: &[T]) -> Vec<T> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for size in shape {
        strides.push(stride);
        stride *= *size as usize;
    }
    let mut index = vec![0; shape.len()];
    let mut from = 0;
    let mut ordered = Vec::with_capacity(values.len());
    while ordered.len() < values.len() {
        ordered.push(values[from]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            from += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            from -= strides[axis] * shape[axis] as usize;
            index[axis] = 0;
        }
    }
    ordered
}

/// Writes an array as a `.npy` file of floats.
///
/// # Errors
/// The errors of the writer.
pub fn write<'v>(
    out: &mut impl Write,
    shape: &[u64],
    values: impl Into<Numbers<'v>>,
) -> io::Result<()> {
    const TOGETHER: usize = 1 << 12;
    let values = values.into();
    out.write_all(&header::written(shape, values))?;
    match values {
        Numbers::Single(values) => values.chunks(TOGETHER).try_for_each(|values| {
            let bytes = values.iter().flat_map(|value| value.to_le_bytes());
            out.write_all(&bytes.collect::<Vec<u8>>())
        }),
        Numbers::Double(values) => values.chunks(TOGETHER).try_for_each(|values| {
            let bytes = values.iter().flat_map(|value| value.to_le_bytes());
            out.write_all(&bytes.collect::<Vec<u8>>())
        }),
    }
}
