//! Checkpoints: the values of parameters and states in a file, in the format of safetensors, or in a `.npz` archive, which NumPy
//! reads and writes.

use std::collections::{BTreeMap, HashMap};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use lozenge_backend::{Error, Precision, Tensor};
use lozenge_lang::numpy::{self, Numbers};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

/// Parameters and states by their full names, with the progress of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// The values. The axes of a shape are in the order of memory: batch, input, output.
    pub tensors: BTreeMap<String, Tensor>,
    /// The progress from which a run can be resumed; files written by other software have none.
    pub progress: Option<Progress>,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The seed of the run.
    pub seed: u64,
    /// The current section, from 0.
    pub section: u64,
    /// How many of its epochs were done; in a section of steps, how many of its reports.
    pub epoch: u64,
    /// How many of its steps were done.
    pub step: u64,
}

/// A checkpoint that cannot be written or used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// A file that cannot be written or read.
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        message: String,
    },
    /// A file that is not a checkpoint, or is damaged.
    #[error("{}: this is no checkpoint, or it is damaged: {message}; take another one, or begin anew without it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A parameter of the program that the checkpoint does not have.
    #[error("the checkpoint has no `{name}`: it is of another program{near}")]
    Missing {
        /// The parameter.
        name: String,
        /// A similar name that was perhaps meant.
        near: String,
    },
    /// A parameter with another shape.
    #[error("`{name}` has the sizes {expected:?} in the program and {found:?} in the checkpoint")]
    Shape {
        /// The parameter.
        name: String,
        /// The sizes of its axes in the program.
        expected: Vec<u64>,
        /// Those in the checkpoint.
        found: Vec<u64>,
    },
    /// A checkpoint from which no run can be resumed.
    #[error(
        "the checkpoint does not say how far its run was: start from it with --load in place of --resume"
    )]
    NoProgress,
    /// A checkpoint of a run with more sections than the program has.
    #[error(
        "the checkpoint is of section {section}, and the program has {sections}: it is of another program"
    )]
    Section {
        /// The section, from 1.
        section: u64,
        /// How many sections the program has.
        sections: usize,
    },
}

/// The metadata key of lozenge's own numbers in a file, which is the first word of the comment of an archive. All of them are in one text, since the order of several keys would
/// differ from file to file.
const OWN: &str = "lozenge";
/// The names of these numbers.
const NUMBERS: [&str; 5] = ["checksum", "seed", "section", "epoch", "step"];

impl Checkpoint {
    /// Writes a temporary file and renames it, so that there is never an incomplete checkpoint. A file whose name ends in `.npz` is
    /// an archive of arrays, any other a file of safetensors.
    ///
    /// # Errors
    /// [`CheckpointError::File`]. A previous file is then unchanged.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        let failed = |message: String| CheckpointError::File {
            path: path.to_path_buf(),
            message: format!("cannot be written: {message}"),
        };
        let bytes = match path.extension().and_then(|end| end.to_str()) {
            Some("npz") => self.archive(),
            Some("npy") => Err(ONE_ARRAY.to_string()),
            _ => self.bytes(),
        };
        let bytes = bytes.map_err(failed)?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let written = || {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(&bytes)?;
            file.as_file().sync_all()?;
            file.persist(path).map_err(|error| error.error)
        };
        written()
            .map(|_| ())
            .map_err(|error: std::io::Error| failed(error.to_string()))
    }

    /// The contents of a `.npz` file.
    fn archive(&self) -> Result<Vec<u8>, String> {
        let own = format!("{OWN} {}", self.own(checksum_of(&parts(&self.tensors))));
        let mut bytes = Cursor::new(Vec::new());
        let arrays = self.tensors.iter();
        let arrays = arrays.map(|(name, tensor)| {
            let numbers = match tensor.double_values() {
                Some(values) => Numbers::Double(values),
                None => Numbers::Single(tensor.values()),
            };
            (name.as_str(), tensor.shape(), numbers)
        });
        numpy::write_archive(&mut bytes, arrays, &own).map_err(|error| error.to_string())?;
        Ok(bytes.into_inner())
    }

    /// The contents of a file of safetensors.
    fn bytes(&self) -> Result<Vec<u8>, String> {
        let data = parts(&self.tensors);
        let about = HashMap::from([(OWN.to_string(), self.own(checksum_of(&data)))]);
        let views = data.iter().map(|(name, shape, bytes)| {
            let dtype = match self.tensors[*name].precision() {
                Precision::F32 => Dtype::F32,
                Precision::F64 => Dtype::F64,
            };
            let view = TensorView::new(dtype, shape.clone(), bytes);
            view.map(|view| (*name, view))
        });
        let views = views
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.to_string())?;
        safetensors::serialize(views, Some(about)).map_err(|error| error.to_string())
    }

    /// The checksum of the values, and the progress.
    fn own(&self, sum: u64) -> String {
        let mut numbers = vec![sum];
        if let Some(progress) = self.progress {
            let Progress {
                seed,
                section,
                epoch,
                step,
            } = progress;
            numbers.extend([seed, section, epoch, step]);
        }
        let named = NUMBERS.iter().zip(numbers);
        let own: Vec<String> = named
            .map(|(name, number)| format!("{name} {number}"))
            .collect();
        own.join(" ")
    }

    /// Reads a file of safetensors or, if it begins like one, a `.npz` archive. Floats of 64 bits are kept as they are. From the first, tensors of 32-bit and 64-bit floats
    /// are accepted; from the second, all arrays of numbers.
    ///
    /// # Errors
    /// [`CheckpointError::File`] and [`CheckpointError::Damaged`].
    pub fn load(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let bytes = std::fs::read(path).map_err(|error| CheckpointError::File {
            path: path.to_path_buf(),
            message: format!("cannot be read: {error}"),
        })?;
        let read = match bytes.starts_with(b"PK") {
            true => Checkpoint::read_archive(&bytes),
            false => Checkpoint::read(&bytes),
        };
        read.map_err(|message| CheckpointError::Damaged {
            path: path.to_path_buf(),
            message,
        })
    }

    fn read_archive(bytes: &[u8]) -> Result<Checkpoint, String> {
        let said = |error: numpy::ArrayError| format!("{error}; {}", error.help());
        let (_, comment) = numpy::archive(Cursor::new(bytes)).map_err(said)?;
        let arrays = numpy::read_archive(Cursor::new(bytes), u64::MAX).map_err(said)?;
        let mut tensors = BTreeMap::new();
        for (name, array) in arrays {
            let tensor = match array.double {
                Some(values) => Tensor::wide(array.shape, values),
                None => Tensor::new(array.shape, array.values),
            };
            let tensor = tensor.map_err(|error| format!("`{name}`: {error}"))?;
            tensors.insert(name, tensor);
        }
        let own = comment.strip_prefix(OWN).map(str::trim_start);
        let progress = progress(own, checksum_of(&parts(&tensors)))?;
        Ok(Checkpoint { tensors, progress })
    }

    fn read(bytes: &[u8]) -> Result<Checkpoint, String> {
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
        let file = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
        let mut views = file.tensors();
        views.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut tensors = BTreeMap::new();
        for (name, view) in &views {
            let tensor = tensor(view).ok_or_else(|| {
                format!(
                    "`{name}` holds {:?} and no floats of 32 or 64 bits",
                    view.dtype()
                )
            })?;
            let tensor = tensor.map_err(|error| format!("`{name}`: {error}"))?;
            tensors.insert(name.clone(), tensor);
        }
        let all = views.iter();
        let sum = checksum(all.map(|(name, view)| (name.as_str(), view.shape(), view.data())));
        let own = metadata
            .metadata()
            .as_ref()
            .and_then(|about| about.get(OWN));
        let progress = progress(own.map(String::as_str), sum)?;
        Ok(Checkpoint { tensors, progress })
    }
}

/// A checkpoint in a `.npy` file.
const ONE_ARRAY: &str = "a `.npy` file has one array, and a checkpoint has one for each parameter and state: let the name end in `.npz`, \
     or write a single one by a line of the program, as `save w to \"w.npy\"`";

/// The names, sizes and bytes of tensors.
type Parts<'c> = Vec<(&'c str, Vec<usize>, Vec<u8>)>;

fn parts(tensors: &BTreeMap<String, Tensor>) -> Parts<'_> {
    let parts = tensors.iter().map(|(name, tensor)| {
        let shape = tensor.shape().iter().map(|size| *size as usize);
        let values: Vec<u8> = match tensor.double_values() {
            Some(values) => values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
            None => {
                let values = tensor.values().iter();
                values.flat_map(|value| value.to_le_bytes()).collect()
            }
        };
        (name.as_str(), shape.collect(), values)
    });
    parts.collect()
}

fn checksum_of(parts: &Parts<'_>) -> u64 {
    let all = parts.iter();
    checksum(all.map(|(name, shape, bytes)| (*name, shape.as_slice(), bytes.as_slice())))
}

/// The progress that lozenge's own numbers state, if the checksum among them is that of the values.
fn progress(own: Option<&str>, sum: u64) -> Result<Option<Progress>, String> {
    let numbers = own.map(numbers).unwrap_or_default();
    Ok(match (own, numbers.as_slice()) {
        (Some(_), [written, ..]) if *written != sum => {
            return Err("its checksum is not that of its values".to_string());
        }
        (Some(_), [_, seed, section, epoch, step]) => Some(Progress {
            seed: *seed,
            section: *section,
            epoch: *epoch,
            step: *step,
        }),
        (None, _) | (Some(_), [_]) => None,
        (Some(_), _) => return Err("what it says of its run cannot be read".to_string()),
    })
}

/// The numbers of a text such as `checksum 17 seed 3`, up to the first unexpected name.
fn numbers(text: &str) -> Vec<u64> {
    let words: Vec<&str> = text.split(' ').collect();
    let pairs = NUMBERS.iter().zip(words.chunks(2));
    let numbers = pairs.map_while(|(name, pair)| match pair {
        [word, number] if word == name => number.parse().ok(),
        _ => None,
    });
    numbers.collect()
}

/// The tensor, if it has 32-bit or 64-bit floats.
fn tensor(view: &TensorView<'_>) -> Option<Result<Tensor, Error>> {
    let shape = view.shape().iter().map(|size| *size as u64).collect();
    let bytes = view.data();
    match view.dtype() {
        Dtype::F32 => {
            let (values, _) = bytes.as_chunks::<4>();
            let values = values.iter().map(|value| f32::from_le_bytes(*value));
            Some(Tensor::new(shape, values.collect()))
        }
        Dtype::F64 => {
            let (values, _) = bytes.as_chunks::<8>();
            let values = values.iter().map(|value| f64::from_le_bytes(*value));
            Some(Tensor::wide(shape, values.collect()))
        }
        _ => None,
    }
}

/// A checksum (FNV-1a) over names, shapes and values.
fn checksum<'d>(data: impl Iterator<Item = (&'d str, &'d [usize], &'d [u8])>) -> u64 {
    let mut sum: u64 = 0xcbf2_9ce4_8422_2325;
    let mut byte = |byte: u8| sum = (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    for (name, shape, bytes) in data {
        name.bytes().for_each(&mut byte);
        for size in shape {
            (*size as u64).to_le_bytes().into_iter().for_each(&mut byte);
        }
        bytes.iter().copied().for_each(&mut byte);
    }
    sum
}
