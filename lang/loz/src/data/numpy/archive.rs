//! `.npz` files: ZIP archives with a `.npy` file for each array, stored or deflated.

use std::collections::BTreeMap;
use std::io::{Read, Seek, Write};

use zip::read::ZipFile;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::{Array, ArrayError, Numbers};

impl From<ZipError> for ArrayError {
    fn from(error: ZipError) -> ArrayError {
        ArrayError::Archive(error.to_string())
    }
}

/// Reads the names of the arrays of an archive, in its order, and its comment.
///
/// # Errors
/// A file that is no archive.
pub fn archive(file: impl Read + Seek) -> Result<(Vec<String>, String), ArrayError> {
    let archive = ZipArchive::new(file)?;
    let comment = String::from_utf8_lossy(archive.comment()).into_owned();
    Ok((names(&archive)?, comment))
}

fn names<F: Read + Seek>(archive: &ZipArchive<F>) -> Result<Vec<String>, ArrayError> {
    let mut names = Vec::new();
    for name in archive.file_names() {
        names.extend(name?.strip_suffix(".npy").map(str::to_string));
    }
    Ok(names)
}

/// Opens the file of the array with a name; without one, of the only array.
fn chosen<'a, F: Read + Seek>(
    archive: &'a mut ZipArchive<F>,
    name: Option<&str>,
) -> Result<ZipFile<'a, F>, ArrayError> {
    let mut names = names(archive)?;
    let name = match name {
        Some(name) if names.iter().any(|known| known == name) => name.to_string(),
        Some(name) => {
            let name = name.to_string();
            return Err(ArrayError::Missing { name, names });
        }
        None if names.len() == 1 => names.remove(0),
        None => return Err(ArrayError::Several { names }),
    };
    Ok(archive.by_name(&format!("{name}.npy"))?)
}

/// Reads the shape of the array with a name, or of the only array.
///
/// # Errors
/// A file that is no archive, or does not have the array.
pub fn shape_in_archive(
    file: impl Read + Seek,
    name: Option<&str>,
) -> Result<Vec<u64>, ArrayError> {
    super::shape(chosen(&mut ZipArchive::new(file)?, name)?)
}

/// Reads the array with a name, or the only one, with at most so many values.
///
/// # Errors
/// A file that is no archive, does not have the array, or is damaged.
pub fn read_from_archive(
    file: impl Read + Seek,
    name: Option<&str>,
    limit: u64,
) -> Result<Array, ArrayError> {
    super::read(chosen(&mut ZipArchive::new(file)?, name)?, limit)
}

/// Reads the array with a name, or the only one, as [`read_whole`](super::read_whole).
///
/// # Errors
/// As for [`read_from_archive`].
pub fn read_whole_from_archive(
    file: impl Read + Seek,
    name: Option<&str>,
    limit: u64,
) -> Result<Array, ArrayError> {
    super::read_whole(chosen(&mut ZipArchive::new(file)?, name)?, limit)
}

/// Reads all arrays of an archive, by their names, with at most so many values together, as
/// [`read_whole`](super::read_whole).
///
/// # Errors
/// A file that is no archive, has an array of no numbers, or is damaged.
pub fn read_archive(
    file: impl Read + Seek,
    limit: u64,
) -> Result<BTreeMap<String, Array>, ArrayError> {
    let all = read_some(file, limit, |_| true)?;
    all.into_iter()
        .map(|(name, array)| Ok((name, array?)))
        .collect()
}

/// Reads the arrays of an archive whose names are wanted, as [`read_archive`], each or the reason why it cannot be
/// read. The others are not looked at.
///
/// # Errors
/// A file that is no archive.
pub fn read_some(
    file: impl Read + Seek,
    limit: u64,
    wanted: impl Fn(&str) -> bool,
) -> Result<BTreeMap<String, Result<Array, ArrayError>>, ArrayError> {
    let mut archive = ZipArchive::new(file)?;
    let mut arrays = BTreeMap::new();
    let mut left = limit;
    for name in names(&archive)?.into_iter().filter(|name| wanted(name)) {
        let file = archive.by_name(&format!("{name}.npy"));
        let array = file
            .map_err(ArrayError::from)
            .and_then(|file| super::read_whole(file, left));
        if let Ok(array) = &array {
            left -= array.values.len() as u64;
        }
        arrays.insert(name, array);
    }
    Ok(arrays)
}

/// Writes arrays by their names, uncompressed, with a comment that NumPy ignores. The same arrays give the same bytes.
///
/// # Errors
/// The errors of the writer, and too many arrays for an archive.
pub fn write_archive<'a, V: Into<Numbers<'a>>>(
    out: impl Write + Seek,
    arrays: impl IntoIterator<Item = (&'a str, &'a [u64], V)>,
    comment: &str,
) -> std::io::Result<()> {
    /// The number of bytes from which on a file in an archive needs the larger format.
    const LARGE: usize = 1 << 29;
    let mut archive = ZipWriter::new(out);
    archive.set_comment(comment)?;
    for (name, shape, values) in arrays {
        let values = values.into();
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::default())
            .large_file(values.count() >= LARGE);
        archive.start_file(format!("{name}.npy"), options)?;
        super::write(&mut archive, shape, values)?;
    }
    archive.finish()?;
    Ok(())
}
