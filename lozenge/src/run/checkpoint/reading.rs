//! The reading of checkpoints, whoever wrote them.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use lozenge_backend::Tensor;
use lozenge_lang::numpy::{self, ArrayError};
use safetensors::{SafeTensorError, SafeTensors};

use super::element::tensor;
use super::{Checkpoint, CheckpointError, OWN, Other, checksum, checksum_of, parts, progress};

/// The reason why the bytes of a file are no checkpoint.
enum Refused {
    Damaged(String),
    Foreign(String, &'static str),
}

const WRITE_AGAIN: &str = "write the parameters with `safetensors` or with `numpy.savez`";

impl Checkpoint {
    /// Reads all tensors of a file of safetensors or, if it begins like one, of a `.npz` archive. Floats of 64 bits are
    /// kept as they are, and so are integers of 32 and 64 bits; other numbers are widened to 32-bit floats.
    ///
    /// # Errors
    /// [`CheckpointError::File`], [`CheckpointError::Foreign`] and [`CheckpointError::Damaged`].
    pub fn load(path: &Path) -> Result<Checkpoint, CheckpointError> {
        Checkpoint::load_only(path, &|_| true)
    }

    /// Reads the tensors whose names are wanted, as [`Checkpoint::load`]. The values of the others are not looked at,
    /// unless lozenge wrote the file, whose checksum is of all values.
    ///
    /// # Errors
    /// As for [`Checkpoint::load`].
    pub fn load_only(
        path: &Path,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Checkpoint, CheckpointError> {
        let bytes = std::fs::read(path).map_err(|error| CheckpointError::File {
            path: path.to_path_buf(),
            message: format!("cannot be read: {error}"),
        })?;
        let read = match bytes.starts_with(b"PK") {
            true => archive(&bytes, wanted),
            false => safetensors(&bytes, wanted),
        };
        read.map_err(|refused| match refused {
            Refused::Damaged(message) => CheckpointError::Damaged {
                path: path.to_path_buf(),
                message,
            },
            Refused::Foreign(what, help) => CheckpointError::Foreign {
                path: path.to_path_buf(),
                what,
                help: help.to_string(),
            },
        })
    }
}

fn archive(bytes: &[u8], wanted: &dyn Fn(&str) -> bool) -> Result<Checkpoint, Refused> {
    let damaged = |error: ArrayError| Refused::Damaged(format!("{error}; {}", error.help()));
    let (names, comment) = numpy::archive(Cursor::new(bytes)).map_err(damaged)?;
    if names.is_empty() {
        let what = "it is an archive without arrays, as `torch.save` writes it".to_string();
        return Err(Refused::Foreign(
            what,
            "write the parameters with `safetensors.torch.save_file` or with `numpy.savez`",
        ));
    }
    let own = comment.strip_prefix(OWN).map(str::trim_start);
    // The checksum is of all arrays.
    let is_read = |name: &str| own.is_some() || wanted(name);
    let mut read = numpy::read_some(Cursor::new(bytes), u64::MAX, is_read).map_err(damaged)?;
    let mut checkpoint = Checkpoint::default();
    for name in names {
        match read.remove(&name) {
            None => drop(checkpoint.others.insert(name, Other::Unread)),
            Some(Ok(array)) => {
                let tensor = match array.double {
                    Some(values) => Tensor::wide(array.shape, values),
                    None => Tensor::new(array.shape, array.values),
                };
                keep(
                    &mut checkpoint,
                    name,
                    tensor.map_err(|error| error.to_string()),
                );
            }
            Some(Err(error @ ArrayError::Values { .. })) => {
                keep(&mut checkpoint, name, Err(error.to_string()));
            }
            Some(Err(error)) => return Err(damaged(error)),
        }
    }
    let sum = checksum_of(&parts(&checkpoint.tensors));
    checkpoint.progress = progress(own, sum).map_err(Refused::Damaged)?;
    Ok(only(checkpoint, wanted))
}

fn safetensors(bytes: &[u8], wanted: &dyn Fn(&str) -> bool) -> Result<Checkpoint, Refused> {
    if let Some((what, help)) = foreign(bytes) {
        return Err(Refused::Foreign(what, help));
    }
    let refused = |error: SafeTensorError| refused(bytes, &error);
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(refused)?;
    let file = SafeTensors::deserialize(bytes).map_err(refused)?;
    let own = metadata
        .metadata()
        .as_ref()
        .and_then(|about| about.get(OWN));
    let mut views = file.tensors();
    views.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut checkpoint = Checkpoint::default();
    if let Some(own) = own {
        let all = views.iter();
        let sum = checksum(all.map(|(name, view)| (name.as_str(), view.shape(), view.data())));
        checkpoint.progress = progress(Some(own), sum).map_err(Refused::Damaged)?;
    }
    for (name, view) in views {
        if !wanted(&name) {
            checkpoint.others.insert(name, Other::Unread);
            continue;
        }
        let read = tensor(&view).and_then(|tensor| tensor.map_err(|error| error.to_string()));
        keep(&mut checkpoint, name, read);
    }
    Ok(checkpoint)
}

/// Adds an entry, whether or not it is a tensor.
fn keep(checkpoint: &mut Checkpoint, name: String, read: Result<Tensor, String>) {
    match read {
        Ok(tensor) => drop(checkpoint.tensors.insert(name, tensor)),
        Err(what) => drop(checkpoint.others.insert(name, Other::Unfit(what))),
    }
}

/// Returns the checkpoint with the tensors that are wanted.
fn only(mut checkpoint: Checkpoint, wanted: &dyn Fn(&str) -> bool) -> Checkpoint {
    let all = std::mem::take(&mut checkpoint.tensors);
    let (tensors, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
        all.into_iter().partition(|(name, _)| wanted(name));
    checkpoint.tensors = tensors;
    let others = others.into_keys().map(|name| (name, Other::Unread));
    checkpoint.others.extend(others);
    checkpoint
}

/// Recognises a file that does not begin like one of safetensors, which has the length of its header and then `{`;
/// returns its kind, and a remedy.
fn foreign(bytes: &[u8]) -> Option<(String, &'static str)> {
    let is = |start: &[u8]| bytes.starts_with(start);
    let found = if is(b"\x93NUMPY") {
        (
            "it is one array of NumPy",
            "let its name end in `.npy`, and write `--params NAME=FILE.npy`",
        )
    } else if is(b"\x89HDF") {
        ("it is a file of HDF5", WRITE_AGAIN)
    } else if is(b"\x80\x02") || is(b"\x80\x03") || is(b"\x80\x04") || is(b"\x80\x05") {
        ("it is a pickled object of Python", WRITE_AGAIN)
    } else if is(b"GGUF") {
        ("it is a file of GGUF", WRITE_AGAIN)
    } else if bytes.get(8).is_some_and(|first| *first != b'{') {
        (
            "it is neither a file of safetensors nor a `.npz` archive",
            WRITE_AGAIN,
        )
    } else {
        return None;
    };
    Some((found.0.to_string(), found.1))
}

/// Returns the reason in words of users. A header of good form that names a type that is not known is of a newer format
/// and not damaged.
fn refused(bytes: &[u8], error: &SafeTensorError) -> Refused {
    let length = bytes
        .first_chunk()
        .map(|length| u64::from_le_bytes(*length));
    let length = length.unwrap_or_default();
    Refused::Damaged(match error {
        SafeTensorError::HeaderTooSmall => {
            format!(
                "it ends after {} of the 8 bytes with which it begins",
                bytes.len()
            )
        }
        SafeTensorError::HeaderTooLarge | SafeTensorError::InvalidHeaderLength => format!(
            "its header should have {length} bytes, and {} follow",
            bytes.len() as u64 - 8
        ),
        SafeTensorError::InvalidHeader(_) => "its header is no text".to_string(),
        SafeTensorError::InvalidHeaderDeserialization(why) if why.is_data() => {
            let what = format!("an entry of its header is not of a kind that is known ({why})");
            return Refused::Foreign(what, "write the values as floats");
        }
        SafeTensorError::InvalidHeaderDeserialization(why) => {
            format!("its header cannot be read: {why}")
        }
        SafeTensorError::InvalidOffset(name) => {
            format!("the values of `{name}` do not begin where those of the entry before it end")
        }
        SafeTensorError::TensorInvalidInfo
        | SafeTensorError::ValidationOverflow
        | SafeTensorError::MisalignedSlice => {
            "the sizes of an entry ask for another number of bytes than it has".to_string()
        }
        SafeTensorError::MetadataIncompleteBuffer => {
            "it is shorter or longer than its header says".to_string()
        }
        other => other.to_string(),
    })
}
