//! A tensor in a file: CSV, or an array of NumPy, by the name of the file.

use std::io::{self, Write};
use std::path::Path;

use lozenge::NewFile;
use lozenge_backend::Tensor;
use lozenge_lang::numpy::{self, Numbers};

/// Writes a tensor, in the precision that it has. In CSV a line has the cells of the last axis; an archive has one
/// array, with the given name.
pub fn save(path: &Path, name: &str, tensor: &Tensor) -> io::Result<()> {
    let shape = tensor.shape();
    let numbers = match tensor.double_values() {
        Some(values) => Numbers::Double(values),
        None => Numbers::Single(tensor.values()),
    };
    let mut out = NewFile::at(path)?;
    match path.extension().and_then(|end| end.to_str()) {
        Some("npy") => numpy::write(&mut out, shape, numbers)?,
        Some("npz") => numpy::write_archive(&mut out, [(name, shape, numbers)], "")?,
        _ => {
            let columns = shape.last().copied().unwrap_or(1) as usize;
            let numbers: Vec<String> = match numbers {
                Numbers::Single(values) => values.iter().map(f32::to_string).collect(),
                Numbers::Double(values) => values.iter().map(f64::to_string).collect(),
            };
            for line in numbers.chunks(columns.max(1)) {
                writeln!(out, "{}", line.join(","))?;
            }
        }
    }
    out.finish()
}
