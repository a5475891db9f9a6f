//! The kind of a file, by its first bytes.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use lozenge_graph_vocabulary::Graph;

use crate::{Limits, ModelError, fx, grad, onnx, torch_export};

/// Reads a model file. Of a `.pt2` file only the program is read, not the weights.
///
/// # Errors
///
/// Fails if the file cannot be read, is no model, contradicts itself, or exceeds a limit.
pub fn read_file(path: &Path, limits: &Limits) -> Result<Graph, ModelError> {
    let failed =
        |error: std::io::Error| ModelError::new(format!("the file cannot be read: {error}"));
    let mut file = File::open(path).map_err(failed)?;
    let mut first = Vec::new();
    file.by_ref()
        .take(FIRST_BYTES)
        .read_to_end(&mut first)
        .map_err(failed)?;
    if first.starts_with(ZIP) {
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        return torch_export::read(BufReader::new(file), limits);
    }
    let most = limits.max_file_bytes.saturating_add(1);
    let size = file
        .metadata()
        .map_or(0, |metadata| metadata.len().min(most));
    let mut content = first;
    content.reserve_exact(usize::try_from(size).unwrap_or(0));
    file.take(most.saturating_sub(content.len() as u64))
        .read_to_end(&mut content)
        .map_err(failed)?;
    read(content, limits)
}

/// Reads the content of a model file.
///
/// # Errors
///
/// Fails if the content is no model, contradicts itself, or exceeds a limit.
pub fn read(content: Vec<u8>, limits: &Limits) -> Result<Graph, ModelError> {
    let most = limits.max_file_bytes;
    if content.len() as u64 > most {
        let message = format!("the file has more than {most} bytes");
        return Err(ModelError::new(message).by_limit("max_file_bytes", most));
    }
    match Kind::of(&content)? {
        Kind::Zip => torch_export::read(Cursor::new(content), limits),
        Kind::Json => fx::read(&content, limits),
        Kind::Protobuf => onnx::read(content.into(), limits),
        Kind::Program => grad::read(&content, limits),
    }
}

/// The bytes with which a ZIP archive begins.
const ZIP: &[u8] = b"PK";

/// The number of bytes that tell whether a file is an archive, which is not read as a whole.
const FIRST_BYTES: u64 = 64;

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Zip,
    Json,
    Protobuf,
    Program,
}

impl Kind {
    pub(crate) fn of(content: &[u8]) -> Result<Self, ModelError> {
        let text = content
            .iter()
            .position(|byte| !byte.is_ascii_whitespace())
            .map(|start| content[start]);
        let known = match content {
            [] => return Err(ModelError::new("the file is empty")),
            _ if content.starts_with(ZIP) => return Ok(Self::Zip),
            _ if text == Some(b'{') => return Ok(Self::Json),
            [b'G', b'G', b'U', b'F', ..] => "a GGUF file, which holds weights and no graph",
            [0x89, b'H', b'D', b'F', ..] => "an HDF5 file",
            [_, _, _, _, b'T', b'F', b'L', b'3', ..] => "a TensorFlow Lite file",
            [b'O', b'R', b'T', b'M', ..] | [_, _, _, _, b'O', b'R', b'T', b'M', ..] => {
                "a model in the ORT format, which is made from an .onnx file"
            }
            [0x80, 2..=5, ..] => "a pickle, which is never opened, since opening one runs code",
            [_, _, _, _, _, _, 0, 0, b'{', ..] => {
                "a safetensors file, which holds weights and no graph"
            }
            _ if grad::is_program(content) => return Ok(Self::Program),
            // The tags of the fields of an ONNX model: the first byte is one of theirs.
            [
                0x08 | 0x12 | 0x1a | 0x22 | 0x28 | 0x32 | 0x3a | 0x42 | 0x72 | 0xa2 | 0xca | 0xd2,
                ..,
            ] => {
                return Ok(Self::Protobuf);
            }
            _ => "no file of a known kind",
        };
        let error = ModelError::new(format!("the first bytes are those of {known}"));
        Err(error.with_help("models are read from .onnx, from .pt2 (torch.export.save), from the JSON of a torch.fx graph, and from programs in .grad"))
    }
}
