//! The real numbers of a constant, which the reader of a graph leaves in the file.

use std::io::{Read, Seek, SeekFrom};

use bytes::Bytes;
use lozenge_graph_vocabulary::{Constant, Data};

use super::generated::TensorProto;
use super::source::Source;
use super::{tensor, types};
use crate::ModelError;

/// Reads the real numbers of a constant, in the order of rows, from the ONNX file whose graph holds it.
///
/// Only the bytes of the constant are read.
///
/// # Errors
///
/// Fails if the numbers lie in no known place of the file, if the bytes there are not those of the constant, or if its
/// elements are no real numbers.
pub fn read_numbers(
    file: &mut (impl Read + Seek),
    constant: &Constant,
) -> Result<Vec<f64>, ModelError> {
    let at = |message: &str| ModelError::new(message).at_value(&constant.name);
    let range = match &constant.data {
        Data::Floats(numbers) => return Ok(numbers.clone()),
        Data::Unread(Some(range)) => range.clone(),
        Data::External => return Err(at("its numbers lie in another file, which is never opened")),
        _ => return Err(at("the file holds no real numbers for it")),
    };
    let failed = |error: std::io::Error| at(&format!("the file cannot be read: {error}"));
    let end = file.seek(SeekFrom::End(0)).map_err(failed)?;
    let length = range
        .end
        .checked_sub(range.start)
        .and_then(|length| usize::try_from(length).ok());
    let length = length.filter(|_| range.end <= end);
    let length = length.ok_or_else(|| {
        at("its bytes lie beyond the end of the file, which is another one than before")
    })?;
    let mut part = vec![0; length];
    file.seek(SeekFrom::Start(range.start)).map_err(failed)?;
    file.read_exact(&mut part).map_err(failed)?;
    let part = Bytes::from(part);
    let stored: TensorProto = Source::new(part.clone()).decode(&part, "a constant")?;
    let same = types::element(stored.data_type()) == constant.element
        && stored
            .dims
            .iter()
            .map(|&size| u64::try_from(size).ok())
            .eq(constant.sizes.iter().map(|&size| Some(size)));
    if !same {
        return Err(at(
            "its bytes are those of another constant, so that the file is another one than before",
        ));
    }
    let numbers = constant
        .element
        .and_then(|element| tensor::floats(&stored, element));
    let numbers = numbers.ok_or_else(|| at("its elements are no real numbers"))?;
    match constant.elements() == Some(numbers.len() as u64) {
        true => Ok(numbers),
        false => Err(at("it has not as many numbers as its sizes say")),
    }
}
