//! A tensor in a file: CSV, or an array of NumPy, by the name of the file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use lozenge_backend::Tensor;
use lozenge_lang::numpy;

/// Writes a tensor. In CSV a line has the cells of the last axis; an archive has one array, with the given name.
pub fn save(path: &Path, name: &str, tensor: &Tensor) -> io::Result<()> {
    let (shape, values) = (tensor.shape(), tensor.values());
    let mut out = BufWriter::new(File::create(path)?);
    match path.extension().and_then(|end| end.to_str()) {
        Some("npy") => numpy::write(&mut out, shape, values)?,
        Some("npz") => numpy::write_archive(&mut out, [(name, shape, values)], "")?,
        _ => {
            let columns = shape.last().copied().unwrap_or(1) as usize;
            for line in values.chunks(columns.max(1)) {
                let line: Vec<String> = line.iter().map(f32::to_string).collect();
                writeln!(out, "{}", line.join(","))?;
            }
        }
    }
    out.flush()
}
