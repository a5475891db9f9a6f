//! Checkpoints: the values of parameters and states in a file, in the format of safetensors, or in a `.npz` archive,
//! which NumPy reads and writes.

mod element;
mod error;
mod reading;

use std::collections::{BTreeMap, HashMap};
use std::io::Cursor;
use std::path::Path;

use lozenge_backend::{Error, Precision, Tensor};
use lozenge_lang::numpy::{self, Numbers};
use safetensors::tensor::{Dtype, TensorView};

pub use error::CheckpointError;

use super::fnv::Fnv;
use super::identity::Identity;
use crate::new_file::NewFile;

/// Parameters and states by their full names, with the progress of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// The values. The axes of a shape are in the order of memory: batch, input, output.
    pub tensors: BTreeMap<String, Tensor>,
    /// The other entries of the file that was read, by their names.
    pub others: BTreeMap<String, Other>,
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
    /// The number of its epochs that were done; in a section of steps, of its reports.
    pub epoch: u64,
    /// The number of its steps that were done.
    pub step: u64,
    /// The run itself.
    pub run: Identity,
}

/// An entry of a file that is not among the tensors of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Other {
    /// Nobody asked for it.
    Unread,
    /// An entry that is no tensor: its content in words.
    Unfit(String),
}

/// The metadata key of lozenge's own numbers in a file, which is the first word of the comment of an archive. All of
/// them are in one text, since the order of several keys would differ from file to file.
const OWN: &str = "lozenge";
/// The names of these numbers. The checksum is of all values and of the other numbers.
const NUMBERS: [&str; 9] = [
    "checksum", "seed", "section", "epoch", "step", "program", "sections", "data", "rounding",
];

impl Checkpoint {
    /// Writes a checkpoint as a whole, so that there is never an incomplete one. A file whose name ends in `.npz` is
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
        NewFile::replace(path, bytes).map_err(|error| failed(error.to_string()))
    }

    /// Exchanges the order of the axes of a tensor: a matrix of outputs and inputs, as PyTorch has it, becomes one of
    /// inputs and outputs.
    ///
    /// # Errors
    /// [`CheckpointError::Missing`].
    pub fn transpose(&mut self, name: &str) -> Result<(), CheckpointError> {
        let tensor = self.tensors.get(name).ok_or_else(|| self.missing(name))?;
        let turned = turned(tensor).map_err(|error| CheckpointError::Unfit {
            name: name.to_string(),
            what: error.to_string(),
        })?;
        self.tensors.insert(name.to_string(), turned);
        Ok(())
    }

    /// Tells whether the file has an entry of this name, be it a tensor or not.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name) || self.others.contains_key(name)
    }

    /// Returns the error that there is no tensor of a name.
    pub fn missing(&self, name: &str) -> CheckpointError {
        if let Some(Other::Unfit(what)) = self.others.get(name) {
            return CheckpointError::Unfit {
                name: name.to_string(),
                what: what.clone(),
            };
        }
        let names = self.tensors.keys().chain(self.others.keys());
        let names = lozenge_lang::by_nearness(name, names.map(String::as_str));
        CheckpointError::Missing {
            name: name.to_string(),
            names: names.into_iter().map(str::to_string).collect(),
        }
    }

    /// Returns the contents of a `.npz` file.
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

    /// Returns the contents of a file of safetensors.
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

    /// Returns the checksum of the values and of the progress, and the progress.
    fn own(&self, sum: Fnv) -> String {
        let about = self.progress.map(Progress::numbers).unwrap_or_default();
        let mut numbers = vec![sum.with(&about)];
        numbers.extend(about);
        let named = NUMBERS.iter().zip(numbers);
        let own: Vec<String> = named
            .map(|(name, number)| format!("{name} {number}"))
            .collect();
        own.join(" ")
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

fn checksum_of(parts: &Parts<'_>) -> Fnv {
    let all = parts.iter();
    checksum(all.map(|(name, shape, bytes)| (*name, shape.as_slice(), bytes.as_slice())))
}

/// Returns the progress that lozenge's own numbers state, if the checksum among them is that of the values and of the
/// others. A file of before 0.2, which does not say of which run it is, has none.
fn progress(own: Option<&str>, sum: Fnv) -> Result<Option<Progress>, String> {
    const OF_BEFORE: usize = 5;
    let Some(own) = own else {
        return Ok(None);
    };
    let numbers = numbers(own);
    let Some((written, about)) = numbers.split_first() else {
        return Err(UNREAD.to_string());
    };
    let covered = if numbers.len() == OF_BEFORE {
        &[]
    } else {
        about
    };
    if *written != sum.with(covered) {
        return Err("its checksum is not that of its values".to_string());
    }
    match about.first_chunk() {
        Some(all) => Ok(Some(Progress::of(*all))),
        None if about.is_empty() || numbers.len() == OF_BEFORE => Ok(None),
        None => Err(UNREAD.to_string()),
    }
}

const UNREAD: &str = "what it says of its run cannot be read";

impl Progress {
    /// Returns its numbers, in the order in which a file has them.
    fn numbers(self) -> Vec<u64> {
        let Progress {
            seed,
            section,
            epoch,
            step,
            run,
        } = self;
        vec![
            seed,
            section,
            epoch,
            step,
            run.program,
            run.sections,
            run.data,
            run.rounding,
        ]
    }

    /// Reads the numbers in the order in which a file has them.
    fn of(
        [
            seed,
            section,
            epoch,
            step,
            program,
            sections,
            data,
            rounding,
        ]: [u64; 8],
    ) -> Progress {
        let run = Identity {
            program,
            sections,
            data,
            rounding,
        };
        Progress {
            seed,
            section,
            epoch,
            step,
            run,
        }
    }
}

/// Returns the numbers of a text such as `checksum 17 seed 3`, up to the first unexpected name.
fn numbers(text: &str) -> Vec<u64> {
    let words: Vec<&str> = text.split(' ').collect();
    let pairs = NUMBERS.iter().zip(words.chunks(2));
    let numbers = pairs.map_while(|(name, pair)| match pair {
        [word, number] if word == name => number.parse().ok(),
        _ => None,
    });
    numbers.collect()
}

/// Returns a tensor with its axes in the opposite order.
fn turned(tensor: &Tensor) -> Result<Tensor, Error> {
    let shape: Vec<u64> = tensor.shape().iter().rev().copied().collect();
    match tensor.double_values() {
        Some(values) => Tensor::wide(shape, in_opposite_order(tensor.shape(), values)),
        None => Tensor::new(shape, in_opposite_order(tensor.shape(), tensor.values())),
    }
}

fn in_opposite_order<T: Copy>(shape: &[u64], values: &[T]) -> Vec<T> {
    // One axis after the other moves to the end, each in front of those that moved before.
    let mut ordered = values.to_vec();
    let mut left: usize = values.len();
    if values.is_empty() {
        return ordered;
    }
    for size in shape.iter().map(|size| *size as usize) {
        // The values of one block have the axes that did not move, and behind them those that did.
        left /= size;
        let done = values.len() / (size * left);
        let mut next = Vec::with_capacity(values.len());
        for rest in 0..left {
            for at in 0..size {
                let begin = (at * left + rest) * done;
                next.extend_from_slice(&ordered[begin..begin + done]);
            }
        }
        ordered = next;
    }
    ordered
}

/// Returns a checksum over names, shapes and values.
fn checksum<'d>(data: impl Iterator<Item = (&'d str, &'d [usize], &'d [u8])>) -> Fnv {
    let mut sum = Fnv::default();
    for (name, shape, bytes) in data {
        sum.add(name.as_bytes());
        for size in shape {
            sum.add(&(*size as u64).to_le_bytes());
        }
        sum.add(bytes);
    }
    sum
}
